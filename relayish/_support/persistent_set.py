"""A persistent hash set: a state of data-flow analyses, of which there is one for each point.

Why not others: a ``frozenset`` is copied whole by each change, which is quadratic where many
elements are alive at each of many points; a set of ``pyrsistent`` takes several times as long for
each change, compares and joins by going through all elements, and is traversed whole by Python's
garbage collector for each version that is alive. docs/adr/0014 has measurements.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeVar, final

from relayish._support.hash_trie import (
    EMPTY,
    MOST,
    Leaf,
    Node,
    branches,
    code_of,
    from_leaf,
    holds,
    insert,
    is_of_size,
    leaves,
    rebuilt,
    remove,
    size,
)

E = TypeVar("E", bound=Hashable)


@final
class PersistentSet(AbstractSet[E]):
    """A set that is never changed: operations return other ones, which share most with it.

    Each returns ``self``, the same object, where the result equals it. Equal, also by hash, to
    other immutable sets of the same elements.

    Iterating goes by hash, and is the same for sets that came about in the same way. Hashes of
    nodes are addresses: what is to be the same in another process has to be sorted.

    Complexity:
        ``in``, :meth:`add` and :meth:`discard` are logarithmic, to the base of 16. What takes
        another persistent set costs as much as the two do not share. ``len`` is linear the first
        time it is asked for after such an operation, else constant.

    Example:
        >>> few = PersistentSet("ab")
        >>> more = few.add("c")
        >>> sorted(more), sorted(few), sorted(more - few), few <= more
        (['a', 'b', 'c'], ['a', 'b'], ['c'], True)
        >>> more.discard("z") is more, more | few is more
        (True, True)
    """

    __slots__ = ("_hashed", "_length", "root")

    root: Node
    """The trie that holds the elements, each with the value ``None``."""
    _length: int  # -1 if it was not counted yet
    _hashed: int

    def __new__(cls, items: Iterable[E] = ()) -> PersistentSet[E]:
        """Return the set of ``items``: they themselves if they are such a set."""
        return items if type(items) is cls else _of(_root_of(items), -1)

    def __contains__(self, element: object) -> bool:
        node: Node = self.root
        if type(node) is tuple:
            code = code_of(element)
            while type(node) is tuple:
                node, code = node[code & 15], code >> 4
        return element in node

    def __iter__(self) -> Iterator[E]:
        for leaf in leaves(self.root):
            yield from leaf

    def __len__(self) -> int:
        if self._length < 0:
            self._length = size(self.root)
        return self._length

    def __bool__(self) -> bool:
        return self.root is not EMPTY

    def __hash__(self) -> int:
        try:
            return self._hashed
        except AttributeError:
            self._hashed = hash(frozenset(self))
            return self._hashed

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})" if self else f"{type(self).__name__}()"

    def __reduce__(self) -> tuple[Any, ...]:  # Any: what pickle takes
        return PersistentSet, (list(self),)

    def add(self, element: E) -> PersistentSet[E]:
        """Return the set with ``element``."""
        root = self.root
        if type(root) is dict and len(root) < MOST:
            if element in root:
                return self
            root = {**root, element: None}
        else:
            root = insert(root, element, None)
            if root is self.root:
                return self
        return _of(root, self._length + 1 if self._length >= 0 else -1)

    def discard(self, element: E) -> PersistentSet[E]:
        """Return the set without ``element``."""
        root = remove(self.root, element)
        return (
            self if root is self.root else _of(root, self._length - 1 if self._length > 0 else -1)
        )

    def update(self, elements: Iterable[E]) -> PersistentSet[E]:
        """Return the set with ``elements`` as well."""
        root = self.root
        if type(elements) in _SEQUENCES and len(elements) <= _ONE_BY_ONE:  # type: ignore[arg-type]
            for element in elements:
                root = insert(root, element, None)
            return self._with_root(root)
        return self._with_root(_union(root, _root_of(elements)))

    def difference(self, elements: Iterable[object]) -> PersistentSet[E]:
        """Return the set without ``elements``."""
        if type(elements) is PersistentSet:
            return self._with_root(_difference(self.root, elements.root))
        root = self.root
        for element in elements:
            root = remove(root, element)
        return self._with_root(root)

    union = update

    def intersection(self, elements: Iterable[object]) -> PersistentSet[E]:
        """Return what is in ``elements`` as well."""
        return self._with_root(_intersection(self.root, _root_of(elements)))

    def __or__(self, other: Any) -> Any:  # Any: other sets say what they make of this one
        return self.update(other) if _is_set(other) else NotImplemented

    def __and__(self, other: Any) -> Any:  # Any: as above
        return self.intersection(other) if _is_set(other) else NotImplemented

    def __sub__(self, other: Any) -> Any:  # Any: as above
        return self.difference(other) if _is_set(other) else NotImplemented

    def isdisjoint(self, other: Iterable[object]) -> bool:
        """Return whether nothing is in both."""
        if type(other) is PersistentSet:
            return _is_disjoint(self.root, other.root)
        return not any(element in self for element in other)

    def __le__(self, other: AbstractSet[object]) -> bool:
        if type(other) is PersistentSet:
            return _is_subset(self.root, other.root)
        if not isinstance(other, AbstractSet):
            return NotImplemented
        return all(element in other for element in self)

    def __ge__(self, other: AbstractSet[object]) -> bool:
        if type(other) is PersistentSet:
            return _is_subset(other.root, self.root)
        if not isinstance(other, AbstractSet):
            return NotImplemented
        return all(element in self for element in other)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(other) is PersistentSet:
            if self._length != other._length and self._length >= 0 and other._length >= 0:
                return False
            return _is_equal(self.root, other.root)
        if not isinstance(other, AbstractSet):
            return NotImplemented
        return len(self) == len(other) and self >= other

    def _with_root(self, root: Node) -> PersistentSet[E]:
        return self if root is self.root else _of(root, -1)


def _is_set(other: object) -> bool:
    return type(other) is PersistentSet or isinstance(other, AbstractSet)


def _of(root: Node, length: int) -> PersistentSet[Any]:  # Any: elements of any type
    if root is EMPTY:
        return _NOTHING
    made: PersistentSet[Any] = _new(PersistentSet)
    made.root = root
    made._length = length  # noqa: SLF001 - a class of this module
    return made


def _root_of(items: Iterable[Any]) -> Node:  # Any: as above
    if type(items) is PersistentSet:
        return items.root
    return from_leaf(dict.fromkeys(items))


def _union(a: Node, b: Node, level: int = 0) -> Node:
    if a is b or b is EMPTY:
        return a
    if a is EMPTY:
        return b
    if type(a) is type(b) is dict:
        if b.keys() <= a.keys():
            return a
        joined = {**a, **b}
        return b if len(joined) == len(b) else from_leaf(joined, level)
    if type(b) is dict:
        return _inserted(b, a, level)
    if type(a) is dict:
        joined = _inserted(a, b, level)
        return a if is_of_size(joined, len(a)) else joined
    xs, ys = branches(a, b, level)
    parts = [x if x is y else _union(x, y, level + 1) for x, y in zip(xs, ys, strict=True)]
    return rebuilt(parts, (a, xs), (b, ys))


def _inserted(leaf: Leaf, node: Node, level: int) -> Node:
    for key in leaf:
        node = insert(node, key, None, level)
    return node


def _intersection(a: Node, b: Node, level: int = 0) -> Node:
    if a is b or a is EMPTY:
        return a
    if b is EMPTY:
        return b
    if type(a) is dict:
        kept = {key: None for key in a if holds(b, key, level)}
        if len(kept) == len(a):
            return a
        return b if type(b) is dict and len(kept) == len(b) else kept or EMPTY
    if type(b) is dict:
        kept = {key: None for key in b if holds(a, key, level)}
        if is_of_size(a, len(kept)):
            return a
        return b if len(kept) == len(b) else kept or EMPTY
    xs, ys = branches(a, b, level)
    parts = [x if x is y else _intersection(x, y, level + 1) for x, y in zip(xs, ys, strict=True)]
    return rebuilt(parts, (a, xs), (b, ys))


def _difference(a: Node, b: Node, level: int = 0) -> Node:
    if a is b or a is EMPTY:
        return EMPTY
    if b is EMPTY:
        return a
    if type(a) is dict:
        kept = {key: None for key in a if not holds(b, key, level)}
        return a if len(kept) == len(a) else kept or EMPTY
    xs, ys = branches(a, b, level)
    parts = [EMPTY if x is y else _difference(x, y, level + 1) for x, y in zip(xs, ys, strict=True)]
    return rebuilt(parts, (a, xs))


def _is_subset(a: Node, b: Node, level: int = 0) -> bool:
    if a is b or a is EMPTY:
        return True
    if b is EMPTY:
        return False
    if type(a) is dict:
        return a.keys() <= b.keys() if type(b) is dict else _all_in(a, b, level)
    return all(
        x is y or _is_subset(x, y, level + 1) for x, y in zip(*branches(a, b, level), strict=True)
    )


def _is_disjoint(a: Node, b: Node, level: int = 0) -> bool:
    if a is EMPTY or b is EMPTY:
        return True
    if a is b:
        return False
    if type(a) is dict:
        return a.keys().isdisjoint(b) if type(b) is dict else _none_in(a, b, level)
    if type(b) is dict:
        return _none_in(b, a, level)
    return all(_is_disjoint(x, y, level + 1) for x, y in zip(*branches(a, b, level), strict=True))


def _is_equal(a: Node, b: Node, level: int = 0) -> bool:
    if a is b:
        return True
    if a is EMPTY or b is EMPTY:
        return False
    if type(a) is type(b) is dict:
        return bool(a.keys() == b.keys())
    return all(
        x is y or _is_equal(x, y, level + 1) for x, y in zip(*branches(a, b, level), strict=True)
    )


def _all_in(leaf: Leaf, node: Node, level: int) -> bool:
    return all(holds(node, key, level) for key in leaf)


def _none_in(leaf: Leaf, node: Node, level: int) -> bool:
    return not any(holds(node, key, level) for key in leaf)


_SEQUENCES: Final = frozenset({tuple, list})
_ONE_BY_ONE: Final = 8
_new: Final = object.__new__
_NOTHING: Final[PersistentSet[Any]] = _new(PersistentSet)  # Any: of any type
_NOTHING.root, _NOTHING._length = EMPTY, 0  # noqa: SLF001 - a class of this module
