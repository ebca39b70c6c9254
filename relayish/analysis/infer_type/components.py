"""Which functions of a module refer to which, and which of them refer to one another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple
from weakref import WeakKeyDictionary

from relayish.ir.node import Node
from relayish.ir.relay.expr import Call, GlobalVar
from relayish.ir.relay.traversal import EXPRESSIONS


class GlobalUses(NamedTuple):
    """Where an expression mentions global functions."""

    calls: tuple[Call, ...]
    """The calls of one, each once."""
    names: frozenset[str]
    """The names of all that are mentioned."""
    values: frozenset[str]
    """The names of those mentioned otherwise than to call them."""


_KNOWN: WeakKeyDictionary[Node, GlobalUses] = WeakKeyDictionary()


def global_uses(expr: Node) -> GlobalUses:
    """Return where ``expr`` mentions global functions.

    Complexity:
        Linear in distinct nodes, once for each expression that is asked about.
    """
    found = _KNOWN.get(expr)
    if found is None:
        found = _KNOWN[expr] = _look(expr)
    return found


def _look(expr: Node) -> GlobalUses:
    calls: list[Call] = []
    names: set[str] = set()
    values: set[str] = set()
    seen: set[object] = set()
    stack: list[object] = [expr]
    push = EXPRESSIONS.push_all
    while stack:
        node = stack.pop()
        if node in seen and type(node) is not GlobalVar:
            continue
        seen.add(node)
        if isinstance(node, GlobalVar):
            names.add(node.name_hint)
            values.add(node.name_hint)
        elif isinstance(node, Call) and type(node.op) is GlobalVar:
            calls.append(node)
            names.add(node.op.name_hint)
            stack.extend(node.args)
        elif push[type(node)] is not None:  # type: ignore[index]  # nodes only
            push[type(node)](node, stack.append, stack.extend)  # type: ignore[index, misc]  # as above
    return GlobalUses(tuple(calls), frozenset(names), frozenset(values))


def components(references: Mapping[str, Iterable[str]]) -> list[list[str]]:
    """Return the names grouped by mutual reference; what a group refers to comes before it.

    Names referred to that are no keys are passed over.

    Complexity:
        Linear in names and references; no recursion.

    Source:
        Tarjan, Depth-first search and linear graph algorithms, 1972.

    Example:
        >>> components({"main": ["even"], "even": ["odd"], "odd": ["even"]})
        [['odd', 'even'], ['main']]
    """
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_: list[str] = []
    is_open: set[str] = set()
    found: list[list[str]] = []
    for root in references:
        if root in index:
            continue
        path = [(root, iter(references[root]))]
        index[root] = low[root] = len(index)
        open_.append(root)
        is_open.add(root)
        while path:
            name, following = path[-1]
            for other in following:
                if other not in references:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    open_.append(other)
                    is_open.add(other)
                    path.append((other, iter(references[other])))
                    break
                if other in is_open:
                    low[name] = min(low[name], index[other])
            else:
                path.pop()
                if path:
                    parent = path[-1][0]
                    low[parent] = min(low[parent], low[name])
                if low[name] == index[name]:
                    start = _last(open_, name)
                    group = open_[start:]
                    del open_[start:]
                    is_open.difference_update(group)
                    found.append(group[::-1])
    return found


def _last(names: list[str], name: str) -> int:
    """Return where ``name`` stands, looking from the end."""
    position = len(names) - 1
    while names[position] != name:
        position -= 1
    return position
