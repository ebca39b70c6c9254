"""Nests of loops that schedules make."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType, VectorizeInfo
from relayish.tir.ir.operators import const
from relayish.tir.ir.stmt import Block, For
from relayish.tir.ir.tensor import Var


def nest(loops: Sequence[tuple[Var, int]], body: Stmt) -> Stmt:
    """Return loops from 0 on, each with how often it runs, around a statement."""
    for var, count in reversed(loops):
        held = body if isinstance(body, Block) else Block((body,))
        body = For(var, const(0), const(count), held)
    return body


def vectorised(var: Var, lanes: int, body: Stmt) -> Stmt:
    """Return a loop over lanes, all of which one vector may do."""
    info = VectorizeInfo(0, lanes)
    held = Block((body,))
    return For(var, const(0), const(lanes), held, ForType.VECTORIZED, vectorize_info=info)
