"""Lifetimes of memory: which buffers are never needed at one time.

A buffer is needed from the statement that stores to it first up to the one that uses it last. In
blocks these are numbers; where both buffers are used in one statement alone, it is looked into: the
arms of a branch never run both, and iterations of a loop are each by themselves if none needs what
another left.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.regions.filled import Users, stores_before_it_reads
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.ir.tensor import Buffer

_NONE: frozenset[Buffer] = frozenset()


_END: Final = math.inf
"""Behind all statements of a block."""


class Time(NamedTuple):
    """When a buffer is needed: numbers of statements, those of outer ones first."""

    begin: tuple[float, ...]
    end: tuple[float, ...]

    def is_apart_from(self, other: Time) -> bool:
        """Return whether what is needed at these two times is never needed at one."""
        return self.end < other.begin or other.end < self.begin


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
        self._users = Users()
        self._times: dict[Buffer, Time] = {}
        wanted = frozenset(buffers)
        for node in PROGRAM.post_order(root):
            children = PROGRAM.children(node)
            if not children:
                self._used[node] = wanted.intersection(nodes_reached(node))
                continue
            found = [used for child in children if (used := self._used[child])]
            inside = _NONE.union(*found) if len(found) > 1 else found[0] if found else _NONE
            self._used[node] = inside | (wanted & {node})

    def time_of(self, buffer: Buffer) -> Time:
        """Return when the program needs a buffer: always, if nothing is said of it.

        Complexity:
            Linear in how deep the statement stands that alone uses it, but for what is found out
            once for all: where statements use buffers.
        """
        if buffer not in self._times:
            self._times[buffer] = self._find_time(buffer)
        return self._times[buffer]

    def _find_time(self, buffer: Buffer) -> Time:
        stmt = self._root
        place: list[int] = []
        while (span := self._span(stmt, buffer)) is not None:
            (first, last), parts = span, self._parts(stmt)
            if isinstance(stmt, Block):
                if first != last:
                    return Time((*place, first), (*place, last, _END))
            elif not self._is_apart_in(stmt, first, last, buffer):
                break
            if not isinstance(stmt, For) and len(parts) > 1:
                place.append(first)
            stmt = parts[first]
        return Time(tuple(place), (*place, _END))

    def _is_apart_in(self, stmt: Node, first: int, last: int, buffer: Buffer) -> bool:
        """Return whether a part of a statement needs a buffer, and others nothing of it."""
        if isinstance(stmt, IfThenElse):
            return first == last
        if not isinstance(stmt, For) or stmt.for_type != ForType.SERIAL or first != last:
            return False
        return self._parts(stmt)[first] is stmt.body and stores_before_it_reads(
            stmt.body, buffer, self._users
        )

    def are_apart(self, a: Buffer, b: Buffer) -> bool:
        """Return whether two buffers are never needed at one time, so one memory serves both.

        They are not if nothing is said of one of them.

        Complexity:
            That of :meth:`time_of`.
        """
        return self.time_of(a).is_apart_from(self.time_of(b))

    def needed_beside(self, buffers: Sequence[Buffer]) -> Iterator[np.ndarray[Any, Any]]:
        """Yield for each of some buffers whether those before it are needed at one time with it.

        Complexity:
            That of :meth:`time_of`, and of an operation of numpy on n numbers for the n-th buffer.
        """
        times = [self.time_of(buffer) for buffer in buffers]
        ends = sorted({each for time in times for each in time})
        rank = {each: at for at, each in enumerate(ends)}
        first = np.array([rank[time.begin] for time in times], np.int64)
        last = np.array([rank[time.end] for time in times], np.int64)
        for at in range(len(buffers)):
            yield (first[:at] <= last[at]) & (last[:at] >= first[at])

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
