"""What schedule blocks declare stays true: passes over loops, on random programs with regions."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.ir.structural_equal import structural_equal
from relayish.tir.analysis.declared_regions import sort_regions
from relayish.transform import get_pass
from tests.support.depth import DEPTH
from tests.support.loop_passes import LOOP_PASSES
from tests.support.tir_programs import random_func
from tests.support.tir_small import apply, function, loop, memory

PROGRAMS = 400 if DEPTH >= 100_000 else 60


class Declare(tir.StmtMutator):
    """Gives each schedule block the regions that are computed of it."""

    def visit_schedule_block(self, block):
        block = super().visit_schedule_block(block)
        regions = tir.access_regions(block)
        return block.with_fields(read_buffers=regions.reads, write_buffers=regions.writes)


def declared(seed: int) -> tir.LoweredFunc:
    func = random_func(seed)
    return func.with_fields(body=Declare().visit(func.body))


RARELY = ("CopyPropagation", "RenameTensors")
"""Passes for which programs that are drawn have nothing to do."""


@pytest.mark.deep
@pytest.mark.parametrize("name", LOOP_PASSES)
def test_pass_leaves_regions_that_the_verifier_accepts(name):
    changed = 0
    for seed in range(PROGRAMS):
        func = declared(seed)
        assert tir.verify(func) == (), seed
        image = get_pass(name)(IRModule({"f": func}))["f"]
        assert tir.verify(image) == (), seed
        changed += image is not func
    assert changed > 0 or name in RARELY


class Mark(tir.StmtMutator):
    """Marks each loop to be vectorised."""

    def visit_for(self, loop):
        info = tir.VectorizeInfo(0, 4)
        marked = super().visit_for(loop)
        return marked.with_fields(for_type=tir.ForType.VECTORIZED, vectorize_info=info)


def test_vectors_meet_buffers_in_the_order_that_is_declared():
    checked = 0
    for seed in range(230, 240):
        func = declared(seed)
        func = func.with_fields(body=Mark().visit(func.body))
        if not tir.verify(func):  # a loop that was bound to a thread may not be marked as well
            image = get_pass("VectorizeLoops")(IRModule({"f": func}))["f"]
            assert tir.verify(image) == (), seed
            checked += 1
    assert checked > 3


def test_program_whose_regions_are_in_order_stays_the_same_object():
    for seed in range(20):
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
    for seed in range(40):
        func = declared(seed)
        other = reversed_parts(func)
        sorted_again += bool(tir.verify(other))
        assert structural_equal(sort_regions(other), func), seed
    assert sorted_again > 5


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
