"""Pickling and copying of programs of any depth.

``pickle`` and ``copy`` recurse over what an object holds. A node therefore hands ``pickle`` the
list of everything below it, children first: each is saved when what it holds is in pickle's memo
already, so that nesting stays shallow and what is shared, also with other objects of the same
pickle, stays shared.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, Final

from relayish.ir.expr import Op
from relayish.ir.node import Node
from relayish.ir.op import intern_op
from relayish.ir.traversal import Traversal


class _Stored(Traversal):
    """Follows inferred types as well: they are part of a node, if not of the program's meaning."""

    def fields(self, kind: type[Node]) -> list[Any]:  # Any: Field, whose import would be for this
        return [f for f in kind.fields_ if f.kind is not None]


_STORED: Final = _Stored(Node)


class _BeingSaved(threading.local):
    """The nodes whose children the pickle in progress on this thread has saved."""

    def __init__(self) -> None:
        self.nodes: set[Node] = set()


_being_saved = _BeingSaved()


class _ChildrenFirst:
    """Pickles as a list of all nodes below one, children first."""

    __slots__ = ("_root",)

    def __init__(self, root: Node) -> None:
        self._root = root

    def __reduce__(self) -> tuple[type, tuple[()], None, Iterator[Node]]:
        return list, (), None, self._nodes()

    def _nodes(self) -> Iterator[Node]:
        entered = []
        try:
            for node in _STORED.post_order(self._root)[:-1]:
                if node not in _being_saved.nodes:
                    _being_saved.nodes.add(node)
                    entered.append(node)
                yield node
        finally:
            _being_saved.nodes.difference_update(entered)


def _reduce(self: Node, _protocol: int = 2) -> tuple[Callable[..., Node], tuple[object, ...]]:
    kind = type(self)
    if isinstance(self, Op):
        return intern_op, (self.name,)
    values = tuple(getattr(self, f.name) for f in kind.fields_)
    if self in _being_saved.nodes or _STORED.push[kind] is None:
        return kind, values
    return _restore_after, (_ChildrenFirst(self), kind, *values)


def _restore_after(_below: list[Node], kind: type[Node], *values: object) -> Node:
    return kind(*values)


def _copy(self: Node) -> Node:
    if isinstance(self, Op):
        return self
    return type(self)(*(getattr(self, f.name) for f in self.fields_))


def _deepcopy(self: Node, memo: dict[int, object]) -> Node:
    """Return a copy of everything below ``self``, sharing what ``self`` shares; arrays stay."""
    kept = memo.setdefault(id(memo), [])
    assert isinstance(kept, list)
    images: dict[Node, Node] = {}
    get = images.get
    for node in _STORED.post_order(self):
        known = memo.get(id(node))
        if known is None:
            known = _copy_over(node, get)
            memo[id(node)] = known
            kept.append(node)  # as copy itself does: an id must not be taken again
        assert isinstance(known, Node)
        images[node] = known
    return images[self]


def _copy_over(node: Node, get: Callable[[Any, Any], Any]) -> Node:  # Any: nodes and tuples
    if isinstance(node, Op):
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
