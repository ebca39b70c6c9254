"""Loops whose iterations depend on each other, and loops that may run in any order."""

from __future__ import annotations

import random

import pytest

from relayish import tir
from relayish.tir.analysis import (
    Context,
    Interval,
    dependences,
    is_parallel,
    loop_carried,
    parallel_loops,
)
from relayish.tir.analysis.dependence import access_patterns
from tests.support.depth import DEPTH
from tests.support.seeds import seeds
from tests.support.tir_nests import draw

BUFFER = tir.Buffer("b", (1000,))
A = tir.Tensor("A", (1000,), buffer=BUFFER)
B = tir.Tensor("B", (1000,), buffer=tir.Buffer("c", (1000,)))


def loop(body, extent=10, start=0):
    """Return a loop over ``body(i)``, one statement or several."""
    i = tir.Var("i")
    made = body(i)
    stmts = made if isinstance(made, tuple) else (made,)
    return tir.For(i, start, extent, tir.Block(stmts))


def store(tensor, index, value):
    return tir.Store(tensor, value, (index,))


def test_loop_is_parallel_when_what_is_known_outside_keeps_iterations_apart():
    n = tir.Var("n")
    nest = loop(lambda i: store(A, i + n, A[i]))
    assert not is_parallel(nest)
    assert is_parallel(nest, Context().with_range(n, Interval(10, 20)))


def test_accesses_that_carry_are_told():
    nest = loop(lambda i: store(A, i + 1, A[i]))
    [(source, sink)] = loop_carried(nest)
    assert isinstance(source.node, tir.Store)
    assert isinstance(sink.node, tir.Load)


def test_accesses_that_are_never_so_near_are_left_out():
    nest = loop(lambda i: store(A, i * 2 + 5, A[i]))  # i writes what i + 5, and more, reads
    assert not list(loop_carried(nest, max_distance=4))
    [(source, sink)] = loop_carried(nest, max_distance=5)
    assert (source.writes, sink.reads) == (True, True)


def test_outer_loop_of_a_sum_is_parallel_and_the_inner_is_not():
    def inner(i):
        return loop(lambda k: store(A, i, A[i] + B[k]))

    outer = loop(inner)
    [below] = outer.body.stmts
    assert parallel_loops(outer) == {outer}
    assert not is_parallel(below)


def test_parallel_loops_are_those_that_no_dependence_names_as_its_carrier():
    kinds = ("branches", "scalars", "views", "steps", "quotients")
    for seed in seeds(25):
        root, _ = draw(random.Random(f"parallel {seed}"), kinds)
        loops = tir.collect_ir_nodes(root, lambda node: isinstance(node, (tir.For, tir.PolyFor)))
        carrying = {dep.carrier for dep in dependences(root)}
        assert parallel_loops(root) == {each for each in loops if each not in carrying}


@pytest.mark.deep
def test_accesses_below_many_loops_are_taken_to_depend():
    nest = store(A, tir.const(0), B[0])
    for _ in range(DEPTH):
        nest = tir.For(tir.Var("i"), 0, 2, tir.Block((nest,)))
    assert parallel_loops(nest) == frozenset()
    [found] = dependences(nest)
    assert not found.is_exact


def test_loops_one_after_the_other_are_not_compared(monkeypatch):
    asked = []
    never_meet = access_patterns.never_meet

    def record(*given):
        asked.append(given)
        return never_meet(*given)

    monkeypatch.setattr(access_patterns, "never_meet", record)
    loops = [loop(lambda i: store(A, i, A[i] + 1.0)) for _ in range(30)]
    assert parallel_loops(tir.Block((*loops, store(A, 0, 1.0)))) == set(loops)
    assert len(asked) == 2 * len(loops)
