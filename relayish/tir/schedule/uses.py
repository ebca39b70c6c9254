"""Uses: which places of a function name a buffer themselves, and which blocks bear a name.

Kept while a function is scheduled, so that a step need not look for them in all of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Generic, TypeAlias, TypeVar

from relayish.ir.fields.effect import Effect
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.analysis.regions.elements import body_of_element
from relayish.tir.externs import is_barrier
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import Alloc, Block, Free, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, BufferRange, Load, Store, Tensor, Var
from relayish.tir.schedule.holding import held, holds_others

P = TypeVar("P")

Key: TypeAlias = Buffer | str | None
"""A buffer, the name of a block, or what may be any memory."""

NOTHING: Final[frozenset[Key]] = frozenset()


class Uses(Generic[P]):
    """Places by what they use, in no order."""

    def __init__(self) -> None:
        self._places: dict[Key, dict[P, None]] = {}

    def change(self, place: P, before: frozenset[Key], after: frozenset[Key]) -> None:
        """Say that a place uses something else now."""
        if before is after:
            return
        for key in before - after:
            self._places[key].pop(place)
        for key in after - before:
            self._places.setdefault(key, {})[place] = None

    def of(self, *keys: Key) -> list[P]:
        """Return the places that use any of these."""
        found: dict[P, None] = {}
        for key in keys:
            found.update(self._places.get(key, {}))
        return list(found)


def own_nodes(stmt: Stmt) -> Iterator[Node]:
    """Yield the nodes of a statement, but for those in statements in it that hold others.

    As well as those by which the inline tensors are computed that it loads.
    """
    parts = held(stmt)
    inner = {each for each in parts if holds_others(each)}
    roots: list[Node] = [stmt]
    if isinstance(stmt, Block):
        roots = [each for each in parts if each not in inner]
    seen: set[Node] = set(inner)
    while roots:
        for node in PROGRAM.pre_order(roots.pop(), lambda each: each not in inner):
            if node not in seen:
                seen.add(node)
                yield node
                body = body_of_element(node)
                if body is not None:
                    roots.append(body)


def keys_of(stmt: Stmt) -> frozenset[Key]:
    """Return what a statement uses itself, and the name of the block that it realizes.

    Complexity:
        Linear in the number of its own nodes.
    """
    found: set[Key] = set()
    for each in own_nodes(stmt):
        if isinstance(each, Buffer):
            found.add(each)
        elif _may_use_any(each):
            found.add(None)
    if isinstance(stmt, ScheduleBlockRealize):
        found.add(stmt.schedule_block.name)
    return frozenset(found)


def _may_use_any(node: Node) -> bool:
    """Return whether evaluating a node may access memory that it does not name."""
    match node:
        case Load() | Store():
            return not isinstance(node.tensor, (Tensor, Buffer, Var))
        case Alloc() | Free():
            return not isinstance(node.destination, (Tensor, Buffer, Var))
        case Call():
            return not is_barrier(node) and effect_of(node) not in (Effect.NONE, Effect.WRITES)
    return isinstance(node, Expr) and type(node).traits_.effect not in (Effect.NONE, Effect.READS)


def accesses_to(stmt: Stmt, buffer: Buffer) -> list[Node]:
    """Return what may access a buffer in a statement itself: loads, stores, calls and others."""
    return [each for each in own_nodes(stmt) if _may_use_any(each) or _names(each, buffer)]


def _names(node: Node, buffer: Buffer) -> bool:
    if isinstance(node, (Tensor, BufferRange)):
        return False
    return any(
        each is buffer or (isinstance(each, Tensor) and each.buffer is buffer)
        for each in PROGRAM.children(node)
    )
