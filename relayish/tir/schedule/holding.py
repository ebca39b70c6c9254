"""Statements that hold others: which, with another in a place, and each in one place only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import compress, count
from operator import is_not
from typing import Any, Final, TypeAlias, TypeVar

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import (
    Block,
    For,
    IfThenElse,
    PolyFor,
    ScheduleBlock,
    ScheduleBlockRealize,
)
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import copy_with_fresh_variables


def held(stmt: Stmt) -> Sequence[Stmt]:
    """Return the statements right inside of one; of what realizes a block, the body of that."""
    if isinstance(stmt, Block):
        return stmt.stmts
    found: Sequence[Any] = STATEMENTS.children(_block_of(stmt))  # Any: statements, as it follows
    return found


def with_held(stmt: Stmt, before: Stmt, after: Stmt) -> Stmt:
    """Return a statement with another in the place of one that it holds."""
    if isinstance(stmt, Block):
        return with_held_instead(stmt, before, after)
    holder = _block_of(stmt)
    images: dict[Node, Node] = {before: after}
    image = STATEMENTS.rebuild[type(holder)](holder, images.get)
    if holder is stmt:
        assert isinstance(image, Stmt)
        return image
    return stmt.with_fields(schedule_block=image)


def with_held_instead(block: Block, before: Stmt, *after: Stmt) -> Block:
    """Return a block with others in the place of one of its statements."""
    at = block.stmts.index(before)
    return with_field(block, "stmts", (*block.stmts[:at], *after, *block.stmts[at + 1 :]))


def with_field(node: N, name: str, value: object) -> N:
    """Return what ``with_fields`` does, of a value that is known to be valid: nobody looks at it.

    A block is as long as the program, where nothing else would take so long.
    """
    made: N = node._make(
        *[
            value if f.name == name else f.default if f.inferred else getattr(node, f.name)
            for f in node.fields_
        ]
    )
    return made


def _block_of(stmt: Stmt) -> Stmt:
    return stmt.schedule_block if isinstance(stmt, ScheduleBlockRealize) else stmt


N = TypeVar("N", bound=Node)

Difference: TypeAlias = tuple[Sequence[Stmt], Sequence[Stmt]]
"""What stands in one block, and in another, between what both begin and what both end with."""


def differing(one: Stmt, other: Stmt) -> Difference | None:
    """Return in what two blocks differ; ``None`` where one of them is none.

    Complexity:
        Linear in their length, of pointers that are compared; nothing is visited.
    """
    if not isinstance(one, Block) or not isinstance(other, Block):
        return None
    stmts, others = one.stmts, other.stmts
    most = min(len(stmts), len(others))
    start = next(compress(count(), map(is_not, stmts, others)), most)
    ends = map(is_not, reversed(stmts), reversed(others))
    end = min(next(compress(count(), ends), most), most - start)
    return stmts[start : len(stmts) - end], others[start : len(others) - end]


def holds_others(stmt: Stmt) -> bool:
    """Return whether a statement holds others, or could."""
    return isinstance(stmt, _HOLDING) or bool(held(stmt))


_HOLDING: Final = (Block, For, PolyFor, IfThenElse, ScheduleBlockRealize)


_MOST_STATEMENTS: Final = 1_000_000
"""How many places statements may stand in."""


def with_own_statements(func: LoweredFunc) -> LoweredFunc:
    """Return a function in which no statement that holds others stands in several places.

    Raises:
        ScheduleError: If there are too many places.
    """
    order = [each for each in STATEMENTS.post_order(func.body) if isinstance(each, Stmt)]
    uses = Counter([child for each in order for child in held(each)])
    if not any(uses[each] > 1 for each in order if held(each)):
        return func
    sizes: dict[Stmt, int] = {}
    images: dict[Stmt, Stmt] = {}
    used: set[Stmt] = set()
    for stmt in order:
        if isinstance(stmt, ScheduleBlock):
            continue  # a part of what realizes it
        sizes[stmt] = 1 + sum([sizes[each] for each in held(stmt)])
        if sizes[stmt] > _MOST_STATEMENTS:
            raise ScheduleError(
                f"{one_line(stmt)} holds statements in more than {_MOST_STATEMENTS} places, since "
                f"some stand in many; expected a function of fewer, of which a schedule can have "
                f"handles"
            )
        image = stmt
        for at, each in enumerate(held(stmt)):
            if each in used:
                image = _with_held_at(image, at, copy_with_fresh_variables(images[each]))
            elif images[each] is not each:
                image = _with_held_at(image, at, images[each])
            if held(each):
                used.add(each)
        images[stmt] = image
    return func.with_fields(body=images[func.body])


def _with_held_at(stmt: Stmt, at: int, image: Stmt) -> Stmt:
    """Return a statement with another in the place of that number."""
    if isinstance(stmt, Block):
        return stmt.with_fields(stmts=(*stmt.stmts[:at], image, *stmt.stmts[at + 1 :]))
    if isinstance(stmt, IfThenElse):
        return stmt.with_fields(true_case=image) if at == 0 else stmt.with_fields(false_case=image)
    return with_held(stmt, held(stmt)[at], image)
