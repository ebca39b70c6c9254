"""Temporaries of core: pseudo registers, which the function declares."""

from __future__ import annotations

from relayish.core.ir.family import Expr
from relayish.core.ir.memory import Idname, Ldp, Stp
from relayish.core.ir.symbol import Preg
from relayish.ir.kinds.temporary import TEMPORARIES, Temporary


def _store_in_preg(expr: Expr, name: str) -> Temporary | None:
    if expr.type.is_void or expr.type.is_function:
        return None
    preg = Preg(expr.type, name)
    return Temporary(Stp(preg, expr), Ldp(preg), preg)


def _leave(_named: Idname, _name: str) -> None:
    """Leave a name: it is no value."""


TEMPORARIES.register(Expr, _store_in_preg)
TEMPORARIES.register(Idname, _leave)
