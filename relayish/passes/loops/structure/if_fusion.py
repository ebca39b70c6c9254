"""Branch fusion: branches one behind the other that ask the same are one.

Before::

    if ((n < 64)) {
      A[0] = 1
    }
    if ((n < 64)) {
      A[1] = 2
    } else {
      A[1] = 3
    }

After::

    if ((n < 64)) {
      A[0] = 1
      A[1] = 2
    } else {
      A[1] = 3
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any

from relayish._support.trampoline import Rule as Steps
from relayish._support.trampoline import run
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import bound_by, has_scopes
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.writes import Writes
from relayish.tir.analysis.values.value_numbers import ValueNumbers
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Alloc, Block, IfThenElse
from relayish.tir.ir.traversal import STATEMENTS


@register_pass("IfFusion", opt_level=1, idempotent=True)
def fuse_branches(func: LoweredFunc) -> LoweredFunc:
    """Branch fusion: ask once what branches that stand one behind the other ask.

    Neither arm changes what the condition reads. Arms are run in the order in which they were, and
    where the last branch in one arm and the first in the next ask the same, these are one as well.

    Returns:
        ``func`` itself when no two are fused.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        CINN ``IfFusionPass``, which does not look at what arms change.
    """
    fusion = _Fusion(func)
    images: dict[Node, Any] = {}  # Any: statements
    for stmt in STATEMENTS.post_order(func.body):
        image = STATEMENTS.rebuild[type(stmt)](stmt, images.get)
        if isinstance(image, Block):
            image = run(fusion.block(image))
        elif isinstance(stmt, IfThenElse):
            fusion.note(stmt, image)
        images[stmt] = image
    return func.with_fields(body=images[func.body])


class _Fusion:
    """Fuses branches, of which it knows whether their arms leave their conditions alone."""

    def __init__(self, func: LoweredFunc) -> None:
        self._writes = Writes(func)
        self._numbers = ValueNumbers()
        self._kept: dict[Node, bool] = {}

    def note(self, stmt: IfThenElse, image: IfThenElse) -> None:
        """Note that ``image`` stands for a branch of the function."""
        self._kept[image] = not self._numbers.is_impure(stmt.condition) and self._writes.keeps(
            stmt, stmt.condition
        )

    def block(self, block: Block) -> Steps:
        """Return the steps to a block whose branches are fused."""
        found: list[Stmt] = []
        for stmt in block.stmts:
            if found and self._asks_the_same(found[-1], stmt):
                found[-1] = yield self._fused(found[-1], stmt)
            else:
                found.append(stmt)
        if len(found) == len(block.stmts) and all(map(is_, found, block.stmts)):
            return block
        return block.with_fields(stmts=tuple(found))

    def _asks_the_same(self, first: Stmt, second: Stmt) -> bool:
        if not isinstance(first, IfThenElse) or not isinstance(second, IfThenElse):
            return False
        number = self._numbers.number
        return self._kept[first] and number(first.condition) is number(second.condition)

    def _fused(self, first: Any, second: Any) -> Steps:  # Any: branches
        true_case = yield self._joined(first.true_case, second.true_case)
        false_case = first.false_case or second.false_case
        if first.false_case is not None and second.false_case is not None:
            false_case = yield self._joined(first.false_case, second.false_case)
        image = first.with_fields(true_case=true_case, false_case=false_case)
        self._kept[image] = self._kept[first] and self._kept[second]
        return image

    def _joined(self, first: Stmt, second: Stmt) -> Steps:
        """Return the steps to what runs one arm after another."""
        before, after = _in_block(first), _in_block(second)
        if before and after and self._asks_the_same(before[-1], after[0]):
            middle = yield self._fused(before[-1], after[0])
            return Block((*before[:-1], middle, *after[1:]))
        return Block((*before, *after))


def _in_block(arm: Stmt) -> Sequence[Stmt]:
    """Return the statements of an arm; itself if something in it lasts until its block ends."""
    if not isinstance(arm, Block) or any(map(_lasts, arm.stmts)):
        return (arm,)
    return arm.stmts


def _lasts(stmt: Stmt) -> bool:
    if isinstance(stmt, Alloc):
        return stmt.body is None
    return bool(bound_by(stmt)) and not has_scopes(type(stmt))
