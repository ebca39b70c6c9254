"""The flow graph of core: loops that test at either end, and control that leaves a function."""

from __future__ import annotations

from relayish import core
from relayish.dataflow import Action, FlowGraph, build_flow_graph, get_analysis, solve

X = core.Var("x")
IS_SMALL = core.Lt(core.Ld(X), core.const(5))


def graph_of(*stmts: core.Stmt) -> FlowGraph:
    return build_flow_graph(core.FuncEntry((), (X,), (), core.Block(stmts)))


def points_of(graph: FlowGraph, node: object) -> list[int]:
    return [point.number for point in graph.points if point.node is node]


def header_of(graph: FlowGraph) -> int:
    (header,) = [point.number for point in graph.points if point.action is Action.LOOP]
    return header


def test_control_leaves_the_function_behind_a_return():
    ret = core.Ret()
    graph = graph_of(core.If(IS_SMALL, core.Block((ret,))), core.St(X, core.const(1)))
    (point,) = points_of(graph, ret)
    assert graph.successors(point) == (len(graph) - 1,)


def test_what_stands_behind_a_return_is_not_reached():
    dead = core.St(X, core.const(1))
    graph = graph_of(core.Ret(), dead)
    (point,) = points_of(graph, dead)
    assert graph.predecessors(point) == ()


def test_a_store_is_dead_before_a_return_that_does_not_load_it():
    store = core.St(X, core.const(1))
    graph = graph_of(core.If(IS_SMALL, core.Block((store, core.Ret()))), core.Retv(core.Ld(X)))
    (liveness,) = solve([get_analysis("liveness")], graph.root)
    (point,) = points_of(graph, store)
    assert X not in liveness.after(point)


def test_a_function_of_two_returns_ends_once():
    graph = graph_of(core.If(IS_SMALL, core.Block((core.Ret(),)), core.Block((core.Ret(),))))
    assert len([p for p in graph.points if p.action is Action.EXIT]) == 1


def test_a_while_loop_tests_before_its_body():
    body = core.Block()
    graph = graph_of(core.WhileDo(IS_SMALL, body))
    (test,) = points_of(graph, IS_SMALL)
    assert graph.predecessors(test) == (header_of(graph),)
    assert points_of(graph, body)[0] in graph.successors(test)


def test_a_do_while_loop_tests_behind_its_body():
    body = core.Block()
    graph = graph_of(core.DoWhile(body, IS_SMALL))
    (test,) = points_of(graph, IS_SMALL)
    assert graph.predecessors(test) == (points_of(graph, body)[-1],)
    assert header_of(graph) in graph.successors(test)


def test_a_for_loop_computes_the_increment_behind_its_body():
    body, increment = core.Block(), core.Add(core.Ld(X), core.const(1))
    graph = graph_of(core.DoLoop(X, core.const(0), IS_SMALL, increment, body))
    (point,) = points_of(graph, increment)
    assert graph.predecessors(point) == (points_of(graph, body)[-1],)
    assert graph.successors(point) == (header_of(graph),)
