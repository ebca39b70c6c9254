"""Calls that give one of their inputs back, by what they are told."""

from __future__ import annotations

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr, Tuple
from relayish.onnx.calls import count_outputs, inputs_of, is_absent
from relayish.onnx.element_types import element_type_number
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import (
    axes_of,
    input_of,
    integers_of,
    is_same_shape,
    is_view_transpose,
)


@rule("Identity")
def forward_identity(call: Call, graph: Rewriter) -> Expr:
    """``Identity(x)`` is ``x``; a small constant from outside that a graph gives, one within."""
    data = call.args[0]
    if graph.outside(data) is not None and graph.is_result(graph.current):
        value = graph.constant(data)
        if value is not None and value.size <= _COPIED:
            return Constant(value, span=call.span)
    return data


_COPIED = 16
"""Elements of a constant that may be in a graph and around it."""


@rule("Dropout")
def remove_dropout(call: Call, graph: Rewriter) -> Expr | None:
    """``Dropout(x)`` is ``x`` where nothing is trained and nobody asks what was dropped.

    Operators before version 7 that do not say so are taken to be run for inference as well: models
    that are trained on no longer write them.
    """
    mode = input_of(call, 2)
    if mode is not None:
        training = graph.value_of(mode)
        if training is None or bool(training):
            return None
    data = call.args[0]
    if count_outputs(call.attrs) == 1:
        return data
    used = graph.used_outputs(graph.current)
    return Tuple((data, Tuple(()))) if used is not None and used <= {0} else None


@rule("Cast")
def remove_cast(call: Call, graph: Rewriter) -> Expr | None:
    """A cast to the type that there is already."""
    dtype = graph.dtype_of(call.args[0])
    if dtype is None or element_type_number(dtype) != graph.attribute(call, "to"):
        return None
    return call.args[0]


@rule("CastLike")
def spell_out_cast_like(call: Call, graph: Rewriter) -> Expr | None:
    """``CastLike(x, y)`` is ``Cast(x)`` to the type of ``y``, where that is known."""
    data, like = inputs_of(call)
    dtype = graph.dtype_of(like)
    if dtype is None:
        return None
    if graph.dtype_of(data) == dtype:
        return data
    attributes: dict[str, object] = {"to": element_type_number(dtype)}
    for name in ("saturate", "round_mode"):
        if graph.attribute(call, name) is not None:
            attributes[name] = graph.attribute(call, name)
    return graph.call("Cast", [data], attributes, like=call)


@rule("Reshape", "Flatten", "Expand", "Squeeze", "Unsqueeze", "Tile")
def remove_reshape(call: Call, graph: Rewriter) -> Expr | None:
    """A change of the shape to what it is."""
    before, after = graph.shape_of(call.args[0]), graph.shape_of(graph.current)
    if is_same_shape(before, after) and graph.operator(call) != "Tile":
        return call.args[0]
    name = graph.operator(call)
    if name in {"Squeeze", "Unsqueeze"}:
        is_told = graph.attribute(call, "axes") is not None or input_of(call, 1) is not None
        return call.args[0] if is_told and axes_of(graph, call) == () else None
    if name == "Flatten":
        is_matrix = before is not None and len(before) == 2
        return call.args[0] if is_matrix and graph.attribute(call, "axis", 1) in {1, -1} else None
    sizes = integers_of(graph, input_of(call, 1))
    if name == "Tile" and sizes is not None and graph.version(call) > 1:
        return call.args[0] if set(sizes) <= {1} else None
    if name == "Expand" and sizes is not None and set(sizes) <= {1}:
        return call.args[0] if before is not None and len(before) >= len(sizes) else None
    if name == "Reshape" and sizes is not None and before is not None:
        return call.args[0] if len(before) == 1 and sizes == (-1,) else None
    return None


@rule("Transpose")
def remove_transpose(call: Call, graph: Rewriter) -> Expr | None:
    """A transposition that leaves all dimensions, or all but some of one element, in place."""
    perm = graph.attribute(call, "perm")
    if perm is None:
        rank = graph.rank_of(call.args[0])
        return call.args[0] if rank is not None and rank <= 1 else None
    if list(perm) == sorted(perm):
        return call.args[0]
    shape = graph.shape_of(call.args[0])
    if shape is None or not is_view_transpose(perm, shape):
        return None
    return call.args[0] if is_same_shape(shape, [shape[axis] for axis in perm]) else None


@rule("Concat", "Sum", "Max", "Min", "Mean")
def remove_operator_of_one(call: Call, graph: Rewriter) -> Expr | None:  # noqa: ARG001 - as all
    """A sum, a maximum or the like, of one tensor."""
    return call.args[0] if len(call.args) == 1 else None


@rule("Slice")
def remove_slice(call: Call, graph: Rewriter) -> Expr | None:
    """A slice of everything."""
    steps = input_of(call, 4)
    if steps is not None:
        found = integers_of(graph, steps)
        if found is None or set(found) != {1}:
            return None
    if is_same_shape(graph.shape_of(call.args[0]), graph.shape_of(graph.current)):
        return call.args[0]
    starts, ends = graph.attribute(call, "starts"), graph.attribute(call, "ends")
    if starts is None:
        starts, ends = integers_of(graph, input_of(call, 1)), integers_of(graph, input_of(call, 2))
    if starts is None or ends is None:
        return None
    return call.args[0] if not any(starts) and min(ends, default=_ALL) >= _ALL else None


_ALL = 2**31 - 1
"""Slices that end here end where the tensor does."""


@rule("Pad")
def remove_pad(call: Call, graph: Rewriter) -> Expr | None:
    """Padding by nothing."""
    pads = graph.attribute(call, "pads", graph.attribute(call, "paddings"))
    if pads is None:
        pads = integers_of(graph, input_of(call, 1))
    return call.args[0] if pads is not None and not any(pads) else None


@rule("Clip")
def remove_clip(call: Call, graph: Rewriter) -> Expr | None:
    """A clip without bounds."""
    if graph.version(call) >= 11:
        bounded = [input_of(call, 1), input_of(call, 2)] != [None, None]
        return None if bounded else call.args[0]
    low, high = graph.attribute(call, "min", _LOWEST), graph.attribute(call, "max", _HIGHEST)
    return call.args[0] if low == -np.inf and high == np.inf else None


_LOWEST, _HIGHEST = float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)


@rule("Resize", "Upsample")
def remove_resize(call: Call, graph: Rewriter) -> Expr | None:
    """A change of the size by 1 in all dimensions."""
    mapped = graph.attribute(call, "coordinate_transformation_mode", "half_pixel")
    if mapped in {"tf_crop_and_resize", "tf_half_pixel_for_nn"}:
        return None
    name, version = graph.operator(call), graph.version(call)
    scales = graph.attribute(call, "scales")
    if scales is None:
        is_late = name == "Resize" and version > 10
        given = input_of(call, 2 if is_late else 1)
        value = None if given is None else graph.value_of(given)
        scales = None if value is None else value.ravel().tolist()
    if scales:
        return call.args[0] if all(scale == 1 for scale in scales) else None
    sizes = input_of(call, 3)
    if sizes is None or not is_same_shape(
        graph.shape_of(call.args[0]), graph.shape_of(graph.current)
    ):
        return None
    return call.args[0]


@rule("Split")
def remove_split(call: Call, graph: Rewriter) -> Expr | None:  # noqa: ARG001 - as all rules
    """A split into one part."""
    return call.args[0] if count_outputs(call.attrs) == 1 else None


@rule("AveragePool", "MaxPool", "GlobalAveragePool", "GlobalMaxPool")
def remove_pooling(call: Call, graph: Rewriter) -> Expr | None:
    """Pooling of windows of one element each."""
    if count_outputs(call.attrs) != 1:
        return None
    if (graph.operator(call) or "").startswith("Global"):
        shape = graph.shape_of(call.args[0])
        return call.args[0] if shape is not None and set(shape[2:]) == {1} else None
    kernel = graph.attribute(call, "kernel_shape", (0,))
    strides, pads = graph.attribute(call, "strides", (1,)), graph.attribute(call, "pads", (0,))
    is_unit = set(kernel) == {1} and set(strides) == {1} and not any(pads)
    return call.args[0] if is_unit else None


@rule("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd")
def remove_reduction(call: Call, graph: Rewriter) -> Expr | None:
    """A reduction over no dimensions, or over some of one element that stay."""
    axes = axes_of(graph, call)
    if axes is None:
        return None
    if not axes:
        return call.args[0] if graph.attribute(call, "noop_with_empty_axes", 0) else None
    if not graph.attribute(call, "keepdims", 1):
        return None
    shape = graph.shape_of(call.args[0])
    if shape is None or any(shape[axis] != 1 for axis in axes):
        return None
    return call.args[0]


@rule("DepthToSpace", "SpaceToDepth")
def remove_blocks_of_one(call: Call, graph: Rewriter) -> Expr | None:
    """Blocks of one element."""
    return call.args[0] if graph.attribute(call, "blocksize") == 1 else None


@rule("Where")
def take_side_of_where(call: Call, graph: Rewriter) -> Expr | None:
    """``Where`` on a condition that is all true, or all false."""
    condition = graph.value_of(call.args[0])
    if condition is None or not condition.size or condition.all() != condition.any():
        return None
    side = call.args[1] if condition.all() else call.args[2]
    return side if is_same_shape(graph.shape_of(side), graph.shape_of(graph.current)) else None


@rule("Relu", "Abs", "Ceil", "Floor", "Round", "Sign")
def apply_once(call: Call, graph: Rewriter) -> Expr | None:
    """``Relu(Relu(x))`` is ``Relu(x)``, and so it is with what rounds."""
    name = graph.operator(call)
    assert name is not None
    return call.args[0] if graph.producer(call.args[0], name) is not None else None


@rule("Not", "Neg")
def undo_twice(call: Call, graph: Rewriter) -> Expr | None:
    """``Not(Not(x))`` is ``x``."""
    name = graph.operator(call)
    assert name is not None
    inner = graph.producer(call.args[0], name)
    return None if inner is None else inner.args[0]


@rule("OptionalGetElement")
def unwrap_optional(call: Call, graph: Rewriter) -> Expr | None:
    """``OptionalGetElement(Optional(x))`` is ``x``."""
    inner = graph.producer(call.args[0], "Optional")
    if inner is None or not inner.args or is_absent(inner.args[0]):
        return None
    return inner.args[0]


RULES = (
    forward_identity, remove_dropout, remove_cast, spell_out_cast_like, remove_reshape,
    remove_transpose, remove_operator_of_one, remove_slice, remove_pad, remove_clip, remove_resize,
    remove_split, remove_pooling, remove_reduction, remove_blocks_of_one, take_side_of_where,
    apply_once, undo_twice, unwrap_optional,
)  # fmt: skip
