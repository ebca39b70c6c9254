"""Bounds of expressions over loops, by what is outside of these."""

from __future__ import annotations

import random

from relayish import tir
from relayish.tir.analysis import Context, Interval, bind, enter_loop, symbolic_bounds
from tests.support.seeds import seeds
from tests.support.tir_integers import evaluate

X, Y, N, M = (tir.Var(name) for name in "ijnm")


def below(*loops):
    known = Context().with_range(N, Interval(0, 9)).with_range(M, Interval(0, 9))
    for var, start, extent in loops:
        known = enter_loop(known, tir.For(var, start, extent, tir.Block(())))
    return known


def shown(form):
    return form.constant, {term.name: factor for term, factor in form.terms.items()}


def test_bounds_of_a_loop_are_those_of_its_variable():
    found = symbolic_bounds(X, [X], below((X, 2, N)))
    assert shown(found.lower) == (2, {})
    assert shown(found.upper) == (1, {"n": 1})


def test_negative_factor_takes_the_other_bound():
    found = symbolic_bounds(M - X * 2, [X], below((X, 0, N)))
    assert shown(found.lower) == (2, {"m": 1, "n": -2})
    assert shown(found.upper) == (0, {"m": 1})


def test_inner_loop_that_depends_on_an_outer_one_is_left_out_first():
    found = symbolic_bounds(Y, [X, Y], below((X, 0, N), (Y, 0, X + 1)))
    assert shown(found.upper) == (-1, {"n": 1})


def test_constant_loops_give_numbers():
    found = symbolic_bounds(X * 4 + Y, [X, Y], below((X, 0, 8), (Y, 0, 4)))
    assert (shown(found.lower), shown(found.upper)) == ((0, {}), (31, {}))


def test_variable_of_a_block_is_looked_through():
    v = tir.Var("v")
    known = bind(below((X, 0, N)), v, X * 2 + M)
    found = symbolic_bounds(v, [X, v], known)
    assert shown(found.upper) == (-2, {"n": 2, "m": 1})


def test_sum_that_may_wrap_around_has_none():
    free = tir.Var("free")
    assert symbolic_bounds(free * 2, [], Context()) is None


def test_every_value_lies_within_the_bounds():
    for seed in seeds(150):
        rng = random.Random(f"bounds {seed}")
        start = rng.choice([tir.const(0), tir.const(2), M])
        inner = rng.choice([tir.const(3), X + 1, N, N - X])
        expr = X * rng.randint(-3, 3) + Y * rng.randint(-3, 3) + M * rng.randint(-2, 2)
        found = symbolic_bounds(expr, [X, Y], below((X, start, N), (Y, 0, inner)))
        assert {*found.lower.terms, *found.upper.terms} <= {N, M}
        for n in range(4):
            for m in range(4):
                outside = {N: n, M: m}
                low = evaluate_form(found.lower, outside)
                high = evaluate_form(found.upper, outside)
                i0 = evaluate(start, outside)
                for i in range(i0, i0 + n):
                    for j in range(evaluate(inner, {**outside, X: i})):
                        value = evaluate(expr, {**outside, X: i, Y: j})
                        assert low <= value <= high


def evaluate_form(form, values):
    return form.constant + sum(
        factor * evaluate(term, values) for term, factor in form.terms.items()
    )
