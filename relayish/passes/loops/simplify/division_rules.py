"""Quotients and remainders of integers, which round towards zero.

=====================================  =====================  ===========================
before                                 where                  after
=====================================  =====================  ===========================
``(((4 * i) + j) / 4)``                ``0 <= i, 0 <= j < 4`` ``i``
``(((4 * i) + j) % 4)``                the same               ``j``
``((i + 6) / 4)``                      ``0 <= i``             ``(((i + 2) / 4) + 1)``
``((i / 4) / 8)``                      everywhere             ``(i / 32)``
``((i % 8) % 4)``                      everywhere             ``(i % 4)``
``(i / 4)``                            ``-4 < i < 4``         ``0``
``(i % 4)``                            ``8 <= i < 12``        ``(i - 8)``
``(i % -4)``                           everywhere             ``(i % 4)``
=====================================  =====================  ===========================

All of it is asked of values that do not wrap around. What is dropped must not be able to fault.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, interval_of_form
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.literals import is_arithmetic, is_number, make_literal, range_of
from relayish.tir.ir.operators import Add, Div, Expr, Minus, Mod, integer_of
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.linear import build_sorted


def divide_by_one(expr: Div, _: Facts) -> Expr:
    """``a / 1`` is ``a``, and ``a / -1`` is ``-a``, which wraps around as the quotient does."""
    if not _is_integer(expr):
        return expr
    if is_number(expr.b, 1):
        return expr.a
    return Minus(expr.a) if is_number(expr.b, -1) else expr


def remainder_of_one(expr: Mod, facts: Facts) -> Expr:
    """``a % 1`` and ``a % -1`` are 0."""
    trivial = _is_integer(expr) and (is_number(expr.b, 1) or is_number(expr.b, -1))
    return make_literal(0, expr.type) if trivial and facts.removable(expr.a) else expr


def drop_sign_of_divisor(expr: Mod, _: Facts) -> Expr:
    """``a % -4`` is ``a % 4``: a remainder has the sign of the dividend."""
    divisor = integer_of(expr.b)
    if not _is_integer(expr) or divisor is None or divisor >= 0:
        return expr
    found = range_of(expr.type)
    assert found is not None
    return Mod(expr.a, make_literal(-divisor, expr.b.type)) if -divisor <= found[1] else expr


def divide_itself(expr: Div | Mod, facts: Facts) -> Expr:
    """``a / a`` is 1, ``a % a``, ``0 / a`` and ``0 % a`` are 0, if ``a`` is not 0."""
    if not _is_integer(expr) or not facts.removable(expr):
        return expr
    if is_number(expr.a, 0):
        return make_literal(0, expr.type)
    if facts.same(expr.a, expr.b):
        return make_literal(1 if isinstance(expr, Div) else 0, expr.type)
    return expr


def divide_twice(expr: Div, _: Facts) -> Expr:
    """``(a / 4) / 8`` is ``a / 32``, if that is a number of the type."""
    inner, outer_divisor = expr.a, integer_of(expr.b)
    if not _is_integer(expr) or not isinstance(inner, Div):
        return expr
    inner_divisor = integer_of(inner.b)
    if not inner_divisor or not outer_divisor or min(inner_divisor, outer_divisor) < 0:
        return expr
    found, product = range_of(expr.type), inner_divisor * outer_divisor
    assert found is not None
    return Div(inner.a, make_literal(product, expr.type)) if product <= found[1] else expr


def remainder_twice(expr: Mod, _: Facts) -> Expr:
    """``(a % 8) % 4`` is ``a % 4``, if the first divisor is a multiple of the second."""
    inner, outer_divisor = expr.a, integer_of(expr.b)
    if not _is_integer(expr) or not isinstance(inner, Mod) or not outer_divisor:
        return expr
    inner_divisor = integer_of(inner.b)
    multiple = inner_divisor and inner_divisor % outer_divisor == 0
    return Mod(inner.a, expr.b) if multiple else expr


def divide_smaller(expr: Div | Mod, facts: Facts) -> Expr:
    """``a / b`` is 0 and ``a % b`` is ``a``, if ``b`` is the larger of the two without signs."""
    if not _is_integer(expr):
        return expr
    a, b = facts.interval(expr.a), facts.interval(expr.b)
    most, least = max(-a.low, a.high), max(b.low, -b.high)
    if most >= least:
        return expr
    if isinstance(expr, Mod):
        return expr.a if facts.removable(expr.b) else expr
    return make_literal(0, expr.type) if facts.removable(expr) else expr


def divide_sum(expr: Div, facts: Facts) -> Expr:
    """Take out of a quotient the terms that are multiples of the divisor."""
    split = _split(expr, facts)
    if split is None:
        return expr
    quotient = build_sorted(split.quotient, expr.type)
    if split.rest_is_small:
        return quotient
    return Add(quotient, Div(build_sorted(split.rest, expr.type), expr.b))


def remainder_of_sum(expr: Mod, facts: Facts) -> Expr:
    """Leave out of a remainder the terms that are multiples of the divisor."""
    split = _split(expr, facts)
    if split is None:
        return expr
    rest = build_sorted(split.rest, expr.type)
    return rest if split.rest_is_small else Mod(rest, expr.b)


def remainder_of_multiple(expr: Mod, facts: Facts) -> Expr:
    """``(4 * i) % 4`` is 0 even where it wraps around, as powers of two divide the range."""
    divisor = integer_of(expr.b)
    if not is_arithmetic(expr.type) or not divisor or divisor < 0 or divisor & divisor - 1:
        return expr
    form = facts.linear[expr.a]
    if any(c % divisor for c in form.terms.values()) or form.constant % divisor:
        return expr
    return make_literal(0, expr.type) if facts.removable(expr.a) else expr


class _Split(NamedTuple):
    """A dividend as a multiple of the divisor and the rest, of the sign of the dividend."""

    quotient: LinearForm
    rest: LinearForm
    rest_is_small: bool


def _split(expr: Div | Mod, facts: Facts) -> _Split | None:
    """Return the terms of a dividend that are multiples of the divisor, and the others.

    Returns:
        ``None`` where there are none, the dividend may wrap around, or signs are not known: as
        quotients are rounded towards zero, that of a sum is their sum only where no sign differs.
    """
    divisor = integer_of(expr.b)
    if not is_arithmetic(expr.type) or divisor is None or divisor < 2:
        return None
    form = facts.exact_form(expr.a)
    if form is None or not facts.removable(*form.terms):
        return None
    whole = interval_of_form(form, facts.context)
    count = whole.low // divisor
    if count > 0 and count == whole.high // divisor:
        return _Split(Affine(count, {}), form.shifted(-count * divisor), rest_is_small=True)
    if whole.low < 0 < whole.high:
        number = 0 if form.constant % divisor else form.constant  # only multiples may be taken out
    else:
        sign = -1 if whole.low < 0 else 1
        number = sign * (sign * form.constant // divisor * divisor)
    terms = {term: c for term, c in form.terms.items() if c}
    quotient: LinearForm = Affine(
        number // divisor, {term: c // divisor for term, c in terms.items() if c % divisor == 0}
    )
    if not quotient.terms and not quotient.constant:
        return None
    rest: LinearForm = Affine(
        form.constant - number, {term: c for term, c in terms.items() if c % divisor}
    )
    left = interval_of_form(rest, facts.context)
    if not rest.terms and not rest.constant:
        return _Split(quotient, rest, rest_is_small=True)
    agrees = (whole.low >= 0 and left.low >= 0) or (whole.high <= 0 and left.high <= 0)
    if not agrees or not type_range(expr.type).covers(left):
        return None
    return _Split(quotient, rest, rest_is_small=-divisor < left.low and left.high < divisor)


def _is_integer(expr: Div | Mod) -> bool:
    return expr.type.is_integer and not expr.type.is_bool and expr.a.type == expr.b.type


DIVISION_RULES: Final = RuleSet.by_key(
    {
        Div: (divide_by_one, divide_itself, divide_twice, divide_smaller, divide_sum),
        Mod: (
            remainder_of_one,
            drop_sign_of_divisor,
            divide_itself,
            remainder_twice,
            remainder_of_multiple,
            divide_smaller,
            remainder_of_sum,
        ),
    }
)
