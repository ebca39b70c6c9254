"""Algebraic facts of core's operators, and how core writes numbers."""

from __future__ import annotations

import numpy as np

from relayish.core.ir import expr as ops
from relayish.core.ir.constant import Constant
from relayish.core.ir.family import Expr
from relayish.core.ir.memory import Ld, Lda, Ldp
from relayish.core.ir.type import Type
from relayish.ir.kinds.algebra import ALGEBRAS, NUMBERS, Algebra, Number, Numbers


def number_of(node: Expr) -> Number | None:
    """Return the number that a literal or a constant is, ``None`` of anything else."""
    match node:
        case ops.Intconst():
            return node.value
        case ops.Zero(rtype=held) if held.is_number or held.is_bool:
            return 0.0 if held.is_float else 0
        case ops.One(rtype=held):
            return 1.0 if held.is_float else 1
        case ops.Ldc(constant=Constant(data=np.generic() as data)):
            found: Number = data.item()
            return found
    return None


def _make(number: Number, like: Expr) -> Expr:
    return ops.const(number, like.type)


def _type_of(node: Expr) -> Type:
    return node.type


def _is_float(node: Expr) -> bool:
    return node.type.is_float


NUMBERS.register(Expr, Numbers(number_of, _make, _type_of, _is_float))

ALGEBRAS.register(
    ops.Add, Algebra(identity=0, float_identity=-0.0, associative=True, inverse=ops.Sub, total=True)
)
ALGEBRAS.register(
    ops.Sub, Algebra(identity=0, float_identity=0.0, same=0, inverse=ops.Add, total=True)
)
ALGEBRAS.register(
    ops.Mul, Algebra(identity=1, float_identity=1.0, absorbing=0, associative=True, total=True)
)
ALGEBRAS.register(ops.Div, Algebra(identity=1, float_identity=1.0))
for _shift in (ops.Shl, ops.Ashr, ops.Lshr):
    ALGEBRAS.register(_shift, Algebra(identity=0))
ALGEBRAS.register(ops.Band, Algebra(absorbing=0, idempotent=True, associative=True, total=True))
ALGEBRAS.register(ops.Bor, Algebra(identity=0, idempotent=True, associative=True, total=True))
ALGEBRAS.register(
    ops.Bxor, Algebra(identity=0, same=0, associative=True, inverse=ops.Bxor, total=True)
)
ALGEBRAS.register(
    ops.Land, Algebra(identity=1, absorbing=0, idempotent=True, associative=True, total=True)
)
ALGEBRAS.register(
    ops.Lor, Algebra(identity=0, absorbing=1, idempotent=True, associative=True, total=True)
)
for _inverting in (ops.Bnot, ops.Lnot):
    ALGEBRAS.register(_inverting, Algebra(involution=True, total=True))
for _true in (ops.Eq, ops.Le, ops.Ge):
    ALGEBRAS.register(_true, Algebra(same=1, total=True))
for _false in (ops.Ne, ops.Lt, ops.Gt):
    ALGEBRAS.register(_false, Algebra(same=0, total=True))
for _plain in (ops.Intconst, ops.Zero, ops.One, ops.Ldc, ops.Ldca, Ld, Ldp, Lda):
    ALGEBRAS.register(_plain, Algebra(total=True))
