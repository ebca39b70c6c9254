"""A persistent hash map: what is known at a point, of which an analysis keeps one for each.

Maps of ``pyrsistent`` are traversed whole by each collection of Python's garbage, once for each
version that is alive: that is quadratic where a walk keeps a version for each level of a deep
program. They also join and compare by going through all keys.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from operator import eq
from typing import Any, Final, TypeAlias, TypeVar, overload

from relayish._support.hash_trie import (
    ABSENT,
    EMPTY,
    Absent,
    Leaf,
    Node,
    branches,
    code_of,
    find,
    from_leaf,
    holds,
    insert,
    leaves,
    rebuilt,
    remove,
    size,
)

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
D = TypeVar("D")

Keep: TypeAlias = bool | Callable[[V], V | Absent]

__all__ = ["ABSENT", "Absent", "PersistentMap"]


class PersistentMap(Mapping[K, V]):
    """A map that is never changed: :meth:`set` returns another one, which shares most with it.

    Each operation returns ``self``, the same object, where it changes nothing; values are the same
    if they are one object. Maps are equal if their keys and values are, and hash accordingly.

    Iterating goes by hash, and is the same for maps that came about in the same way.

    Complexity:
        Logarithmic, to the base of 16, in the number of keys. What takes another persistent map
        costs as much as the two do not share. ``len`` is linear the first time it is asked for.

    Example:
        >>> empty = PersistentMap()
        >>> one = empty.set("a", 1)
        >>> empty.get("a"), one.get("a"), one.discard("a").get("a")
        (None, 1, None)
        >>> one.set("a", 1) is one, one["a"], len(one), one == {"a": 1}
        (True, 1, 1, True)
    """

    __slots__ = ("_hashed", "_length", "root")

    root: Node
    """The trie that holds keys and values."""
    _length: int  # not set until it is asked for, as is the next
    _hashed: int

    def __init__(self, items: Iterable[tuple[K, V]] | Mapping[K, V] = ()) -> None:
        self.root = _root_of(items)

    def __getitem__(self, key: K) -> V:
        found: V | Absent = find(self.root, key)
        if found is ABSENT:
            raise KeyError(key)
        return found

    @overload
    def get(self, key: K, default: None = None) -> V | None: ...
    @overload
    def get(self, key: K, default: D) -> V | D: ...
    def get(self, key: K, default: object = None) -> object:
        """Return the value of ``key``, ``default`` if there is none."""
        node = self.root
        if type(node) is tuple:
            code = code_of(key)
            while type(node) is tuple:
                node, code = node[code & 15], code >> 4
        return node.get(key, default)

    def __contains__(self, key: object) -> bool:
        return holds(self.root, key, 0)

    def __iter__(self) -> Iterator[K]:
        for leaf in leaves(self.root):
            yield from leaf

    def __len__(self) -> int:
        try:
            return self._length
        except AttributeError:
            self._length = size(self.root)
            return self._length

    def __bool__(self) -> bool:
        return self.root is not EMPTY

    def __hash__(self) -> int:
        try:
            return self._hashed
        except AttributeError:
            self._hashed = hash(frozenset(self.items()))
            return self._hashed

    def __repr__(self) -> str:
        return f"PersistentMap({dict(self)!r})" if self else "PersistentMap()"

    def __reduce__(self) -> tuple[Any, ...]:  # Any: what pickle takes
        return PersistentMap, (dict(self),)

    def set(self, key: K, value: V) -> PersistentMap[K, V]:
        """Return the map in which ``key`` has ``value``."""
        root = insert(self.root, key, value)
        return self if root is self.root else _of(root)

    def update(self, items: Iterable[tuple[K, V]] | Mapping[K, V]) -> PersistentMap[K, V]:
        """Return the map in which keys have new values."""
        if isinstance(items, PersistentMap):
            return self._with_root(_merge(self.root, items.root, _take_second, True, True))
        given, root = dict(items), self.root
        if root is EMPTY or len(given) > _ONE_BY_ONE:
            return self._with_root(_merge(root, from_leaf(given), _take_second, True, True))
        for key, value in given.items():
            root = insert(root, key, value)
        return self._with_root(root)

    def discard(self, key: K) -> PersistentMap[K, V]:
        """Return the map without ``key``."""
        return self._with_root(remove(self.root, key))

    def merge(
        self,
        other: PersistentMap[K, V],
        combine: Callable[[V, V], V | Absent],
        *,
        keep_left: Keep[V] = True,
        keep_right: Keep[V] = True,
    ) -> PersistentMap[K, V]:
        """Return the map of what ``combine`` makes of the values of each key.

        Args:
            other: The map whose values are second operands.
            combine: Called for keys that both have, if their values are not the same object: it
                has to be idempotent. Returns ``ABSENT`` for keys that are to be left out.
            keep_left: Whether keys that only ``self`` has are kept, with their values; or what
                returns what their values become, as ``combine`` does.
            keep_right: The same, of keys that only ``other`` has.

        Returns:
            ``self`` if its keys and values are the result.

        Complexity:
            Parts that are the same object in both are not gone through; nor are those that only
            one of them has, if they are kept or left out as they are.

        Example:
            >>> a, b = PersistentMap({"x": 1, "y": 2}), PersistentMap({"y": 3, "z": 4})
            >>> a.merge(b, max) == {"x": 1, "y": 3, "z": 4}
            True
            >>> a.merge(b, max, keep_left=False, keep_right=False)
            PersistentMap({'y': 3})
        """
        return self._with_root(_merge(self.root, other.root, combine, keep_left, keep_right))

    def relates(
        self,
        other: PersistentMap[K, V],
        holds: Callable[[V, V], bool],
        *,
        keep_left: bool = False,
        keep_right: bool = False,
    ) -> bool:
        """Return whether ``holds`` says so of the values of each key.

        Args:
            other: The map whose values are second operands.
            holds: Called for keys that both have, if their values are not the same object: it
                has to be reflexive.
            keep_left: Whether ``self`` may have keys that ``other`` lacks.
            keep_right: Whether ``other`` may have keys that ``self`` lacks.

        Complexity:
            As of :meth:`merge`, but for stopping at the first for which it does not hold.
        """
        return _relates(self.root, other.root, holds, keep_left, keep_right)

    def changes(self, other: PersistentMap[K, V]) -> Iterator[tuple[K, V, V]]:
        """Yield each key that both have with its values, where these are not the same object.

        Complexity:
            As of :meth:`merge`.

        Example:
            >>> before = PersistentMap({"x": 1, "y": 2})
            >>> list(before.changes(before.set("y", 3).set("z", 4)))
            [('y', 2, 3)]
        """
        pending = [(self.root, other.root, 0)]
        while pending:
            a, b, level = pending.pop()
            if a is b or a is EMPTY or b is EMPTY:
                continue
            if not type(a) is type(b) is dict:
                pending += [(x, y, level + 1) for x, y in zip(*branches(a, b, level), strict=True)]
                continue
            for key, x in a.items():
                y = b.get(key, ABSENT)
                if y is not ABSENT and y is not x:
                    yield key, x, y

    def __eq__(self, other: object) -> bool:
        if isinstance(other, PersistentMap):
            return _relates(self.root, other.root, eq, False, False)
        return dict(self) == other if isinstance(other, Mapping) else NotImplemented

    def _with_root(self, root: Node) -> PersistentMap[K, V]:
        return self if root is self.root else _of(root)


def _of(root: Node) -> PersistentMap[Any, Any]:  # Any: keys and values of any types
    made: PersistentMap[Any, Any] = _new(PersistentMap)
    made.root = root
    return made


def _root_of(items: Iterable[tuple[Any, Any]] | Mapping[Any, Any]) -> Node:  # Any: as above
    return items.root if isinstance(items, PersistentMap) else from_leaf(dict(items))


def _merge(
    a: Node,
    b: Node,
    combine: Callable[[Any, Any], Any],  # Any: values of any type
    keep_left: Keep[Any],  # Any: as above
    keep_right: Keep[Any],  # Any: as above
    level: int = 0,
) -> Node:
    if a is b:
        return a
    if a is EMPTY:
        return _kept(b, keep_right, level)
    if b is EMPTY:
        return _kept(a, keep_left, level)
    if type(a) is type(b) is dict:
        return from_leaf(_merge_leaves(a, b, combine, keep_left, keep_right), level)
    xs, ys = branches(a, b, level)
    parts = [
        _merge(x, y, combine, keep_left, keep_right, level + 1) for x, y in zip(xs, ys, strict=True)
    ]
    return rebuilt(parts, (a, xs), (b, ys))


def _merge_leaves(
    a: Leaf,
    b: Leaf,
    combine: Callable[[Any, Any], Any],  # Any: as above
    keep_left: Keep[Any],  # Any: as above
    keep_right: Keep[Any],  # Any: as above
) -> Leaf:
    made = {}
    is_a = is_b = True
    for key, x in a.items():
        y = b.get(key, ABSENT)
        value = _alone(x, keep_left) if y is ABSENT else x if x is y else combine(x, y)
        is_a &= value is x
        is_b &= value is y
        if value is not ABSENT:
            made[key] = value
    for key, y in b.items():
        if key in a:
            continue
        value = _alone(y, keep_right)
        is_a &= value is ABSENT
        is_b &= value is y
        if value is not ABSENT:
            made[key] = value
    return a if is_a else b if is_b else made


def _alone(value: Any, keep: Keep[Any]) -> Any:  # Any: as above
    """Return what the value of a key becomes that only one of two maps has."""
    if isinstance(keep, bool):
        return value if keep else ABSENT
    return keep(value)


def _kept(node: Node, keep: Keep[Any], level: int) -> Node:  # Any: as above
    """Return what a part becomes that only one of two maps has."""
    if isinstance(keep, bool):
        return node if keep else EMPTY
    if type(node) is dict:
        return from_leaf(_merge_leaves(node, EMPTY, _take_second, keep, keep), level)
    parts = [_kept(part, keep, level + 1) for part in node]
    return rebuilt(parts, (node, node))


def _relates(
    a: Node,
    b: Node,
    holds: Callable[[Any, Any], bool],  # Any: as above
    keep_left: bool,
    keep_right: bool,
    level: int = 0,
) -> bool:
    if a is b:
        return True
    if a is EMPTY:
        return keep_right
    if b is EMPTY:
        return keep_left
    if type(a) is type(b) is dict:
        return _leaves_relate(a, b, holds, keep_left, keep_right)
    xs, ys = branches(a, b, level)
    return all(
        _relates(x, y, holds, keep_left, keep_right, level + 1) for x, y in zip(xs, ys, strict=True)
    )


def _leaves_relate(
    a: Leaf,
    b: Leaf,
    holds: Callable[[Any, Any], bool],  # Any: as above
    keep_left: bool,
    keep_right: bool,
) -> bool:
    for key, x in a.items():
        y = b.get(key, ABSENT)
        if x is y:
            continue
        if not (keep_left if y is ABSENT else holds(x, y)):
            return False
    return keep_right or b.keys() <= a.keys()


def _take_second(_first: object, second: object) -> object:
    return second


_ONE_BY_ONE: Final = 64
_new: Final = object.__new__
