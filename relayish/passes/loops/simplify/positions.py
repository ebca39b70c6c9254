"""Program order: positions of statements as they run, and where memory and variables change.

A statement evaluates its operands at its position, and writes after that. A loop ends at a position
of its own.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, Final

from relayish.ir.fields.effect import Effect
from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Access
from relayish.ir.nodes.getters import compile_getter
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import bound_by, operands
from relayish.tir.analysis.values.value_numbers import ValueNumbers, is_pure_call
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Tensor
from relayish.tir.ir.traversal import STATEMENTS

NEVER: Final = 1 << 62


class Positions:
    """Where the statements of a program stand, and what they change.

    Attributes:
        start: The position of each statement.
        end: The position at which it has run.
        repeated: Statements that stand in several places, and are not looked into.
    """

    def __init__(self, root: Node, numbers: ValueNumbers) -> None:
        self._numbers = numbers
        self._writes: dict[Node | None, list[int]] = {None: []}
        self._all_writes: list[int] = []
        self.start: dict[Node, int] = {}
        self.end: dict[Node, int] = {}
        places = STATEMENTS.users(root)
        self.repeated = frozenset(stmt for stmt, users in places.items() if len(users) > 1)
        position = 0
        stack: list[Any] = [root]  # Any: statements, and None after those that have run
        while stack:
            stmt = stack.pop()
            if stmt is None:
                self.end[stack.pop()] = position
            elif stmt in self.repeated:
                self._writes[None].append(position)
                self._all_writes.append(position)
            else:
                self.start[stmt] = position
                changed = self._changed(stmt)
                self._all_writes += [position] if changed else []
                for place in changed:
                    self._writes.setdefault(place, []).append(position)
                inside = STATEMENTS.children(stmt)
                if inside:
                    stack += (stmt, None, *inside[::-1])
                else:
                    self.end[stmt] = position
            position += 1

    def next_write(self, place: Node | None, position: int) -> int:
        """Return the first position, from one on, where a buffer or variable is written.

        Args:
            place: What may be written; ``None`` for anything.
            position: From where on.
        """
        if place is None:
            return _first(self._all_writes, position)
        own = _first(self._writes.get(place, ()), position)
        return min(own, _first(self._writes[None], position))

    def _changed(self, stmt: Node) -> Sequence[Node | None]:
        """Return what a statement itself writes or binds; ``None`` stands for anything."""
        if isinstance(stmt, Call) and is_pure_call(stmt):
            return ()
        kind = type(stmt)
        own = kind.traits_.effect
        unknown = own & Effect.UNKNOWN or any(
            self._numbers.is_impure(operand)
            for operand in operands(stmt)
            if isinstance(operand, Expr)
        )
        if unknown:
            return (None,)
        return [*map(_place_of, WRITTEN[kind](stmt)), *bound_by(stmt)]


def _first(positions: Sequence[int], position: int) -> int:
    at = bisect_left(positions, position)
    return positions[at] if at < len(positions) else NEVER


def _place_of(written: Node) -> Node | None:
    """Return the buffer or variable of what is written; ``None`` where that is not known."""
    return written.buffer if isinstance(written, Tensor) else written


def _is_written(declared: Field) -> bool:
    return bool(declared.access & Access.WRITE)


WRITTEN: Final = ByKind(lambda kind: compile_getter(filter(_is_written, kind.fields_)))
"""By kind, the function that gives what a node names to write to it."""
