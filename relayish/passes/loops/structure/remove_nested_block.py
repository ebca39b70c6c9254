"""Flattening of nested blocks: put the statements of a block within a block in its place.

Before::

    {
      A[0] = 1
      {
        A[1] = 2
      }
    }

After::

    {
      A[0] = 1
      A[1] = 2
    }
"""

from __future__ import annotations

from collections.abc import Collection

from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Alloc, Block, Free
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import substitute


@register_pass("RemoveNestedBlock", opt_level=0, idempotent=True)
def remove_nested_block(func: LoweredFunc) -> LoweredFunc:
    """Flattening of nested blocks: put the statements of a block within a block in its place.

    A block stays where it ends the life of memory that is allocated in it, or where one and the
    same block stands in several places.

    Returns:
        ``func`` itself when there is nothing to flatten.

    Complexity:
        Linear in the number of distinct statements; no recursion.

    Source:
        CINN ``RemoveNestedBlock``.
    """
    spliced = _find_spliced(func)
    if not spliced:
        return func
    images: dict[Node, Node] = {
        node: Block(_flatten(node, spliced))
        for node in STATEMENTS.pre_order(func)
        if isinstance(node, Block)
        and node not in spliced
        and any(stmt in spliced for stmt in node.stmts)
    }
    return substitute(func, images)


def _find_spliced(func: LoweredFunc) -> set[Node]:
    """Return the blocks that stand in one place, another block, and keep no memory."""
    order = STATEMENTS.post_order(func)
    inside: set[Node] = set()
    again: set[Node] = set()
    for node in order:
        for child in STATEMENTS.children(node):
            if isinstance(child, Block):
                if child in inside or not isinstance(node, Block):
                    again.add(child)
                inside.add(child)
    freed: dict[Node, set[Node]] = {}  # of each block to splice: what it frees of others
    for node in order:
        if node in inside and node not in again:
            assert isinstance(node, Block)
            frees = _outer_frees(node, freed)
            if frees is not None:
                freed[node] = frees
    return set(freed)


def _outer_frees(block: Block, freed: dict[Node, set[Node]]) -> set[Node] | None:
    """Return what ``block`` frees and has not allocated; ``None`` if it does not free all it has.

    ``freed`` tells this of the blocks in it that are spliced; their sets are used up.
    """
    has: set[Node] = set()
    frees: set[Node] = set()
    for stmt in block.stmts:
        if isinstance(stmt, Alloc) and stmt.body is None:
            has.add(stmt.destination)
        elif isinstance(stmt, Free):
            (has.remove if stmt.destination in has else frees.add)(stmt.destination)
        elif stmt in freed:
            own = freed[stmt]
            if has:
                has, own = has - own, own - has
            if len(own) > len(frees):
                frees, own = own, frees
            frees |= own
    return None if has else frees


def _flatten(block: Block, spliced: Collection[Node]) -> tuple[Stmt, ...]:
    found: list[Stmt] = []
    pending = list(block.stmts[::-1])
    while pending:
        stmt = pending.pop()
        if stmt in spliced:
            assert isinstance(stmt, Block)
            pending += stmt.stmts[::-1]
        else:
            found.append(stmt)
    return tuple(found)
