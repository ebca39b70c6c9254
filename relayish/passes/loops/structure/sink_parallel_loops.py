"""Loop distribution and interchange: parallel loops become innermost where that follows memory.

Before::

    for (j, 0, n)
    {
      C[i, j] = 0.0
      for (k, 0, m)
      {
        C[i, j] = C[i, j] + A[i, k] * B[k, j]
      }
    }

After::

    for (j, 0, n)
    {
      C[i, j] = 0.0
    }
    for (k, 0, m)
    {
      for (j, 0, n)
      {
        C[i, j] = C[i, j] + A[i, k] * B[k, j]
      }
    }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.tir.analysis.dependence.dependences import is_parallel
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.memory import row_major
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Block, For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.schedule.nests import only
from relayish.tir.substitution import copy_with_fresh_variables, substitute

FARTHEST: Final = 4
"""How far apart elements may be that an innermost loop reads one after the other."""


@register_pass("SinkParallelLoops", opt_level=0)
def sink_parallel_loops(func: LoweredFunc) -> LoweredFunc:
    """Loop distribution and interchange: put parallel loops around one statement each, innermost.

    A loop whose iterations do not depend on one another goes inside the loops that it holds, if
    what is stored there then follows memory, and what is read follows it, too, or is the same. Each
    element is computed in the order that it was, so results are the same, bit for bit.

    Returns:
        ``func`` itself when no loop moves.

    Complexity:
        That of the dependences of each loop that could move.

    Source:
        CINN ``Reorder``; Allen and Kennedy's loop distribution.
    """
    return func.with_fields(body=_Sink().visit(func.body))


class _Sink(StmtMutator):
    """Sinks loops, inner ones first."""

    def visit_for(self, loop: For) -> Stmt:
        image = loop.with_fields(body=self.visit(loop.body))
        return _sunk(image) or image


def _sunk(loop: For) -> Stmt | None:
    """Return what takes the place of a loop that moves; ``None`` where it stays."""
    body = loop.body
    stmts = body.stmts if isinstance(body, Block) else (body,)
    nests = [stmt for stmt in stmts if isinstance(stmt, For)]
    if not nests or loop.for_type != ForType.SERIAL or (constant(loop.extent) or 0) < 1:
        return None  # what never runs does not compute bounds of loops, which may fail
    if not all(isinstance(stmt, (For, Store, ScheduleBlockRealize)) for stmt in stmts):
        return None
    if not all(_follows_memory(stmt, loop.loop_var) for stmt in nests) or not is_parallel(loop):
        return None
    parts = [_around_innermost(stmt, loop) for stmt in stmts]
    return parts[0] if len(parts) == 1 else Block(tuple(parts))


def _around_innermost(stmt: Stmt, loop: For) -> Stmt:
    """Return a statement with a copy of a loop around what its innermost loop runs."""
    if not isinstance(stmt, For):
        return copy_with_fresh_variables(loop.with_fields(body=Block((stmt,))))
    nest: list[For] = []
    inner: Stmt = stmt
    while isinstance(inner, For):
        nest.append(inner)
        inner = only(inner.body)
    held = nest[-1].body
    image: Stmt = copy_with_fresh_variables(loop.with_fields(body=held))
    for each in reversed(nest):
        image = each.with_fields(body=Block((image,)))
    return image


def _follows_memory(nest: For, var: Var) -> bool:
    """Return whether accesses in a nest go through memory as ``var`` counts, or stay in place.

    Where they do as the innermost loop counts already, nothing is to be had.
    """
    inner: Stmt = nest
    while isinstance(inner, For):
        if any(var in PROGRAM.pre_order(bound) for bound in (inner.min, inner.extent)):
            return False
        innermost = inner.loop_var
        inner = only(inner.body)
    images: dict[Node, Node] = {}
    for each in PROGRAM.pre_order(inner):
        if isinstance(each, (For, Reduce)):
            return False
        if isinstance(each, ScheduleBlockRealize):
            images.update(zip(each.schedule_block.iter_vars, each.iter_values, strict=True))
    stored = False
    for access, is_store in _accesses(inner):
        step = _step(access, var, images)
        if step is None or not 0 <= step <= (1 if is_store else FARTHEST):
            return False
        if is_store and _step(access, innermost, images) == 1:
            return False
        stored = stored or (is_store and step == 1)
    return stored


def _accesses(stmt: Stmt) -> Iterator[tuple[Load | Store, bool]]:
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, Store) or (isinstance(each, Load) and isinstance(each.tensor, Tensor)):
            yield each, isinstance(each, Store)


def _step(access: Load | Store, var: Var, images: Mapping[Node, Node]) -> int | None:
    """Return how many elements an access goes on where ``var`` does; ``None``: not known."""
    tensor = access.tensor
    if not isinstance(tensor, Tensor) or getattr(tensor.buffer, "strides", True):
        return None
    sizes = [constant(size) for size in tensor.shape]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    total = 0
    for index, stride in zip(access.indices, row_major(known), strict=True):
        form = linear_form(_resolved(index, images))
        for term, coefficient in form.terms.items():
            if term is var:
                total += coefficient * stride
            elif not isinstance(term, Var) and var in PROGRAM.pre_order(term):
                return None
    return total


def _resolved(index: Expr, images: Mapping[Node, Node]) -> Expr:
    return substitute(index, images) if images else index
