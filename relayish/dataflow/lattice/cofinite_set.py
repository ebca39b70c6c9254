"""Cofinite sets: all there is but for some elements, whatever that is."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, Generic, TypeAlias, TypeVar

from relayish._support.persistent_set import PersistentSet

E = TypeVar("E", bound=Hashable)


class CofiniteSet(Generic[E]):
    """The complement of a persistent set; :data:`UNIVERSE` is that of the set of nothing.

    Finite and cofinite sets are closed under union, intersection and difference, so transfers that
    are written for sets also work where all facts hold. What cannot be done is go through it.

    Example:
        >>> rest = UNIVERSE.discard("a")
        >>> rest, "a" in rest, "b" in rest, rest & PersistentSet("a"), rest.add("a") is UNIVERSE
        (UNIVERSE - {'a'}, False, True, PersistentSet(), True)
    """

    __slots__ = ("excluded",)

    excluded: PersistentSet[E]
    """What is not in it."""

    def __new__(cls, excluded: Iterable[E] = ()) -> CofiniteSet[E]:
        return _all_but(PersistentSet(excluded))

    def __contains__(self, element: object) -> bool:
        return element not in self.excluded

    def __iter__(self) -> Iterator[E]:
        """Refuse: there is no end of what is in it, and nobody knows it all."""
        raise TypeError(
            f"{self!r} has everything but for what it names, so nobody can go through it; "
            f"go through its excluded, or ask whether something is in it"
        )

    def __hash__(self) -> int:
        return ~hash(self.excluded)

    def __repr__(self) -> str:
        without = ", ".join(map(repr, self.excluded))
        return f"UNIVERSE - {{{without}}}" if without else "UNIVERSE"

    def __reduce__(self) -> tuple[Any, ...]:  # Any: what pickle takes
        return CofiniteSet, (self.excluded,)

    def add(self, element: E) -> CofiniteSet[E]:
        """Return the set with ``element``."""
        return self._without(self.excluded.discard(element))

    def discard(self, element: E) -> CofiniteSet[E]:
        """Return the set without ``element``."""
        return self._without(self.excluded.add(element))

    def update(self, elements: AnySet[E] | Iterable[E]) -> CofiniteSet[E]:
        """Return the set with ``elements`` as well."""
        if isinstance(elements, CofiniteSet):
            return self._without(self.excluded.intersection(elements.excluded))
        return self._without(self.excluded.difference(elements))

    union = update

    def intersection(self, elements: AnySet[E] | Iterable[E]) -> AnySet[E]:
        """Return what is in ``elements`` as well."""
        if isinstance(elements, CofiniteSet):
            return self._without(self.excluded.update(elements.excluded))
        return PersistentSet(elements).difference(self.excluded)

    def difference(self, elements: AnySet[E] | Iterable[E]) -> AnySet[E]:
        """Return the set without ``elements``."""
        if isinstance(elements, CofiniteSet):
            return elements.excluded.difference(self.excluded)
        return self._without(self.excluded.update(elements))

    def isdisjoint(self, elements: AnySet[E] | Iterable[E]) -> bool:
        """Return whether nothing is in both."""
        if isinstance(elements, CofiniteSet):
            return False
        return all(element in self.excluded for element in elements)

    def __or__(self, other: Any) -> Any:  # Any: other sets say what they make of this one
        return self.update(other) if _is_set(other) else NotImplemented

    __ror__ = __or__

    def __and__(self, other: Any) -> Any:  # Any: as above
        return self.intersection(other) if _is_set(other) else NotImplemented

    def __rand__(self, other: AbstractSet[E]) -> AnySet[E]:
        return PersistentSet(other).difference(self.excluded)

    def __sub__(self, other: Any) -> Any:  # Any: as above
        return self.difference(other) if _is_set(other) else NotImplemented

    def __rsub__(self, other: AbstractSet[E]) -> PersistentSet[E]:
        return PersistentSet(other).intersection(self.excluded)

    def __le__(self, other: object) -> bool:
        if isinstance(other, CofiniteSet):
            return other.excluded <= self.excluded
        return False if isinstance(other, AbstractSet) else NotImplemented

    def __ge__(self, other: object) -> bool:
        if isinstance(other, CofiniteSet):
            return self.excluded <= other.excluded
        return self.excluded.isdisjoint(other) if isinstance(other, AbstractSet) else NotImplemented

    def __lt__(self, other: object) -> bool:
        return self <= other and self != other

    def __gt__(self, other: object) -> bool:
        return self >= other and self != other

    def __eq__(self, other: object) -> bool:
        if isinstance(other, CofiniteSet):
            return self.excluded == other.excluded
        return False if isinstance(other, AbstractSet) else NotImplemented

    def _without(self, excluded: PersistentSet[E]) -> CofiniteSet[E]:
        return self if excluded is self.excluded else _all_but(excluded)


AnySet: TypeAlias = PersistentSet[E] | CofiniteSet[E]
"""The states of :class:`.Powerset` and :class:`.MustPowerset`."""


def _all_but(excluded: PersistentSet[Any]) -> CofiniteSet[Any]:  # Any: elements of any type
    if not excluded:
        return UNIVERSE
    made: CofiniteSet[Any] = object.__new__(CofiniteSet)
    made.excluded = excluded
    return made


def _is_set(other: object) -> bool:
    return isinstance(other, CofiniteSet | AbstractSet)


UNIVERSE: Final[CofiniteSet[Any]] = object.__new__(CofiniteSet)  # Any: as above
"""The set of all there is."""
UNIVERSE.excluded = PersistentSet()
