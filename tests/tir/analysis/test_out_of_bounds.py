"""Accesses out of range: those that are for certain, and those that may be."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.dataflow import build_flow_graph
from relayish.ir.nodes.span import Span
from relayish.tir.analysis import Interval, find_out_of_bounds
from relayish.tir.analysis.dependence.dependences import disturbed_reads
from tests.support.seeds import seeds
from tests.support.tir_deep import DEEP, LEVELS, SHARED
from tests.support.tir_programs import arguments, outcome, random_func
from tests.support.tir_trace import trace

SEEDS = seeds(30)
I, J, X, N = (tir.Var(name) for name in "ijxn")  # noqa: E741
BUFFER = tir.Buffer("_A", (16,), "int32")
A = tir.Tensor("A", (16,), "int32", BUFFER)
SIZED_BUFFER = tir.Buffer("_S", (N,), "int32")
SIZED = tir.Tensor("S", (N,), "int32", SIZED_BUFFER)


def store(index, tensor=A):
    return tir.Store(tensor, tir.const(1), (index,))


def reports(stmt):
    return [(each.is_definite, tuple(each.interval)) for each in find_out_of_bounds(stmt)]


def inline(shift, size=8, of=A, name="inline"):
    """Return an inline tensor whose elements are those of another, some places further on."""
    return tir.compute((size,), lambda i: of[i + shift], name, inline=True)


def test_axis_of_an_element_is_not_taken_for_the_loop_that_it_varies_in():
    made = inline(0, N, SIZED)
    [axis] = made.operation.axis
    assert reports(tir.For(axis, 0, N, tir.Let(X, made[axis]))) == [(False, (0, 2**31 - 2))]


def test_elements_that_share_what_computes_them_are_not_counted_one_by_one():
    made = A
    for level in range(30):
        made = tir.compute(
            (8,), lambda i, of=made: of[i] + of[(i + 1) % 8], f"t{level}", inline=True
        )
    assert find_out_of_bounds(tir.Store(A, made[0], (0,))) == ()


def test_access_in_several_places_is_reported_for_all_of_them():
    once = store(I)
    both = tir.For(I, 0, 99, tir.IfThenElse(I < 16, once, once))
    assert reports(both) == [(False, (16, 98))]


def test_report_says_what_and_where():
    span = Span("loops.cinn", 3, 3, 5, 9)
    [found] = find_out_of_bounds(tir.Store(A, tir.const(1), (tir.const(16),), span=span))
    assert str(found) == (
        "loops.cinn:3:5: A[16] = 1 is out of range: index 16 of dimension 0 is 16, and tensor A "
        "has 16 there"
    )
    assert (found.dimension, found.size) == (0, Interval(16, 16))


def test_access_without_a_span_has_that_of_its_statement():
    span = Span("loops.cinn", 3, 3, 5, 9)
    [found] = find_out_of_bounds(tir.Let(X, A[16], span=span))
    assert found.span == span


def test_reports_of_random_programs_come_true():
    """Whoever reaches what is definite fails there, and who fails was said to do so perhaps."""
    failed = definite = 0
    for seed in SEEDS:
        func = random_func(seed, size=15, faulty=True)
        found = find_out_of_bounds(func)
        result = outcome(func, arguments(func), mode="plain")
        if result == "OutOfBoundsError":
            failed += 1
            assert found, seed
        certain = {each.access for each in found if each.is_definite}
        definite += bool(certain)
        graph, finished = build_flow_graph(func), set()

        def see(moment, graph=graph, finished=finished):
            if moment.is_after:
                finished.add(graph.nodes[moment.point])

        trace(func, arguments(func), see, graph)
        assert finished.isdisjoint(certain), seed
    assert failed > 0
    assert definite > 0


@pytest.mark.deep
@pytest.mark.parametrize("kind", DEEP)
def test_deep_programs_are_looked_through(kind):
    assert find_out_of_bounds(DEEP[kind](LEVELS)) is not None


@pytest.mark.parametrize("kind", SHARED)
def test_shared_programs_are_looked_through(kind):
    assert find_out_of_bounds(SHARED[kind](100)) is not None


def test_reads_that_a_loop_may_write_are_told_by_their_subscripts():
    apart, same = A[3], A[I + 4]
    loop = tir.For(I, 0, 4, tir.Block((tir.Store(A, apart + same, (I + 4,)),)))
    assert disturbed_reads(loop) == {same}
