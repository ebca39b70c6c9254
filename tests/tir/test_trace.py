"""Traces of programs, with which analyses are checked."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.dataflow.graph import build_flow_graph
from tests.support.seeds import seeds
from tests.support.tir_deep import DEEP
from tests.support.tir_programs import arguments, outcome, random_func
from tests.support.tir_trace import trace

X, I = tir.Var("x"), tir.Var("i")  # noqa: E741
BUFFER = tir.Buffer("_A", (4,), "int32")
A = tir.Tensor("A", (4,), "int32", BUFFER)


def function(*stmts, temps=()):
    return tir.LoweredFunc("f", () if temps else (BUFFER,), tir.Block(stmts), temps)


def test_variables_are_seen_before_and_after_each_statement():
    step = tir.Store(X, X + I, ())
    func = function(tir.Let(X, tir.const(5)), tir.For(I, 1, 2, step))
    graph = build_flow_graph(func)
    seen = []
    assert trace(func, arguments(func), seen.append, graph) is None
    [at] = graph.occurrences(step)
    steps = [(m.is_after, m.values) for m in seen if m.point == at]
    assert steps == [
        (False, {X: 5, I: 1}),
        (True, {X: 6, I: 1}),
        (False, {X: 6, I: 2}),
        (True, {X: 8, I: 2}),
    ]


def test_statement_in_two_places_is_seen_at_two_points():
    step = tir.Store(X, X + 1, ())
    func = function(tir.Let(X, tir.const(0)), step, step)
    graph = build_flow_graph(func)
    seen = []
    trace(func, arguments(func), seen.append, graph)
    places = [(m.point, m.values.get(X)) for m in seen if m.is_after][1:3]
    assert places == list(zip(graph.occurrences(step), (1, 2), strict=True))


def test_declared_variable_holds_nothing_before_it_is_stored_to():
    seen = []
    func = function(tir.Let(X), tir.Store(X, tir.const(3), ()))
    trace(func, arguments(func), seen.append)
    assert [m.values[X] for m in seen if X in m.values] == [None, None, 3]


def test_elements_of_temporary_buffers_are_seen_to_be_written():
    alloc, store = tir.Alloc(BUFFER), tir.Store(A, tir.const(1), (tir.const(2),))
    func, seen = function(alloc, store, temps=(BUFFER,)), []
    trace(func, [], lambda moment: seen.append(moment.written(BUFFER)))
    nothing, one = [False] * 4, [False, False, True, False]
    assert seen == [None, None, nothing, nothing, one, None]


@pytest.mark.parametrize("faulty", [False, True])
def test_traced_program_ends_as_it_does_untraced(faulty):
    for seed in seeds(25):
        func = random_func(seed, faulty=faulty)
        given, graph, seen = arguments(func), build_flow_graph(func), []
        error = trace(func, given, seen.append, graph)
        expected = outcome(func, given, mode="plain")
        assert error == (expected if isinstance(expected, str) else None), seed
        [body] = graph.occurrences(func.body)
        assert (error is None) == any(m.point == body and m.is_after for m in seen), seed


@pytest.mark.parametrize("kind", DEEP)
def test_deep_programs_are_seen_at_each_statement(kind):
    func = DEEP[kind](50)
    graph, seen = build_flow_graph(func), set()
    assert trace(func, arguments(func), lambda moment: seen.add(moment.point), graph) is None
    [body] = graph.occurrences(func.body)
    assert body in seen
    stores = [at for at, node in enumerate(graph.nodes) if isinstance(node, tir.Store)]
    assert seen.intersection(stores)
