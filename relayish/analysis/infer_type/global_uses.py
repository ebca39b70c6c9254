"""References to global functions: which of a module an expression names."""

from __future__ import annotations

from typing import Final, NamedTuple
from weakref import WeakKeyDictionary

from relayish.ir.nodes.node import Node
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


_NONE: Final = GlobalUses((), frozenset(), frozenset())


def _look(expr: Node) -> GlobalUses:
    if GlobalVar not in set(map(type, EXPRESSIONS.post_order(expr))):
        return _NONE
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
