"""Map lattices: a state of another lattice for each key."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeAlias, TypeVar

from relayish._support.persistent_map import ABSENT, Absent, PersistentMap
from relayish.dataflow.lattice.lattice import Lattice, checked_lattice
from relayish.dataflow.lattice.symbols import BOTTOM, TOP, Extreme
from relayish.errors import FieldError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Everywhere(Generic[V]):
    """The map in which every key, of however many there are, has one value: an extreme state.

    It can tell nothing else, so setting a key gives it back. If nothing is known of any key that
    only says less; and where nothing has come yet, nothing comes by that.
    """

    __slots__ = ("value",)

    def __init__(self, value: V) -> None:
        self.value = value

    def get(self, _key: object, _default: object = None) -> V:
        """Return the value."""
        return self.value

    def __getitem__(self, _key: object) -> V:
        return self.value

    def __contains__(self, _key: object) -> bool:
        return True

    __iter__ = None  # it has no end

    def set(self, _key: object, _value: object) -> Everywhere[V]:
        """Return it."""
        return self

    def update(self, _items: object) -> Everywhere[V]:
        """Return it."""
        return self

    def discard(self, _key: object) -> Everywhere[V]:
        """Return it."""
        return self

    def __eq__(self, other: object) -> bool:
        return self.value == other.value if isinstance(other, Everywhere) else NotImplemented

    def __hash__(self) -> int:
        return hash((Everywhere, self.value))

    def __repr__(self) -> str:
        return f"Everywhere({self.value!r})"


MapState: TypeAlias = PersistentMap[K, V] | Everywhere[V]


class MapLattice(Lattice[MapState[K, V]], Generic[K, V]):
    """The lattice of maps, pointwise: environments, from variables to what is known of them.

    States are persistent maps. A key that is absent has the bottom of ``values``, or the top where
    ``default`` says so, and that is never stored: write to states with :meth:`set`, which sees to
    it, and read them with :meth:`get`. ``default=TOP`` suits what has to hold on all paths:
    joining drops the keys that only one state has.

    The extreme state at the other end, in which every key has the other extreme, is a symbol: see
    :class:`Everywhere`.

    Args:
        values: The lattice of values.
        default: ``BOTTOM`` or ``TOP``.

    Complexity:
        Of all operations: linear in the difference of the two states, times its logarithm.

    Example:
        >>> from relayish.dataflow.lattice.flat import Flat
        >>> constants = MapLattice(Flat())
        >>> a, b = constants.of({"x": 1, "y": 2}), constants.of({"y": 3})
        >>> constants.join(a, b) == {"x": 1, "y": TOP}, constants.get(a, "z")
        (True, BOTTOM)
        >>> MapLattice(Flat(), default=TOP).join(a, a.set("y", 3))
        PersistentMap({'x': 1})
    """

    def __init__(self, values: Lattice[V], default: Extreme = BOTTOM) -> None:
        if not isinstance(default, Extreme):
            raise FieldError(
                f"MapLattice was given {default!r} as default; expected BOTTOM or TOP, which say "
                f"what keys have that are absent"
            )
        self.values = checked_lattice(values, "MapLattice(Flat())")
        self.default: V = values.bottom if default is BOTTOM else values.top
        self.finite_height = values.finite_height
        nothing: MapState[K, V] = PersistentMap()
        self._is_top = default is TOP
        other: MapState[K, V] = Everywhere(values.bottom if self._is_top else values.top)
        self.bottom: MapState[K, V] = other if self._is_top else nothing
        self.top: MapState[K, V] = nothing if self._is_top else other

    def of(self, items: Mapping[K, V] | Iterable[tuple[K, V]]) -> PersistentMap[K, V]:
        """Return the state with some values."""
        pairs = items.items() if isinstance(items, Mapping) else items
        return PersistentMap([(key, value) for key, value in pairs if not self._is_default(value)])

    def get(self, state: MapState[K, V], key: K) -> V:
        """Return the value of ``key``."""
        return state.get(key, self.default)

    def set(self, state: MapState[K, V], key: K, value: V) -> MapState[K, V]:
        """Return the state in which ``key`` has ``value``; the same one if it had that."""
        if self._is_default(value):
            return state.discard(key)
        known = state.get(key, self.default)
        return state if self.values.equal(known, value) else state.set(key, value)

    def join(self, a: MapState[K, V], b: MapState[K, V]) -> MapState[K, V]:
        return self._upwards(self.values.join, a, b)

    def widen(self, old: MapState[K, V], new: MapState[K, V]) -> MapState[K, V]:
        return self._upwards(self.values.widen, old, new)

    def meet(self, a: MapState[K, V], b: MapState[K, V]) -> MapState[K, V]:
        if isinstance(a, Everywhere):
            return a if self._is_top else b
        if isinstance(b, Everywhere):
            return b if self._is_top else a
        if self._is_top:
            return a.merge(b, self.values.meet)
        meet = self._canonical(self.values.meet)
        return a.merge(b, meet, keep_left=False, keep_right=False)

    def narrow(self, old: MapState[K, V], new: MapState[K, V]) -> MapState[K, V]:
        if isinstance(old, Everywhere) or isinstance(new, Everywhere):
            return new
        narrow = self._canonical(self.values.narrow)
        default = self.default
        if self._is_top:
            return old.merge(new, narrow, keep_right=lambda value: narrow(default, value))
        return old.merge(
            new, narrow, keep_left=lambda value: narrow(value, default), keep_right=False
        )

    def leq(self, a: MapState[K, V], b: MapState[K, V]) -> bool:
        if isinstance(a, Everywhere):
            return self._is_top or isinstance(b, Everywhere)
        if isinstance(b, Everywhere):
            return not self._is_top
        is_top = self._is_top
        return a.relates(b, self.values.leq, keep_left=is_top, keep_right=not is_top)

    def equal(self, a: MapState[K, V], b: MapState[K, V]) -> bool:
        if isinstance(a, Everywhere) or isinstance(b, Everywhere):
            return isinstance(a, Everywhere) and isinstance(b, Everywhere)
        return a.relates(b, self.values.equal)

    def _upwards(
        self, combine: Callable[[V, V], V], a: MapState[K, V], b: MapState[K, V]
    ) -> MapState[K, V]:
        """Return what is above both, by what is for values: their join or widening."""
        if isinstance(a, Everywhere):
            return b if self._is_top else a
        if isinstance(b, Everywhere):
            return a if self._is_top else b
        if not self._is_top:
            return a.merge(b, combine)
        return a.merge(b, self._canonical(combine), keep_left=False, keep_right=False)

    def _canonical(self, combine: Callable[[V, V], V]) -> Callable[[V, V], V | Absent]:
        """Return what leaves out the default."""

        def combined(x: V, y: V) -> V | Absent:
            made = combine(x, y)
            return ABSENT if self._is_default(made) else made

        return combined

    def _is_default(self, value: V) -> bool:
        return value is self.default or self.values.equal(value, self.default)

    def __repr__(self) -> str:
        return f"MapLattice({self.values!r}{', default=TOP' if self._is_top else ''})"
