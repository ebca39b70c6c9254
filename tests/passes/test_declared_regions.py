"""What schedule blocks declare stays true, and in the order that is declared."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.module import IRModule
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.transform import get_pass
from tests.support.seeds import many, seeds
from tests.support.tir_programs import random_func
from tests.support.tir_regions import with_regions
from tests.support.tir_small import apply, function, loop, memory


def declared(seed: int) -> tir.LoweredFunc:
    return with_regions(random_func(seed))


class Mark(tir.StmtMutator):
    """Marks each loop to be vectorised."""

    def visit_for(self, loop):
        info = tir.VectorizeInfo(0, 4)
        marked = super().visit_for(loop)
        return marked.with_fields(for_type=tir.ForType.VECTORIZED, vectorize_info=info)


@pytest.mark.slow("verifies and runs many vectorised programs")
def test_vectors_meet_buffers_in_the_order_that_is_declared():
    checked = 0
    drawn = [*range(230, 240), *seeds(10)]  # among the former is one that was wrong once
    for seed in drawn:
        func = declared(seed)
        func = func.with_fields(body=Mark().visit(func.body))
        if not tir.verify(func):  # a loop that was bound to a thread may not be marked as well
            image = get_pass("VectorizeLoops")(IRModule({"f": func}))["f"]
            assert tir.verify(image) == (), seed
            checked += 1
    assert checked > len(drawn) / 3


def test_program_whose_regions_are_in_order_stays_the_same_object():
    for seed in seeds(20):
        func = declared(seed)
        assert sort_regions(func) is func


def reversed_parts(func: tir.LoweredFunc) -> tir.LoweredFunc:
    class Reverse(tir.StmtMutator):
        def visit_schedule_block(self, block):
            block = super().visit_schedule_block(block)
            return block.with_fields(
                read_buffers=block.read_buffers[::-1], write_buffers=block.write_buffers[::-1]
            )

    return func.with_fields(body=Reverse().visit(func.body))


def test_parts_in_any_order_are_put_in_that_of_the_tree():
    sorted_again = 0
    for seed in seeds(40):
        func = declared(seed)
        other = reversed_parts(func)
        sorted_again += bool(tir.verify(other))
        assert structural_equal(sort_regions(other), func), seed
    assert sorted_again > many(40) / 8


def kernel(value, *tensors: tir.Tensor, lanes: int = 0) -> tir.LoweredFunc:
    """``C[v] = value(v)`` in a loop and a schedule block that declares what it reads."""
    made, i, v = memory("C", 8), tir.Var("i"), tir.Var("v")
    block = tir.ScheduleBlock((v,), (), (), "C", tir.Store(made, value(v), (v,)))
    block = block.with_fields(read_buffers=tir.access_regions(block).reads)
    body = tir.ScheduleBlockRealize((i,), block)
    return function((*tensors, made), loop(i, 0, 8, body, lanes=lanes))


def test_simplification_that_turns_a_difference_round_turns_the_regions_round():
    A, B = memory("A", 8), memory("B", 8)
    func = kernel(lambda v: tir.Minus(B[v]) + A[v], A, B)
    image = apply("Simplify", func)
    block = image.body.stmts[0].body
    while not isinstance(block, tir.ScheduleBlock):
        block = getattr(block, "schedule_block", None) or block.stmts[0]
    assert [part.buffer.name for part in block.read_buffers] == ["_A", "_B"]
