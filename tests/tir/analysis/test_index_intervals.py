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
BYTE = tir.Var("byte", "uint8")
BUFFER = tir.Buffer("_A", (16,), "int32")
A = tir.Tensor("A", (16,), "int32", BUFFER)
MOST = 2**31 - 1


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


def test_variable_of_a_loop_lies_between_its_bounds():
    store = assign(X, I)
    assert after(store, tir.For(I, 2, 5, store)) == {"i": (2, 6), "x": (2, 6)}


def test_bounds_of_a_loop_may_be_intervals():
    store = assign(X, J)
    inner = tir.For(J, I, I + 1, store)
    assert after(store, tir.For(I, 0, 4, inner))["j"] == (0, 6)


def test_variable_of_a_loop_is_unknown_after_it():
    loop = tir.For(I, 0, 4, block())
    assert after(loop, loop) == {}


def test_variable_of_a_loop_that_may_wrap_around_is_unknown():
    store = assign(Y, I)
    assert "i" not in after(store, tir.For(I, X, 4, store))


def test_extent_is_positive_inside_of_a_loop():
    store = assign(Y, N)
    assert after(store, tir.For(I, 0, N, store))["n"] == (1, MOST)


def test_extent_that_is_assigned_in_the_loop_may_be_anything_there():
    use = assign(Y, N)
    loop = tir.For(I, 0, N, block(use, assign(N, -7)))
    assert "n" not in after(use, loop)


def test_loop_that_never_runs_is_unreachable_inside():
    store = assign(Y, I)
    assert after(store, tir.For(I, 0, 0, store)) is UNREACHABLE


def test_what_follows_a_loop_that_may_not_run_knows_both():
    loop = tir.For(I, 0, N, assign(X, 5))
    assert after(loop, declare(X, 1), loop) == {"x": (1, 5)}


def test_counter_that_is_tested_comes_to_rest():
    step = tir.IfThenElse(X < 10, assign(X, X + 1))
    loop = tir.For(I, 0, N, step)
    assert after(loop, declare(X, 0), loop) == {"x": (0, 10)}


def test_counter_that_is_not_tested_wraps_around():
    loop = tir.For(I, 0, N, assign(X, X + 1))
    assert after(loop, declare(X, 0), loop) == {}


def test_loop_with_a_condition_leaves_what_ends_it():
    step = assign(X, X + 1)
    loop = tir.PolyFor(P, number(0), X < 10, number(1), step)
    assert after(step, declare(X, 0), loop)["x"] == (1, 10)
    assert after(loop, declare(X, 0), loop) == {"x": (10, 10)}


@pytest.mark.parametrize(
    ("first", "condition", "step", "expected"),
    [
        (0, P < 10, 1, (0, 9)),
        (0, tir.NE(P, number(8)), 1, (0, 7)),
        (100, P > 0, -3, (1, 100)),
        (0, tir.And(P < 50, P < 7), 2, (0, 6)),
        (1, number(20) >= P, P, (1, 20)),
    ],
)
def test_variable_of_a_loop_with_a_condition_lies_within_it(first, condition, step, expected):
    inc = step if isinstance(step, tir.Expr) else number(step)
    use = assign(X, P)
    assert after(use, tir.PolyFor(P, number(first), condition, inc, use))["p"] == expected


def test_loop_whose_condition_never_holds_is_unreachable_inside():
    use = assign(X, P)
    loop = tir.PolyFor(P, number(5), P < 5, number(1), use)
    assert after(use, loop) is UNREACHABLE
    assert after(loop, loop) == {}


def test_what_follows_a_loop_without_end_is_unreachable():
    loop, use = tir.PolyFor(P, number(0), P >= 0, number(0), block()), assign(X, 1)
    assert after(use, loop, use) is UNREACHABLE


@pytest.mark.parametrize(
    ("condition", "holds", "fails"),
    [
        (X < 5, (0, 4), (5, 20)),
        (X <= 5, (0, 5), (6, 20)),
        (number(5) < X, (6, 20), (0, 5)),
        (tir.EQ(X, number(5)), (5, 5), (0, 20)),
        (tir.NE(X, number(0)), (1, 20), (0, 0)),
        (tir.Not(X < 5), (5, 20), (0, 4)),
        (tir.And(X > 3, X < 5), (4, 4), (0, 20)),
        (tir.Or(X < 3, tir.EQ(X, number(7))), (0, 7), (3, 20)),
        (tir.Or(X > 3, X > 5), (4, 20), (0, 3)),
        (X + 7 < 10, (0, 2), (3, 20)),
        (X * 4 < 10, (0, 2), (3, 20)),
        (number(10) - X > 0, (0, 9), (10, 20)),
        (-X < -5, (6, 20), (0, 5)),
        (tir.Cast("int64", X) < tir.const(5, "int64"), (0, 4), (5, 20)),
        (X < 99, (0, 20), None),
        (tir.Load(X, ()) < 5, (0, 4), (5, 20)),
        (tir.LT(X + X, number(10)), (0, 9), (0, 20)),
    ],
)
def test_branch_knows_what_its_condition_says(condition, holds, fails):
    then, otherwise = assign(Y, 1), assign(Y, 2)
    loop = tir.For(X, 0, 21, tir.IfThenElse(condition, then, otherwise))
    solution = solved(loop)
    assert solution.after(then)[X] == Interval(*holds)
    found = solution.after(otherwise)
    assert found is UNREACHABLE if fails is None else found[X] == Interval(*fails)


def test_truth_value_tells_what_its_condition_did():
    use = tir.Store(A, number(1), (I,))
    test = tir.IfThenElse(B, use)
    loop = tir.For(I, -5, 99, block(tir.Let(B, tir.And(I >= 0, I < 16)), test))
    assert solved(loop).after(use)[I] == Interval(0, 15)


def test_truth_value_tells_nothing_of_a_variable_that_was_assigned_since():
    use = assign(Y, X)
    stmts = (tir.Let(B, X < 5), assign(X, N), tir.IfThenElse(B, use))
    assert "x" not in after(use, *stmts)


def test_truth_value_is_told_apart_from_one_that_was_assigned_in_a_branch():
    use = assign(Y, X)
    other = tir.IfThenElse(N > 0, assign(B, X > 9))
    assert "x" not in after(use, tir.Let(B, X < 5), other, tir.IfThenElse(B, use))


def test_vectors_have_the_intervals_of_their_elements():
    lanes = tir.Var("lanes", "int32<4>")
    let = tir.Let(lanes, tir.Ramp(I, number(2), 4))
    assert after(let, tir.For(I, 0, 3, block(let)))["lanes"] == (0, 8)


def test_unsigned_integers_wrap_around():
    store = assign(BYTE, BYTE + tir.const(100, "uint8"))
    assert after(store, declare(BYTE, 200), store) == {"byte": (44, 44)}


def test_variables_of_schedule_blocks_have_the_values_they_are_given():
    v = tir.Var("v")
    store = assign(X, v)
    blocked = tir.ScheduleBlock((v,), (), (), "b", store)
    realize = tir.ScheduleBlockRealize((I * 2 + 1,), blocked)
    assert after(store, tir.For(I, 0, 4, realize))["v"] == (1, 7)


def test_variable_whose_address_is_taken_may_be_anything():
    take = tir.Call("void", "f", (tir.GetAddr(X),))
    use = assign(Y, X)
    assert after(use, declare(X, 1), take, use) == {}


def test_variable_that_is_written_by_a_call_may_be_anything():
    call = tir.Call("void", "f", (), (X,))
    use = assign(Y, X)
    assert after(use, declare(X, 1), call, use) == {}


def test_variable_that_is_bound_again_inside_is_unknown_after_that():
    inner = tir.For(X, 0, 4, block())
    assert after(inner, declare(X, 77), inner) == {}


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
