"""Unrolling: which loops, and what their iterations become."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.passes.loops.structure.unroll_loop import unroll_loop
from tests.support.depth import DEPTH
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func, same_result
from tests.support.tir_small import apply, function, loop, memory, nodes

SEEDS = seeds(30)
I, J = tir.Var("i"), tir.Var("j")  # noqa: E741 - as loops call them


def unrolled(func):
    return apply("UnrollLoop", func)


def test_option_allows_more_iterations():
    a = memory("A", 60)
    func = function([a], loop(I, 0, 60, tir.Store(a, I, (I,)), kind="UNROLLED"))
    assert len(nodes(unroll_loop(func, max_extent=60), tir.Store)) == 60


class Marker(tir.StmtMutator):
    """Marks every loop."""

    def visit_for(self, loop):
        return super().visit_for(loop).with_fields(for_type=tir.ForType.UNROLLED)


def test_random_programs_of_marked_loops_do_the_same():
    done = 0
    for seed in SEEDS:
        func = random_func(seed, without=("loop_kinds",))
        func = func.with_fields(body=Marker().visit(func.body))
        image = unrolled(func)
        assert same_result(func, image), seed
        done += image is not func
    assert done > len(SEEDS) / 2


@pytest.mark.deep
def test_nest_of_unrolled_loops_is_linear():
    a = memory("A", 1)
    nest = tir.Store(a, a[0] + 1, (0,))
    for _ in range(DEPTH):
        nest = loop(tir.Var("i"), 0, 1, nest, kind="UNROLLED")
    image = unroll_loop(function([a], nest))
    assert nodes(image, tir.For) == []
