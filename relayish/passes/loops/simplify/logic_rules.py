"""Comparisons and truth values, decided where it is known which way they go.

=====================================  =======================  ====================
before                                 where                    after
=====================================  =======================  ====================
``(i < 16)``                           ``0 <= i < 16``          ``true``
``(5 > i)``                            everywhere               ``(i < 5)``
``(((4 * i) + j) < ((4 * i) + n))``    no overflow              ``(j < n)``
``((i + 3) == (j + 3))``               everywhere               ``(i == j)``
``!(i < n)``                           of integers              ``(i >= n)``
``!(x < y)``                           of floats                stays: a NaN
``(b and true)``, ``(b or b)``         everywhere               ``b``
``(b and false)``                      ``b`` cannot fault       ``false``
=====================================  =======================  ====================
"""

from __future__ import annotations

from typing import Final

from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.facts.prove import can_prove
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm, interval_of_form
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.literals import element_of, is_arithmetic, is_number, make_literal
from relayish.tir.ir import operators as ops
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.linear import added, build_sorted


def decide(expr: ops.ComparisonNode, facts: Facts) -> ops.Expr:
    """Return the truth value of a comparison, if it is known and nothing in it can fault."""
    if not facts.removable(expr) or not expr.a.type.is_numeric:
        return expr
    if facts.same(expr.a, expr.b):
        if expr.a.type.is_integer:
            return make_literal(int(type(expr) in _REFLEXIVE), expr.type)
        return make_literal(0, expr.type) if type(expr) in (ops.LT, ops.GT) else expr
    holds = can_prove(expr, facts.context)
    return expr if holds is None else make_literal(int(holds), expr.type)


def move_literal_right(expr: ops.ComparisonNode, _: Facts) -> ops.Expr:
    """A literal is compared from the right."""
    if element_of(expr.a) is None or element_of(expr.b) is not None:
        return expr
    return ops.MIRRORED[type(expr)](expr.b, expr.a)


def cancel_terms(expr: ops.ComparisonNode, facts: Facts) -> ops.Expr:
    """Leave out what is added on both sides; only if nothing wraps around, or it is equality."""
    a, b, given = expr.a, expr.b, expr.a.type
    if not is_arithmetic(given) or b.type != given:
        return expr
    left, right = facts.linear[a], facts.linear[b]
    if not (left.terms and right.terms) and not (left.constant and left.terms):
        return expr
    common = [t for t, c in left.terms.items() if c and right.terms.get(t) == c]
    moves = bool(left.constant) and (bool(right.constant) or not right.terms)
    if (not common and not moves) or not facts.removable(*left.terms, *right.terms):
        return expr
    new_left = Affine(0, {t: c for t, c in left.terms.items() if c and t not in common})
    new_right = Affine(0, {t: c for t, c in right.terms.items() if c and t not in common})
    const = right.constant - left.constant
    if const >= 0 or not new_right.terms:
        new_right = Affine(const, new_right.terms)
    else:
        new_left = Affine(-const, new_left.terms)
    if not isinstance(expr, (ops.EQ, ops.NE)):
        whole = type_range(given)
        forms = (left, right, new_left, new_right)
        if not all(whole.covers(interval_of_form(form, facts.context)) for form in forms):
            return expr
    zero: LinearForm = Affine(0, {})
    return type(expr)(
        *[build_sorted(added(zero, form, 1, given), given) for form in (new_left, new_right)]
    )


def drop_constant_operand(expr: ops.And | ops.Or, facts: Facts) -> ops.Expr:
    """``b and true`` is ``b``; ``b and false`` is false if ``b`` cannot fault."""
    neutral = int(isinstance(expr, ops.And))
    for operand, other in ((expr.a, expr.b), (expr.b, expr.a)):
        if not operand.type.is_bool or operand.type != other.type:
            continue
        if is_number(operand, neutral):
            return other
        if is_number(operand, 1 - neutral) and facts.removable(other):
            return operand
    return expr


def drop_repeated_operand(expr: ops.And | ops.Or, facts: Facts) -> ops.Expr:
    """``b and b`` is ``b``; ``b and !b`` is false if ``b`` cannot fault."""
    a, b = expr.a, expr.b
    if facts.same(a, b) or (type(a) is type(expr) and facts.same(a.b, b)):
        return a
    for operand, other in ((a, b), (b, a)):
        opposite = isinstance(operand, ops.Not) and facts.same(operand.v, other)
        if opposite and facts.removable(expr):
            return make_literal(int(isinstance(expr, ops.Or)), expr.type)
    return expr


def negate(expr: ops.Not, _: Facts) -> ops.Expr:
    """``!!b`` is ``b``; a comparison of integers, or for equality, has an opposite."""
    v = expr.v
    if isinstance(v, ops.Not):
        return v.v
    if not isinstance(v, ops.ComparisonNode):
        return expr
    exact = v.a.type.is_integer or isinstance(v, (ops.EQ, ops.NE))
    return ops.NEGATED[type(v)](v.a, v.b) if exact else expr


def compare_truth_values(expr: ops.EQ | ops.NE, _: Facts) -> ops.Expr:
    """``b == true`` is ``b``, ``b == false`` is ``!b``."""
    if not expr.a.type.is_bool or expr.b.type != expr.a.type:
        return expr
    number = element_of(expr.b)
    if number is None:
        return expr
    return expr.a if bool(number) == isinstance(expr, ops.EQ) else ops.Not(expr.a)


_REFLEXIVE: Final = frozenset[type[ops.Expr]]({ops.EQ, ops.LE, ops.GE})

LOGIC_RULES: Final = RuleSet.by_key(
    {
        **dict.fromkeys((ops.EQ, ops.NE), (compare_truth_values,)),
        ops.ComparisonNode: (decide, move_literal_right, cancel_terms),
        **dict.fromkeys((ops.And, ops.Or), (drop_constant_operand, drop_repeated_operand)),
        ops.Not: (negate,),
    }
)
