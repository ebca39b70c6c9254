"""Intervals, linear forms and proofs against every value of random expressions."""

from __future__ import annotations

import itertools
import random

from relayish import tir
from relayish.dataflow.lattice.interval import Interval
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.facts.scopes import assume
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.linear.linear_form import (
    exact_form,
    expr_of_form,
    interval_of_form,
    linear_form,
)
from relayish.tir.analysis.values.context import Context
from relayish.tir.analysis.values.interval import type_range, wrap_integer
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_integers import WIDTHS, Fault, evaluate, random_condition, random_expr

SEEDS = seeds(3)


def random_ranges(rng, variables):
    """Return a small interval of each variable, often at the border of its type."""
    found = {}
    for var in variables:
        low, high = type_range(var.type)
        size = rng.randrange(6)
        start = rng.choice([0, 0, 1, -2, low, high - size, rng.randint(low, high - size)])
        start = min(max(start, low), high - size)
        found[var] = Interval(start, start + size)
    return found


def problems(seed, count=120):
    """Yield random variables, their intervals, what is known of them, and all their values."""
    rng = random.Random(seed)
    for _ in range(count):
        dtypes = [rng.choice(WIDTHS)] * 2 if rng.random() < 0.7 else rng.choices(WIDTHS, k=2)
        variables = [tir.Var(name, dtype) for name, dtype in zip("ij", dtypes, strict=True)]
        ranges = random_ranges(rng, variables)
        context = Context()
        for var, interval in ranges.items():
            context = context.with_range(var, interval)
        spans = [range(interval.low, interval.high + 1) for interval in ranges.values()]
        points = [dict(zip(variables, point, strict=True)) for point in itertools.product(*spans)]
        yield rng, variables, context, points


def values_of(expr, points):
    """Return the values that ``expr`` has, where it has any, with the values of variables."""
    found = []
    for point in points:
        try:
            found.append((point, evaluate(expr, point)))
        except Fault:
            continue
    return found


@each("seed", SEEDS)
def test_every_value_lies_in_the_interval(seed):
    for rng, variables, context, points in problems(seed):
        expr = random_expr(rng, variables, str(variables[0].type))
        interval = interval_of(expr, context)
        assert type_range(expr.type).covers(interval)
        for _, value in values_of(expr, points):
            assert interval.holds(value)


@each("seed", SEEDS)
def test_linear_form_is_the_value_modulo_the_width(seed):
    for rng, variables, context, points in problems(seed):
        expr = random_expr(rng, variables, str(variables[0].type))
        form = linear_form(expr, context)
        for point, value in values_of(expr, points):
            total = form.constant + sum(
                factor * evaluate(term, point) for term, factor in form.terms.items()
            )
            assert wrap_integer(total, expr.type) == value


@each("seed", SEEDS)
def test_exact_form_is_the_value(seed):
    exact = 0
    for rng, variables, context, points in problems(seed):
        expr = random_expr(rng, variables, str(variables[0].type))
        form = exact_form(expr, context)
        if form is None:
            continue
        exact += 1
        interval = interval_of_form(form, context)
        for point, value in values_of(expr, points):
            total = form.constant + sum(
                factor * evaluate(term, point) for term, factor in form.terms.items()
            )
            assert total == value
            assert interval.holds(value)
    assert exact > 30


@each("seed", SEEDS)
def test_expression_of_a_form_has_its_value(seed):
    for rng, variables, context, points in problems(seed):
        expr = random_expr(rng, variables, str(variables[0].type))
        made = expr_of_form(linear_form(expr, context), expr.type)
        assert made.type == expr.type
        for point, value in values_of(expr, points):
            assert evaluate(made, point) == value


@each("seed", SEEDS)
def test_proof_is_right_wherever_the_condition_is_evaluated(seed):
    decided = 0
    for rng, variables, context, points in problems(seed):
        condition = random_condition(rng, variables)
        proven = can_prove(condition, context)
        decided += proven is not None
        for _, value in values_of(condition, points):
            assert proven is None or proven == bool(value)
    assert decided > 20


@each("seed", SEEDS)
def test_proof_is_right_under_assumptions(seed):
    for rng, variables, outer, every_point in problems(seed):
        points = every_point
        conditions = [(random_condition(rng, variables), rng.random() < 0.5) for _ in range(2)]
        context = outer
        for condition, holds in conditions:
            context = assume(context, condition, holds)
            points = [
                point for point, value in values_of(condition, points) if bool(value) == holds
            ]
        assert not (context.is_unreachable and points)
        wanted = random_condition(rng, variables)
        proven = can_prove(wanted, context)
        expr = random_expr(rng, variables, str(variables[0].type))
        interval = interval_of(expr, context)
        for _, value in values_of(wanted, points):
            assert proven is None or proven == bool(value)
        for _, value in values_of(expr, points):
            assert interval.holds(value)
