"""Operators that read and write elements at indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.onnx.kernels.ml_scores import ML
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers


@lowers("Gather")
def gather(node: OnnxNode) -> Expr:
    """Slices at indices, negative ones from the end."""
    axis = node.axis()
    known = node.value(1)
    indices = node.input(1)
    if not node.rank():
        raise Unlowered("its data have no axes")
    whole = node.type(0).shape[axis]
    if known is not None and isinstance(whole, int):
        indices = Constant(np.where(known < 0, known + whole, known).astype(known.dtype))
    elif known is None or bool((known < 0).any()):
        indices = _non_negative(node, indices, axis, node.dtype(1))
    return build("take", node.input(0), indices, axis=axis)


def _non_negative(node: OnnxNode, indices: Expr, axis: int, dtype: str) -> Expr:
    """Return indices that count from the begin."""
    if not node.rank():
        raise Unlowered("its data have no axes")
    whole = node.type(0).shape[axis]
    if isinstance(whole, int):
        length: Expr = const(whole, dtype)
    else:
        shape_ = build("shape_of", node.input(0), dtype=dtype)
        length = build("take", shape_, const(axis, "int32"), axis=0)
    moved = build("add", indices, length)
    return build("where", build("less", indices, const(0, dtype)), moved, indices)


@lowers("GatherElements")
def gather_elements(node: OnnxNode) -> Expr:
    """Elements at indices along an axis."""
    axis = node.axis()
    indices = _non_negative(node, node.input(1), axis, node.dtype(1))
    return build("gather", node.input(0), axis, indices)


@lowers("GatherND")
def gather_nd(node: OnnxNode) -> Expr:
    """Slices at places, whose coordinates stand in the last axis of the indices."""
    rank = node.rank(1)
    known = node.value(1)
    if known is not None and bool((known < 0).any()):
        raise Unlowered("some of its indices are negative")
    order = [rank - 1, *range(rank - 1)]
    turned = build("transpose", node.input(1), axes=order)
    depth = node.type(1).shape[-1]
    return build(
        "gather_nd",
        node.input(0),
        turned,
        batch_dims=int(node.attr("batch_dims", 0)),
        index_rank=depth if isinstance(depth, int) else None,
    )


@lowers("ScatterElements", "Scatter")
def scatter_elements(node: OnnxNode) -> Expr:
    """Elements written at indices along an axis."""
    reduction = node.attr("reduction", "none")
    axis = node.axis()
    indices = _non_negative(node, node.input(1), axis, node.dtype(1))
    kinds = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}
    return build(
        "scatter_elements",
        node.input(0),
        indices,
        node.input(2),
        axis=axis,
        reduction=kinds[reduction],
    )


@lowers("ScatterND")
def scatter_nd(node: OnnxNode) -> Expr:
    """Slices written at places."""
    rank = node.rank(1)
    order = [rank - 1, *range(rank - 1)]
    kinds = {"none": "update", "add": "add", "mul": "mul", "min": "min", "max": "max"}
    turned = build("transpose", node.input(1), axes=order)
    mode = kinds[node.attr("reduction", "none")]
    return build("scatter_nd", node.input(0), turned, node.input(2), mode=mode)


@lowers("OneHot")
def one_hot(node: OnnxNode) -> Expr:
    """Ones at indices."""
    depth = int(node.constant(1, "depth").reshape(-1)[0])
    off, on = node.constant(2, "values")
    rank = node.rank() + 1
    axis = int(node.attr("axis", -1))
    indices = build("cast", node.input(0), "int64")
    wrapped = build("add", indices, const(depth, "int64"))
    indices = build("where", build("less", indices, const(0, "int64")), wrapped, indices)
    dtype = node.dtype(2)
    return build(
        "one_hot",
        indices,
        const(on, dtype),
        const(off, dtype),
        depth,
        axis=axis if axis >= 0 else axis + rank if axis != -1 else -1,
        dtype=dtype,
    )


@lowers("TopK")
def top_k(node: OnnxNode) -> list[Expr]:
    """The largest or smallest elements, and where they stand."""
    k = int(node.attr("k")) if "k" in node.attributes else int(node.constant(1, "k").reshape(()))
    if not k:
        raise Unlowered("it takes no elements, where Relay's topk takes all")
    found: Any = build(  # Any: a call of several results
        "topk",
        node.input(0),
        k=k,
        axis=int(node.attr("axis", -1)),
        is_ascend=not node.attr("largest", 1),
        dtype="int64",
    )
    return [found[0], found[1]]


@lowers("Compress")
def compress(node: OnnxNode) -> Expr:
    """Slices, or elements, for which a condition that is known holds."""
    condition = node.value(1)
    if condition is None:
        raise Unlowered("how much is left follows from its data")
    places = const(np.flatnonzero(condition), "int64")
    if node.attr("axis") is None:
        return build("take", build("reshape", node.input(0), (-1,)), places, axis=0)
    return build("take", node.input(0), places, axis=node.axis())


@lowers("TensorScatter")
def tensor_scatter(node: OnnxNode) -> Expr:
    """A cache of sequences, an update written at a place of its own in each."""
    axis, shape, updates = node.axis(-2), node.sizes(0), node.sizes(1)
    first: Expr = const(np.zeros(shape[0]), "int64")
    if node.has(2):
        first = build("cast", node.input(2), "int64")
    first = build("reshape", first, (-1, *[1] * (len(shape) - 1)))
    along = [1] * len(shape)
    along[axis] = updates[axis]
    places = build("add", first, const(np.arange(updates[axis]).reshape(along), "int64"))
    if node.attr("mode", "linear") == "circular":
        places = build("floor_mod", places, const(shape[axis], "int64"))
    places = build("broadcast_to", places, updates)
    return build(
        "scatter_elements", node.input(0), places, node.input(1), axis=axis, reduction="update"
    )


@lowers("ArrayFeatureExtractor", domain=ML)
def array_feature_extractor(node: OnnxNode) -> Expr:
    """Features that are named, of each row."""
    taken = build(
        "take", node.input(0), build("reshape", node.input(1), (-1,)), axis=node.rank() - 1
    )
    return build("reshape", taken, (1, -1)) if node.rank() == 1 else taken
