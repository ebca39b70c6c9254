"""Environments: what variables stand for, in each activation of the functions around them.

An activation holds what is bound in it and knows the one around it, with a further one to skip to
(Myers' skew-binary pointers): a variable is found in time logarithmic in how many functions lie in
between, and nothing is copied.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, TypeVar

from relayish.ir.nodes.node import Node

V = TypeVar("V")
_Var = TypeVar("_Var", bound=Node)


class Environment(Generic[V]):
    """One activation of a function; without ``parent``, what is outside of all.

    Its level is in how many functions the body of that one stands. A variable is bound in one
    place, so each is found at one level, which all activations are told when it is bound.
    """

    __slots__ = ("bound", "level", "levels", "parent", "skip")

    def __init__(self, parent: Environment[V] | None = None) -> None:
        self.bound: dict[Node, V] = {}
        if parent is None:
            self.level = 0
            self.levels: dict[Node, int] = {}
            self.parent = self.skip = self
            return
        near = parent.skip
        far = near.skip
        even = parent.level - near.level == near.level - far.level
        self.level = parent.level + 1
        self.levels = parent.levels
        self.parent = parent
        self.skip = far if even else parent

    def bind(self, var: Node, value: V) -> None:
        """Bind a variable in this activation."""
        self.bound[var] = value
        self.levels[var] = self.level

    def bind_all(self, values: Mapping[_Var, V]) -> None:
        """Bind variables in this activation."""
        self.bound.update(values.items())
        self.levels.update(dict.fromkeys(values, self.level))

    def find(self, var: Node) -> V | None:
        """Return what ``var`` stands for, bound by this activation or one around it."""
        here, level = self, self.levels.get(var, 0)
        while here.level > level:
            here = here.skip if here.skip.level >= level else here.parent
        return here.bound.get(var)
