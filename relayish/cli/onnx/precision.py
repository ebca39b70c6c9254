"""Precision of a model: the narrowest floats on the way to each of its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from relayish._support.graph import post_order
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Call, Constant, Expr, Function, GlobalVar, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.onnx.calls import attributes_of
from relayish.onnx.element_types import ELEMENT_TYPES
from relayish.onnx.operator_sets import find_schema
from relayish.onnx.operators import identity_of

_WIDE: Final = 4
"""Bytes of floats from which none are counted as narrow."""

_TYPES_OF_RESULTS: Final = ("to", "dtype", "output_dtype")
"""Attributes that give the number of an element type."""


def narrowest_floats(mod: IRModule, outputs: Sequence[str]) -> dict[str, int]:
    """Return for each output the bytes of the narrowest floats on the way to it, if less than 4.

    What is used for its shape alone, or compared, is not on the way.

    Args:
        mod: A model.
        outputs: What its outputs are called, in order.

    Complexity:
        Linear in the nodes.
    """
    widths = _Widths(mod)
    for name in post_order(["main"], lambda name: _called_by(mod, name)):
        found = widths.of_results(name)  # those that it calls came before
    if len(outputs) == 1:
        found = [min(found)]
    return {name: width for name, width in zip(outputs, found, strict=False) if width < _WIDE}


def _called_by(mod: IRModule, name: str) -> list[str]:
    nodes = EXPRESSIONS.pre_order(mod[name])
    return [each.name_hint for each in nodes if type(each) is GlobalVar]


class _Widths:
    """The bytes of the narrowest floats that values are computed of; :data:`_WIDE` for others."""

    def __init__(self, mod: IRModule) -> None:
        self._mod = mod
        self._results: dict[str, list[int]] = {}
        self._widths: dict[Node, int] = {}

    def of_results(self, name: str) -> list[int]:
        """Return those of the results of a function, of which all that it calls were asked for."""
        function = self._mod[name]
        assert isinstance(function, Function)
        tail = function.body
        while type(tail) is Let:
            self._widths[tail.var] = self._of(tail.value)
            tail = tail.body
        results = tail.fields if type(tail) is Tuple else (tail,)
        found = self._results[name] = [self._of(each) for each in results] or [_WIDE]
        return found

    def _of(self, value: Expr) -> int:
        if type(value) is Call and not _gives_floats(value.op):
            return _WIDE
        return min([self._own(each) for each in EXPRESSIONS.pre_order(value)], default=_WIDE)

    def _own(self, node: Node) -> int:
        if type(node) is GlobalVar:
            return min(self._results[node.name_hint])
        return min([*_own_widths(node), self._widths.get(node, _WIDE)])


@cache
def _gives_floats(op: Expr) -> bool:
    """Return whether an operator may give floats; what is called else may."""
    identity = identity_of(op)
    schema = None if identity is None else find_schema(identity)
    if schema is None or not schema.outputs:
        return True
    return any("float" in each or "double" in each for out in schema.outputs for each in out.types)


def _own_widths(node: Any) -> Iterator[int]:  # Any: an expression
    match node:
        case Var(type_annotation=TensorType() as ty):
            yield from _narrow(ty.dtype)
        case Constant(data=np.ndarray() | np.generic() as data):
            yield from _narrow(data.dtype.name)
        case Call():
            attributes = attributes_of(node)
            for name in _TYPES_OF_RESULTS:
                number = attributes.get(name)
                if isinstance(number, int):
                    yield from _narrow(ELEMENT_TYPES.get(number, ""))
            given = attributes.get("value")
            if isinstance(given, (np.ndarray, np.generic)):
                yield from _narrow(given.dtype.name)


def _narrow(dtype: str) -> Iterator[int]:
    if dtype in ("float16", "bfloat16"):
        yield 2
    elif dtype.startswith(("float8_", "float6_", "float4_")):
        yield 1
