"""How exactly a model computes: the narrowest floats on the way to each of its outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.relay.type import TensorType
from relayish.onnx.calls import attributes_of
from relayish.onnx.element_types import ELEMENT_TYPES

_TYPES_OF_RESULTS: Final = ("to", "dtype", "output_dtype")
"""Attributes that give the number of an element type."""


def narrowest_floats(mod: IRModule, outputs: Sequence[str]) -> dict[str, int]:
    """Return for each output the bytes of the narrowest floats on the way to it, if less than 4.

    Args:
        mod: A model.
        outputs: What its outputs are called, in order.

    Complexity:
        Linear in the nodes, for each output.
    """
    main = mod["main"]
    assert isinstance(main, Function)
    bound: dict[Var, Expr] = {}
    tail = main.body
    while type(tail) is Let:
        bound[tail.var] = tail.value
        tail = tail.body
    results = tail.fields if type(tail) is Tuple and len(outputs) != 1 else (tail,)
    found: dict[str, int] = {}
    for name, result in zip(outputs, results, strict=False):
        width = min(_widths(result, bound), default=4)
        if width < 4:
            found[name] = width
    return found


def _widths(root: Expr, bound: dict[Var, Expr]) -> Iterator[int]:
    """Yield the bytes of the floats that a value is computed of, those that are narrow."""
    seen: set[Expr] = {root}
    pending = [root]
    while pending:
        for node in EXPRESSIONS.pre_order(pending.pop()):
            yield from _own_widths(node)
            value = bound.get(node) if type(node) is Var else None
            if value is not None and value not in seen:
                seen.add(value)
                pending.append(value)


def _own_widths(node: Any) -> Iterator[int]:  # Any: an expression
    match node:
        case Var(type_annotation=TensorType() as ty):
            yield from _narrow(ty.dtype)
        case Constant(data=np.ndarray() | np.generic() as data):
            yield from _narrow(data.dtype.name)
        case Call():
            for name in _TYPES_OF_RESULTS:
                number = attributes_of(node).get(name)
                if isinstance(number, int):
                    yield from _narrow(ELEMENT_TYPES.get(number, ""))


def _narrow(dtype: str) -> Iterator[int]:
    if dtype in ("float16", "bfloat16"):
        yield 2
    elif dtype.startswith(("float8_", "float6_", "float4_")):
        yield 1
