"""Steps of normalisation, and of operators that were computed on matrices."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Expr
from relayish.onnx.calls import count_outputs
from relayish.onnx.element_types import element_type_number
from relayish.passes.onnx.opset.step import Adapter, Step

_ALLOWS_ZERO: Final = 14


def _narrow_axis(step: Step) -> Expr:
    """Compute along one axis what was computed along all from that on.

    Where it is not the last, the input becomes a matrix, and the result is shaped as it was::

        let %f = Flatten(%x, axis=1);
        let %s = Softmax(%f, axis=-1);
        let %y = Reshape(%s, Shape(%x));
    """
    axis = step.pop("axis", 1)
    (value,) = step.inputs
    assert value is not None
    rank = step.graph.rank_of(value)
    if axis == -1 or (rank is not None and axis in (rank - 1, -1)):
        step.attributes["axis"] = -1
        return step.finish()
    flat = step.emit("Flatten", [value], axis=axis)
    narrow = step.emit(step.name, [flat], axis=-1)
    shape = step.graph.shape_of(value)
    sizes = [each for each in shape or () if isinstance(each, int)]
    target: Expr
    if shape is not None and len(sizes) == len(shape) and 0 not in sizes:
        target = step.constant(sizes, np.int64, "shape")
    else:
        target = step.emit("Shape", [value])
    step.attributes.clear()
    if step.goal >= _ALLOWS_ZERO:  # before, a size of 0 means that of the matrix
        step.version, step.attributes["allowzero"] = _ALLOWS_ZERO, 1
    step.inputs = [narrow, target]
    return step.finish("Reshape")


def _drop_spatial(step: Step) -> Expr:
    if not step.pop("spatial", 1):
        step.refuse("it has spatial=0, statistics for each element, which is gone")
    return step.finish()


def _keep_inference(step: Step) -> Expr:
    """Convert a normalisation that has only one result, so it does not learn."""
    count = count_outputs(step.call.attrs)
    if count > 1:
        step.refuse(f"it has {count} results, so it learns, and these are others there")
    return step.finish()


def _drop_mask(step: Step) -> Expr:
    """Convert a dropout whose mask, which is of truth values from now on, is not used."""
    if count_outputs(step.call.attrs) > 1 and step.graph.used_outputs(step.graph.current) not in (
        frozenset(),
        frozenset({0}),
    ):
        step.refuse("its mask is used, which is of another type there")
    return step.finish()


def _scale_channels(step: Step) -> Expr:
    """Repeat scale and bias of each group for each of its channels."""
    value = step.inputs[0]
    assert value is not None
    groups = step.attributes["num_groups"]
    assert isinstance(groups, int)
    channels = step.emit("Shape", [value], start=1, end=2)
    count = step.constant([groups], np.int64, "groups")
    each = step.emit("Div", [channels, count])
    target = step.emit("Concat", [count, each], axis=0)
    column = step.constant([groups, 1], np.int64, "column")
    row = step.constant([-1], np.int64, "row")
    for place in (1, 2):
        upright = step.emit("Reshape", [step.inputs[place], column])
        repeated = step.emit("Expand", [upright, target])
        step.put(place, step.emit("Reshape", [repeated, row]))
    dtype = step.graph.dtype_of(value)
    if dtype is not None:
        step.attributes["stash_type"] = element_type_number(dtype)
    return step.finish()


ADAPTERS: Final[dict[tuple[str, int], Adapter]] = {
    ("Softmax", 13): _narrow_axis,
    ("LogSoftmax", 13): _narrow_axis,
    ("Hardmax", 13): _narrow_axis,
    ("BatchNormalization", 9): _drop_spatial,
    ("BatchNormalization", 14): _keep_inference,
    ("Dropout", 10): _drop_mask,
    ("GroupNormalization", 21): _scale_channels,
}
