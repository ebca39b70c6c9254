"""Operators that compute each element by itself, reduce, or move elements."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.ir.values.dtype import numpy_dtype
from relayish.onnx.element_types import element_type_number
from relayish.op.tensor.reduction import normalise_axes
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

_SAME: Final = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "add": "Add", "asin": "Asin", "asinh": "Asinh",
    "atan": "Atan", "atanh": "Atanh", "bitwise_and": "BitwiseAnd", "bitwise_not": "BitwiseNot",
    "bitwise_or": "BitwiseOr", "bitwise_xor": "BitwiseXor", "ceil": "Ceil", "copy": "Identity",
    "cos": "Cos", "cosh": "Cosh", "equal": "Equal", "erf": "Erf", "exp": "Exp", "floor": "Floor",
    "greater": "Greater", "isinf": "IsInf", "isnan": "IsNaN", "less": "Less", "log": "Log",
    "logical_and": "And", "logical_not": "Not", "logical_or": "Or", "logical_xor": "Xor",
    "maximum": "Max", "minimum": "Min", "multiply": "Mul", "negative": "Neg", "nn.relu": "Relu",
    "power": "Pow", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin", "sinh": "Sinh",
    "sqrt": "Sqrt", "subtract": "Sub", "tan": "Tan", "tanh": "Tanh", "where": "Where",
    "fast_erf": "Erf", "fast_exp": "Exp", "fast_tanh": "Tanh",
}  # fmt: skip
_REDUCTIONS: Final = {
    "sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin",
    "prod": "ReduceProd",
}  # fmt: skip
_SMALL: Final = ("int8", "uint8", "int16", "uint16")
_EXTREMES_BROADCAST: Final = 8
_SPLIT_AS_INPUT: Final = 13
_ALONG_ONE_AXIS: Final = 13
_HAS_OR_EQUAL: Final = 12


@raises(*_SAME)
def same(call: RelayCall) -> Expr:
    """An operator that ONNX has under another name."""
    is_extreme = call.name in ("maximum", "minimum")
    if is_extreme and call.opset < _EXTREMES_BROADCAST and call.sizes(0) != call.sizes(1):
        raise Unraised("the Max and Min of that version do not broadcast")
    return call.node(_SAME[call.name], *call.args)


@raises("annotation.stop_fusion", "annotation.checkpoint")
def annotation(call: RelayCall) -> Expr:
    """What passes of Relay are told of a value."""
    return call.args[0]


@raises("not_equal")
def not_equal(call: RelayCall) -> Expr:
    """Whether elements differ."""
    return call.node("Not", call.node("Equal", *call.args))


@raises("greater_equal", "less_equal")
def ordered(call: RelayCall) -> Expr:
    """Whether elements are in order, or equal."""
    name = "Greater" if call.name == "greater_equal" else "Less"
    if call.opset >= _HAS_OR_EQUAL:
        return call.node(f"{name}OrEqual", *call.args)
    return call.node("Or", call.node(name, *call.args), call.node("Equal", *call.args))


@raises("rsqrt")
def rsqrt(call: RelayCall) -> Expr:
    """One over the root."""
    return call.node("Reciprocal", call.node("Sqrt", *call.args))


@raises("cast")
def cast(call: RelayCall) -> Expr:
    """Another element type."""
    return call.node("Cast", call.args[0], to=element_type_number(call.type().dtype))


@raises("reinterpret")
def reinterpret(call: RelayCall) -> Expr:
    """The bits of elements as those of another type."""
    return call.node("BitCast", call.args[0], to=element_type_number(call.type().dtype))


@raises("clip")
def clip(call: RelayCall) -> Expr:
    """Elements within bounds."""
    dtype = call.type().dtype
    low, high = call.attrs.a_min, call.attrs.a_max
    if numpy_dtype(dtype).kind not in "fiu" and dtype != "bfloat16":
        raise Unraised(f"ONNX has no bounds of {dtype}")
    if "int" in dtype:
        limits = np.iinfo(dtype)
        if not (low <= limits.max and high >= limits.min):
            raise Unraised(f"of {dtype}, nothing lies between {low} and {high}")
        low, high = int(max(low, limits.min)), int(min(high, limits.max))
    return call.node("Clip", call.args[0], number(low, dtype), number(high, dtype))


@raises(*_REDUCTIONS)
def reduce_(call: RelayCall) -> Expr:
    """One element for each of the axes that stay."""
    axes = list(normalise_axes(call.attrs.axis, call.rank(), exclude=call.attrs.exclude))
    name = _REDUCTIONS[call.name]
    if not axes:
        return call.node("Identity", call.args[0])
    if call.name == "mean" and call.type().dtype in _SMALL:
        return _mean_of_small(call, axes)
    return call.reduce(name, call.args[0], axes, keep=call.attrs.keepdims)


def _mean_of_small(call: RelayCall, axes: list[int]) -> Expr:
    """Return the mean of integers, whose sum wraps around in their own type, rounded to zero."""
    dtype, wide = call.type().dtype, element_type_number("int32")
    total = call.sum(call.node("Cast", call.args[0], to=wide), axes, keep=call.attrs.keepdims)
    wrapped = call.node("Cast", total, to=element_type_number(dtype))
    count = math.prod([call.sizes(0)[axis] for axis in axes])
    mean = call.node("Div", call.node("Cast", wrapped, to=wide), number(count, "int32"))
    return call.node("Cast", mean, to=element_type_number(dtype))


@raises("nn.softmax", "nn.log_softmax", "nn.fast_softmax")
def softmax(call: RelayCall) -> Expr:
    """Exponentials over their sum: along one axis, before version 13 over all from that one on."""
    axis = call.axis()
    if call.opset < _ALONG_ONE_AXIS and axis != call.rank() - 1:
        raise Unraised("that version has it for the last axis alone")
    name = "LogSoftmax" if call.name == "nn.log_softmax" else "Softmax"
    return call.node(name, call.args[0], axis=axis)


@raises("nn.leaky_relu")
def leaky_relu(call: RelayCall) -> Expr:
    """A slope for what is negative."""
    return call.node("LeakyRelu", call.args[0], alpha=float(call.attrs.alpha))


@raises("reshape", "reshape_like", "contrib_reverse_reshape")
def reshape(call: RelayCall) -> Expr:
    """Another shape, of which one size may be known only when it runs."""
    shape, x = call.type().shape, call.args[0]
    sizes = [size if isinstance(size, int) else -1 for size in shape]
    if -1 not in sizes:
        return call.reshape(x, sizes)
    if sizes.count(-1) > 1 or 0 in sizes:
        told = getattr(call.attrs, "newshape", None)
        if not isinstance(told, (tuple, list)) or min(told, default=0) < -1:
            raise Unraised("several sizes of its shape are known only when it runs")
        sizes = [int(each) for each in told]
    return call.node("Reshape", x, ints(sizes))


@raises("nn.batch_flatten")
def batch_flatten(call: RelayCall) -> Expr:
    """A row for each sample."""
    return call.node("Flatten", call.args[0], axis=1)


@raises("squeeze", "expand_dims")
def unit_axes(call: RelayCall) -> Expr:
    """Without some axes of size one, or with more of them."""
    if call.name == "squeeze":
        name, told, rank = "Squeeze", call.attrs.axis, call.rank()
        axes = None if told is None else sorted({int(axis) % rank for axis in _listed(told)})
        if axes is None:
            axes = [axis for axis, size in enumerate(call.sizes(0)) if size == 1]
        if not axes:
            return call.node("Identity", call.args[0])
    else:
        name, count = "Unsqueeze", int(call.attrs.num_newaxis)
        first = int(call.attrs.axis)
        first += call.rank() + 1 if first < 0 else 0
        axes = list(range(first, first + count))
    return call.unit_axes(name, call.args[0], axes)


def _listed(told: Any) -> list[int]:  # Any: a number or several
    return [told] if isinstance(told, int) else list(told)


@raises("einsum")
def einsum(call: RelayCall) -> Expr:
    """Products and sums by letters."""
    return call.node("Einsum", *call.parts(), equation=call.attrs.equation)


@raises("transpose")
def transpose(call: RelayCall) -> Expr:
    """Axes in another order."""
    axes = call.attrs.axes
    perm = None if not axes else tuple([int(axis) % call.rank() for axis in axes])
    return call.node("Transpose", call.args[0], perm=perm)


@raises("concatenate")
def concatenate(call: RelayCall) -> Expr:
    """Tensors one behind another."""
    return call.node("Concat", *call.parts(), axis=int(call.attrs.axis))


@raises("broadcast_to")
def broadcast_to(call: RelayCall) -> Expr:
    """One tensor along further axes."""
    return call.node("Expand", call.args[0], ints(call.sizes()))


@raises("tile")
def tile(call: RelayCall) -> Expr:
    """A tensor several times along each axis."""
    repeats, rank, data = list(call.attrs.reps), call.rank(), call.args[0]
    if len(repeats) > rank:
        data = call.reshape(data, [1] * (len(repeats) - rank) + list(call.sizes(0)))
    return call.node("Tile", data, ints([1] * (rank - len(repeats)) + repeats))


@raises("strided_slice")
def strided_slice(call: RelayCall) -> Expr:
    """A part of each axis."""
    attrs = call.attrs
    if attrs.slice_mode != "end" or attrs.begin is None or attrs.end is None:
        raise Unraised("it says sizes, or what is known only when it runs")
    begin, end = [int(each) for each in attrs.begin], [int(each) for each in attrs.end]
    strides = [int(each) for each in attrs.strides or [1] * len(begin)]
    strides += [strides[-1] if len(strides) == 1 else 1] * (len(begin) - len(strides))
    if not len(begin) == len(end) == len(strides):
        raise Unraised("it says not where all of its parts begin and end")
    axes = list(range(len(begin))) if attrs.axes is None else [int(each) for each in attrs.axes]
    return call.node("Slice", call.args[0], ints(begin), ints(end), ints(axes), ints(strides))


@raises("full", "zeros", "ones", "full_like", "zeros_like", "ones_like")
def full(call: RelayCall) -> Expr:
    """One number everywhere."""
    dtype = call.type().dtype
    if call.name.startswith("full"):
        value: Any = call.args[-1]  # Any: a constant of a number
        if not isinstance(value, Constant):
            return call.node("Expand", value, ints(call.sizes()))
        fill = np.asarray(number(value.data, dtype).data)
    else:
        fill = np.asarray(int(call.name.startswith("ones"))).astype(dtype)
    return call.node("ConstantOfShape", ints(call.sizes()), value=fill.reshape(1))


@raises("split")
def split(call: RelayCall) -> Expr:
    """Parts along an axis."""
    told, axis = call.attrs.indices_or_sections, int(call.attrs.axis) % call.rank()
    whole = call.sizes(0)[axis]
    if isinstance(told, (tuple, list)):
        ends = [*[int(each) for each in told], whole]
        sizes = [end - begin for begin, end in pairwise([0, *ends])]
    else:
        sizes = [whole // int(told)] * int(told)
    if len(sizes) == 1:
        return Tuple([call.node("Identity", call.args[0])])
    if call.opset < _SPLIT_AS_INPUT:
        return call.node("Split", call.args[0], outputs=len(sizes), axis=axis, split=tuple(sizes))
    return call.node("Split", call.args[0], ints(sizes), outputs=len(sizes), axis=axis)


@raises("stack")
def stack(call: RelayCall) -> Expr:
    """Tensors along a further axis."""
    shape = call.sizes()
    axis = int(call.attrs.axis) % len(shape)
    wide = [call.reshape(each, [*shape[:axis], 1, *shape[axis + 1 :]]) for each in call.parts()]
    return call.node("Concat", *wide, axis=axis)
