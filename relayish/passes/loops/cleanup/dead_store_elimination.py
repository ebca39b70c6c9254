"""Dead-store elimination: drop statements of which nothing that is seen depends.

Before::

    int32 x = (n * 2)
    T[0] = x
    for (i, 0, 4)
    {
      T[i] = A[i]
    }
    A[0] = n

After::

    A[0] = n
"""

from __future__ import annotations

from operator import is_
from typing import Any, Final, TypeGuard

from relayish._support.collector import pause_collection
from relayish._support.stable import until_stable
from relayish.ir.nodes.node import VARIABLES, Node
from relayish.ir.scopes.scoping import operands
from relayish.pass_infra import register_pass
from relayish.passes.loops.cleanup.needed import find_unneeded
from relayish.tir.analysis.facts.faults import is_in_range, may_fault
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Store, Tensor, Var
from relayish.tir.ir.traversal import NODES, STATEMENTS
from relayish.tir.rewriting.attribute import VALUES
from relayish.tir.substitution import LOOPS


@register_pass("DeadStoreElimination", opt_level=1, idempotent=True)
def eliminate_dead_stores(func: LoweredFunc) -> LoweredFunc:
    """Dead-store elimination: drop statements of which nothing that is seen depends.

    Seen is what a function leaves in the buffers it was given, and what calls of functions do of
    which more is known than that they give a value. A store goes if no path leads from it to a
    use of what it writes, and so does all that was computed for it alone: declarations, and loops
    and branches in which nothing is left. Memory in which nothing is stored any more is not
    allocated. A buffer counts as a whole: what is stored in one of its elements is needed if any
    may be read.

    Whatever may fault stays: a division by what may be zero, an access that is not proven to be in
    range, a load of what may not have been stored.

    Returns:
        ``func`` itself where everything is needed.

    Complexity:
        Linear in the number of statements and distinct nodes, but where loops carry what is live
        in turns; once more for each time that what was dropped has left a loop or branch empty.
        No recursion.
    """
    with pause_collection():
        found = until_stable(_eliminate, func)
        return func if found is func else sort_regions(found)


def _eliminate(func: LoweredFunc) -> LoweredFunc:
    safe = _Safe(func)
    dropped = find_unneeded(func, safe.is_harmless)
    dropped |= _unused_memory(func, dropped)
    return _Dropping(dropped, safe).rewrite(func)


class _Safe:
    """Tells what may as well not be evaluated: what cannot fault."""

    def __init__(self, func: LoweredFunc) -> None:
        order = LOOPS.post_order(func)
        self._ranges = LoopRanges(order)
        self.context = self._ranges.context
        self.interval = self._ranges.interval
        self.arguments = frozenset[Node](func.args)
        self.undefined = {
            node.symbol for node in order if isinstance(node, stmts.Let) and node.body is None
        }
        self._known: dict[Node, bool] = {}
        self._mentioned = _mentioned_in_types(func)

    def is_harmless(self, stmt: Node) -> bool:
        """Return whether nothing that ``stmt`` evaluates can fault or does anything."""
        if isinstance(stmt, stmts.Let) and stmt.symbol in self._mentioned:
            return False
        if isinstance(stmt, Store):
            if stmt.tensor in self._mentioned:
                return False
            if isinstance(stmt.tensor, Tensor) and not is_in_range(stmt.tensor, stmt.indices, self):
                return False
            if not isinstance(stmt.tensor, (Var, Tensor)):
                return False
        return all(self._cannot_fault(expr) for expr in _expressions_of(stmt))

    def _cannot_fault(self, root: Node) -> bool:
        known = self._known
        for node in VALUES.order_after(root, lambda each: () if each in known else None):
            if node not in known:
                below = VALUES.children(node)
                fine = not may_fault(node, self) and all(known.get(e, True) for e in below)
                known[node] = fine
        return known[root]


def _mentioned_in_types(func: LoweredFunc) -> set[Node]:
    """Return the scalars that sizes of memory or bounds of variables mention."""
    found: set[Node] = set()
    for node in NODES.pre_order(func):
        if isinstance(node, (Var, Buffer, Tensor)):
            for below in NODES.post_order(NODES.children(node)):
                if isinstance(below, Var):
                    found.add(below)
    return found


def _unused_memory(func: LoweredFunc, dropped: set[Node]) -> set[Node]:
    """Return the allocations of memory that nothing accesses, and what frees it."""
    mere = [stmt for stmt in STATEMENTS.pre_order(func) if _is_mere_memory(stmt)]
    if not mere:
        return set()
    entered = set(mere) | dropped
    used = set[Node]()
    for node in NODES.order_after(func.body, lambda each: () if each in entered else None):
        if type(node) in VARIABLES:
            used.add(node)
    return {stmt for stmt in mere if stmt.destination not in used}


def _is_mere_memory(stmt: Node) -> TypeGuard[stmts.Alloc | stmts.Free]:
    """Return whether ``stmt`` does nothing but give memory its life, unconditionally."""
    if isinstance(stmt, stmts.Alloc):
        return stmt.body is None and stmt.condition is None and not stmt.extents
    return isinstance(stmt, stmts.Free)


class _Dropping:
    """Leaves out some statements, and loops, branches and blocks in which nothing is left."""

    def __init__(self, dropped: set[Node], safe: _Safe) -> None:
        self._dropped = dropped
        self._safe = safe
        self._images: dict[Node, Any] = {}  # Any: statements, None for those that go

    def rewrite(self, func: LoweredFunc) -> LoweredFunc:
        for node in STATEMENTS.post_order(func.body):
            self._images[node] = None if node in self._dropped else self._image(node)
        body = self._images[func.body]
        return func.with_fields(body=_EMPTY if body is None else body)

    def _image(self, node: Node) -> Any:  # Any: as above
        if isinstance(node, stmts.Block):
            return self._block(node)
        if STATEMENTS.push[type(node)] is None:
            return node
        inner = [self._images[child] for child in STATEMENTS.children(node)]
        idle = isinstance(node, _DECIDING) and all(map(_is_nothing, inner))
        if idle and self._safe.is_harmless(node):
            return None
        skipped = node.false_case if isinstance(node, stmts.IfThenElse) else None

        def get(child: Node, default: Node) -> Node | None:
            image: Node | None = self._images.get(child, default)
            return _EMPTY if image is None and child is not skipped else image

        return STATEMENTS.rebuild[type(node)](node, get)

    def _block(self, block: stmts.Block) -> stmts.Block | None:
        images = self._images
        kept = [image for stmt in block.stmts if (image := images[stmt]) is not None]
        if len(kept) == len(block.stmts) and all(map(is_, kept, block.stmts)):
            return block
        return block.with_fields(stmts=tuple(kept)) if kept else None


def _is_nothing(image: object) -> bool:
    """Return whether a statement, or the body of a schedule block, does nothing."""
    body = image.body if isinstance(image, stmts.ScheduleBlock) else image
    return body is None or (isinstance(body, stmts.Block) and not body.stmts)


def _expressions_of(stmt: Node) -> list[Expr]:
    """Return what ``stmt`` evaluates, the address that it writes to left out."""
    written = stmt.tensor if isinstance(stmt, Store) else None
    return [each for each in operands(stmt) if isinstance(each, Expr) and each is not written]


_DECIDING: Final = (stmts.For, stmts.IfThenElse, stmts.ScheduleBlockRealize)
"""Statements that do nothing but what is in them, and end."""
_EMPTY: Final = stmts.Block(())
