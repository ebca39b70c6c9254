"""Arithmetic: sums of integers are collected; floats keep every bit.

================================  =========================
before                            after
================================  =========================
``((i + 1) + (j - i))``           ``(j + 1)``
``(((i + j) * 4) - (j * 4))``     ``(4 * i)``
``(4 * (i / 4)) + (i % 4)``       ``i``
``(A[i] - A[i])``                 stays, if ``A[i]`` may fault
``(x * 1.f)``, ``(x - 0.f)``      ``x``, of any ``x``
``(x + 0.f)``, ``(0.f * x)``      stay: of -0 and of a NaN they are something else
================================  =========================
"""

from __future__ import annotations

from typing import Final

from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.linear.linear_form import LinearForm
from relayish.tir.analysis.values.literals import is_arithmetic, is_number, make_literal
from relayish.tir.ir import operators as ops
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.linear import (
    added,
    build,
    build_sorted,
    reads_as,
    scaled,
    signed,
    spell,
)


def collect_terms(expr: ops.Expr, facts: Facts) -> ops.Expr:
    """Write a sum of integers as its linear form reads, terms in order of first occurrence.

    Terms that cancel are not evaluated any more, so they must not be able to fault. Those that are
    left stay in order where one may fault, so that the same one is the first to do so.
    """
    if not is_arithmetic(expr.type):
        return expr
    form = facts.linear[expr]
    if not form.constant and len(form.terms) == 1 and facts.numbers.number(expr) in form.terms:
        return expr
    gone = [term for term, c in form.terms.items() if not c]
    if gone and not facts.removable(*gone):
        return expr
    steps = spell(form, reorder=False)
    if steps[0].coefficient < 0 and facts.removable(*form.terms):
        steps = spell(form, reorder=True)
    if reads_as(expr, steps, facts.numbers):
        return expr
    return build(steps, expr.type, facts.numbers)


def recombine_quotient(expr: ops.Add | ops.Sub, facts: Facts) -> ops.Expr:
    """``c * (a / c) + a % c`` is ``a``; ``a - c * (a / c)`` is ``a % c``."""
    if not is_arithmetic(expr.type):
        return expr
    form = facts.linear[expr]
    for term, coefficient in form.terms.items():
        divisor = ops.integer_of(term.b) if isinstance(term, (ops.Mod, ops.Div)) else None
        if not coefficient or not divisor:
            continue
        assert isinstance(term, (ops.Mod, ops.Div))
        replace = _without_remainder if isinstance(term, ops.Mod) else _without_quotient
        changed = replace(form, term, coefficient, divisor, facts)
        if changed is None or not facts.removable(*changed.terms):
            continue
        return build_sorted(changed, expr.type)
    return expr


def _without_remainder(
    form: LinearForm, term: ops.Mod | ops.Div, coefficient: int, divisor: int, facts: Facts
) -> LinearForm | None:
    """Return ``form`` with the dividend for a remainder and its quotient, ``None`` without one."""
    quotient = facts.numbers.number(ops.Div(term.a, term.b))
    if form.terms.get(quotient) != signed(coefficient * divisor, term.type):
        return None
    kept = {t: c for t, c in form.terms.items() if t is not term and t is not quotient}
    dividend = scaled(facts.linear[term.a], coefficient, term.type)
    return added(Affine(form.constant, kept), dividend, 1, term.type)


def _without_quotient(
    form: LinearForm, term: ops.Mod | ops.Div, coefficient: int, divisor: int, facts: Facts
) -> LinearForm | None:
    """Return ``form`` with a remainder for a dividend without its quotient, ``None`` without one.

    Every term of the dividend has to be there as often as the quotient says.
    """
    if coefficient % divisor:
        return None
    times, ty = -coefficient // divisor, term.type
    dividend = scaled(facts.linear[term.a], times, ty)
    if not dividend.terms or any(form.terms.get(t) != c for t, c in dividend.terms.items()):
        return None
    kept = {t: c for t, c in form.terms.items() if t is not term and t not in dividend.terms}
    remainder = scaled(facts.linear[ops.Mod(term.a, term.b)], times, ty)
    const = signed(form.constant - dividend.constant, ty)
    return added(Affine(const, kept), remainder, 1, ty)


def drop_neutral(expr: ops.BinaryOpNode, _: Facts) -> ops.Expr:
    """``x + -0.f``, ``x - 0.f``, ``x * 1.f`` and ``x / 1.f`` are ``x``, whatever ``x`` is."""
    if expr.a.type != expr.b.type:
        return expr
    table = _NEUTRAL_FLOATS if expr.type.is_float else _NEUTRAL_INTEGERS
    neutral, commutes = table[type(expr)]
    if is_number(expr.b, neutral):
        return expr.a
    return expr.b if commutes and is_number(expr.a, neutral) else expr


def drop_factor_zero(expr: ops.Mul, facts: Facts) -> ops.Expr:
    """``x * 0`` is 0, of integers: a float may be infinite, or a NaN."""
    if not expr.type.is_int and not expr.type.is_uint:
        return expr
    if not (is_number(expr.a, 0) or is_number(expr.b, 0)) or not facts.removable(expr):
        return expr
    return make_literal(0, expr.type)


def drop_double_minus(expr: ops.Minus, _: Facts) -> ops.Expr:
    """``-(-(x))`` is ``x``, of floats as well."""
    return expr.v.v if isinstance(expr.v, ops.Minus) else expr


def unwrap_single_operand(expr: ops.NaryOpNode, _: Facts) -> ops.Expr:
    """A sum or product of one operand is that operand."""
    return expr.operands[0] if len(expr.operands) == 1 else expr


_NEUTRAL_FLOATS: Final[dict[type[ops.Expr], tuple[float, bool]]] = {
    ops.Add: (-0.0, True),
    ops.Sub: (0.0, False),
    ops.Mul: (1.0, True),
    ops.Div: (1.0, False),
    ops.FracOp: (1.0, False),
}
"""The operand that leaves the other one as it is, and whether it may stand on the left."""
_NEUTRAL_INTEGERS: Final[dict[type[ops.Expr], tuple[int, bool]]] = {
    ops.Add: (0, True),
    ops.Sub: (0, False),
    ops.Mul: (1, True),
    ops.Div: (1, False),
    ops.FracOp: (1, False),
}

ARITHMETIC_RULES: Final = RuleSet.by_key(
    {
        **dict.fromkeys((ops.Add, ops.Sub), (drop_neutral, collect_terms, recombine_quotient)),
        ops.Mul: (drop_neutral, drop_factor_zero, collect_terms),
        ops.Minus: (drop_double_minus, collect_terms),
        **dict.fromkeys((ops.Div, ops.FracOp), (drop_neutral,)),
        ops.NaryOpNode: (unwrap_single_operand, collect_terms),
    }
)
