"""Flow graphs of small programs, point by point."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import Action, FlowGraph, build_flow_graph
from relayish.dataflow.graph.control_flow import condition_of
from relayish.errors import AnalysisError
from relayish.ir.nodes.node import Node
from tests.support.flow_graphs import check_graph

C, X, Y, Z = (relay.var(name) for name in "cxyz")
A, J, N = tir.Var("a", "int32"), tir.Var("j", "int32"), tir.Var("n", "int32")


def actions(graph: FlowGraph) -> list[str]:
    return [point.action.value for point in graph.points]


def set_a(value: int) -> tir.Store:
    return tir.Store(A, tir.const(value), ())


def branches(graph: FlowGraph) -> dict[tuple[int, int], int | None]:
    return {(edge.source, edge.target): edge.branch.case for edge in graph.edges if edge.branch}


class TestRelay:
    def test_let_binds_after_its_value_and_is_left_after_its_body(self):
        let = relay.Let(X, relay.Call(Y, ()), relay.Call(X, ()))
        assert actions(build_flow_graph(let)) == [
            "entry", "evaluate", "bind", "evaluate", "leave", "exit",
        ]  # fmt: skip

    def test_let_starts_before_its_value(self):
        let = relay.Let(X, relay.Call(Y, ()), X)
        graph = build_flow_graph(let)
        [left] = graph.occurrences(let)
        assert (graph.start(left), left) == (1, 4)

    def test_node_that_both_branches_use_is_evaluated_before_them(self):
        shared = relay.Call(Y, ())
        graph = build_flow_graph(relay.If(C, shared, relay.Tuple((shared,))))
        assert graph.occurrences(shared) == (1,)
        assert actions(graph) == [
            "entry", "evaluate", "enter", "yield", "evaluate", "leave", "exit",
        ]  # fmt: skip

    def test_branches_merge_where_the_value_is_known(self):
        branching = relay.If(C, X, Y)
        graph = build_flow_graph(branching)
        [merge] = graph.occurrences(branching)
        assert graph.predecessors(merge) == (2, 3)
        assert branches(graph) == {(1, 2): 0, (1, 3): 1}

    def test_clauses_bind_what_their_patterns_bind(self):
        source = """#[version = "0.0.5"]
        type L[A] { Cons(A, L[A]), Nil }
        def @main(%l: L[int32]) -> int32 { match (%l) { Cons(%h, %t) => %h, Nil => 0 } }"""
        graph = build_flow_graph(relay.parse(source)["main"])
        assert actions(graph) == [
            "entry", "enter", "bind", "yield", "yield", "leave", "exit",
        ]  # fmt: skip
        assert [var.name_hint for var in graph.binders[2]] == ["h", "t"]

    def test_function_is_a_value_here_and_a_procedure_elsewhere(self):
        inner = relay.Function([X], relay.Tuple((X, Y)))
        graph = build_flow_graph(relay.Function([Y], inner))
        assert [procedure.node for procedure in graph.procedures] == [graph.root, inner]
        assert graph.procedures[1].parent == 0
        assert graph.captured(inner) == (Y,)

    def test_recursive_function_captures_its_own_name_of_the_let(self):
        call = relay.Call(X, ())
        func = relay.Function([], call)
        graph = build_flow_graph(relay.Let(X, func, relay.Call(X, ())))
        assert graph.captured(func) == (X,)

    def test_variable_captured_two_functions_further_in_is_captured_by_both(self):
        inner = relay.Function([], relay.Tuple((Y,)))
        outer = relay.Function([], inner)
        graph = build_flow_graph(outer)
        assert graph.captured(inner) == graph.captured(outer) == (Y,)

    def test_module_has_a_procedure_for_each_function(self):
        mod = relay.IRModule({"f": relay.Function([X], X), "g": relay.Function([Y], Y)})
        graph = build_flow_graph(mod)
        assert [procedure.parent for procedure in graph.procedures] == [None, None]


class TestLoops:
    def test_loop_may_run_no_iteration(self):
        graph = build_flow_graph(tir.For(J, 0, N, set_a(1)))
        assert actions(graph) == [
            "entry", "enter", "loop", "bind", "evaluate", "leave", "exit",
        ]  # fmt: skip
        assert graph.successors(2) == (3, 5)
        assert graph.predecessors(2) == (1, 4)
        assert branches(graph) == {(2, 3): 0, (2, 5): None}

    def test_condition_of_a_poly_for_is_computed_before_each_iteration(self):
        loop = tir.PolyFor(J, tir.const(0), J < N, tir.const(1), set_a(1))
        graph = build_flow_graph(loop)
        assert actions(graph) == [
            "entry", "enter", "loop", "bind", "evaluate", "evaluate", "evaluate", "leave", "exit",
        ]  # fmt: skip
        test, body, inc = 4, 5, 6
        assert [graph.nodes[n] for n in (test, body, inc)] == [loop.condition, loop.body, loop.inc]
        assert branches(graph) == {(test, body): 0 + 2, (test, 7): None}
        assert graph.successors(inc) == (2,)

    def test_if_without_else_may_be_passed_by(self):
        branching = tir.IfThenElse(N < 3, set_a(1))
        graph = build_flow_graph(branching)
        assert branches(graph) == {(1, 2): 0, (1, 3): None}
        assert graph.predecessors(3) == (2, 1)

    def test_condition_holds_in_one_branch_and_not_in_the_other(self):
        branching = tir.IfThenElse(N < 3, set_a(1))
        assert condition_of(branching, 0) == (branching.condition, True)
        assert condition_of(branching, None) == (branching.condition, False)

    def test_statement_that_stands_twice_has_two_points(self):
        statement = set_a(1)
        graph = build_flow_graph(tir.Block((statement, statement)))
        assert len(graph.occurrences(statement)) == 2

    def test_reduction_in_a_statement_is_a_loop_before_it(self):
        k = tir.reduce_axis("k", 4)
        total = tir.reduce_sum(tir.Cast("float32", k), [k])
        graph = build_flow_graph(tir.Store(A, tir.Cast("int32", total), ()))
        assert actions(graph) == [
            "entry", "enter", "loop", "bind", "evaluate", "leave", "evaluate", "exit",
        ]  # fmt: skip

    def test_declaration_binds_where_it_stands(self):
        graph = build_flow_graph(tir.Block((tir.Let(A, tir.const(1)), set_a(2))))
        assert graph.point(2).binders == (A,)

    def test_too_many_occurrences_are_refused(self):
        block: Node = set_a(1)
        for _ in range(20):
            block = tir.Block((block, block))
        with pytest.raises(AnalysisError, match=r"more than 1000 points at a.* = 1: statements"):
            build_flow_graph(block, max_points=1000)


def test_empty_block_is_entered_and_left():
    graph = build_flow_graph(tir.Block(()))
    assert actions(graph) == ["entry", "enter", "leave", "exit"]
    check_graph(graph)


def test_point_says_what_happens_there():
    graph = build_flow_graph(relay.If(C, X, Y))
    assert str(graph.point(1)) == "enter if (%c) {...} else {...}"
    assert graph.actions[1] is Action.ENTER


def test_graph_of_what_is_not_evaluated_is_refused():
    with pytest.raises(AnalysisError, match="TensorType, which is not evaluated; give"):
        build_flow_graph(relay.scalar_type("int32"))
