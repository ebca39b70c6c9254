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


def test_loop_is_parallel_when_each_iteration_has_an_element_of_its_own():
    assert is_parallel(loop(lambda i: store(A, i, A[i] + 1.0)))


def test_loop_is_not_parallel_when_it_reads_what_the_iteration_before_wrote():
    assert not is_parallel(loop(lambda i: store(A, i + 1, A[i])))


def test_loop_is_parallel_when_it_reads_further_than_it_writes():
    assert is_parallel(loop(lambda i: store(A, i + 10, A[i])))


def test_loop_is_parallel_for_any_number_of_iterations():
    n = tir.Var("n")
    assert is_parallel(loop(lambda i: store(A, i, B[i]), n))
    assert not is_parallel(loop(lambda i: store(A, i + 1, A[i]), n))


def test_loop_with_unknown_stride_is_not_parallel():
    n = tir.Var("n")
    assert not is_parallel(loop(lambda i: store(A, i * n, B[i])))


def test_loop_is_parallel_when_what_is_known_outside_keeps_iterations_apart():
    n = tir.Var("n")
    nest = loop(lambda i: store(A, i + n, A[i]))
    assert not is_parallel(nest)
    assert is_parallel(nest, Context().with_range(n, Interval(10, 20)))


def test_scalar_declared_in_the_loop_is_its_iterations_own():
    x = tir.Var("x", "float32")
    body = lambda i: (tir.Let(x, A[i]), store(A, i, x + 1.0))  # noqa: E731
    assert is_parallel(loop(body))


def test_scalar_declared_outside_is_shared_by_iterations():
    x = tir.Var("x", "float32")
    inner = loop(lambda i: tir.Store(x, tir.Load(x, ()) + A[i], ()))
    assert not is_parallel(inner)


def test_buffer_allocated_in_the_loop_is_its_iterations_own():
    temporary = tir.Buffer("t", (4,))
    t = tir.Tensor("T", (4,), buffer=temporary)

    def body(i):
        return tir.Alloc(temporary), store(t, tir.const(0), A[i]), store(B, i, t[0])

    assert is_parallel(loop(body))
    assert not is_parallel(loop(lambda i: body(i)[1:]))


def test_call_of_unknown_effect_keeps_iterations_in_order():
    assert not is_parallel(loop(lambda _: tir.Call("void", "launch_rocket")))


def test_call_of_a_function_that_only_computes_does_not():
    assert is_parallel(loop(lambda i: store(A, i, tir.math.exp(A[i]))))


def test_views_of_one_buffer_are_compared_by_element():
    rows = tir.Tensor("R", (10, 100), buffer=BUFFER)

    def body(i):
        return tir.Store(rows, A[i * 100 + 7], (i, tir.const(6)))

    assert is_parallel(loop(body))
    assert not is_parallel(loop(lambda i: tir.Store(rows, A[i], (tir.const(0), i + 1))))


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


def test_fused_index_is_seen_through_quotient_and_remainder():
    plane = tir.Tensor("P", (10, 100), buffer=tir.Buffer("p", (10, 100)))

    def body(i):
        return tir.Store(plane, B[i], (i / 100, i % 100))

    assert is_parallel(loop(body, 1000))
    assert not is_parallel(loop(lambda i: tir.Store(plane, B[i], (i / 100, i % 50)), 1000))


def test_index_that_wraps_around_meets_itself():
    i = tir.Var("i", "int16")
    twice = tir.Cast("int32", i * 256)
    nest = tir.For(
        i, tir.const(0, "int16"), tir.const(300, "int16"), tir.Block((store(A, twice, B[0]),))
    )
    assert not is_parallel(nest)
    few = nest.with_fields(extent=tir.const(256, "int16"))
    assert is_parallel(few)


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
