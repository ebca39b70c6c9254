"""Algebraic facts of arithmetic of the loop IR, and how it writes numbers."""

from __future__ import annotations

from relayish.ir.kinds.algebra import ALGEBRAS, NUMBERS, Algebra, Numbers
from relayish.tir.analysis.values.literals import element_of, make_literal
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

NUMBERS.register(
    Expr,
    Numbers(
        element_of,
        lambda number, like: make_literal(number, like.type),
        lambda node: node.type,
        lambda node: node.type.is_float,
    ),
)
ALGEBRAS.register(
    ops.Add,
    Algebra(
        identity=0,
        float_identity=-0.0,
        associative=True,
        inverse=ops.Sub,
        inverse_element=ops.Minus,
        total=True,
    ),
)
ALGEBRAS.register(
    ops.Sub, Algebra(identity=0, float_identity=0.0, same=0, inverse=ops.Add, total=True)
)
ALGEBRAS.register(
    ops.Mul, Algebra(identity=1, float_identity=1.0, absorbing=0, associative=True, total=True)
)
ALGEBRAS.register(ops.Minus, Algebra(involution=True, total=True))
for _kind in (ops.IntImm, ops.UIntImm, ops.FloatImm, Var):
    ALGEBRAS.register(_kind, Algebra(total=True))
