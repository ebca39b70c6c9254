"""Synthesized attributes of expressions: what follows for a node from its operands.

They are found on demand, without recursion, and once for each node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from relayish.ir.fields.field import Field
from relayish.ir.fields.roles import Access, Role
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import RoleTraversal
from relayish.tir.ir.intrinsic import GetAddr
from relayish.tir.ir.tensor import BufferRange, Parameter, Tensor

V = TypeVar("V")


class ValueTraversal(RoleTraversal):
    """Follows what is evaluated for a value; the memory that is named is not looked into."""

    def __init__(self) -> None:
        super().__init__(Role.OPERAND, Role.SCOPE, Role.PART)

    def fields(self, kind: type[Node]) -> list[Field]:
        if issubclass(kind, _NAMED):
            return []
        return [f for f in super().fields(kind) if f.access is Access.NONE]


_NAMED: Final = (Tensor, BufferRange, Parameter, GetAddr)

VALUES: Final = ValueTraversal()


class Attribute(dict[Any, V]):  # Any: nodes, of whatever kind
    """A table from nodes to what ``compute`` says of each, asked after all nodes below.

    Args:
        compute: ``compute(node)``, which may ask the attribute of whatever is below ``node``.

    Complexity:
        One call for each distinct node; no recursion.
    """

    __slots__ = ("_compute",)

    def __init__(self, compute: Callable[[Any], V]) -> None:  # Any: as above
        super().__init__()
        self._compute = compute

    def __missing__(self, root: Node) -> V:
        compute, table = self._compute, VALUES.push
        stack = [root]
        push = table[type(root)]
        if push is not None:
            push(root, self, stack.append)
        if len(stack) == 1:
            found = self[root] = compute(root)
            return found
        while stack:
            node = stack[-1]
            if node in self:
                stack.pop()
                continue
            push, size = table[type(node)], len(stack)
            if push is not None:
                push(node, self, stack.append)
            if len(stack) == size:
                self[node] = compute(stack.pop())
        return self[root]
