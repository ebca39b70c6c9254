"""Unroll and jam: iterations of a loop around a parallel one run together within that.

Before::

    for (k, 0, 2)
    {
      for (j, 0, n)
      {
        C[j] = C[j] + A[k] * B[k, j]
      }
    }

After::

    for (j, 0, n)
    {
      C[j] = C[j] + A[0] * B[0, j]
      C[j] = C[j] + A[1] * B[1, j]
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.tir.analysis.dependence.dependences import is_parallel
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, const
from relayish.tir.ir.stmt import Block, For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.schedule.nests import only
from relayish.tir.substitution import copy_with_fresh_variables, substitute

MOST: Final = 12
"""How many statements stand in a loop in the end: each reads something else, into a register."""

SHORTEST: Final = 4
"""How often a loop runs at least for others to be jammed into it."""


@register_pass("UnrollAndJam", opt_level=0)
def unroll_and_jam(func: LoweredFunc, *, most: int = MOST) -> LoweredFunc:
    """Unroll and jam: run iterations of a loop around a parallel one together.

    What the inner loop stores again and again stays in a register meanwhile. Each element is
    computed in the order that it was, so results are the same, bit for bit.

    Args:
        func: A function.
        most: How many statements an inner loop may have in the end.

    Returns:
        ``func`` itself when nothing is jammed.

    Complexity:
        That of the dependences of each loop that could take others.

    Source:
        Allen and Cocke, "A catalogue of optimizing transformations"; Halide ``unroll``.
    """
    return func.with_fields(body=_Jam(most).visit(func.body))


class _Jam(StmtMutator):
    """Jams loops, inner ones first."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def visit_for(self, loop: For) -> Stmt:
        image = loop.with_fields(body=self.visit(loop.body))
        return self._jammed(image) or image

    def _jammed(self, loop: For) -> Stmt | None:
        """Return what takes the place of a loop around a parallel one; ``None`` where it stays."""
        inner = only(loop.body)
        count, first = constant(loop.extent), constant(loop.min)
        if not isinstance(inner, For) or count is None or first != 0 or count < 2:
            return None
        if {loop.for_type, inner.for_type} != {ForType.SERIAL} or not _is_fixed(inner):
            return None
        stmts = inner.body.stmts if isinstance(inner.body, Block) else (inner.body,)
        if not all(isinstance(stmt, (Store, ScheduleBlockRealize)) for stmt in stmts):
            return None
        if not all(_stays(stmt, loop.loop_var) for stmt in stmts):
            return None
        together = _times(count, self._most // len(stmts))
        if together < 2 or not is_parallel(inner.with_fields(body=Block((_holding(loop, stmts),)))):
            return None
        return _split(loop, inner, stmts, count, together)


def _is_fixed(loop: For) -> bool:
    """Return whether a loop runs a number of times that is known, and worth while."""
    return constant(loop.min) is not None and (constant(loop.extent) or 0) >= SHORTEST


def _stays(stmt: Stmt, var: Var) -> bool:
    """Return whether a statement stores to the same place, whatever ``var`` is."""
    images: dict[Node, Node] = {}
    stores: list[Store] = []
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, ScheduleBlockRealize):
            images.update(zip(each.schedule_block.iter_vars, each.iter_values, strict=True))
        elif isinstance(each, Store):
            stores.append(each)
    places = [index for store in stores for index in store.indices]
    return all(var not in PROGRAM.pre_order(substitute(place, images)) for place in places)


def _holding(loop: For, stmts: Sequence[Stmt]) -> For:
    return loop.with_fields(body=Block(tuple(stmts)))


def _times(count: int, most: int) -> int:
    """Return how many iterations run together: all, a divisor of them, or as many as may."""
    if count <= most:
        return count
    fitting = [each for each in range(most, most // 2, -1) if count % each == 0]
    return fitting[0] if fitting else most


def _split(loop: For, inner: For, stmts: Sequence[Stmt], count: int, together: int) -> Stmt:
    """Return a loop over so many iterations at once, and one over the rest."""
    ty = loop.loop_var.dtype
    if together == count:
        return _together(inner, stmts, loop.loop_var, [const(at, ty) for at in range(count)])
    var = Var(loop.loop_var.name, ty)
    places: list[Expr] = [var * together + at if at else var * together for at in range(together)]
    body = _together(inner, stmts, loop.loop_var, places)
    whole = loop.with_fields(loop_var=var, extent=const(count // together, ty), body=Block((body,)))
    if count % together == 0:
        return whole
    rest = copy_with_fresh_variables(
        loop.with_fields(
            min=const(count - count % together, ty), extent=const(count % together, ty)
        )
    )
    return Block((whole, rest))


def _together(inner: For, stmts: Sequence[Stmt], var: Var, places: Sequence[Expr]) -> Stmt:
    held = [copy_with_fresh_variables(stmt, {var: place}) for place in places for stmt in stmts]
    return copy_with_fresh_variables(inner.with_fields(body=Block(tuple(held))))
