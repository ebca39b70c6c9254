"""Growth of clusters: nodes that do the same in several places, layer by layer.

A unit takes in the units only it uses, all of them at once where that repeats, and so on until
nothing is left that repeats. Then comes a step forward: a unit whose values several others use goes
into the one that comes right after it. Neither can make a unit depend on itself by way of another:
the one because no other way leads on from what is taken in, the other because what is joined is
next to each other in one order of all units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

from relayish.passes.relay.functions.deduplication.labels import NO_LABEL
from relayish.passes.relay.functions.deduplication.units import Units


class _Edge(NamedTuple):
    """How a unit uses another one."""

    outer: int
    """The label of the unit that uses the other."""
    inner: int
    """The label of the other."""
    wiring: tuple[tuple[int, int], ...]
    """The slots that take a value of the other, and which member's."""


_Found = dict[_Edge, list[tuple[int, int]]]
"""The places in which one unit uses another in the same way: the user, and what it uses."""

MANY: Final = 2
"""How often something must occur to be worth a function."""


def grow(units: Units, forward_steps: int) -> None:
    """Join what repeats.

    Args:
        units: What is to be joined, in place.
        forward_steps: How often what is joined goes on over values that are used elsewhere.

    Complexity:
        Linear in nodes and edges for each round of joining; what is chained takes a number of
        rounds that is logarithmic in its length. No recursion.
    """
    _take_in(units, range(len(units.nodes)))
    for _ in range(forward_steps):
        changed = _step_forward(units)
        if not changed:
            return
        _take_in(units, changed)


def _take_in(units: Units, changed: Iterable[int]) -> None:
    """Let units take in what only they use, as long as that repeats."""
    while changed:
        changed = _join(units, _find_single_uses(units, changed))


def _find_single_uses(units: Units, changed: Iterable[int]) -> _Found:
    """Return the uses of units that have no other, near the units that changed."""
    label, scope, consumers = units.label, units.scope, units.consumers
    outers: dict[int, None] = {}
    for unit in changed:
        if label[unit] == NO_LABEL:
            continue
        outers[unit] = None
        if len(consumers[unit]) == 1:
            outers.update(dict.fromkeys(consumers[unit]))
    found: defaultdict[_Edge, list[tuple[int, int]]] = defaultdict(list)
    for outer in sorted(outers):
        if label[outer] == NO_LABEL:
            continue
        for inner, wiring in units.collect_wiring(outer).items():
            if len(consumers[inner]) == 1 and scope[inner] == scope[outer]:
                _note(units, found, outer, inner, wiring)
    return found


def _step_forward(units: Units) -> list[int]:
    """Join units to those that come right after them, although others use them as well."""
    label, scope, consumers = units.label, units.scope, units.consumers
    outside = units.users_outside()
    found: defaultdict[_Edge, list[tuple[int, int]]] = defaultdict(list)
    for inner, outer in pairwise(units.sort_topologically()):
        if label[outer] == NO_LABEL or outer not in consumers[inner]:
            continue
        if scope[inner] == scope[outer] and units.is_certain(outer):
            _note(units, found, outer, inner, units.collect_wiring(outer)[inner])
    worthwhile = {
        edge: places
        for edge, places in found.items()
        if _pays(units, outside, places[0], len(places))
    }
    return _join(units, worthwhile)


def _note(
    units: Units, found: _Found, outer: int, inner: int, wiring: list[tuple[int, int]]
) -> None:
    if units.label[outer] == units.label[inner] and not units.is_operator(outer):
        return  # repetitions in a row stay apart: together they would repeat less often
    found[_Edge(units.label[outer], units.label[inner], tuple(wiring))].append((outer, inner))


def _pays(units: Units, outside: dict[int, set[int]], place: tuple[int, int], count: int) -> bool:
    """Return whether the program gets no longer if two units become a function of its own."""
    members = [member for unit in place for member in units.members[unit]]
    results = sum(bool(outside.get(member, set()) - set(place)) for member in members)
    return is_shorter(len(members), results, count)


def is_shorter(size: int, results: int, count: int) -> bool:
    """Return whether a function of ``size`` nodes, called so often, is no longer than its copies.

    Example:
        >>> is_shorter(2, 1, 2), is_shorter(2, 2, 2), is_shorter(20, 2, 2)
        (True, False, True)
    """
    projections = results if results > 1 else 0
    return size + (projections > 0) + count * (1 + projections) <= count * size


def _join(units: Units, found: _Found) -> list[int]:
    """Join the places of the most frequent uses first; return the units that took in others."""
    often = [(edge, places) for edge, places in found.items() if len(places) >= MANY]
    often.sort(key=lambda item: -len(item[1]))
    ways = _Ways(units, often)
    taken: set[int] = set()
    grown: dict[int, None] = {}
    for edge, places in often:
        if not ways.is_worthwhile(edge):
            continue
        groups: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        growing: set[int] = set()
        for outer, inner in places:
            if outer in taken or inner in taken or inner in grown or inner in growing:
                continue
            taken.add(inner)
            growing.add(outer)
            groups[units.label[outer]].append((outer, inner))
        for label, group in groups.items():
            if len(group) < MANY:
                taken.difference_update([inner for _, inner in group])
                continue
            made = units.labels.number((label, edge))
            for outer, inner in group:
                units.join(outer, inner, made)
                grown[outer] = None
    return list(grown)


class _Ways:
    """In how many ways units of a label go on, where that repeats."""

    def __init__(self, units: Units, often: list[tuple[_Edge, list[tuple[int, int]]]]) -> None:
        self._size: dict[int, int] = {}
        self._population = dict(units.population)
        self._inner: defaultdict[int, list[int]] = defaultdict(list)
        self._outer: defaultdict[tuple[int, tuple[int, ...]], list[int]] = defaultdict(list)
        for edge, places in often:
            outer, inner = places[0]
            self._size[edge.outer] = len(units.members[outer])
            self._size[edge.inner] = len(units.members[inner])
            self._inner[edge.inner].append(len(places))
            self._outer[edge.outer, _slots(edge)].append(len(places))

    def is_worthwhile(self, edge: _Edge) -> bool:
        """Return whether joining saves as many calls as it makes copies of what is joined.

        A unit that goes on in several ways is in the function of each; one that goes on in no way
        that repeats needs its own.
        """
        inner, outer = self._inner[edge.inner], self._outer[edge.outer, _slots(edge)]
        return self._pays(edge.inner, inner) and self._pays(edge.outer, outer)

    def _pays(self, label: int, counts: list[int]) -> bool:
        size, joined = self._size[label], sum(counts)
        copies = len(counts) - 1 + (self._population[label] > joined)
        return size == 1 or copies * size <= joined


def _slots(edge: _Edge) -> tuple[int, ...]:
    return tuple([slot for slot, _ in edge.wiring])
