"""Powerset lattices: sets of facts that may hold, and of facts that must hold."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Generic, TypeVar, overload

from relayish._support.persistent_set import PersistentSet
from relayish.dataflow.lattice.cofinite_set import UNIVERSE, AnySet, CofiniteSet
from relayish.dataflow.lattice.lattice import Lattice

E = TypeVar("E", bound=Hashable)


class Powerset(Lattice[AnySet[E]], Generic[E]):
    """The powerset lattice: facts that may hold, on some path. The join is a union.

    States are persistent sets. Bottom has no element; top is ``universe``, or the symbol
    ``UNIVERSE``, a set that has every element.

    Args:
        universe: All elements there are, where that is known. That states have no others is not
            looked at.

    Complexity:
        Of all operations: linear in the difference of the two states, times its logarithm.

    Example:
        >>> may = Powerset()
        >>> sorted(may.join(PersistentSet("ab"), PersistentSet("bc")))
        ['a', 'b', 'c']
        >>> may.meet(PersistentSet("ab"), PersistentSet("bc")), may.top
        (PersistentSet(['b']), UNIVERSE)
    """

    finite_height = True

    @overload
    def __init__(self: Powerset[Any], universe: None = None) -> None: ...  # Any: of whatever facts
    @overload
    def __init__(self, universe: Iterable[E]) -> None: ...
    def __init__(self, universe: Iterable[E] | None = None) -> None:
        self.universe: AnySet[E] = UNIVERSE if universe is None else PersistentSet(universe)
        self.bottom: AnySet[E] = PersistentSet()
        self.top = self.universe

    def join(self, a: AnySet[E], b: AnySet[E]) -> AnySet[E]:
        return _union(a, b)

    def meet(self, a: AnySet[E], b: AnySet[E]) -> AnySet[E]:
        return _intersection(a, b)

    def leq(self, a: AnySet[E], b: AnySet[E]) -> bool:
        return a is b or a <= b

    def is_state(self, given: object) -> bool:
        return isinstance(given, PersistentSet | CofiniteSet)

    def __repr__(self) -> str:
        name = type(self).__name__
        return f"{name}()" if self.universe is UNIVERSE else f"{name}({self.universe!r})"


class MustPowerset(Powerset[E], Generic[E]):
    """The dual powerset lattice: facts that must hold, on all paths. The join is an intersection.

    States are those of :class:`Powerset`. Bottom is ``universe`` or ``UNIVERSE``: where nothing has
    come yet, everything holds. Top has no element.

    Example:
        >>> must = MustPowerset()
        >>> must.join(PersistentSet("ab"), PersistentSet("bc")), must.bottom, must.top
        (PersistentSet(['b']), UNIVERSE, PersistentSet())
    """

    @overload
    def __init__(self: MustPowerset[Any], universe: None = None) -> None: ...  # Any: as above
    @overload
    def __init__(self, universe: Iterable[E]) -> None: ...
    def __init__(self, universe: Iterable[E] | None = None) -> None:
        super().__init__(universe)
        self.bottom, self.top = self.top, self.bottom

    def join(self, a: AnySet[E], b: AnySet[E]) -> AnySet[E]:
        return _intersection(a, b)

    def meet(self, a: AnySet[E], b: AnySet[E]) -> AnySet[E]:
        return _union(a, b)

    def leq(self, a: AnySet[E], b: AnySet[E]) -> bool:
        return a is b or b <= a


def _union(a: AnySet[E], b: AnySet[E]) -> AnySet[E]:
    if a is b:
        return a
    if type(a) is PersistentSet is type(b):
        return a.update(b)
    joined: AnySet[E] = a | b  # each knows the other
    return joined


def _intersection(a: AnySet[E], b: AnySet[E]) -> AnySet[E]:
    if a is b:
        return a
    if type(a) is PersistentSet is type(b):
        return a.intersection(b)
    met: AnySet[E] = a & b  # each knows the other
    return met
