"""Loop fusion: neighbouring loops that run equally often become one.

Before::

    for (i, 0, 8)
    {
      B[i] = A[i] + 1
    }
    for (j, 0, 8)
    {
      C[j] = B[j] * 2
    }

After::

    for (i, 0, 8)
    {
      B[i] = A[i] + 1
      C[i] = B[i] * 2
    }
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.loops.schedule.constant_memory import constant_memory
from relayish.passes.loops.schedule.contraction import (
    contraction_of,
    is_fixed,
    is_whole,
    only_stores,
    statements,
)
from relayish.passes.loops.schedule.tiles import plan_tiles
from relayish.tir.analysis.dependence.dependences import loop_carried
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Block, For
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.substitution import copy_with_fresh_variables


@register_pass("FuseLoops", opt_level=0)
def fuse_loops(func: LoweredFunc) -> LoweredFunc:
    """Loop fusion: run loops together of which one reads what the other stores.

    Of neighbours that run equally often, one becomes part of the other, and so do, within, the
    loops that become neighbours, if each iteration only needs what this and former iterations
    made, and no contraction loses the rows of its tiles. So an element is used while it is near.
    Each is computed as it was: results are the same,
    bit for bit.

    Returns:
        ``func`` itself when nothing is fused.

    Complexity:
        That of the dependences of each pair of loops.

    Source:
        Kennedy and McKinley, "Maximizing loop parallelism and improving data locality via loop
        fusion and distribution"; CINN ``Fuse`` of neighbours, TVM ``compute_at``.
    """
    return func.with_fields(body=_Fuse(constant_memory(func)).visit(func.body))


class _Fuse(StmtMutator):
    """Fuses loops, outer ones first."""

    def __init__(self, known: Collection[Node]) -> None:
        super().__init__()
        self._known = known
        self._tiled: dict[Stmt, bool] = {}

    def visit_block(self, block: Block) -> Stmt:
        made: list[Stmt] = []
        for stmt in block.stmts:
            made.append(stmt)
            while len(made) > 1 and (image := self._fused(*made[-2:])) is not None:
                made[-2:] = [image]  # which may need what stands before
        if len(made) < len(block.stmts):
            block = block.with_fields(stmts=tuple(made))
        return super().visit_block(block)

    def _fused(self, first: Stmt, second: Stmt) -> Stmt | None:
        """Return two loops as one, if no contraction loses its tiles by that."""
        made = _fused(first, second)
        if made is None or self._is_tiled(second):
            return None  # nothing may stand before a contraction
        if not self._is_tiled(first):
            return made
        image: Stmt = self.visit(made)
        return image if self._is_tiled(image) else None

    def _is_tiled(self, stmt: Stmt) -> bool:
        """Return whether the iterations of a loop are rows or lanes of a contraction's tiles."""
        if stmt not in self._tiled:
            found = contraction_of(stmt)
            plan = None if found is None else plan_tiles(found, known=self._known)
            self._tiled[stmt] = (
                found is not None
                and plan is not None
                and found.loops[0].loop_var in {plan.lane, *[axis for axis, _ in plan.rows]}
            )
        return self._tiled[stmt]


def _fused(first: Stmt, second: Stmt) -> Stmt | None:
    """Return one loop that does what two do; ``None`` where that may be something else."""
    if not isinstance(first, For) or not isinstance(second, For):
        return None
    if not is_fixed(first) or not is_fixed(second) or first.loop_var.type != second.loop_var.type:
        return None
    if constant(first.extent) != constant(second.extent) or not only_stores(first, second):
        return None
    before, after = _accesses(first.body), _accesses(second.body)
    if not any(
        _is_passed_on(before[each], after[each]) for each in before.keys() & after.keys() - {None}
    ):
        return None
    body = copy_with_fresh_variables(second.body, {second.loop_var: first.loop_var})
    made = first.with_fields(body=Block((*statements(first.body), *statements(body))))
    if _stays_in_iterations(first.loop_var, before, _accesses(body)):
        return made
    early, late = set(PROGRAM.pre_order(first.body)), set(PROGRAM.pre_order(body))
    for source, sink in loop_carried(made):
        if source.node in late and sink.node in early:
            return None
    return made


_Accesses = Mapping[Node | None, list[Load | Store]]


def _accesses(stmt: Stmt) -> _Accesses:
    """Return the accesses of a statement, by their memory."""
    found: dict[Node | None, list[Load | Store]] = {}
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, (Load, Store)):
            memory = each.tensor.buffer if isinstance(each.tensor, Tensor) else None
            found.setdefault(memory, []).append(each)
    return found


def _is_passed_on(before: list[Load | Store], after: list[Load | Store]) -> bool:
    """Return whether some accesses write what others read."""
    return any(isinstance(x, Store) for x in before) and any(isinstance(x, Load) for x in after)


def _stays_in_iterations(var: Var, first: _Accesses, second: _Accesses) -> bool:
    """Return whether an index plainly is the iteration, of all memory that two parts share."""
    if None in first or None in second:
        return False
    for memory in first.keys() & second.keys():
        accesses = [*first[memory], *second[memory]]
        if not any(isinstance(each, Store) for each in accesses):
            continue
        axes = zip(*[each.indices for each in accesses], strict=False)
        is_told = any(all(index is var for index in axis) for axis in axes)
        if not is_told or not all(is_whole(each.tensor) for each in accesses):
            return False
    return True
