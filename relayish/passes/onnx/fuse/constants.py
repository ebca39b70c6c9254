"""Operands that are constant: numbers, and what earlier versions had as attributes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import inputs_of
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.rewrite.engine import Rewriter


def integers(call: Call, name: str, place: int, graph: Rewriter) -> list[int] | None:
    """Return integers that are an attribute of a call, or its input at ``place`` if constant."""
    held = graph.attribute(call, name)
    if held is not None:
        return [int(each) for each in held]
    array = operand(call, place, graph)
    return None if array is None else [int(each) for each in np.atleast_1d(array)]


def operand(call: Call, place: int, graph: Rewriter) -> npt.NDArray[Any] | None:  # Any: any dtype
    """Return the value of an input that is given, and constant."""
    inputs = inputs_of(call)
    return graph.constant(inputs[place]) if is_given(inputs, place) else None


def number_of(expr: Expr, graph: Rewriter) -> float | None:
    """Return the one number of a constant, of at most one axis."""
    array = graph.constant(expr)
    if array is None or array.size != 1 or array.ndim > 1:
        return None
    return float(array.reshape(()).item())


def normalize_axes(axes: list[int], rank: int | None) -> list[int] | None:
    """Return axes counted from the first; ``None`` if the rank is needed and not known."""
    if all(axis >= 0 for axis in axes):
        return axes
    return None if rank is None else [axis + rank if axis < 0 else axis for axis in axes]
