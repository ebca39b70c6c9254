"""A hash trie of 16 ways, whose leaves are dictionaries: what persistent maps and sets are made of.

A node is a tuple of 16 nodes, or a dictionary of a few keys; none is ever changed. Functions here
take roots and return roots, and leave out of a walk whatever two tries share: what changes nothing
returns the same object, and merging and comparing cost as much as there is difference.

Leaves are dictionaries because theirs is the one copy that CPython makes fast. Nodes are plain
tuples and dictionaries, so Python's garbage collector goes once through what versions share.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from enum import Enum
from operator import is_
from typing import Any, Final, TypeAlias

Leaf: TypeAlias = dict[Any, Any]  # Any: keys and values of any types
Node: TypeAlias = Any  # a leaf, or a tuple of 16 nodes: a type that mypy would ask for at each use

EMPTY: Final[Leaf] = {}
"""The trie that holds nothing. It is never changed."""
MOST: Final = 16
"""How many keys a leaf holds. A dictionary has room for 10, then for 20: most of it is used."""


class Absent(Enum):
    """What stands for the value of a key that has none."""

    ABSENT = "ABSENT"


ABSENT: Final = Absent.ABSENT


def find(root: Node, key: Hashable, default: Any = ABSENT) -> Any:  # Any: a value
    """Return the value of ``key``, ``default`` if there is none."""
    if type(root) is tuple:
        code = code_of(key)
        while type(root) is tuple:
            root, code = root[code & 15], code >> 4
    return root.get(key, default)


def holds(node: Node, key: Hashable, level: int) -> bool:
    """Return whether a part of a trie, which hangs ``level`` nodes below the root, has ``key``."""
    if type(node) is tuple:
        code = code_of(key) >> 4 * level
        while type(node) is tuple:
            node, code = node[code & 15], code >> 4
    return key in node


def insert(root: Node, key: Hashable, value: object, level: int = 0) -> Node:
    """Return the trie in which ``key`` has ``value``; ``root`` if it has that very object.

    ``level`` says how many nodes below the root it hangs, if it is a part of one.
    """
    if type(root) is dict:
        if root.get(key, ABSENT) is value:
            return root
        return from_leaf({**root, key: value}, level)
    path: list[tuple[tuple[Node, ...], int]] = []
    node, code = root, code_of(key) >> 4 * level
    while type(node) is tuple:
        index = code & 15
        path.append((node, index))
        node, code = node[index], code >> 4
    if node.get(key, ABSENT) is value:
        return root
    node = {**node, key: value}
    if len(node) > MOST:
        node = from_leaf(node, level + len(path))
    for branch, index in reversed(path):
        changed = list(branch)
        changed[index] = node
        node = tuple(changed)
    return node


def remove(root: Node, key: Hashable) -> Node:
    """Return the trie without ``key``; ``root`` if it has none."""
    path: list[tuple[tuple[Node, ...], int]] = []
    node = root
    if type(node) is tuple:
        code = code_of(key)
        while type(node) is tuple:
            index = code & 15
            path.append((node, index))
            node, code = node[index], code >> 4
    if key not in node:
        return root
    node = node.copy()
    del node[key]
    if not node:
        node = EMPTY
    for branch, index in reversed(path):
        changed = list(branch)
        changed[index] = node
        node = tuple(changed) if node else packed(changed)
    return node


def leaves(root: Node) -> Iterator[Leaf]:
    """Yield the leaves that hold something."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if type(node) is tuple:
            waiting.extend(reversed(node))
        elif node:
            yield node


def size(root: Node) -> int:
    """Return the number of keys. Linear."""
    return sum(map(len, leaves(root)))


def is_of_size(root: Node, count: int) -> bool:
    """Return whether there are ``count`` keys. Linear in that."""
    for leaf in leaves(root):
        count -= len(leaf)
        if count < 0:
            return False
    return count == 0


def size_change(before: Node, after: Node) -> int:
    """Return by how many keys a trie has grown. Linear in the nodes that the two do not share."""
    grown, waiting = 0, [(before, after)]
    while waiting:
        a, b = waiting.pop()
        if a is b:
            continue
        if type(a) is tuple is type(b):
            waiting.extend(zip(a, b, strict=True))
        else:
            grown += size(b) - size(a)
    return grown


def from_leaf(leaf: Leaf, level: int = 0) -> Node:
    """Return the trie of the keys of ``leaf``, which hangs ``level`` nodes below the root."""
    if len(leaf) <= MOST or level >= _LEVELS:
        return leaf or EMPTY
    return tuple([from_leaf(part, level + 1) for part in split(leaf, level)])


def split(leaf: Leaf, level: int) -> list[Leaf]:
    """Return the 16 parts of what ``leaf`` holds."""
    parts = [EMPTY] * 16
    shift = 4 * level
    for key, value in leaf.items():
        index = code_of(key) >> shift & 15
        if parts[index]:
            parts[index][key] = value
        else:
            parts[index] = {key: value}
    return parts


def branches(a: Node, b: Node, level: int) -> tuple[Sequence[Node], Sequence[Node]]:
    """Return the 16 parts of two tries, which hang ``level`` nodes below the root."""
    return (
        a if type(a) is tuple else split(a, level),
        b if type(b) is tuple else split(b, level),
    )


def rebuilt(parts: list[Node], *known: tuple[Node, Sequence[Node]]) -> Node:
    """Return the trie of ``parts``: the first of ``known`` ones that has these very parts."""
    for node, its_parts in known:
        if all(map(is_, parts, its_parts)):
            return node
    return packed(parts)


def packed(parts: Sequence[Node]) -> Node:
    """Return the trie of ``parts``; a leaf if they hold very little."""
    held = 0
    for part in parts:
        if type(part) is tuple:
            return tuple(parts)
        held += len(part)
        if held > _FEW:
            return tuple(parts)
    if not held:
        return EMPTY
    return {key: value for part in parts for key, value in part.items()}


def code_of(key: Hashable) -> int:
    """Return a number whose low bits differ where those of hashes, as of addresses, do not."""
    code = hash(key) * _FACTOR & _MASK
    return code ^ code >> 32


_FEW: Final = 8  # less than MOST, lest a trie be split and packed in turn
_LEVELS: Final = 12
_FACTOR: Final = 0x9E3779B97F4A7C15
_MASK: Final = (1 << 64) - 1
