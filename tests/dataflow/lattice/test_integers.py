"""Intervals, signs and congruences: arithmetic against all the integers they stand for."""

from __future__ import annotations

import itertools
import math
import operator
import random

import pytest

from relayish.dataflow.lattice import (
    BOTTOM,
    INFINITE,
    Congruences,
    Interval,
    Intervals,
    Sign,
    congruences,
    congruent,
    interval,
    signs,
)
from tests.support.each import each
from tests.support.seeds import SOAK, many


def truncated(x, y):
    return math.trunc(x / y)


OPERATORS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": truncated,
    "floor_div": operator.floordiv,
    "mod": lambda x, y: x - y * truncated(x, y),
    "floor_mod": operator.mod,
    "smaller": min,
    "larger": max,
}
NEAR = range(-7, 8)
FAR = [-10_000, *range(-12, 13), 10_000]
INTERVALS = [Interval(low, high) for low in range(-4, 5) for high in range(low, 5)]
HALF = [
    Interval(-INFINITE, 2),
    Interval(-1, INFINITE),
    Interval(3, INFINITE),
    Interval(-INFINITE, -2),
    Interval(-INFINITE, INFINITE),
]
COMPARISONS = {"less": operator.lt, "less_equal": operator.le, "same": operator.eq}
REFINEMENTS = {
    "where_less": operator.lt,
    "where_less_equal": operator.le,
    "where_greater": operator.gt,
    "where_greater_equal": operator.ge,
    "where_same": operator.eq,
    "where_different": operator.ne,
}


def results(rule, xs, ys):
    """Return what an operator gives of some integers; nothing where it divides by zero."""
    for x, y in itertools.product(xs, ys):
        try:
            yield rule(x, y)
        except ZeroDivisionError:
            continue


def numbers(values, among=FAR):
    return [number for number in among if values.holds(number)]


@pytest.mark.parametrize("name", OPERATORS)
def test_interval_arithmetic_holds_all_results(name):
    apply, rule = getattr(interval, name), OPERATORS[name]
    for a, b in itertools.product([*INTERVALS[::2], *HALF], repeat=2):
        found, expected = apply(a, b), list(results(rule, numbers(a), numbers(b)))
        assert (found is BOTTOM) == (not expected)
        assert all(found.holds(value) for value in expected)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_div", "smaller", "larger"])
def test_interval_arithmetic_is_exact_where_there_are_bounds(name):
    apply, rule = getattr(interval, name), OPERATORS[name]
    for a, b in itertools.product(INTERVALS, repeat=2):
        expected = list(results(rule, numbers(a, NEAR), numbers(b, NEAR)))
        assert apply(a, b) == ((min(expected), max(expected)) if expected else BOTTOM)


@each(
    ("name", "a", "b", "expected"),
    [
        ("mul", (0, INFINITE), (0, 0), (0, 0)),
        ("mul", (2, INFINITE), (3, INFINITE), (6, INFINITE)),
        ("mul", (-INFINITE, -2), (3, 4), (-INFINITE, -6)),
        ("div", (5, INFINITE), (2, 2), (2, INFINITE)),
        ("div", (-INFINITE, INFINITE), (-1, 1), (-INFINITE, INFINITE)),
        ("div", (1, 9), (2, INFINITE), (0, 4)),
        ("floor_div", (-9, -1), (2, INFINITE), (-5, -1)),
        ("floor_div", (1, 9), (-INFINITE, -2), (-5, -1)),
        ("mod", (-INFINITE, INFINITE), (4, 4), (-3, 3)),
        ("mod", (0, INFINITE), (1, 8), (0, 7)),
        ("floor_mod", (-INFINITE, INFINITE), (8, 8), (0, 7)),
        ("floor_mod", (-INFINITE, INFINITE), (-8, -8), (-7, 0)),
        ("floor_mod", (2, 5), (8, INFINITE), (2, 5)),
        ("floor_mod", (0, 5), (3, INFINITE), (0, 5)),
        ("floor_mod", (9, 11), (8, 8), (1, 3)),
        ("add", (-INFINITE, 3), (1, 1), (-INFINITE, 4)),
        ("sub", (0, INFINITE), (0, INFINITE), (-INFINITE, INFINITE)),
    ],
)
def test_interval_arithmetic_is_exact_where_there_are_none(name, a, b, expected):
    assert getattr(interval, name)(Interval(*a), Interval(*b)) == expected


@each("name", [*OPERATORS, *COMPARISONS, *REFINEMENTS])
def test_interval_arithmetic_of_nothing_is_nothing(name):
    apply = getattr(interval, name)
    assert apply(BOTTOM, Interval(1, 2)) is apply(Interval(1, 2), BOTTOM) is BOTTOM


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison_of_intervals_is_what_all_integers_say(name):
    apply, rule = getattr(interval, name), COMPARISONS[name]
    for a, b in itertools.product([*INTERVALS, *HALF], repeat=2):
        truths = set(results(rule, numbers(a), numbers(b)))
        assert apply(a, b) == (min(truths), max(truths))


@pytest.mark.parametrize("name", REFINEMENTS)
def test_refinement_leaves_what_a_comparison_allows(name):
    apply, rule = getattr(interval, name), REFINEMENTS[name]
    for a, b in itertools.product([*INTERVALS[::2], *HALF], repeat=2):
        left = {x for x, y in itertools.product(numbers(a), numbers(b)) if rule(x, y)}
        found = apply(a, b)
        assert found is BOTTOM or left <= set(numbers(found))
        assert not a.is_bounded or not b.is_bounded or found == hull(left)
        assert found is BOTTOM or found is a or found != a


def hull(values):
    return Interval(min(values), max(values)) if values else BOTTOM


def test_negation_and_absolute_value_are_exact():
    for a in INTERVALS:
        for apply, rule in (
            (interval.negate, operator.neg),
            (interval.absolute, abs),
        ):
            expected = [rule(x) for x in numbers(a)]
            assert apply(a) == (min(expected), max(expected))
    assert interval.absolute(Interval(-INFINITE, 3)) == (0, INFINITE)
    assert interval.negate(BOTTOM) is interval.absolute(BOTTOM) is BOTTOM


def test_interval_of_a_number_holds_it():
    assert interval.of(3) == (3, 3)


def test_intervals_are_joined_to_their_hull():
    assert Intervals().join(Interval(1, 1), Interval(3, 3)) == Interval(1, 3)


def test_interval_that_grows_is_widened_to_the_next_threshold_and_then_to_the_top():
    lattice = Intervals(thresholds=[10, 100, 1000], top=Interval(-128, 127))
    assert lattice.thresholds == (10, 100)
    assert lattice.widen(Interval(0, 1), Interval(0, 2)) == (0, 10)
    assert lattice.widen(Interval(0, 10), Interval(0, 11)) == (0, 100)
    assert lattice.widen(Interval(0, 100), Interval(0, 101)) == (0, 127)
    assert lattice.widen(Interval(0, 100), Interval(-1, 100)) == (-128, 100)


def test_interval_that_does_not_grow_is_not_widened():
    old = Interval(0, 10)
    assert Intervals().widen(old, Interval(2, 3)) is old
    assert Intervals().widen(old, Interval(0, 10)) is old


def test_bounds_that_were_widened_are_narrowed_and_others_kept():
    assert Intervals().narrow(Interval(0, INFINITE), Interval(3, 10)) == (0, 10)
    kept = Interval(0, 20)
    assert Intervals().narrow(kept, Interval(3, 10)) is kept
    assert Intervals().narrow(kept, BOTTOM) is BOTTOM


def test_loop_that_counts_comes_to_rest_and_is_narrowed():
    """``i = 0; while i < 10: i = i + 1``."""
    lattice = Intervals()
    arithmetic = interval

    def around(state):
        inside = arithmetic.where_less(state, arithmetic.of(10))
        return lattice.join(arithmetic.of(0), arithmetic.add(inside, arithmetic.of(1)))

    state, visits = arithmetic.of(0), 0
    while not lattice.leq(around(state), state):
        state, visits = lattice.widen(state, around(state)), visits + 1
    assert (state, visits) == ((0, INFINITE), 1)
    state = lattice.narrow(state, around(state))
    assert state == (0, 10)


@pytest.mark.parametrize("name", OPERATORS)
def test_sign_arithmetic_is_what_all_numbers_say(name):
    apply, rule = getattr(signs, name), OPERATORS[name]
    for a, b in itertools.product(Sign, repeat=2):
        xs, ys = ([x for x in NEAR if sign.holds(x)] for sign in (a, b))
        assert apply(a, b) is signs.signs_of(results(rule, xs, ys))


def test_sign_comparison_and_negation_are_what_all_numbers_say():
    for a, b in itertools.product(Sign, repeat=2):
        xs, ys = ([x for x in NEAR if sign.holds(x)] for sign in (a, b))
        assert signs.less(a, b) == {x < y for x in xs for y in ys}
        assert signs.negate(a) is signs.signs_of([-x for x in xs])


def test_sign_holds_numbers_of_its_sign():
    assert Sign.NON_NEGATIVE.holds(0)
    assert Sign.NON_NEGATIVE.holds(0.5)
    assert not Sign.NON_NEGATIVE.holds(-1)
    assert repr(Sign.NON_ZERO) == "NON_ZERO"


def residues():
    return [congruent(r, m) for m in (0, 1, 2, 3, 4, 6) for r in range(max(m, 1) if m else 7)]


def members(state):
    return [number for number in range(-36, 37) if state.holds(number)]


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_div", "mod", "floor_mod"])
def test_congruence_arithmetic_holds_all_results(name):
    apply, rule = getattr(congruences, name), OPERATORS[name]
    for a, b in itertools.product([*residues(), congruent(-5), congruent(-4)], repeat=2):
        found = apply(a, b)
        expected = list(results(rule, members(a), members(b)))
        assert (found is BOTTOM) == (not expected)
        assert all(found.holds(value) for value in expected)


@pytest.mark.parametrize("name", ["add", "sub", "mul"])
def test_congruence_arithmetic_is_exact(name):
    """The modulus is the greatest common divisor of all differences of results."""
    apply, rule = getattr(congruences, name), OPERATORS[name]
    for a, b in itertools.product(residues(), repeat=2):
        values = list(results(rule, members(a), members(b)))
        modulus = math.gcd(*[value - values[0] for value in values])
        assert apply(a, b) == congruent(values[0], modulus)


def test_congruences_meet_in_what_both_hold():
    for a, b in itertools.product(residues(), repeat=2):
        found = Congruences().meet(a, b)
        both = set(members(a)) & set(members(b))
        assert both == (set() if found is BOTTOM else set(members(found)))


def test_congruences_are_joined_to_the_least_that_holds_both():
    for a, b in itertools.product(residues(), repeat=2):
        found = Congruences().join(a, b)
        held = members(a) + members(b)
        assert found == congruent(held[0], math.gcd(*[value - held[0] for value in held]))


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "floor_div", "mod", "floor_mod"])
def test_congruence_arithmetic_of_nothing_is_nothing(name):
    apply = getattr(congruences, name)
    assert apply(BOTTOM, congruent(1)) is apply(congruent(1), BOTTOM) is BOTTOM


def test_exact_quotients_of_congruences_keep_the_stride():
    assert congruences.div(congruent(6, 24), congruent(6)) == congruent(1, 4)
    assert congruences.mod(congruent(6, 24), congruent(6)) == congruent(0)
    assert congruences.floor_mod(congruent(5, 24), congruent(6)) == congruent(5)


def test_negated_congruence_holds_the_negated_numbers():
    assert congruences.negate(congruent(1, 4)) == congruent(3, 4)
    assert congruences.negate(congruent(7)) == congruent(-7)


def test_random_chains_of_congruences_end():
    rng = random.Random(SOAK)
    for _ in range(many(50)):
        state, lattice, changes = congruent(0), Congruences(), 0
        for _ in range(60):
            after = lattice.widen(state, congruent(rng.randint(-5000, 5000), rng.choice((0, 720))))
            changes += after != state
            state = after
        assert changes <= 16
