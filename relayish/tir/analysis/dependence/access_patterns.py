"""Access patterns: accesses that are alike in all that dependences are found by.

A program of a thousand statements has few patterns: a subscript function within some loops, below
some conditions. What is found of two patterns holds of each access of one and each of the other.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import attrgetter
from typing import Final

from relayish.tir.analysis.dependence.accesses import (
    Access,
    Accesses,
    Around,
    Binding,
    Location,
    Place,
    common_around,
    tell_of,
)
from relayish.tir.analysis.dependence.iteration_pairs import is_too_deep
from relayish.tir.analysis.dependence.same_element import Summary, never_meet, summarize
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Var
from relayish.tir.ir.traversal import NODES


class Pattern:
    """Accesses to one location by the same indices, in the same loops and below like conditions.

    Attributes:
        accesses: In the order in which they are made.
        first: One for all of them.
        reads: Whether they may read.
        writes: Whether they may write.
        private: In how many outer loops each iteration has a location of its own.
    """

    __slots__ = ("_summary", "accesses", "first", "private", "reads", "writes")

    def __init__(self, first: Access, private: int) -> None:
        self.accesses: list[Access] = []
        self.first = first
        self.reads = first.reads
        self.writes = first.writes
        self.private = private
        self._summary: Sequence[Summary] | None = None

    def may_meet(self, other: Pattern, context: Context) -> bool:
        """Return whether summaries leave it open that one writes what the other accesses."""
        if not (self.writes or other.writes):
            return False
        if not (self._is_summarized and other._is_summarized):
            return True
        one, two = self.summary(context), other.summary(context)
        return not never_meet(self.first, other.first, one, two, context)

    def summary(self, context: Context) -> Sequence[Summary]:
        """Return what is known of each index."""
        if self._summary is None:
            self._summary = summarize(self.first, context)
        return self._summary

    def layout(self, context: Context) -> Hashable | None:
        """Return what is the same where equal indices, and no others, are equal elements.

        ``None``: too little is known of the indices, or of the layout.
        """
        tensor = self.first.tensor
        if tensor is None or not self._is_summarized:
            return None
        if isinstance(tensor.buffer, Buffer) and tensor.buffer.strides:
            return None
        if len(self.summary(context)) != len(tensor.shape):
            return None
        sizes = [context.numbers.number(size) for size in tensor.shape[1:]]
        return (len(tensor.shape), *sizes)

    @property
    def _is_summarized(self) -> bool:
        return self.first.indices is not None and not is_too_deep(self.first)


class PatternTable:
    """Finds the patterns of accesses of one program."""

    def __init__(self, found: Accesses, context: Context) -> None:
        self._found = found
        self._context = context
        self._arounds: dict[Around | None, Hashable] = {None: None}
        self._keys: dict[Hashable, Hashable] = {}
        self._variables: dict[Expr, Sequence[Var]] = {}
        self._private: dict[tuple[Location, Around | None], int] = {}

    def patterns(self, accesses: Iterable[Access]) -> list[Pattern]:
        """Return the patterns of ``accesses``, each once, in order of their first accesses."""
        found: dict[Hashable, Pattern] = {}
        for access in accesses:
            private = self._private_loops(access)
            key = (access.location, access.reads, access.writes, private, self._subscripts(access))
            pattern = found.get(key)
            if pattern is None:
                pattern = found[key] = Pattern(access, private)
            pattern.accesses.append(access)
        return list(found.values())

    def _subscripts(self, access: Access) -> Hashable:
        place, around = access.place, self._around(access.place.around)
        if access.indices is None:
            return around
        assert access.tensor is not None
        number = self._context.numbers.number
        shape = tuple([number(size) for size in access.tensor.shape])
        indices = tuple([self._expr(index, place) for index in access.indices])
        return (around, access.tensor.buffer, shape, indices)

    def _around(self, around: Around | None) -> Hashable:
        """Return what is the same of all places around which there is the same.

        Loops count by identity, branches by what they ask: one answers as another does.
        """
        return tell_of(around, self._arounds, self._tell_of)

    def _tell_of(self, around: Around, outside: Hashable) -> Hashable:
        if around.branch is None:
            return around
        condition = self._expr(around.branch.condition, around.place)
        return self._keys.setdefault((outside, condition, around.holds), around)

    def _expr(self, expr: Expr, place: Place) -> Hashable:
        """Return what is the same of expressions that are computed alike from the same values."""
        found = self._context.numbers.number(expr)
        if found not in self._variables:
            nodes = NODES.pre_order(found)
            self._variables[found] = [node for node in nodes if isinstance(node, Var)]
        values = [place.values.get(var, _FREE) for var in self._variables[found]]
        return (found, *[id(each) if isinstance(each, Binding) else each for each in values])

    def _private_loops(self, access: Access) -> int:
        if access.location is None:
            return 0
        declared = self._found.declared.get(access.location, ())
        if len(declared) != 1 or declared[0].around is None:
            return 0
        key = (access.location, access.place.around)
        if key not in self._private:
            [place] = declared
            outer = place.around
            assert outer is not None
            is_inside = common_around(access.place, place) is outer
            self._private[key] = outer.loop_depth if is_inside else 0
        return self._private[key]


def find_neighbours(
    patterns: Sequence[Pattern], context: Context
) -> Mapping[Pattern, Sequence[Pattern]]:
    """Return for each of some patterns of one location those that its limits leave, in order.

    Others never meet it, as :meth:`Pattern.may_meet` would find.

    Complexity:
        That of sorting the patterns by the limits of one index, and the number of what is left.
    """
    if not any(each.writes for each in patterns):
        return dict.fromkeys(patterns, ())
    layouts = {each.layout(context) for each in patterns}
    if None in layouts or len(layouts) > 1:
        return dict.fromkeys(patterns, patterns)
    limits = {each: [of.limits for of in each.summary(context)] for each in patterns}
    axes = range(len(limits[patterns[0]]))
    axis = max(axes, key=lambda at: len({limits[each][at] for each in patterns}), default=None)
    if axis is None:
        return dict.fromkeys(patterns, patterns)
    found: dict[Pattern, list[Pattern]] = {each: [each] for each in patterns}
    open_: list[Pattern] = []
    for each in sorted(patterns, key=lambda one: limits[one][axis].low):
        low = limits[each][axis].low
        open_ = [other for other in open_ if limits[other][axis].high >= low]
        for other in open_:
            found[other].append(each)
        found[each] += open_
        open_.append(each)
    number = {each: at for at, each in enumerate(patterns)}
    return {each: sorted(met, key=number.__getitem__) for each, met in found.items()}


def pairs_in_order(
    neighbours: Mapping[Pattern, Sequence[Pattern]], holds: Callable[[Pattern, Pattern], bool]
) -> Iterator[tuple[Access, Pattern, Access, Pattern]]:
    """Yield accesses with their patterns: each with those from itself on, in order of the program.

    Args:
        neighbours: The patterns of the accesses, each with those that may be wanted with it.
        holds: Whether accesses of two patterns are wanted, the earlier of the first one. It is
            asked when the first such pair is come to.

    Complexity:
        Linear in the number of pairs, and in the accesses times the neighbours of their patterns.
    """
    wanted = dict(neighbours)
    for a, own in _in_order([(each, 0) for each in neighbours]):
        starts = [
            (each, bisect_left(each.accesses, a.position, key=_POSITION)) for each in wanted[own]
        ]
        told: dict[Pattern, bool] = {}
        for b, other in _in_order(starts):
            if other not in told:
                told[other] = holds(own, other)
            if told[other]:
                yield a, own, b, other
        wanted[own] = [each for each in wanted[own] if told.get(each)]


def _in_order(parts: Sequence[tuple[Pattern, int]]) -> Iterator[tuple[Access, Pattern]]:
    """Yield the accesses of patterns, each from some number on, in the order they are made."""
    rows = [zip(each.accesses[start:], repeat(each)) for each, start in parts]
    if len(rows) == 1:
        return iter(rows[0])
    return heapq.merge(*rows, key=_position)


def _position(pair: tuple[Access, Pattern]) -> int:
    return pair[0].position


_POSITION: Final = attrgetter("position")
_FREE: Final = object()
