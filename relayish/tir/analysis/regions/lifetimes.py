"""Lifetimes of memory: which buffers are never needed at one time.

A buffer is needed from the statement that stores to it first up to the one that uses it last. In
blocks these are numbers; where both buffers are used in one statement alone, it is looked into: the
arms of a branch never run both, and iterations of a loop are each by themselves if none needs what
another left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.regions.filled import stores_before_it_reads
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.ir.tensor import Buffer

_NONE: frozenset[Buffer] = frozenset()


class Lifetimes:
    """When the statements of a program need some buffers.

    Args:
        root: The program.
        buffers: Those that are asked about, which hold nothing of value before it runs.

    Complexity:
        Linear in the size of the program, times the number of buffers that one statement uses.
    """

    def __init__(self, root: Node, buffers: Collection[Buffer]) -> None:
        self._root = root
        self._used: dict[Node, frozenset[Buffer]] = {}
        self._spans: dict[Node, dict[Buffer, tuple[int, int]]] = {}
        self._needed: dict[tuple[Node, Buffer], bool] = {}
        wanted = frozenset(buffers)
        for node in PROGRAM.post_order(root):
            children = PROGRAM.children(node)
            if not children:
                self._used[node] = wanted.intersection(nodes_reached(node))
                continue
            found = [used for child in children if (used := self._used[child])]
            inside = _NONE.union(*found) if len(found) > 1 else found[0] if found else _NONE
            self._used[node] = inside | (wanted & {node})

    def span(self, buffer: Buffer) -> tuple[int, int]:
        """Return which statement of the program needs a buffer first, and which last.

        One of which nothing is said is needed always: who says nothing may do all with it.
        """
        return self._span(self._root, buffer) or (0, len(self._parts(self._root)))

    def are_apart(self, a: Buffer, b: Buffer) -> bool:
        """Return whether two buffers are never needed at one time, so one memory serves both.

        They are not if nothing is said of one of them.

        Complexity:
            Linear in how deep the statement stands that tells them apart, but for what is found out
            once for all: where statements use buffers, and whether iterations need any.
        """
        stmt = self._root
        while True:
            first, second = self._span(stmt, a), self._span(stmt, b)
            if first is None or second is None:
                return False
            if isinstance(stmt, Block) and (first[1] < second[0] or second[1] < first[0]):
                return True
            if isinstance(stmt, IfThenElse) and first != second:
                return first[0] == first[1] and second[0] == second[1]
            if first != second or first[0] != first[1]:
                return False
            if not isinstance(stmt, (Block, For, IfThenElse)):
                return False
            inner = self._parts(stmt)[first[0]]
            if isinstance(stmt, For):
                is_serial = stmt.for_type == ForType.SERIAL and inner is stmt.body
                if not is_serial or self._needs(stmt.body, a) or self._needs(stmt.body, b):
                    return False
            stmt = inner

    @staticmethod
    def _parts(stmt: Node) -> Sequence[Node]:
        if isinstance(stmt, Block):
            return stmt.stmts
        if isinstance(stmt, IfThenElse):  # its condition first
            arms = (stmt.true_case, stmt.false_case)
            return (stmt.condition, *[arm for arm in arms if arm is not None])
        return tuple(PROGRAM.children(stmt))

    def _span(self, stmt: Node, buffer: Buffer) -> tuple[int, int] | None:
        """Return the numbers of the first and the last part that uses a buffer, if one does."""
        if stmt not in self._spans:
            found: dict[Buffer, tuple[int, int]] = {}
            for at, part in enumerate(self._parts(stmt)):
                for each in self._used[part]:
                    found[each] = (found.get(each, (at, at))[0], at)
            self._spans[stmt] = found
        return self._spans[stmt].get(buffer)

    def _needs(self, stmt: Stmt, buffer: Buffer) -> bool:
        key = stmt, buffer
        if key not in self._needed:
            self._needed[key] = not stores_before_it_reads(stmt, buffer)
        return self._needed[key]
