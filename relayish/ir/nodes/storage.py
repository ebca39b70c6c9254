"""Pickling and copying of programs of any depth.

``pickle`` and ``copy`` recurse over what an object holds. A node therefore hands ``pickle`` the
list of everything below it, children first: each is saved when what it holds is in pickle's memo
already, so that nesting stays shallow and what is shared, also with other objects of the same
pickle, stays shared.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final, TypeAlias

from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import Traversal


class _Stored(Traversal):
    """Follows inferred types as well: they are part of a node, if not of the program's meaning."""

    def fields(self, kind: type[Node]) -> list[Any]:  # Any: Field, whose import would be for this
        return [f for f in kind.fields_ if f.kind is not None]


_STORED: Final = _Stored(Node)

Interning: TypeAlias = Callable[[Any], tuple[Callable[..., Node], tuple[object, ...]]]
"""Gives for a node the function that finds it, and what that takes.  Any: a node of one kind"""

INTERNED: Final[KindTable[Interning | None]] = KindTable(
    "interning", "relayish.ir.nodes.storage.INTERNED", {Node: None}
)
"""Interning (hash consing), by kind: what finds the one node of a name, and what that takes.

``None`` where there may be several. Such a node is its own copy, and pickled by its name."""


def intern(node: Node) -> Node:
    """Return the one node of the name that ``node`` has, or ``node`` where there may be several."""
    interning = INTERNED[type(node)]
    if interning is None:
        return node
    find, arguments = interning(node)
    return find(*arguments)


class _BeingSaved(threading.local):
    """The nodes whose children the pickle in progress on this thread has saved."""

    def __init__(self) -> None:
        self.nodes: set[Node] = set()


_being_saved = _BeingSaved()


class _ChildrenFirst:
    """Pickles as a list of all nodes below one, children first.

    Pickles take some items ahead of saving them. So the nodes count as being saved until the mark
    at the end of the list is saved, or, where an error ends the pickle, until this is freed.
    """

    __slots__ = ("_being_saved", "_entered", "_root")

    def __init__(self, root: Node) -> None:
        self._root = root
        self._being_saved = _being_saved.nodes
        self._entered: set[Node] = set()

    def __reduce__(self) -> tuple[type, tuple[()], None, Iterator[Node | _End]]:
        return list, (), None, self._nodes()

    def _nodes(self) -> Iterator[Node | _End]:
        for node in _STORED.post_order(self._root)[:-1]:
            if node not in self._being_saved:
                self._being_saved.add(node)
                self._entered.add(node)
            yield node
        yield _End(self)

    def leave(self) -> None:
        self._being_saved.difference_update(self._entered)
        self._entered.clear()

    __del__ = leave


class _End:
    """Stands at the end of a list of nodes; pickles as an empty tuple."""

    __slots__ = ("_nodes",)

    def __init__(self, nodes: _ChildrenFirst) -> None:
        self._nodes = nodes

    def __reduce__(self) -> tuple[type, tuple[()]]:
        self._nodes.leave()
        return tuple, ()


def _reduce(self: Node, _protocol: int = 2) -> tuple[Callable[..., Node], tuple[object, ...]]:
    kind = type(self)
    interning = INTERNED[kind]
    if interning is not None:
        return interning(self)
    values = tuple(getattr(self, f.name) for f in kind.fields_)
    if self in _being_saved.nodes or _STORED.push[kind] is None:
        return kind, values
    return _restore_after, (_ChildrenFirst(self), kind, *values)


def _restore_after(_below: list[Node], kind: type[Node], *values: object) -> Node:
    return kind(*values)


def _copy(self: Node) -> Node:
    if INTERNED[type(self)] is not None:
        return self
    return type(self)(*(getattr(self, f.name) for f in self.fields_))


def _deepcopy(self: Node, memo: dict[int, object]) -> Node:
    """Return a copy of everything below ``self``, sharing what ``self`` shares; arrays stay."""
    images = memo.setdefault(
        id(_STORED), {}
    )  # of all nodes copied so far, whose ids it keeps taken
    assert isinstance(images, dict)
    get = images.get
    stack: list[Node | None] = [self]
    pop, append = stack.pop, stack.append
    while stack:
        node = pop()
        if node is None:
            node = pop()
            assert node is not None
            images[node] = memo[id(node)] = _copy_over(node, get)
        elif node in images:
            continue
        elif id(node) in memo:
            images[node] = memo[id(node)]
        else:
            append(node)
            append(None)
            push = _STORED.push[type(node)]
            if push is not None:
                push(node, images, append)
    copied = images[self]
    assert isinstance(copied, Node)
    return copied


def _copy_over(node: Node, get: Callable[[Any, Any], Any]) -> Node:  # Any: nodes and tuples
    if INTERNED[type(node)] is not None:
        return node
    values = []
    for declared in node.fields_:
        value = getattr(node, declared.name)
        if declared.holds_many:
            value = tuple(get(item, item) for item in value)
        elif declared.kind is not None:
            value = get(value, value)
        values.append(value)
    return type(node)(*values)


def _install() -> None:
    """Give every node class the methods by which ``pickle`` and ``copy`` ask."""
    for name, method in {
        "__reduce_ex__": _reduce,
        "__copy__": _copy,
        "__deepcopy__": _deepcopy,
    }.items():
        setattr(Node, name, method)


_install()
