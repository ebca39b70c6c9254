"""Bounds of an expression over the iterations of loops, as sums of what is outside of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.dataflow.lattice.interval import Interval, add, scale
from relayish.ir.kinds.one_line import one_line
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, exact_form, interval_of_form
from relayish.tir.analysis.values.context import Context, Terms
from relayish.tir.analysis.values.interval_rules import interval_by_rules
from relayish.tir.ir.operators import Div, Expr, integer_of
from relayish.tir.ir.tensor import Var


class SymbolicBounds(NamedTuple):
    """What an integer lies within, both included, as integers that do not wrap around."""

    lower: LinearForm
    upper: LinearForm


def symbolic_bounds(
    expr: Expr, variables: Sequence[Var], context: Context
) -> SymbolicBounds | None:
    """Return bounds of ``expr`` that do not mention ``variables``.

    Args:
        expr: An integer.
        variables: Those to leave out, as of the loops around, outermost first.
        context: What is known where ``expr`` is evaluated, below these loops.

    Returns:
        ``None`` where the form of ``expr`` may wrap around.

    Complexity:
        Linear in the size of ``expr``, the variables, and what is known of these.

    Example:
        >>> from relayish import tir
        >>> from relayish.tir.analysis.facts.scopes import context_of, enter_loop
        >>> i, n = tir.Var("i"), tir.Var("n")
        >>> loop = tir.For(i, 0, n, tir.Block(()))
        >>> found = symbolic_bounds(i, [i], enter_loop(context_of(loop), loop))
        >>> found.lower.constant, found.upper.constant, found.upper.coefficient(n)
        (0, -1, 1)
    """
    form = exact_form(expr, context)
    if form is None:
        return None
    lower = upper = form
    left_out: set[Var] = set(variables)
    done: set[Var] = set()
    for var in reversed(variables):
        done.add(var)
        lower = _without(lower, var, left_out, done, context, sign=-1)
        upper = _without(upper, var, left_out, done, context, sign=1)
    return SymbolicBounds(
        _without_terms(lower, variables, context, sign=-1),
        _without_terms(upper, variables, context, sign=1),
    )


def _without(
    form: LinearForm,
    var: Var,
    left_out: set[Var],
    done: set[Var],
    context: Context,
    sign: int,
) -> LinearForm:
    """Return a form that is not less than ``form``, or for a negative sign not greater."""
    factor = form.coefficient(var)
    if not factor:
        return form
    bound = _bound(var, left_out, done, context, sign if factor > 0 else -sign)
    return form.plus(Affine(0, {var: 1}), -factor).plus(bound, factor)


def _bound(var: Var, left_out: set[Var], done: set[Var], context: Context, sign: int) -> LinearForm:
    """Return an upper, or for a negative sign a lower, bound of a variable.

    One of other variables tells more than a number; one of variables that are to be left out as
    well is taken where there is no other, but for those that are ``done``.
    """
    best: LinearForm | None = None
    for key, interval in context.facts_about((var,)):
        terms = dict(sorted(key, key=lambda item: one_line(item[0])))  # sums are written in order
        factor = terms.pop(var, 0)
        if abs(factor) != 1 or not terms:
            continue
        natural = _sum_of_intervals(key, context)
        if (interval.high >= natural.high) if factor == sign else (interval.low <= natural.low):
            continue  # numbers tell as much
        limit = interval.high if factor == sign else interval.low
        found = Affine(limit * factor, {t: -factor * value for t, value in terms.items()})
        if not any(_depends(term, done, context) for term in terms) and (
            best is None or _inner_terms(found, left_out, context) == 0
        ):
            best = found
            if not _inner_terms(found, left_out, context):
                break
    if best is not None:
        return best
    known = interval_by_rules(var, context)
    return Affine(int(known.high if sign > 0 else known.low), {})


def _sum_of_intervals(terms: Terms, context: Context) -> Interval:
    found = Interval(0, 0)
    for term, factor in terms:
        known = interval_by_rules(term, context)
        assert isinstance(known, Interval)
        found = add(found, scale(known, factor))
    return found


def _inner_terms(form: LinearForm, left_out: set[Var], context: Context) -> int:
    return sum(_depends(term, left_out, context) for term in form.terms)


def _without_terms(
    form: LinearForm, variables: Sequence[Var], context: Context, sign: int
) -> LinearForm:
    """Return ``form`` without terms that depend on what is to be left out: bounds for these."""
    left_out = set(variables)
    for term, factor in list(form.terms.items()):
        if _depends(term, left_out, context):
            upwards = (factor > 0) == (sign > 0)
            bound = _bound_of_quotient(term, variables, context, upwards)
            if bound is None:
                known = interval_by_rules(term, context)
                bound = Affine(int(known.high if upwards else known.low), {})
            form = form.plus(Affine(0, {term: 1}), -factor).plus(bound, factor)
    return form


def _bound_of_quotient(
    term: Expr, variables: Sequence[Var], context: Context, upwards: bool
) -> LinearForm | None:
    """Return a bound of a quotient that is a sum, from one of what is divided, which divides so."""
    by = integer_of(term.b) if isinstance(term, Div) else None
    if by is None or by < 1:
        return None
    assert isinstance(term, Div)
    bounds = symbolic_bounds(term.a, variables, context)
    if bounds is None or interval_of_form(bounds.lower, context).low < 0:
        return None  # division goes towards zero
    end = bounds.upper if upwards else bounds.lower
    if any(value % by for value in end.terms.values()):
        return None
    return Affine(end.constant // by, {each: value // by for each, value in end.terms.items()})


def _depends(term: Expr, variables: set[Var], context: Context) -> bool:
    """Return whether the value of ``term`` depends on ``variables``, or on memory."""
    mentioned = context.numbers.stable_variables(term)
    return mentioned is None or not mentioned.isdisjoint(variables)
