"""Minima and maxima, decided where it is known which operand is smaller.

===================================  ======================  ======================
before                               where                   after
===================================  ======================  ======================
``cinn_min(i, 16)``                  ``0 <= i < 16``         ``i``
``cinn_min(((4 * i) + j), (4 * i))`` ``0 <= j``, no overflow ``(4 * i)``
``cinn_min(cinn_min(i, 8), 4)``      everywhere              ``cinn_min(i, 4)``
``cinn_max(3, i)``                   everywhere              ``cinn_max(i, 3)``
``cinn_max(x, x)``                   of floats as well       ``x``
===================================  ======================  ======================

Floats are left alone otherwise: with a NaN, and with zeros of two signs, it matters which operand
is the second.
"""

from __future__ import annotations

from typing import Final

from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.values.literals import element_of, make_literal
from relayish.tir.ir.operators import Expr, Max, Min
from relayish.tir.rewriting.facts import Facts


def choose_same(expr: Min | Max, facts: Facts) -> Expr:
    """``cinn_min(x, x)`` is ``x``."""
    return expr.a if facts.same(expr.a, expr.b) else expr


def choose_known(expr: Min | Max, facts: Facts) -> Expr:
    """Choose the operand that is known to be smaller, or larger, or the same."""
    if not _is_integer(expr):
        return expr
    a, b = expr.a, expr.b
    left, right = facts.interval(a), facts.interval(b)
    less, more = left.high <= right.low, right.high <= left.low
    if not less and not more:
        found = facts.difference(a, b)
        less, more = (False, False) if found is None else (found.high <= 0, found.low >= 0)
    if isinstance(expr, Max):
        less, more = more, less
    if less and facts.removable(b):
        return a
    return b if more and facts.removable(a) else expr


def move_literal_right(expr: Min | Max, _: Facts) -> Expr:
    """Integers are compared with a literal on the right."""
    moves = element_of(expr.a) is not None and element_of(expr.b) is None
    return type(expr)(expr.b, expr.a) if moves and _is_integer(expr) else expr


def merge_nested(expr: Min | Max, facts: Facts) -> Expr:
    """Compare once with two literals, and not twice with one operand."""
    inner, kind = expr.a, type(expr)
    if not _is_integer(expr) or type(inner) is not kind:
        return expr
    assert isinstance(inner, (Min, Max))
    if facts.same(expr.b, inner.a) or facts.same(expr.b, inner.b):
        return inner
    first, second = element_of(inner.b), element_of(expr.b)
    if first is None or second is None:
        return expr
    number = min(first, second) if kind is Min else max(first, second)
    return kind(inner.a, make_literal(number, expr.type))


def _is_integer(expr: Min | Max) -> bool:
    return expr.type.is_integer and expr.a.type == expr.b.type


EXTREMUM_RULES: Final = RuleSet.by_key(
    dict.fromkeys((Min, Max), (choose_same, move_literal_right, choose_known, merge_nested))
)
