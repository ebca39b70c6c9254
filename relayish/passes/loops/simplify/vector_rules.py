"""Ramps: vectors of equally spaced integers, as far as what is computed of them is equally spaced.

==============================================  ==================================
before                                          after
==============================================  ==================================
``(Ramp(b,s,4) + Broadcast(a,4))``              ``Ramp((b + a),s,4)``
``(Broadcast(a,4) - Ramp(b,s,4))``              ``Ramp((a - b),-(s),4)``
``(Ramp(b,s,4) * Broadcast(c,4))``              ``Ramp((b * c),(s * c),4)``
``(Ramp(8 * i,4,4) / Broadcast(4,4))``          ``Ramp(2 * i,1,4)``, if ``0 <= i``
``(Ramp(8 * i,1,4) / Broadcast(4,4))``          ``Broadcast(2 * i,4)``, if ``0 <= i``
``(Ramp(i,4,4) % Broadcast(4,4))``              ``Broadcast(i % 4,4)``, if ``0 <= i``
``(Ramp(8 * i,1,4) % Broadcast(4,4))``          ``Ramp(0,1,4)``, if ``0 <= i``
``Ramp(b,0,4)``                                 ``Broadcast(b,4)``
==============================================  ==================================

Quotients and remainders are those of each element, none of which may be negative or wrap around.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from relayish.passes.loops.simplify.fold_rules import BROADCAST_RULES
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.literals import is_number, make_literal
from relayish.tir.ir import operators as ops
from relayish.tir.rewriting.facts import Facts


def add_ramps(expr: ops.Add | ops.Sub, _: Facts) -> ops.Expr:
    """Add bases, and strides, of which that of equal elements is 0."""
    a, b = expr.a, expr.b
    if not (isinstance(a, ops.Ramp) or isinstance(b, ops.Ramp)) or not _are_linear(expr):
        return expr
    base = type(expr)(_base(a), _base(b))
    if isinstance(a, ops.Ramp):
        stride = type(expr)(a.stride, b.stride) if isinstance(b, ops.Ramp) else a.stride
    else:
        assert isinstance(b, ops.Ramp)
        stride = b.stride if isinstance(expr, ops.Add) else ops.Minus(b.stride)
    return ops.Ramp(base, stride, expr.type.lanes)


def scale_ramp(expr: ops.Mul, facts: Facts) -> ops.Expr:
    """Multiply base and stride by a number that is the same in all lanes."""
    a, b = expr.a, expr.b
    if not _are_linear(expr) or isinstance(a, ops.Ramp) == isinstance(b, ops.Ramp):
        return expr
    if facts.is_impure(expr):  # the number would be computed twice
        return expr
    if isinstance(a, ops.Ramp):
        factor = _base(b)
        return ops.Ramp(ops.Mul(a.base, factor), ops.Mul(a.stride, factor), a.lanes)
    assert isinstance(b, ops.Ramp)
    factor = _base(a)
    return ops.Ramp(ops.Mul(factor, b.base), ops.Mul(factor, b.stride), b.lanes)


def negate_ramp(expr: ops.Minus, _: Facts) -> ops.Expr:
    """The opposite of equally spaced integers is equally spaced."""
    v = expr.v
    if not isinstance(v, ops.Ramp) or not expr.type.is_integer or v.base.type != v.stride.type:
        return expr
    return ops.Ramp(ops.Minus(v.base), ops.Minus(v.stride), v.lanes)


def divide_ramp(expr: ops.Div, facts: Facts) -> ops.Expr:
    """Divide base and stride, or only the base where all elements have one quotient."""
    found = _divided(expr, facts)
    if found is None:
        return expr
    base, stride, divisor, lanes = found
    quotient = ops.Div(base, make_literal(divisor, base.type))
    if stride % divisor == 0:
        return ops.Ramp(quotient, make_literal(stride // divisor, base.type), lanes)
    return ops.Broadcast(quotient, lanes) if _has_one_quotient(found, facts) else expr


def remainder_of_ramp(expr: ops.Mod, facts: Facts) -> ops.Expr:
    """Take the remainder of the base, where that of each element follows from it."""
    found = _divided(expr, facts)
    if found is None:
        return expr
    base, stride, divisor, lanes = found
    remainder = ops.Mod(base, make_literal(divisor, base.type))
    if stride % divisor == 0:
        return ops.Broadcast(remainder, lanes)
    if _has_one_quotient(found, facts):
        return ops.Ramp(remainder, make_literal(stride, base.type), lanes)
    return expr


def spread_base(expr: ops.Ramp, _: Facts) -> ops.Expr:
    """Elements at distance 0 are equal."""
    if expr.lanes > 1 and is_number(expr.stride, 0) and expr.base.type.lanes == 1:
        return ops.Broadcast(expr.base, expr.lanes)
    return expr


def drop_single_lane(expr: ops.Broadcast | ops.Ramp, facts: Facts) -> ops.Expr:
    """A vector of one lane is a scalar."""
    if expr.lanes != 1:
        return expr
    if isinstance(expr, ops.Broadcast):
        return expr.value
    return expr.base if facts.removable(expr.stride) else expr


class _Divided(NamedTuple):
    """Equally spaced elements to be divided, none of them negative, by a positive number."""

    base: ops.Expr
    stride: int
    divisor: int
    lanes: int


def _divided(expr: ops.Div | ops.Mod, facts: Facts) -> _Divided | None:
    ramp, by = expr.a, expr.b
    if not isinstance(ramp, ops.Ramp) or not isinstance(by, ops.Broadcast) or not _are_linear(expr):
        return None
    stride, divisor = ops.integer_of(ramp.stride), ops.integer_of(by.value)
    if stride is None or divisor is None or divisor < 1:
        return None
    base, reach = facts.interval(ramp.base), stride * (ramp.lanes - 1)
    if base.low + min(0, reach) < 0 or base.high + max(0, reach) > type_range(expr.type).high:
        return None
    return _Divided(ramp.base, stride, divisor, ramp.lanes)


def _has_one_quotient(divided: _Divided, facts: Facts) -> bool:
    """Return whether all elements lie between two multiples of the divisor that are neighbours."""
    base, stride, divisor, lanes = divided
    form = facts.exact_form(base)
    if form is None or any(c % divisor for c in form.terms.values()):
        return False
    first = form.constant % divisor
    return 0 <= first + stride * (lanes - 1) < divisor


def _base(expr: ops.Expr) -> ops.Expr:
    """Return what the first element of a vector of equal or equally spaced ones is."""
    if isinstance(expr, ops.Ramp):
        return expr.base
    assert isinstance(expr, ops.Broadcast)
    return expr.value


def _are_linear(expr: ops.BinaryOpNode) -> bool:
    """Return whether both operands are scalar integers, repeated or equally spaced."""
    element = expr.type.scalar
    if not element.is_integer or element.is_bool or expr.a.type != expr.b.type:
        return False
    return all(
        isinstance(each, ops.Broadcast)
        or (isinstance(each, ops.Ramp) and each.stride.type == each.base.type)
        for each in (expr.a, expr.b)
    )


VECTOR_RULES: Final = RuleSet(
    [
        BROADCAST_RULES,
        RuleSet.by_key(
            {
                ops.Add: (add_ramps,),
                ops.Sub: (add_ramps,),
                ops.Mul: (scale_ramp,),
                ops.Minus: (negate_ramp,),
                ops.Div: (divide_ramp,),
                ops.Mod: (remainder_of_ramp,),
                ops.Ramp: (drop_single_lane, spread_base),
                ops.Broadcast: (drop_single_lane,),
            }
        ),
    ]
)
