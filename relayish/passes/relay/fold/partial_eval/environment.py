"""Environments: what variables stand for, in each activation of the functions around them.

An activation holds what is bound in it and knows the one around it, with a further one to skip to
(Myers' skew-binary pointers): a variable is found in time logarithmic in how many functions lie in
between, and nothing is copied.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.scopes.scoping import bound_by

V = TypeVar("V")


class Environment(Generic[V]):
    """One activation of a function; without ``parent``, what is outside of all."""

    __slots__ = ("bound", "level", "parent", "skip")

    def __init__(self, parent: Environment[V] | None = None) -> None:
        self.bound: dict[Node, V] = {}
        if parent is None:
            self.level = 0
            self.parent = self.skip = self
            return
        near = parent.skip
        far = near.skip
        even = parent.level - near.level == near.level - far.level
        self.level = parent.level + 1
        self.parent = parent
        self.skip = far if even else parent

    def find(self, var: Node, level: int) -> V | None:
        """Return what ``var`` stands for, bound by the activation of that level around this one."""
        here = self
        while here.level > level:
            here = here.skip if here.skip.level >= level else here.parent
        return here.bound.get(var)


def count_binding_levels(func: Function) -> dict[Node, int]:
    """Return in how many functions each variable is bound; the parameters of ``func`` in one.

    Complexity:
        Linear in the number of distinct nodes; no recursion.
    """
    levels: dict[Node, int] = {}
    seen: set[Node] = set()
    stack: list[tuple[Node, int]] = [(func, 0)]
    while stack:
        node, level = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node) is Function:
            level += 1
        levels.update(dict.fromkeys(bound_by(node), level))
        stack += [(child, level) for child in EXPRESSIONS.children(node)]
    return levels
