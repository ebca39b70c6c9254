"""Slice merging: cut a value along several axes by one operator.

Before::

    let %y = Slice_13(%x, [1], [9], [2]);
    let %z = Slice_13(%y, [0], [4], [3]);

After::

    let %z = Slice_13(%x, [1, 0], [9, 4], [2, 3]);
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import integers, normalize_axes
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("MergeSlices", opt_level=1, idempotent=True)
def merge_slices(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Slice merging: cut a value along several axes by one operator.

    Two ``Slice``, one behind the other, by constants and along different axes, become one where
    nothing uses what lies between.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


class _Cut(NamedTuple):
    starts: list[int]
    ends: list[int]
    axes: list[int]
    steps: list[int]


@rule("Slice")
def merge_slice(call: Call, graph: Rewriter) -> Call | None:
    """Return one cut for two along different axes."""
    value = inputs_of(call)[0]
    inner = graph.producer(value, "Slice")
    if inner is None or not graph.is_used_once(value):
        return None
    rank = graph.rank_of(inputs_of(inner)[0])
    first, second = _read_cut(inner, rank, graph), _read_cut(call, rank, graph)
    if first is None or second is None or set(first.axes) & set(second.axes):
        return None
    merged = _Cut(*[a + b for a, b in zip(first, second, strict=True)])
    source = inputs_of(inner)[0]
    if graph.function_opset < 10:
        attrs = {"axes": merged.axes, "starts": merged.starts, "ends": merged.ends}
        return graph.call("Slice", (source,), attrs, like=call)
    parts: list[Expr] = [source]
    for name, numbers in zip(merged._fields, merged, strict=True):
        if name != "steps" or any(step != 1 for step in numbers):
            parts.append(graph.emit_constant(name, np.asarray(numbers, np.int64)))
    return graph.call("Slice", parts, like=call)


def _read_cut(call: Call, rank: int | None, graph: Rewriter) -> _Cut | None:
    starts, ends = integers(call, "starts", 1, graph), integers(call, "ends", 2, graph)
    if starts is None or ends is None:
        return None
    axes: list[int] | None = list(range(len(starts)))
    if is_given(inputs_of(call), 3) or graph.attribute(call, "axes") is not None:
        axes = integers(call, "axes", 3, graph)
    steps: list[int] | None = [1] * len(starts)
    if is_given(inputs_of(call), 4):
        steps = integers(call, "steps", 4, graph)
    if axes is None or steps is None:
        return None
    axes = normalize_axes(axes, rank)
    return None if axes is None else _Cut(starts, ends, axes, steps)


RULES: Final = OnnxRules((merge_slice,))
