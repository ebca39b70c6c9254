"""Results of writing expressions: names of values, or several, or graphs to be."""

from __future__ import annotations

from typing import Any, TypeAlias, Union

from relayish.errors import ModelError
from relayish.ir.relay.expr import Call, Expr, Function, Tuple, TupleGetItem
from relayish.ir.relay.type import Type
from relayish.onnx import info


class Node:
    """A node of several outputs, which get their names when somebody uses them."""

    __slots__ = ("name", "proto", "types")

    def __init__(self, proto: Any, name: str, types: tuple[Type | None, ...]) -> None:
        # Any: a NodeProto
        self.proto = proto
        self.name = name
        self.types = types


Value: TypeAlias = Union[str, Node, Function, "tuple[Value, ...]"]
"""What an expression is in a graph: a name, ``""`` for what is missing, or several of them."""


def operands_of(expr: Expr) -> tuple[Expr, ...]:
    """Return what has to be written before ``expr``, but for lets."""
    match expr:
        case Call():
            return expr.args
        case Tuple():
            return expr.fields
        case TupleGetItem():
            return (expr.tuple_value,)
    return ()


def output_names(function: Function, count: int) -> list[str]:
    """Return how outputs have to be called, ``""`` where nobody says it."""
    told = None if function.attrs is None else function.attrs.get(info.OUTPUTS)
    if isinstance(told, tuple) and len(told) == count:
        return [str(name) for name in told]
    return [""] * count


def as_name(value: Value, where: str) -> str:
    """Return the name that a value has.

    Raises:
        ModelError: If it is several values, or a function.
    """
    if isinstance(value, str):
        return value
    raise ModelError(
        f"{where} use a value that is no tensor, sequence or map, but several of them or a "
        f"function; take a part of it, or pass it as a graph"
    )
