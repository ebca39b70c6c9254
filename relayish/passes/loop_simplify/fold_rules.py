"""Constant folding: operators on literals, and on vectors of equal elements.

=============================  ==========================
before                         after
=============================  ==========================
``2 + 3``                      ``5``
``(int8_t)127 + (int8_t)1``    ``(int8_t)-128``
``7 / -2``                     ``-3``
``1 / 0``                      stays: it faults
``0.f / 0.f``                  stays: a NaN
``float32(2)``                 ``2.00000000f``
``Broadcast(2, 4) + Broadcast(3, 4)``  ``Broadcast(5, 4)``
=============================  ==========================
"""

from __future__ import annotations

from typing import Final

from relayish.passes.loop_simplify.facts import Facts
from relayish.passes.loop_simplify.literals import (
    compute,
    convert,
    element_of,
    make_literal,
    value_of,
)
from relayish.passes.loop_simplify.rule import Rules, combine_rules
from relayish.tir.analysis.interval import wrap_integer
from relayish.tir.ir.operators import (
    Add,
    BinaryOpNode,
    Broadcast,
    Cast,
    Expr,
    FloatImm,
    Max,
    Min,
    Minus,
    Mul,
    NaryOpNode,
    Not,
    Select,
    Sum,
    UnaryOpNode,
)


def fold_binary(expr: BinaryOpNode, _: Facts) -> Expr:
    """Compute an operator on two literals of one type."""
    a, b = value_of(expr.a), value_of(expr.b)
    if a is None or b is None or expr.a.type != expr.b.type:
        return expr
    value = compute(type(expr), a, b, expr.a.type)
    return expr if value is None else make_literal(value, expr.type)


def fold_extremum(expr: Min | Max, _: Facts) -> Expr:
    """Choose one of two literals, as ``a < b ? a : b`` does: the second where one is a NaN."""
    a, b = element_of(expr.a), element_of(expr.b)
    if a is None or b is None or expr.a.type != expr.b.type:
        return expr
    return expr.a if (a < b if isinstance(expr, Min) else a > b) else expr.b


def fold_minus(expr: Minus, _: Facts) -> Expr:
    """Compute the opposite of a literal."""
    value = value_of(expr.v)
    if value is None or expr.type.is_bool:
        return expr
    if isinstance(expr.v, FloatImm):
        return expr if value != value else make_literal(-value, expr.type)  # noqa: PLR0124 - a NaN
    return make_literal(wrap_integer(-int(value), expr.type), expr.type)


def fold_not(expr: Not, _: Facts) -> Expr:
    """Compute the opposite of a truth value."""
    value = value_of(expr.v)
    return (
        expr if value is None or not expr.type.is_bool else make_literal(1 - int(value), expr.type)
    )


def fold_nary(expr: NaryOpNode, _: Facts) -> Expr:
    """Compute a sum or product of literals from left to right."""
    values = [value_of(operand) for operand in expr.operands]
    if not values or any(operand.type != expr.type for operand in expr.operands):
        return expr
    found, *rest = values
    kind = Add if isinstance(expr, Sum) else Mul
    for value in rest:
        if found is not None and value is not None:
            found = compute(kind, found, value, expr.type)
        else:
            found = None
    return expr if found is None or found != found else make_literal(found, expr.type)  # noqa: PLR0124


def fold_cast(expr: Cast, _: Facts) -> Expr:
    """Convert a literal."""
    value, source, target = value_of(expr.v), expr.v.type, expr.type
    if value is None or not target.is_numeric or target.lanes != 1:
        return expr
    found = convert(value, source, target)
    return expr if found is None else make_literal(found, target)


def fold_select(expr: Select, facts: Facts) -> Expr:
    """Choose a value of a literal condition, if the other one cannot fault."""
    holds = value_of(expr.condition)
    if holds is None:
        return expr
    kept, dropped = expr.true_value, expr.false_value
    if not holds:
        kept, dropped = dropped, kept
    return kept if facts.removable(dropped) and kept.type == expr.type else expr


def fold_broadcast_binary(expr: BinaryOpNode, _: Facts) -> Expr:
    """Compute once what is the same in all lanes."""
    a, b = expr.a, expr.b
    if not isinstance(a, Broadcast) or not isinstance(b, Broadcast):
        return expr
    if a.lanes != b.lanes or a.value.type != b.value.type:
        return expr
    return Broadcast(type(expr)(a.value, b.value), a.lanes)


def fold_broadcast_unary(expr: UnaryOpNode, _: Facts) -> Expr:
    """Compute once what is the same in all lanes."""
    v = expr.v
    return Broadcast(type(expr)(v.value), v.lanes) if isinstance(v, Broadcast) else expr


def fold_broadcast_cast(expr: Cast, _: Facts) -> Expr:
    """Convert once what is the same in all lanes."""
    v = expr.v
    if not isinstance(v, Broadcast) or expr.type.lanes != v.lanes or v.value.type.lanes != 1:
        return expr
    return Broadcast(Cast(expr.type.scalar, v.value), v.lanes)


BROADCAST_RULES: Final[Rules] = {
    BinaryOpNode: (fold_broadcast_binary,),
    UnaryOpNode: (fold_broadcast_unary,),
    Cast: (fold_broadcast_cast,),
}
FOLD_RULES: Final[Rules] = combine_rules(
    {
        BinaryOpNode: (fold_binary,),
        Min: (fold_extremum,),
        Max: (fold_extremum,),
        Minus: (fold_minus,),
        Not: (fold_not,),
        NaryOpNode: (fold_nary,),
        Cast: (fold_cast,),
        Select: (fold_select,),
    },
    BROADCAST_RULES,
)
