"""Where occurrences begin whose operands have points of their own."""

from __future__ import annotations

from relayish import tir
from relayish.dataflow import build_flow_graph, solve
from relayish.dataflow.analyses import Liveness
from relayish.ir.relay.expr import Call, If, Tuple, Var
from tests.support.live_functors import RelayFlow

X, Y, N = [tir.Var(name) for name in "xyn"]


def total(body: tir.Expr) -> tir.Reduce:
    axis = tir.Var("k", "int32", tir.const(0), tir.const(4))
    return tir.Reduce(tir.ReduceType.SUM, tir.const(0), body, (axis,))


def begins(root: tir.Stmt, stmt: tir.Stmt) -> str:
    graph = build_flow_graph(root)
    [point] = graph.occurrences(stmt)
    return str(graph.point(graph.begin(point)))


def test_statement_begins_with_the_first_reduction_in_it():
    first, second = total(X), total(N)
    store = tir.Store(Y, first + second * 2)
    graph = build_flow_graph(tir.Block((store,)))
    [point] = graph.occurrences(store)
    assert graph.start(point) == point
    assert graph.point(graph.begin(point)).node is first


def test_branch_and_loop_begin_with_reductions_in_their_operands():
    branch = tir.IfThenElse(total(X) < 1, tir.Store(Y, N))
    loop = tir.For(tir.Var("i"), 0, total(N), tir.Store(Y, N))
    root = tir.Block((branch, loop))
    assert begins(root, branch).startswith("enter Reduce(sum, x")
    assert begins(root, loop).startswith("enter Reduce(sum, n")


def test_statement_does_not_begin_with_what_is_left_before_it():
    loop, store = tir.For(tir.Var("i"), 0, N, tir.Store(Y, N)), tir.Store(Y, X + 1)
    assert begins(tir.Block((loop, store)), store).startswith("evaluate y")


def test_reduction_that_stands_in_two_statements_belongs_to_each():
    shared = total(X)
    one, other = tir.Store(Y, shared), tir.Store(N, shared)
    graph = build_flow_graph(tir.Block((one, other)))
    [end], [begin] = graph.occurrences(one), graph.occurrences(other)
    assert graph.begin(begin) == end + 1


def test_what_a_reduction_reads_is_live_before_its_statement():
    store = tir.Store(Y, total(X))
    [live] = solve([Liveness()], tir.Block((store,)))
    assert live.before(store) == {X}


def test_node_of_a_graph_begins_where_its_own_points_do():
    a, b, f = [Var(name) for name in "abf"]
    inner = If(a, b, Call(f, (b,)))
    outer = Tuple((inner,))
    [live] = solve([RelayFlow()], outer)
    [point] = live.graph.occurrences(outer)
    assert live.graph.begin(point) == point
    assert not live.before(outer)
    assert live.before(inner) == {a, b, f}
