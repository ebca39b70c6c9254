"""Normalisation by sums of squares and by moments, and slopes of channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.passes.onnx.raising.arithmetic import widened
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_HAS_LAYERS: Final = 17
_BROADCASTING: Final = 8


def along(call: RelayCall, vector: Expr, axis: int, rank: int) -> Expr:
    """Return a vector in the shape in which it broadcasts along an axis of a tensor."""
    if axis == rank - 1:
        return vector
    shape = [1] * (rank - axis)
    shape[0] = -1
    return call.node("Reshape", vector, ints(shape))


@raises("nn.prelu")
def prelu(call: RelayCall) -> Expr:
    """A slope for what is negative, for each channel."""
    slope = along(call, call.args[1], call.axis(), call.rank())
    return call.node("PRelu", call.args[0], slope)


@raises("nn.l2_normalize")
def l2_normalize(call: RelayCall) -> Expr:
    """Elements over the root of the sum of squares along axes."""
    dtype, rank, told = call.type().dtype, call.rank(), call.attrs.axis
    wide = widened(dtype)
    axes = sorted({int(axis) % rank for axis in (range(rank) if told is None else told)})
    x = call.cast_from(call.args[0], dtype, wide)
    squares: Expr = call.node("Mul", x, x)
    if axes:
        squares = call.sum(squares, axes, keep=True)
    if call.opset < _BROADCASTING:
        raise Unraised("the Max of that version does not broadcast")
    least = call.node("Max", squares, number(call.attrs.eps, wide))
    return call.cast_from(call.node("Div", x, call.node("Sqrt", least)), wide, dtype)


@raises("nn.group_norm")
def group_norm(call: RelayCall) -> Expr:
    """Normalisation of groups of channels, then a factor and a summand for each channel."""
    sizes, axis, groups = call.sizes(), call.axis(), int(call.attrs.num_groups)
    if 0 in sizes:
        raise Unraised("it normalises no elements")
    split = [*sizes[:axis], groups, sizes[axis] // groups, *sizes[axis + 1 :]]
    axes = [each for each in range(len(split)) if each not in (0, axis)]
    return _normalised(call, split, axes)


@raises("nn.layer_norm")
def layer_norm(call: RelayCall) -> Expr:
    """Normalisation along one axis; along the last one ONNX has it from version 17 on."""
    attrs, axis = call.attrs, call.axis()
    if 0 in call.type(0).shape:
        raise Unraised("it normalises no elements")
    if call.opset >= _HAS_LAYERS and axis == call.rank() - 1 and attrs.center and attrs.scale:
        return call.node("LayerNormalization", *call.args, axis=-1, epsilon=float(attrs.epsilon))
    return _normalised(call, None, [axis])


@raises("nn.instance_norm")
def instance_norm(call: RelayCall) -> Expr:
    """Normalisation of each channel of each sample."""
    attrs, axis, rank = call.attrs, call.axis(), call.rank()
    if 0 in call.type(0).shape:
        raise Unraised("it normalises no elements")
    if axis == 1 and attrs.center and attrs.scale and rank > 2:
        return call.node("InstanceNormalization", *call.args, epsilon=float(attrs.epsilon))
    return _normalised(call, None, [each for each in range(rank) if each not in (0, axis)])


def _normalised(call: RelayCall, shape: Sequence[int] | None, axes: Sequence[int]) -> Expr:
    """Return data, perhaps in another shape, less their mean and over their deviation, scaled."""
    dtype, attrs, rank = call.type().dtype, call.attrs, call.rank()
    if not axes or 0 in call.type(0).shape:
        raise Unraised("it normalises no elements, or each by itself")
    wide = widened(dtype)
    data, *scaling = [call.cast_from(each, dtype, wide) for each in call.args]
    data = data if shape is None else call.reshape(data, shape)
    rest = call.node("Sub", data, call.reduce("ReduceMean", data, axes, keep=True))
    spread = call.reduce("ReduceMean", call.node("Mul", rest, rest), axes, keep=True)
    shifted = call.node("Add", spread, number(attrs.epsilon, wide))
    found: Expr = call.node("Div", rest, call.node("Sqrt", shifted))
    found = found if shape is None else call.reshape(found, call.sizes())
    steps = zip((attrs.scale, attrs.center), ("Mul", "Add"), scaling, strict=True)
    for is_asked, name, vector in steps:
        if is_asked:
            found = call.node(name, found, along(call, vector, call.axis(), rank))
    return call.cast_from(found, wide, dtype)
