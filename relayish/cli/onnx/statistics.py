"""Statistics of a model: operators by count, constants and their bytes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from relayish.onnx.element_types import ELEMENT_TYPES

CONSTANT: Final = "Constant"


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a model consists of, its sub-graphs and functions included.

    Attributes:
        operators: How many nodes there are of each operator; nodes ``Constant``, which hold a
            value as initializers do, are not among them.
        constants: How many initializers and nodes ``Constant`` there are.
        constant_bytes: The bytes of their elements, however they are stored.
    """

    operators: Counter[str]
    constants: int
    constant_bytes: int

    @property
    def total(self) -> int:
        """How many nodes there are, constants left out."""
        return self.operators.total()


def count_model(proto: Any) -> Statistics:  # Any: a ModelProto, which onnx does not type
    """Return what a model consists of.

    Complexity:
        Linear in the nodes; elements of tensors are not looked at.
    """
    operators: Counter[str] = Counter()
    tensors: list[Any] = []  # Any: TensorProtos
    others = 0
    for nodes, initializers in graphs_of(proto):
        tensors += initializers
        for node in nodes:
            if node.op_type != CONSTANT or node.domain not in {"", "ai.onnx"}:
                operators[operator_name(node)] += 1
                continue
            held = [each.t for each in node.attribute if each.name == "value"]
            tensors += held
            others += not held  # `value_int` and the like: a few bytes, of which nobody asks
    size = sum(tensor_bytes(each) for each in tensors)
    return Statistics(operators, len(tensors) + others, size)


def operator_name(node: Any) -> str:  # Any: a NodeProto
    """Return what an operator is called: with its domain, where that is not ONNX's own."""
    return node.op_type if node.domain in {"", "ai.onnx"} else f"{node.domain}.{node.op_type}"


def graphs_of(proto: Any) -> Iterator[tuple[Any, Any]]:  # Any: as in count_model
    """Yield nodes and initializers of each graph of a model: within nodes, and functions, too."""
    todo: list[tuple[Any, Any]] = [(proto.graph.node, proto.graph.initializer)]  # Any: as above
    todo += [(each.node, ()) for each in reversed(proto.functions)]
    while todo:
        nodes, initializers = todo.pop()
        yield nodes, initializers
        for node in nodes:
            for attribute in node.attribute:
                inner = [attribute.g] if attribute.HasField("g") else attribute.graphs
                todo += [(each.node, each.initializer) for each in inner]


def tensor_bytes(tensor: Any) -> int:  # Any: a TensorProto
    """Return the bytes that the elements of a tensor take; of texts, those of their characters."""
    count: int = math.prod(tensor.dims)
    name = ELEMENT_TYPES.get(tensor.data_type, "")
    if name == "string":
        return sum([len(each) for each in tensor.string_data])
    return (count * _BITS.get(name, 32) + 7) // 8


def _bits_of(name: str) -> int:
    """Return the bits of an element, which the name of its type tells."""
    if name == "bool":
        return 8
    digits = name.removeprefix("complex").removeprefix("bfloat").removeprefix("float")
    digits = digits.removeprefix("uint").removeprefix("int").partition("_")[0]
    return int(digits) if digits.isdecimal() else 0


_BITS: Final = {name: _bits_of(name) for name in ELEMENT_TYPES.values()}
