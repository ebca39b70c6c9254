"""Sizes of programs: operators, nodes, bytes of constants."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from relayish.ir.modules.module import AnyModule
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.expr import Call, Op
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.onnx.op_names import identity_of


class Size(NamedTuple):
    """How large a program is.

    Attributes:
        operators: Calls of operators, constants of ONNX left out.
        nodes: All nodes, of whatever language, types and attributes included.
        constant_bytes: Of the arrays that it holds, each counted once.
    """

    operators: int
    nodes: int
    constant_bytes: int


def count_operators(function: Node) -> int:
    """Return how many calls of operators an expression is made of, those of ``Constant`` left out.

    Complexity:
        Linear in distinct nodes.
    """
    return sum(
        type(node) is Call and type(node.op) is Op and not _is_constant(node.op)
        for node in EXPRESSIONS.pre_order(function)
    )


@cache
def _is_constant(op: Op) -> bool:
    """Return whether nodes of an operator are constants."""
    identity = identity_of(op)
    return identity is not None and identity.name == "Constant" and not identity.domain


class Sizes:
    """Sizes of modules that follow from one another: what they share is counted once."""

    def __init__(self) -> None:
        self._modules: dict[AnyModule, Size] = {}
        self._operators: dict[Node, int] = {}

    def of(self, mod: AnyModule) -> Size:
        """Return the size of a module."""
        found = self._modules.get(mod)
        if found is None:
            found = self._modules[mod] = self._measure(mod)
        return found

    def _measure(self, mod: AnyModule) -> Size:
        operators = 0
        for function in mod.functions.values():
            if function not in self._operators:
                self._operators[function] = count_operators(function)
            operators += self._operators[function]
        nodes = EVERYTHING.post_order(tuple(mod.nodes()))
        arrays: dict[int, int] = {}
        for node in nodes:
            value = getattr(node, "data", None)
            if isinstance(value, (np.ndarray, np.generic)):
                arrays[id(value)] = value.nbytes
        return Size(operators, len(nodes), sum(arrays.values()))
