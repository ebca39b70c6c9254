"""A persistent hash map whose versions cost Python's garbage collector no more than their nodes.

Maps of ``pyrsistent`` are traversed whole by each collection, once for each version that is alive:
that is quadratic where a walk keeps a version for each level of a deep program.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
D = TypeVar("D")


class PersistentMap(Generic[K, V]):
    """A map that is never changed: :meth:`set` returns another one, which shares most with it.

    Complexity:
        Logarithmic, to the base of 16, in the number of keys.

    Example:
        >>> empty = PersistentMap()
        >>> one = empty.set("a", 1)
        >>> empty.get("a"), one.get("a"), one.discard("a").get("a")
        (None, 1, None)
    """

    __slots__ = ("_root",)

    def __init__(self, items: Iterable[tuple[K, V]] = ()) -> None:
        self._root: Any = {}  # Any: a tuple of 16 such, or a dictionary of some keys
        for key, value in items:
            self._root = _set(self._root, key, value)

    def get(self, key: K, default: D | None = None) -> V | D | None:
        """Return the value of ``key``, ``default`` if there is none."""
        node, code = self._root, _code(key)
        while type(node) is tuple:
            node, code = node[code & 15], code >> 4
        found: V | D | None = node.get(key, default)
        return found

    def set(self, key: K, value: V) -> PersistentMap[K, V]:
        """Return the map in which ``key`` has ``value``."""
        return _of(_set(self._root, key, value))

    def update(self, items: Iterable[tuple[K, V]]) -> PersistentMap[K, V]:
        """Return the map in which keys have new values."""
        root = self._root
        for key, value in items:
            root = _set(root, key, value)
        return _of(root)

    def discard(self, key: K) -> PersistentMap[K, V]:
        """Return the map without ``key``."""
        path: list[tuple[tuple[Any, ...], int]] = []  # Any: as above
        node, code = self._root, _code(key)
        while type(node) is tuple:
            path.append((node, code & 15))
            node, code = node[code & 15], code >> 4
        if key not in node:
            return self
        node = {other: value for other, value in node.items() if other != key}
        for branch, index in reversed(path):
            node = (*branch[:index], node, *branch[index + 1 :])
        return _of(node)


def _of(root: Any) -> PersistentMap[Any, Any]:  # Any: a root, of a map of any keys and values
    made: PersistentMap[Any, Any] = PersistentMap.__new__(PersistentMap)
    made._root = root  # noqa: SLF001 - a class of this module
    return made


def _set(root: Any, key: Hashable, value: object) -> Any:  # Any: a root
    path: list[tuple[tuple[Any, ...], int]] = []
    node, code = root, _code(key)
    while type(node) is tuple:
        path.append((node, code & 15))
        node, code = node[code & 15], code >> 4
    node = {**node, key: value}
    if len(node) > _MOST and len(path) < _LEVELS:
        node = _split(node, 4 * len(path))
    for branch, index in reversed(path):
        node = (*branch[:index], node, *branch[index + 1 :])
    return node


def _split(items: dict[Hashable, object], shift: int) -> tuple[dict[Hashable, object], ...]:
    parts: tuple[dict[Hashable, object], ...] = tuple([{} for _ in range(16)])
    for key, value in items.items():
        parts[_code(key) >> shift & 15][key] = value
    return parts


def _code(key: Hashable) -> int:
    """Return a number whose low bits differ where those of hashes, as of addresses, do not."""
    code = hash(key) * _FACTOR & _MASK
    return code ^ code >> 32


_MOST: Final = 8
_LEVELS: Final = 12
_FACTOR: Final = 0x9E3779B97F4A7C15
_MASK: Final = (1 << 64) - 1
