"""How the loop IR writes numbers, for operators of packages that are simplified by their facts."""

from __future__ import annotations

from relayish.ir.algebra import Numbers, register_algebra, register_numbers
from relayish.tir.analysis.literals import element_of, make_literal
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

register_numbers(
    Expr,
    Numbers(
        element_of,
        lambda number, like: make_literal(number, like.type),
        lambda node: node.type,
        lambda node: node.type.is_float,
    ),
)
for _kind in (ops.IntImm, ops.UIntImm, ops.FloatImm, ops.Add, ops.Sub, ops.Mul, Var):
    register_algebra(_kind, total=True)
