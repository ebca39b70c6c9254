"""Temporaries of the loop IR: lets, which hold for the rest of their block."""

from __future__ import annotations

from relayish.ir.kinds.temporary import TEMPORARIES, Temporary
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Let
from relayish.tir.ir.tensor import BufferRange, Parameter, Tensor, Var


def _bind_by_let(expr: Expr, name: str) -> Temporary | None:
    if expr.type.is_void:
        return None
    var = Var(name, expr.type)
    return Temporary(Let(var, expr), var)


def _leave(_memory: Expr, _name: str) -> None:
    """Leave what names memory: that is no value."""


TEMPORARIES.register(Expr, _bind_by_let)
for _kind in (Parameter, Tensor, BufferRange):
    TEMPORARIES.register(_kind, _leave)
