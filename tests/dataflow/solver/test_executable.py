"""Executable edges make the analyses of a run conditional."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import (
    UNREACHABLE,
    Action,
    BackwardDataFlow,
    Branch,
    Executable,
    ForwardDataFlow,
    build_flow_graph,
    solve,
)
from relayish.dataflow.lattice import Booleans
from relayish.ir.nodes.node import Node

S = frozenset


class Sets:
    """Frozen sets, the smaller below the larger."""

    bottom: frozenset[object] = S()

    def join(self, a: frozenset[object], b: frozenset[object]) -> frozenset[object]:
        return a if a >= b else a | b

    def equal(self, a: object, b: object) -> bool:
        return a == b


class Literals(ForwardDataFlow[bool]):
    """Refuses branches that literals decide against."""

    lattice = Booleans()

    def assume(self, condition: Node, truth: bool, state: bool) -> object:
        is_known = type(condition) is relay.Constant and bool(condition.data) != truth
        return UNREACHABLE if is_known else state


class Negated(ForwardDataFlow[bool]):
    """Refuses the true branch of whatever is a variable called ``never``."""

    lattice = Booleans()

    def assume(self, condition: Node, truth: bool, state: bool) -> object:
        never = getattr(condition, "name_hint", None) == "never"
        return UNREACHABLE if never and truth else state


class Seen(ForwardDataFlow[frozenset[str]]):
    """The names of variables that were evaluated."""

    lattice = Sets()

    def visit_var(self, var: relay.Var, state: frozenset[str]) -> frozenset[str]:
        return state | {var.name_hint}


class Live(BackwardDataFlow[frozenset[str]]):
    """The names of variables that are used further on."""

    lattice = Sets()

    def visit_var(self, var: relay.Var, state: frozenset[str]) -> frozenset[str]:
        return state | {var.name_hint}


C, X, Y, NEVER = (relay.var(name) for name in ("c", "x", "y", "never"))
TRUE = relay.const(True)


def test_branch_is_unreachable_when_a_literal_decides_against_it() -> None:
    graph = build_flow_graph(relay.If(TRUE, X, Y))
    executable, _ = solve([Executable(), Literals()], graph)
    reached = [executable.is_reached(p) for p in graph.points if p.action is Action.YIELD]
    assert reached == [True, False]


def test_edge_is_not_executable_when_its_branch_is_not() -> None:
    graph = build_flow_graph(relay.If(TRUE, X, Y))
    executable, _ = solve([Executable(), Literals()], graph)
    blocked = [edge for edge in graph.edges if not executable.is_executable(edge)]
    assert [edge.branch for edge in blocked] == [Branch(graph.root, 1), None]


def test_all_points_are_reached_when_nothing_refines() -> None:
    graph = build_flow_graph(relay.If(TRUE, X, Y))
    [executable] = solve([Executable()], graph)
    assert all(map(executable.is_reached, graph.points))


def test_forward_states_pass_executable_edges_alone() -> None:
    _, _, seen = solve([Executable(), Literals(), Seen()], relay.If(TRUE, X, Y))
    assert seen.exit == {"x"}


def test_backward_states_pass_executable_edges_alone() -> None:
    _, _, live = solve([Executable(), Literals(), Live()], relay.If(TRUE, X, Y))
    assert live.entry == {"x"}


def test_analyses_stay_unconditional_without_executable() -> None:
    _, live, seen = solve([Literals(), Live(), Seen()], relay.If(TRUE, X, Y))
    assert live.entry == seen.exit == {"x", "y"}


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_edges_are_what_all_analyses_let_pass_in_any_order(order: tuple[int, ...]) -> None:
    program = relay.If(TRUE, relay.If(NEVER, X, C), Y)
    analyses = [Executable(), Literals(), Negated(), Live()]
    solutions = solve([analyses[each] for each in order], program)
    assert solutions[order.index(3)].entry == {"never", "c"}


def test_what_follows_an_endless_loop_is_not_live_and_the_loop_is() -> None:
    i, k, m, n = (tir.Var(name, "int32") for name in "ikmn")

    class Endless(ForwardDataFlow[bool]):
        lattice = Booleans()

        def choose(self, branch: Branch, state: bool) -> object:
            return UNREACHABLE if branch.case is None else state

    class Used(BackwardDataFlow[frozenset[str]]):
        lattice = Sets()

        def visit_var(self, var: tir.Var, state: frozenset[str]) -> frozenset[str]:
            return state | {var.name}

        def overwritten(
            self, node: Node, places: tuple[Node, ...], state: frozenset[str]
        ) -> frozenset[str]:
            return state

    loop = tir.For(i, 0, 9, tir.Store(m, n, ()))
    block = tir.Block((loop, tir.Store(k, k, ())))
    _, _, used = solve([Executable(), Endless(), Used()], block)
    assert used.entry == {"m", "n"}


def test_a_call_that_never_returns_ends_control_across_calls() -> None:
    f, n = relay.var("f"), relay.var("n")
    forever = relay.Function([n], relay.Call(f, [n]))
    after = relay.Let(relay.var("r"), relay.Call(f, [X]), Y)
    program = relay.Let(f, forever, after)
    executable, live = solve([Executable(), Live()], program, interprocedural=True)
    reached = [p.node for p in executable.graph.points if executable.is_reached(p)]
    assert Y not in reached
    assert live.entry == {"f", "x"}
