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

from relayish.ir.scopes.scoping import operands
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.values.constant_rules import EVALUATIONS
from relayish.tir.analysis.values.literals import Number, element_of, make_literal, value_of
from relayish.tir.ir import operators as ops
from relayish.tir.rewriting.facts import Facts


def fold_known(expr: ops.Expr, _: Facts) -> ops.Expr:
    """Compute what has literals for operands, all of them."""
    return fold_literals(expr)


def fold_literals(expr: ops.Expr) -> ops.Expr:
    """Return the literal that an operator on literals is; ``expr`` itself where it is none."""
    values: list[Number] = []
    for operand in operands(expr):
        value = value_of(operand) if isinstance(operand, ops.Expr) else None
        if value is None:
            return expr
        values.append(value)
    if not values:
        return expr
    found = EVALUATIONS[type(expr)](expr, *values)
    return expr if found is None else make_literal(found, expr.type)


def fold_extremum(expr: ops.Min | ops.Max, _: Facts) -> ops.Expr:
    """Choose one of two literals, as ``a < b ? a : b`` does: the second where one is a NaN."""
    a, b = element_of(expr.a), element_of(expr.b)
    if a is None or b is None or expr.a.type != expr.b.type:
        return expr
    return expr.a if (a < b if isinstance(expr, ops.Min) else a > b) else expr.b


def fold_select(expr: ops.Select, facts: Facts) -> ops.Expr:
    """Choose a value of a literal condition, if the other one cannot fault."""
    holds = value_of(expr.condition)
    if holds is None:
        return expr
    kept, dropped = expr.true_value, expr.false_value
    if not holds:
        kept, dropped = dropped, kept
    return kept if facts.removable(dropped) and kept.type == expr.type else expr


def fold_broadcast_binary(expr: ops.BinaryOpNode, _: Facts) -> ops.Expr:
    """Compute once what is the same in all lanes."""
    a, b = expr.a, expr.b
    if not isinstance(a, ops.Broadcast) or not isinstance(b, ops.Broadcast):
        return expr
    if a.lanes != b.lanes or a.value.type != b.value.type:
        return expr
    return ops.Broadcast(type(expr)(a.value, b.value), a.lanes)


def fold_broadcast_unary(expr: ops.UnaryOpNode, _: Facts) -> ops.Expr:
    """Compute once what is the same in all lanes."""
    v = expr.v
    return ops.Broadcast(type(expr)(v.value), v.lanes) if isinstance(v, ops.Broadcast) else expr


def fold_broadcast_cast(expr: ops.Cast, _: Facts) -> ops.Expr:
    """Convert once what is the same in all lanes."""
    v = expr.v
    if not isinstance(v, ops.Broadcast) or expr.type.lanes != v.lanes or v.value.type.lanes != 1:
        return expr
    return ops.Broadcast(ops.Cast(expr.type.scalar, v.value), v.lanes)


BROADCAST_RULES: Final = RuleSet.by_key(
    {
        ops.BinaryOpNode: (fold_broadcast_binary,),
        ops.UnaryOpNode: (fold_broadcast_unary,),
        ops.Cast: (fold_broadcast_cast,),
    }
)
FOLD_RULES: Final = RuleSet(
    [
        RuleSet.by_key(
            {
                **dict.fromkeys(
                    (ops.BinaryOpNode, ops.UnaryOpNode, ops.NaryOpNode, ops.Cast), (fold_known,)
                ),
                ops.Min: (fold_extremum,),
                ops.Max: (fold_extremum,),
                ops.Select: (fold_select,),
            }
        ),
        BROADCAST_RULES,
    ]
)
