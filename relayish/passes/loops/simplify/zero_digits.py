"""Conditions on digits: quotients and remainders of one integer that have to be zero together.

Of an integer, ``x % q`` is what is below ``q``, ``x / p`` what is above ``p``, and ``x / p % q``
what lies between ``p`` and ``p * q``, each with the sign of ``x``, since quotients are rounded
towards zero. Parts that lie side by side are zero together where the one part is that they make.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir.operators import EQ, Div, Expr, Mod, const, integer_of
from relayish.tir.rewriting.facts import Facts


class _Digits(NamedTuple):
    """The part of ``base`` from ``low`` on, up to ``high``; ``None``: all that is above."""

    base: Expr
    low: int
    high: int | None


def join_zero_digits(conditions: Sequence[Expr], facts: Facts) -> list[Expr]:
    """Return conditions that hold together where others do, as few of those on digits as can be.

    Args:
        conditions: All of which have to hold.
        facts: What tells which integers are the same.

    Complexity:
        Quadratic in the number of conditions.
    """
    kept: list[Expr] = []
    for condition in conditions:
        found, digits = condition, _zero_digits(condition)
        while digits is not None:
            pairs = [(each, _joined_with(each, digits, facts)) for each in kept]
            each, digits = next(((e, made) for e, made in pairs if made is not None), (None, None))
            if each is not None and digits is not None:
                kept.remove(each)
                found = _as_condition(digits)
        kept.append(found)
    return kept


def _joined_with(condition: Expr, digits: _Digits, facts: Facts) -> _Digits | None:
    other = _zero_digits(condition)
    return None if other is None else _joined(digits, other, facts)


def _zero_digits(condition: Expr) -> _Digits | None:
    """Return the part of an integer that has to be zero, if a condition says that."""
    if not isinstance(condition, EQ) or integer_of(condition.b) != 0:
        return None
    if not condition.a.type.is_integer or not condition.a.type.is_scalar:
        return None
    steps, base = [], condition.a
    while isinstance(base, (Div, Mod)):
        by = integer_of(base.b)
        if by is None or by < 1:
            break
        steps.append((type(base), by))
        base = base.a
    low, high = 1, None
    for kind, by in reversed(steps):
        if kind is Div:
            low *= by
        elif high is None or high % (low * by) == 0:
            high = low * by
        else:
            return None
        if high is not None and high % low:
            return None
    if not steps or (high is not None and high <= low) or low > type_range(base.type).high:
        return None
    return _Digits(base, low, high)


def _joined(a: _Digits, b: _Digits, facts: Facts) -> _Digits | None:
    if not facts.same(a.base, b.base):
        return None
    lower, upper = (a, b) if a.low < b.low else (b, a)
    if lower.high != upper.low:
        return None
    if upper.high is not None and upper.high // lower.low > type_range(a.base.type).high:
        return None
    return _Digits(a.base, lower.low, upper.high)


def _as_condition(digits: _Digits) -> Expr:
    part, ty = digits.base, digits.base.type
    if digits.low > 1:
        part = Div(part, const(digits.low, ty))
    if digits.high is not None:
        part = Mod(part, const(digits.high // digits.low, ty))
    return EQ(part, const(0, ty))
