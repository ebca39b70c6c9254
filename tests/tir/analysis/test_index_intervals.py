"""Intervals of variables along the flow of control: how narrow they are, and how soon they rest."""

from __future__ import annotations

from itertools import pairwise

import pytest

from relayish import tir
from relayish._support.persistent_map import PersistentMap
from relayish.dataflow import UNREACHABLE, solve
from relayish.dataflow.lattice import check_laws
from relayish.tir.analysis import Environments, IndexIntervals, Interval
from relayish.tir.analysis.flow.environments import Outcome
from tests.support.tir_deep import DEEP, LEVELS, SHARED

I, J, P, X, Y, N = (tir.Var(name) for name in "ijpxyn")  # noqa: E741
B = tir.Var("b", "bool")
BUFFER = tir.Buffer("_A", (16,), "int32")
A = tir.Tensor("A", (16,), "int32", BUFFER)


def number(value):
    return tir.const(value)


def assign(var, value):
    return tir.Store(var, value if isinstance(value, tir.Expr) else number(value), ())


def block(*stmts):
    return tir.Block(stmts)


def declare(var, value):
    return tir.Let(var, value if isinstance(value, tir.Expr) else tir.const(value, var.dtype))


def solved(*stmts):
    [solution] = solve([IndexIntervals()], block(*stmts))
    return solution


def after(stmt, *stmts):
    """What is known after one of some statements, by name."""
    state = solved(*stmts).after(stmt)
    return state if state is UNREACHABLE else {v.name: tuple(k) for v, k in state.items()}


def test_what_was_said_of_the_state_outside_is_known_inside():
    store = assign(Y, X + 1)
    found = IndexIntervals().visit(store, PersistentMap({X: Interval(3, 4)}))
    assert found[Y] == Interval(4, 5)


def test_statement_in_two_places_has_a_state_in_each():
    step = assign(X, X + 1)
    solution = solved(declare(X, 0), step, step)
    first, second = solution.graph.occurrences(step)
    assert solution.after(first)[X] == Interval(1, 1)
    assert solution.after(second)[X] == solution.after(step)[X].meet(Interval(2, 2))


def test_environments_are_a_lattice():
    either = Interval(0, 1)
    below, above = Outcome(either, frozenset([I < 3])), Outcome(Interval(1, 1), frozenset([J < 4]))
    samples = [
        {I: Interval(0, 3)},
        {I: Interval(2, 9), J: Interval(0, 0)},
        {I: Interval(-(2**31), 5)},
        {B: below},
        {B: above, I: Interval(5, 5)},
        {B: Interval(1, 1)},
        {B: Interval(0, 0), J: Interval(-3, 8)},
        {B: below, J: Interval(-3, 2)},
    ]
    states = [PersistentMap(), *map(PersistentMap, samples)]
    check_laws(Environments(lambda _: (0, 10)), states, returns_operands=True)


def nest(depth):
    """Loops in loops, in the innermost of which a counter goes on that is tested."""
    body = tir.IfThenElse(X < 10, assign(X, X + 1))
    for level in range(depth):
        body = tir.For(tir.Var(f"i{level}"), 0, 3, body)
    return block(declare(X, 0), body)


def test_visits_of_nested_loops_are_linear_in_their_depth():
    visits = []
    for depth in range(1, 13):
        [solution] = solve([IndexIntervals()], nest(depth))
        assert solution.exit == {}
        visits.append(solution.visits)
    steps = [b - a for a, b in pairwise(visits)]
    assert max(steps) <= 2 * max(steps[0], 20), visits


@pytest.mark.parametrize(("extent", "step"), [(number(4), 1), (N, 1), (number(-9), -2)])
def test_visits_of_nested_loops_with_conditions_are_linear_in_their_depth(extent, step):
    visits = []
    for depth in range(1, 13):
        body = block()
        for level in range(depth):
            i = tir.Var(f"i{level}")
            goes_on = tir.LT(i, extent) if step > 0 else tir.GT(i, extent)
            body = tir.PolyFor(i, number(0), goes_on, number(step), body)
        visits.append(solved(body).visits)
    assert len({b - a for a, b in pairwise(visits)}) == 1, visits


def test_visits_do_not_depend_on_how_often_loops_run():
    def visits(extent):
        loop = tir.For(I, 0, extent, tir.IfThenElse(tir.LT(X, number(extent)), assign(X, X + 1)))
        return solved(declare(X, 0), loop).visits

    assert visits(10) == visits(10**9)


@pytest.mark.deep
@pytest.mark.parametrize("kind", DEEP)
def test_deep_programs_are_solved(kind):
    func = DEEP[kind](LEVELS)
    [solution] = solve([IndexIntervals()], func)
    assert solution.exit is not UNREACHABLE


@pytest.mark.parametrize("kind", SHARED)
def test_shared_programs_are_solved(kind):
    [solution] = solve([IndexIntervals()], SHARED[kind](100))
    assert solution.exit is not UNREACHABLE


def test_condition_that_is_shared_is_looked_through_only_so_far():
    condition = X < 10
    for _ in range(100):
        condition = tir.And(condition, condition)
    use = assign(Y, X)
    loop = tir.For(X, 0, 99, tir.IfThenElse(condition, use))
    assert solved(loop).after(use)[X] == Interval(0, 9)
