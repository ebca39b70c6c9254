"""Clip merging: bound a value once.

Before::

    let %y = Relu_14(%x);
    let %z = Clip_13(%y, (), 6f);

After::

    let %z = Clip_13(%x, 0f, 6f);
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import operand
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("MergeClips", opt_level=1, idempotent=True)
def merge_clips(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Clip merging: bound a value once.

    ``Relu``, ``Clip``, ``Max`` and ``Min`` with a constant number, one behind the other, become one
    ``Clip``, or ``Relu``, where nothing uses what lies between.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


class _Bounds(NamedTuple):
    """A value between two numbers; ``dtype`` is that of the constants, if there are any."""

    source: Expr
    low: Any  # Any: a number of whatever element type, minus infinity for none
    high: Any  # Any: as above, infinity for none
    dtype: str | None


_OPERATORS: Final = ("Relu", "Clip", "Max", "Min")


@rule(*_OPERATORS)
def merge_bounds(call: Call, graph: Rewriter) -> Call | None:
    """Return one call for two that bound a value."""
    outer = _read_bounds(call, graph)
    if outer is None or not graph.is_used_once(outer.source):
        return None
    before = graph.producer(outer.source, *_OPERATORS)
    inner = None if before is None else _read_bounds(before, graph)
    if inner is None:
        return None
    low = max(inner.low, outer.low)
    high = min(max(inner.high, outer.low), outer.high)
    dtype = inner.dtype or outer.dtype
    if not low <= high:
        return None
    if dtype is None or (low == 0 and high == math.inf and graph.operator(call) == "Relu"):
        return graph.call("Relu", (inner.source,), like=call)
    if graph.function_opset < (12 if not dtype.startswith("float") else 6):
        return None
    if graph.function_opset < 11:
        attrs = {"min": float(low)} if low != -math.inf else {}
        attrs |= {"max": float(high)} if high != math.inf else {}
        return graph.call("Clip", (inner.source,), attrs, like=call)
    inputs: list[Expr | None] = [inner.source, None, None]
    if low != -math.inf:
        inputs[1] = graph.emit_constant("min", np.asarray(low, dtype))
    if high != math.inf:
        inputs[2] = graph.emit_constant("max", np.asarray(high, dtype))
    while inputs[-1] is None:
        inputs.pop()
    return graph.call("Clip", inputs, like=call)


def _read_bounds(call: Call, graph: Rewriter) -> _Bounds | None:
    operator = graph.operator(call)
    if operator == "Relu":
        return _Bounds(inputs_of(call)[0], 0, math.inf, None)
    if operator == "Clip":
        return _read_clip(call, graph)
    return _read_extremum(call, graph)


def _read_clip(call: Call, graph: Rewriter) -> _Bounds | None:
    source = inputs_of(call)[0]
    if graph.version(call) < 11:
        bounds = graph.attribute(call, "min", -math.inf), graph.attribute(call, "max", math.inf)
        return _Bounds(source, *bounds, "float32")
    low: Any = -math.inf  # Any: a number of whatever element type
    high: Any = math.inf  # Any: as above
    dtype = None
    for place in (1, 2):
        if is_given(inputs_of(call), place):
            array = operand(call, place, graph)
            if array is None or array.size != 1:
                return None
            number, dtype = array.reshape(()).item(), array.dtype.name
            low, high = (number, high) if place == 1 else (low, number)
    return None if dtype is None else _Bounds(source, low, high, dtype)


def _read_extremum(call: Call, graph: Rewriter) -> _Bounds | None:
    inputs = inputs_of(call)
    if len(inputs) != 2 or graph.version(call) < 8:
        return None
    for source, other in (inputs, inputs[::-1]):
        array = graph.constant(other)
        if array is None or array.size != 1:
            continue
        rank = graph.rank_of(source)
        if array.ndim and (rank is None or rank < array.ndim):
            return None
        number = array.reshape(()).item()
        if graph.operator(call) == "Max":
            return _Bounds(source, number, math.inf, array.dtype.name)
        return _Bounds(source, -math.inf, number, array.dtype.name)
    return None


RULES: Final = OnnxRules((merge_bounds,))
