"""Last writers of places, and readers of what they wrote: through arms and loops.

A *place* is a variable or memory. What writes a part of a place, or one of which only perhaps, is
told who wrote it before, so that a chain of such leads back to all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final, NamedTuple, TypeAlias

Place: TypeAlias = Hashable
Writers: TypeAlias = tuple[int, ...]

MOST_WRITERS: Final = 8
"""Where more arms than this write one place, the box around them stands for all."""


class Arm(NamedTuple):
    """What was written where a scope was run, which perhaps is not.

    Attributes:
        written: By place, who wrote it last.
        keeping: The places whose writers there all keep what others wrote, in part.
        exposed: By place, who may read what it held before.
    """

    written: dict[Place, Writers]
    keeping: set[Place]
    exposed: dict[Place, list[int]]


@dataclass(slots=True)
class _Running:
    """A scope that is run now.

    Attributes:
        before: Who wrote what is written in it before that.
        own: What is declared in it, which nothing behind it knows.
        keeping: As of an arm.
        exposed: As of an arm.
    """

    before: dict[Place, Writers] = field(default_factory=dict)
    own: set[Place] = field(default_factory=set)
    keeping: set[Place] = field(default_factory=set)
    exposed: dict[Place, list[int]] = field(default_factory=dict)

    def hides(self, place: Place) -> bool:
        """Return whether all of a place was written, so that nobody reads what was there before."""
        return place in self.before and place not in self.keeping


class Carried(NamedTuple):
    """What one iteration writes and a later one reads."""

    writer: int
    reader: int
    place: Place


class LastWriters:
    """The boxes that wrote places last, at the point that a walk of a program has reached.

    Complexity:
        Constant for a read or a write; for a scope, linear in the places that are written in it
        and known behind it.
    """

    def __init__(self) -> None:
        self._last: dict[Place, Writers] = {}
        self._running: list[_Running] = []

    def of(self, place: Place) -> Writers:
        """Return who wrote a place last; nobody, if it comes from outside."""
        return self._last.get(place, ())

    def read(self, place: Place, reader: int) -> Writers:
        """Return who wrote what ``reader`` reads."""
        if self._running and not self._running[-1].hides(place):
            self._running[-1].exposed.setdefault(place, []).append(reader)
        return self.of(place)

    def write(self, place: Place, writers: Writers, *, keeps: bool = False) -> None:
        """Note who wrote a place; ``keeps``: what it held before may be there still."""
        if self._running:
            running = self._running[-1]
            if place not in running.before:
                running.before[place] = self.of(place)
                if keeps:
                    running.keeping.add(place)
            if not keeps:
                running.keeping.discard(place)
        self._last[place] = writers

    def declare(self, place: Place, writers: Writers) -> None:
        """Note who gave a place its first value; nothing knows it behind the scope that is run."""
        self.write(place, writers)
        if self._running:
            self._running[-1].own.add(place)

    def enter(self) -> None:
        """Enter a scope that is run perhaps, or repeatedly."""
        self._running.append(_Running())

    def leave(self) -> Arm:
        """Leave the scope entered last; it is as if it had not been run."""
        left = self._running.pop()
        written = {}
        for place, writers in left.before.items():
            if place not in left.own:
                written[place] = self.of(place)
            self._last[place] = writers
        return Arm(written, left.keeping, left.exposed)

    def join(self, arms: Sequence[Arm], around: int, *, is_skipped: bool) -> None:
        """Go on behind scopes of which one was run; ``is_skipped``: or none."""
        for arm in arms:
            self._expose(arm)
        for place in dict.fromkeys(chain.from_iterable([arm.written for arm in arms])):
            before = self.of(place)
            found = [arm.written.get(place, before) for arm in arms]
            found += [before] if is_skipped else []
            keeps = all(place in arm.keeping for arm in arms if place in arm.written)
            self._merge(place, chain.from_iterable(found), around, keeps=keeps)

    def repeat(self, arm: Arm, around: int) -> list[Carried]:
        """Go on behind a scope that was run any number of times; return what it carried over."""
        carried = [
            Carried(writer, reader, place)
            for place, writers in arm.written.items()
            for reader in arm.exposed.get(place, ())
            for writer in writers
        ]
        self._expose(arm)
        for place, writers in arm.written.items():
            keeps = place in arm.keeping
            before = () if keeps else self.of(place)
            self._merge(place, (*before, *writers), around, keeps=keeps)
        return carried

    def _merge(self, place: Place, found: Iterable[int], around: int, *, keeps: bool) -> None:
        writers = tuple(dict.fromkeys(found))
        self.write(place, writers if len(writers) <= MOST_WRITERS else (around,), keeps=keeps)

    def _expose(self, arm: Arm) -> None:
        """Let the scope around know who reads what was there before both; the smaller is moved."""
        if not self._running:
            return
        outer = self._running[-1]
        inner = arm.exposed
        for place in outer.before if len(outer.before) < len(inner) else list(inner):
            if outer.hides(place):
                inner.pop(place, None)
        less, more = sorted([inner, outer.exposed], key=len)
        for place, readers in less.items():
            fewer, all_ = sorted([readers, more.get(place, [])], key=len)
            more[place] = all_
            all_ += fewer
        outer.exposed = more
