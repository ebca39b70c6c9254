"""Iteration spaces: how often a place of a program is reached, through loops and conditions.

Loops whose bounds are independent of each other multiply. Where a bound or a condition couples
loops, as the guard of a split does, the points of these are counted: all but one loop one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from relayish._support.graph import walk_tree
from relayish._support.persistent_map import PersistentMap
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.linear.affine import Affine
from relayish.tir.analysis.work.count import ONE, ZERO, Count, count_of_form
from relayish.tir.analysis.work.indices import (
    NO_VARIABLES,
    Counter,
    Digit,
    Environment,
    Form,
    Indices,
    Opaque,
    counters_of,
)
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var

Rows: TypeAlias = tuple[Form, ...]
"""Forms, none of which is negative."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """Loops whose iterations are coupled.

    Attributes:
        counters: The loops.
        rows: What holds of their counters; ``None``: it cannot be said by forms.
        points: How many combinations there are.
    """

    counters: frozenset[Counter]
    rows: Rows | None
    points: int


class Place(NamedTuple):
    """Where something is evaluated.

    Attributes:
        times: How often, in one run of the program.
        env: What variables are.
        innermost: The innermost loop around it.
        groups: The loops around it that are coupled, each with its group.
        rows: What conditions and bounds around say of counters.
        is_guarded: Whether something around it, which is no form, decides as well.
    """

    times: Count = ONE
    env: Environment = NO_VARIABLES
    innermost: Counter | None = None
    groups: PersistentMap[Counter, Group] = PersistentMap()
    rows: Rows = ()
    is_guarded: bool = False


class Spaces:
    """Makes places from those around them.

    Args:
        indices: Makes forms.
    """

    def __init__(self, indices: Indices) -> None:
        self._indices = indices

    def enter_loop(
        self, place: Place, node: Node, var: Var, first: Form, extent: Expr
    ) -> tuple[Place, Counter]:
        """Return the place in a loop, and its counter.

        Args:
            place: That around it.
            node: The loop.
            var: Its variable.
            first: What that is in the first iteration.
            extent: How many iterations there are, none if it is not positive.
        """
        parts = walk_tree(extent, lambda e: (e.a, e.b) if isinstance(e, ops.Min) else ())
        forms = [
            self._indices.form(part, place.env, exact=True)
            for part in parts
            if not isinstance(part, ops.Min)
        ]
        known = [form for form in forms if form is not None]
        most = self._most(known) if known else Count({(extent,): 1}, is_exact=False)
        counter = Counter(node, most)
        digit: Form = Affine(0, {Digit(counter): 1})
        inner = place._replace(
            times=place.times * Count(most.terms),
            env=place.env.set(var, first.plus(digit)),
            innermost=counter,
        )
        if len(known) == len(forms) == 1 and not _varies(known[0]):
            return inner, counter
        if len(known) < len(forms):
            return self.restrict(inner, None), counter
        rows = [form.shifted(-1).plus(digit, -1) for form in known]
        return self.restrict(inner, rows), counter

    def _most(self, extents: Sequence[Form]) -> Count:
        """Return how many iterations there are at most, as the least of some extents says."""
        found: Count | None = None
        for extent in extents:
            sizes = Affine[Expr](
                0, {t: f for t, f in extent.terms.items() if not isinstance(t, (Digit, Opaque))}
            )
            others = {t: f for t, f in extent.terms.items() if t not in sizes.terms}
            rest = self._indices.interval(Affine(extent.constant, others))
            bound = count_of_form(sizes.shifted(rest.high))
            value = bound.number
            if value is not None:
                bound = Count({(): value} if value > 0 else {})
            bound = bound.exact_if(rest.is_point)
            found = bound if found is None else _less(found, bound)
        assert found is not None
        return found

    def branch(self, place: Place, condition: Expr) -> tuple[Place, Place]:
        """Return the places where a condition holds, and where it does not."""
        rows = self._rows(condition, place, holds=True)
        others = self._rows(condition, place, holds=False)
        if rows is not None:
            then = self.restrict(place, rows)
            otherwise = self.restrict(place, others) if others is not None else None
            return then, otherwise or self._complement(place, then)
        if others is not None:
            otherwise = self.restrict(place, others)
            return self._complement(place, otherwise), otherwise
        unknown = self.restrict(place, None)
        return unknown, unknown

    def restrict(self, place: Place, rows: Sequence[Form] | None) -> Place:
        """Return ``place`` where no row is negative; ``None``: where something else holds."""
        if rows is None:
            return place._replace(times=place.times.as_bound(), is_guarded=True)
        kept = []
        for row in rows:
            interval = self._indices.interval(row)
            if interval.high < 0:
                return place._replace(times=ZERO)
            if interval.low < 0:
                kept.append(row)
        if not kept:
            return place
        if not all(isinstance(term, Digit) for row in kept for term in row.terms):
            return place._replace(times=place.times.as_bound(), is_guarded=True)
        if len(place.rows) + len(kept) > _MOST_ROWS:
            return place._replace(times=place.times.as_bound(), is_guarded=True)
        return self._couple(place, tuple(kept))._replace(rows=(*place.rows, *kept))

    def _couple(self, place: Place, rows: Rows) -> Place:
        """Return ``place`` with as many points as ``rows`` leave."""
        counters, groups = set(counters_of(rows)), set[Group]()
        for counter in list(counters):
            group = place.groups.get(counter)
            if group is not None:
                groups.add(group)
                counters |= group.counters
        all_rows = rows
        for group in groups:
            if group.rows is None:
                return place._replace(times=place.times.as_bound())
            all_rows = (*group.rows, *all_rows)
        extents = {counter: counter.extent.number for counter in counters}
        points = _count_points(extents, all_rows)
        before = _points_of(frozenset(counters), place.groups)
        if points is None or not before:
            return place._replace(times=place.times.as_bound())
        group = Group(frozenset(counters), all_rows, points)
        return self._with_group(place, group, before)

    @staticmethod
    def _with_group(place: Place, group: Group, before: int) -> Place:
        """Return ``place`` with the points of a group, of which there were ``before``."""
        terms = {key: value // before * group.points for key, value in place.times.terms.items()}
        count = Count(terms if group.points else {}, place.times.is_exact)
        groups = place.groups.update([(counter, group) for counter in group.counters])
        return place._replace(times=count, groups=groups)

    def _complement(self, place: Place, then: Place) -> Place:
        """Return the place where that does not hold which holds at ``then``."""
        if not then.times.terms and then.times.is_exact:
            return place
        if not (place.times.is_exact and then.times.is_exact):
            return self.restrict(place, None)
        if then.groups is place.groups:
            return place._replace(times=ZERO)
        changed = [
            group
            for counter, group in then.groups.items()
            if place.groups.get(counter) is not group
        ]
        group = changed[0]
        before = _points_of(group.counters, place.groups)
        other = Group(group.counters, None, before - group.points)
        return self._with_group(place, other, before)._replace(is_guarded=True)

    def _rows(self, condition: Expr, place: Place, *, holds: bool) -> list[Form] | None:
        """Return forms, none of which is negative just where a condition holds, or does not."""
        found: list[Form] = []
        pending = [(condition, holds)]
        while pending:
            each, truth = pending.pop()
            kind = type(each)
            if isinstance(each, ops.Not):
                pending.append((each.v, not truth))
            elif isinstance(each, ops.And if truth else ops.Or):
                pending += [(each.b, truth), (each.a, truth)]
            elif isinstance(each, ops.UIntImm):
                found.append(Affine(0 if bool(each.value) == truth else -1, {}))
            elif isinstance(each, ops.ComparisonNode) and each.a.type.is_integer:
                rows = self._compared(kind if truth else ops.NEGATED[kind], each, place)
                if rows is None:
                    return None
                found += rows
            else:
                return None
        return found

    def _compared(
        self, kind: type[Node], comparison: ops.ComparisonNode, place: Place
    ) -> list[Form] | None:
        if not comparison.type.is_scalar or kind is ops.NE:
            return None
        a = self._indices.form(comparison.a, place.env, exact=True)
        b = self._indices.form(comparison.b, place.env, exact=True)
        if a is None or b is None:
            return None
        less, more = b.plus(a, -1), a.plus(b, -1)
        rows: dict[type[Node], list[Form]] = {
            ops.LT: [less.shifted(-1)],
            ops.LE: [less],
            ops.GT: [more.shifted(-1)],
            ops.GE: [more],
            ops.EQ: [less, more],
        }
        return rows[kind]


def _less(a: Count, b: Count) -> Count:
    """Return the lesser of two counts, one that is a number where they cannot be compared."""
    if b.number is None or (a.number is not None and a.number <= b.number):
        return a
    return b


def _varies(form: Form) -> bool:
    return any(isinstance(term, (Digit, Opaque)) for term in form.terms)


def _points_of(counters: frozenset[Counter], groups: PersistentMap[Counter, Group]) -> int:
    """Return how many combinations of counters there are, all of which are numbers."""
    found = {group for counter in counters if (group := groups.get(counter)) is not None}
    points = math.prod([group.points for group in found])
    for counter in counters:
        if counter not in groups:
            points *= counter.extent.number or 0
    return points


_MOST_ROWS: Final = 64
"""How many conditions around a place are kept apart."""
_MOST_POINTS: Final = 1 << 16
"""How many points are looked at one by one."""


def _count_points(extents: dict[Counter, int | None], rows: Rows) -> int | None:
    """Return for how many values of counters no row is negative; ``None``: too many to tell."""
    sizes = {counter: extent for counter, extent in extents.items() if extent is not None}
    if len(sizes) < len(extents):
        return None
    digits = [term for row in rows for term in row.terms if isinstance(term, Digit)]
    divided = {digit.counter for digit in digits if digit[1:] != (1, None)}
    free = [counter for counter in sizes if counter not in divided]
    last = max(free, key=lambda counter: sizes[counter], default=None)
    others = [counter for counter in sizes if counter is not last]
    total = math.prod([sizes[counter] for counter in others])
    if not total:
        return 0
    if total > _MOST_POINTS:
        return None
    numbers = np.arange(total, dtype=np.int64)
    values: dict[Counter, np.ndarray[tuple[int], np.dtype[np.int64]]] = {}
    for counter in others:
        numbers, values[counter] = np.divmod(numbers, sizes[counter])
    low = np.zeros(total, np.int64)
    high = np.full(total, (1 if last is None else sizes[last]) - 1, np.int64)
    for row in rows:
        rest, factor = np.full(total, row.constant, np.int64), 0
        for term, by in row.terms.items():
            assert isinstance(term, Digit)
            if term.counter is last:
                factor = by
                continue
            value = values[term.counter] // term.by
            rest += by * (value if term.size is None else value % term.size)
        if factor > 0:
            low = np.maximum(low, -(rest // factor))
        elif factor < 0:
            high = np.minimum(high, rest // -factor)
        else:
            high = np.where(rest < 0, -1, high)
    return int(np.maximum(high - low + 1, 0).sum())
