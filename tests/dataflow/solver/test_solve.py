"""The solver: order of visits, loops, widening, branches, and what it refuses."""

from __future__ import annotations

import math

import pytest

import relayish as relay
from relayish import tir
from relayish.dataflow import (
    UNREACHABLE,
    Action,
    BackwardDataFlow,
    ForwardDataFlow,
    build_flow_graph,
    solve,
)
from relayish.dataflow.lattice import Lattice
from relayish.errors import AnalysisError
from relayish.ir.nodes.node import Node
from tests.support.depth import DEPTH
from tests.support.each import each

X, Y, N = tir.Var("x", "int32"), tir.Var("y", "int32"), tir.Var("n", "int32")


class Sets(Lattice[frozenset[str]]):
    """Sets of names, of which any may hold."""

    bottom, top, finite_height = frozenset[str](), frozenset("abcdefghijklmnopqrstuvwxyz"), True

    def join(self, a, b):
        return a if b <= a else a | b

    def meet(self, a, b):
        return a if a <= b else a & b


class Highs(Lattice[float]):
    """How great a number may be at most; chains are endless."""

    bottom, top = -math.inf, math.inf

    def join(self, a, b):
        return max(a, b)

    def meet(self, a, b):
        return min(a, b)

    def widen(self, old, new):
        return old if new <= old else math.inf

    def narrow(self, old, new):
        return new if old == math.inf else old


class Live(BackwardDataFlow[frozenset[str]]):
    lattice = Sets()

    def visit_var(self, var, live):
        return live | {getattr(var, "name_hint", None) or var.name}

    def visit_store(self, store, live):
        return self.visit(store.value, live - {store.tensor.name})

    def bind(self, node, variables, live):
        return live - {getattr(v, "name_hint", None) or v.name for v in variables}


class Highest(ForwardDataFlow[float]):
    """How great ``x`` may be."""

    lattice = Highs()

    def visit_store(self, store, high):
        if isinstance(store.value, tir.IntImm):
            return float(store.value.value)
        return high + 1

    def assume(self, condition, truth, high):
        if isinstance(condition, tir.LT) and condition.a is X and truth:
            return min(high, condition.b.value - 1)
        return high


def assign(var: tir.Var, value: tir.Expr) -> tir.Store:
    return tir.Store(var, value, ())


def increment(var: tir.Var) -> tir.Store:
    return assign(var, var + 1)


def loops(levels: int) -> tir.Stmt:
    body: tir.Stmt = increment(X)
    for level in range(levels):
        body = tir.For(tir.Var(f"i{level}", "int32"), 0, N, tir.Block((body, assign(Y, X))))
    return body


def branches(count: int) -> Node:
    c, x = relay.var("c"), relay.var("x")
    variables = [relay.var(f"v{number}") for number in range(count)]
    expr: relay.Expr = relay.Tuple(tuple(variables))
    for variable in reversed(variables):
        expr = relay.Let(variable, relay.If(c, relay.Tuple((x,)), x), expr)
    return expr


def test_what_is_used_after_an_assignment_that_uses_itself_is_live_before():
    block = tir.Block((increment(X), assign(Y, X)))
    [solution] = solve([Live()], block)
    assert solution.before(block) == {"x"}
    assert solution.after(block.stmts[0]) == {"x"}


def test_two_analyses_in_one_run_find_what_each_finds_alone():
    program = loops(3)
    together = solve([Live(), Highest()], program)
    alone = solve([Live()], program) + solve([Highest()], program)
    for one, other in zip(together, alone, strict=True):
        states = [(one.before(n), one.after(n)) for n in range(len(one.graph))]
        assert states == [(other.before(n), other.after(n)) for n in range(len(one.graph))]


@pytest.mark.parametrize("count", [1, 4, 16, 64, 256])
def test_branches_in_a_row_are_visited_once_each(count):
    for analysis in (Live(), Paths()):
        [solution] = solve([analysis], branches(count))
        assert solution.visits == len(solution.graph)


class Paths(ForwardDataFlow[frozenset[str]]):
    lattice = Sets()

    def visit_tuple(self, tup, seen):
        return seen | {"t"}


@each("levels", range(1, 13))
def test_visits_of_loops_in_loops_are_linear_in_their_depth(levels):
    [solution] = solve([Live()], loops(levels))
    assert solution.visits <= 2 * len(solution.graph)


@pytest.mark.deep
def test_long_chain_of_lets_is_visited_once():
    x = relay.var("x")
    expr: relay.Expr = x
    for _ in range(DEPTH):
        expr = relay.Let(relay.var("y"), relay.Tuple((x,)), expr)
    [solution] = solve([Live()], expr)
    assert solution.visits == len(solution.graph)
    assert solution.before(expr) == {"x"}


def test_state_that_grows_in_a_loop_is_widened_and_narrowed():
    counting = tir.PolyFor(tir.Var("i", "int32"), tir.const(0), X < 10, tir.const(1), increment(X))
    program = tir.Block((assign(X, tir.const(0)), counting))
    [solution] = solve([Highest()], program)
    assert solution.before(counting.body) == 9
    assert solution.after(counting.body) == 10


def test_state_that_has_no_bound_is_widened_to_the_top():
    program = tir.Block((assign(X, tir.const(0)), tir.For(N, 0, 5, increment(X))))
    [solution] = solve([Highest()], program)
    assert solution.after(program) == math.inf
    assert solution.visits < 100


class NeverWidened(Highs):
    def widen(self, old, new):
        return self.join(old, new)


class Endless(Highest):
    lattice = NeverWidened()


def test_analysis_that_does_not_come_to_rest_is_refused_with_its_name_and_place():
    program = tir.Block((assign(X, tir.const(0)), tir.For(N, 0, 5, increment(X))))
    with pytest.raises(AnalysisError) as caught:
        solve([Endless()], program, max_visits=50)
    assert str(caught.value).startswith(
        "Endless visited the block at loop for (n, 0, 5) (point 4) 50 times and does not come to "
        "rest; its state there is 50"
    )


class Forgetful(ForwardDataFlow[frozenset[str]]):
    lattice = Sets()

    def visit_store(self, store, state):
        pass


def test_transfer_that_returns_nothing_is_refused():
    with pytest.raises(AnalysisError, match=r"^Forgetful returned None at evaluate x.* \(point 1"):
        solve([Forgetful()], increment(X))


class NotBelow(ForwardDataFlow[frozenset[str]]):
    lattice = Sets()

    def assume(self, condition, truth, state):
        return UNREACHABLE if truth else state

    def visit_store(self, store, state):
        return state | {"s"}


def test_branch_that_is_never_taken_is_not_reached():
    branching = tir.IfThenElse(X < 1, increment(X), tir.Block(()))
    [solution] = solve([NotBelow()], branching)
    [inside] = solution.graph.occurrences(branching.true_case)
    assert not solution.is_reached(inside)
    assert solution.before(inside) == Sets.bottom
    assert solution.after(branching) == Sets.bottom


class Stops(ForwardDataFlow[frozenset[str]]):
    lattice = Sets()

    def visit_store(self, store, state):
        return UNREACHABLE


def test_nothing_follows_a_point_that_control_does_not_leave():
    block = tir.Block((increment(X), increment(Y)))
    [solution] = solve([Stops()], block)
    assert [solution.is_reached(n) for n in range(len(solution.graph))] == [
        True, True, True, False, False, False,
    ]  # fmt: skip


def test_states_of_occurrences_are_apart_and_joined_for_the_node():
    statement = assign(Y, X)
    block = tir.Block((statement, increment(X), statement))
    [solution] = solve([Live()], block)
    first, second = solution.graph.occurrences(statement)
    assert (solution.after(first), solution.after(second)) == ({"x"}, frozenset())
    assert solution.after(statement) == solution.at(statement) == {"x"}


def test_node_without_a_point_is_refused():
    [solution] = solve([Live()], increment(X))
    with pytest.raises(AnalysisError, match=r"^1 has no program point in <FlowGraph of 3 points"):
        solution.before(tir.const(1))


def test_graph_that_is_given_is_not_built_again():
    graph = build_flow_graph(increment(X))
    [solution] = solve([Live()], graph)
    assert solution.graph is graph
    assert graph.actions[0] is Action.ENTRY


def test_solution_tells_what_is_at_both_ends():
    block = tir.Block((assign(X, tir.const(0)), assign(Y, N)))
    [solution] = solve([Live()], block)
    assert (solution.entry, solution.exit) == ({"n"}, frozenset())
