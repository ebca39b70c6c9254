"""Indexing simplification: take the dimension with the index, or leave it.

Before::

    let %y = Gather_13(%x, 1, axis=0);
    let %z = Unsqueeze_13(%y, [0]);

After::

    let %z = Gather_13(%x, [1], axis=0);
"""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.fuse.constants import integers, normalize_axes
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule


@register_pass("SimplifyGather", opt_level=1, idempotent=True)
def simplify_gather(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Indexing simplification: take the dimension with the index, or leave it.

    ``Unsqueeze`` of what one index selects, along the same axis, is what a list of that index
    selects; ``Squeeze`` of the latter, or of a ``Slice`` of one element, is the former.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Unsqueeze")
def keep_dimension(call: Call, graph: Rewriter) -> Call | None:
    """Return the selection by a list, where one index selected, and its dimension is put back."""
    value = inputs_of(call)[0]
    gather = graph.producer(value, "Gather")
    if gather is None or not graph.is_used_once(value):
        return None
    source, indices = inputs_of(gather)
    index = graph.constant(indices)
    rank = graph.rank_of(source)
    axes = integers(call, "axes", 1, graph)
    if index is None or index.ndim or axes is None or rank is None:
        return None
    axis = normalize_axes([graph.attribute(gather, "axis", 0)], rank)
    if axis is None or normalize_axes(axes, rank) != axis:
        return None
    listed = graph.emit_constant("indices", np.asarray(index).reshape(1))
    return graph.call("Gather", (source, listed), {"axis": axis[0]}, like=call)


@rule("Squeeze")
def drop_dimension(call: Call, graph: Rewriter) -> Call | None:
    """Return the selection by an index, where a list of one selected, and the rest is dropped."""
    value = inputs_of(call)[0]
    if not graph.is_used_once(value):
        return None
    selection = graph.producer(value, "Gather", "Slice")
    if selection is None:
        return None
    source = inputs_of(selection)[0]
    shape = graph.shape_of(source)
    if shape is None:
        return None
    found = (
        _listed_index(selection, len(shape), graph)
        if graph.operator(selection) == "Gather"
        else _single_place(selection, shape, graph)
    )
    if found is None:
        return None
    axis, index = found
    axes = integers(call, "axes", 1, graph)
    if axes is None or normalize_axes(axes, len(shape)) != [axis]:
        return None
    number = graph.emit_constant("index", np.asarray(index, np.int64))
    return graph.call("Gather", (source, number), {"axis": axis}, like=call)


def _listed_index(gather: Call, rank: int, graph: Rewriter) -> tuple[int, int] | None:
    """Return the axis and the one index of a selection by a list."""
    index = graph.constant(inputs_of(gather)[1])
    if index is None or index.shape != (1,):
        return None
    axis = normalize_axes([graph.attribute(gather, "axis", 0)], rank)
    return None if axis is None else (axis[0], int(index[0]))


def _single_place(cut: Call, shape: tuple[object, ...], graph: Rewriter) -> tuple[int, int] | None:
    """Return the axis and the index of the one place that a slice takes."""
    starts, ends = integers(cut, "starts", 1, graph), integers(cut, "ends", 2, graph)
    if starts is None or ends is None or len(starts) != 1:
        return None
    axes: list[int] | None = [0]
    if is_given(inputs_of(cut), 3) or graph.attribute(cut, "axes") is not None:
        axes = integers(cut, "axes", 3, graph)
    if is_given(inputs_of(cut), 4) and integers(cut, "steps", 4, graph) != [1]:
        return None
    axis = None if axes is None else normalize_axes(axes, len(shape))
    if axis is None:
        return None
    size = shape[axis[0]]
    if type(size) is not int:
        return None
    start, end, _ = slice(starts[0], ends[0]).indices(size)
    return (axis[0], start) if end == start + 1 else None


RULES: Final = OnnxRules((keep_dimension, drop_dimension))
