"""Operators that compute each element by itself, reduce, or move elements."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.onnx.element_types import element_type_number
from relayish.op.tensor.reduction import normalise_axes
from relayish.passes.onnx_raising.rule import RelayCall, Unraised, ints, number, raises

_SAME: Final = {
    "abs": "Abs", "acos": "Acos", "acosh": "Acosh", "add": "Add", "asin": "Asin", "asinh": "Asinh",
    "atan": "Atan", "atanh": "Atanh", "bitwise_and": "BitwiseAnd", "bitwise_not": "BitwiseNot",
    "bitwise_or": "BitwiseOr", "bitwise_xor": "BitwiseXor", "ceil": "Ceil", "copy": "Identity",
    "cos": "Cos", "cosh": "Cosh", "equal": "Equal", "erf": "Erf", "exp": "Exp", "floor": "Floor",
    "greater": "Greater", "greater_equal": "GreaterOrEqual", "isinf": "IsInf", "isnan": "IsNaN",
    "less": "Less", "less_equal": "LessOrEqual", "log": "Log", "logical_and": "And",
    "logical_not": "Not", "logical_or": "Or", "logical_xor": "Xor", "maximum": "Max",
    "minimum": "Min", "multiply": "Mul", "negative": "Neg", "nn.relu": "Relu", "power": "Pow",
    "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt",
    "subtract": "Sub", "tan": "Tan", "tanh": "Tanh", "where": "Where",
}  # fmt: skip
_REDUCTIONS: Final = {
    "sum": "ReduceSum", "mean": "ReduceMean", "max": "ReduceMax", "min": "ReduceMin",
    "prod": "ReduceProd",
}  # fmt: skip
_SMALL: Final = ("int8", "uint8", "int16", "uint16")
_AXES_AS_INPUT: Final = 18
_SUM_AXES_AS_INPUT: Final = 13
_SPLIT_AS_INPUT: Final = 13
_HAS_EINSUM: Final = 12


@raises(*_SAME)
def same(call: RelayCall) -> Expr:
    """An operator that ONNX has under another name."""
    return call.node(_SAME[call.name], *call.args)


@raises("not_equal")
def not_equal(call: RelayCall) -> Expr:
    """Whether elements differ."""
    return call.node("Not", call.node("Equal", *call.args))


@raises("divide", "trunc_divide")
def divide(call: RelayCall) -> Expr:
    """Division: of integers ONNX rounds towards zero, of others it has nothing that does."""
    is_integer = "int" in call.type().dtype
    if call.name == "divide" and is_integer:
        raise Unraised("Relay's divide of integers has another result than ONNX's Div")
    quotient = call.node("Div", *call.args)
    if call.name == "divide" or is_integer:
        return quotient
    whole = call.node("Floor", call.node("Abs", quotient))
    return call.node("Mul", call.node("Sign", quotient), whole)


@raises("floor_mod", "trunc_mod")
def modulo(call: RelayCall) -> Expr:
    """Remainders."""
    is_float = "int" not in call.type().dtype
    if is_float and call.name == "floor_mod":
        raise Unraised("ONNX has no remainder of floats with the sign of the divisor")
    return call.node("Mod", *call.args, fmod=int(call.name == "trunc_mod"))


@raises("rsqrt")
def rsqrt(call: RelayCall) -> Expr:
    """One over the root."""
    return call.node("Reciprocal", call.node("Sqrt", *call.args))


@raises("cast")
def cast(call: RelayCall) -> Expr:
    """Another element type."""
    return call.node("Cast", call.args[0], to=element_type_number(call.type().dtype))


@raises("clip")
def clip(call: RelayCall) -> Expr:
    """Elements within bounds."""
    dtype = call.type().dtype
    low, high = call.attrs.a_min, call.attrs.a_max
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
    return _reduced(call, name, call.args[0], axes)


def _mean_of_small(call: RelayCall, axes: list[int]) -> Expr:
    """Return the mean of integers, whose sum wraps around in their own type, rounded to zero."""
    dtype, wide = call.type().dtype, element_type_number("int32")
    total = _reduced(call, "ReduceSum", call.node("Cast", call.args[0], to=wide), axes)
    wrapped = call.node("Cast", total, to=element_type_number(dtype))
    count = math.prod([call.sizes(0)[axis] for axis in axes])
    mean = call.node("Div", call.node("Cast", wrapped, to=wide), number(count, "int32"))
    return call.node("Cast", mean, to=element_type_number(dtype))


def _reduced(call: RelayCall, name: str, data: Expr, axes: list[int]) -> Expr:
    keep = int(call.attrs.keepdims)
    as_input = _SUM_AXES_AS_INPUT if name == "ReduceSum" else _AXES_AS_INPUT
    if call.opset >= as_input:
        return call.node(name, data, ints(axes), keepdims=keep)
    return call.node(name, data, axes=tuple(axes), keepdims=keep)


@raises("nn.softmax", "nn.log_softmax")
def softmax(call: RelayCall) -> Expr:
    """Exponentials over their sum."""
    name = "Softmax" if call.name == "nn.softmax" else "LogSoftmax"
    return call.node(name, call.args[0], axis=int(call.attrs.axis))


@raises("nn.leaky_relu")
def leaky_relu(call: RelayCall) -> Expr:
    """A slope for what is negative."""
    return call.node("LeakyRelu", call.args[0], alpha=float(call.attrs.alpha))


@raises("reshape", "reshape_like")
def reshape(call: RelayCall) -> Expr:
    """Another shape, of which one size may be known only when it runs."""
    return call.node("Reshape", call.args[0], ints(_with_one_open(call)))


def _with_one_open(call: RelayCall) -> list[int]:
    """Return the shape of the result, ``-1`` for a size that follows from the others."""
    shape = call.type().shape
    sizes = [size if isinstance(size, int) else -1 for size in shape]
    if sizes.count(-1) > 1 or (-1 in sizes and 0 in sizes):
        told = getattr(call.attrs, "newshape", None)
        if not isinstance(told, (tuple, list)) or min(told, default=0) < -1:
            raise Unraised("several sizes of its shape are known only when it runs")
        return [int(each) for each in told]
    return sizes


@raises("nn.batch_flatten")
def batch_flatten(call: RelayCall) -> Expr:
    """A row for each sample."""
    return call.node("Flatten", call.args[0], axis=1)


@raises("squeeze", "expand_dims")
def unit_axes(call: RelayCall) -> Expr:
    """Without some axes of size one, or with more of them."""
    if call.name == "squeeze":
        name, told, rank = "Squeeze", call.attrs.axis, call.rank()
        axes = None if told is None else [int(axis) % rank for axis in _listed(told)]
        if axes is None:
            axes = [axis for axis, size in enumerate(call.sizes(0)) if size == 1]
        if not axes:
            return call.node("Identity", call.args[0])
    else:
        name, count = "Unsqueeze", int(call.attrs.num_newaxis)
        first = int(call.attrs.axis)
        first += call.rank() + 1 if first < 0 else 0
        axes = list(range(first, first + count))
    if call.opset < _SUM_AXES_AS_INPUT:
        return call.node(name, call.args[0], axes=tuple(axes))
    return call.node(name, call.args[0], ints(axes))


def _listed(told: Any) -> list[int]:  # Any: a number or several
    return [told] if isinstance(told, int) else list(told)


@raises("einsum")
def einsum(call: RelayCall) -> Expr:
    """Products and sums by letters."""
    (parts,) = call.args
    if not isinstance(parts, Tuple) or call.opset < _HAS_EINSUM:
        raise Unraised("ONNX has no Einsum in that version, or it takes a tuple made elsewhere")
    return call.node("Einsum", *parts.fields, equation=call.attrs.equation)


@raises("transpose")
def transpose(call: RelayCall) -> Expr:
    """Axes in another order."""
    axes = call.attrs.axes
    perm = None if not axes else tuple([int(axis) % call.rank() for axis in axes])
    return call.node("Transpose", call.args[0], perm=perm)


@raises("concatenate")
def concatenate(call: RelayCall) -> Expr:
    """Tensors one behind another."""
    (parts,) = call.args
    if not isinstance(parts, Tuple):
        raise Unraised("it takes a tuple that is made elsewhere")
    return call.node("Concat", *parts.fields, axis=int(call.attrs.axis))


@raises("broadcast_to")
def broadcast_to(call: RelayCall) -> Expr:
    """One tensor along further axes."""
    return call.node("Expand", call.args[0], ints(call.sizes()))


@raises("tile")
def tile(call: RelayCall) -> Expr:
    """A tensor several times along each axis."""
    repeats, rank = list(call.attrs.reps), call.rank()
    if len(repeats) > rank:
        raise Unraised("it adds axes")
    return call.node("Tile", call.args[0], ints([1] * (rank - len(repeats)) + repeats))


@raises("take")
def take(call: RelayCall) -> Expr:
    """Slices at indices, which ONNX does not clip."""
    axis = call.attrs.axis
    indices = call.args[1]
    known = indices.data if isinstance(indices, Constant) else None
    if axis is None or call.attrs.batch_dims or not isinstance(known, (np.ndarray, np.generic)):
        raise Unraised("its indices may lie outside, or it takes from all axes")
    size = call.type(0).shape[axis]
    array = np.asarray(known, "int64")
    if not isinstance(size, int) or bool((array < 0).any()) or bool((array >= size).any()):
        raise Unraised("its indices may lie outside")
    return call.node("Gather", call.args[0], indices, axis=int(axis) % call.rank())


@raises("strided_slice")
def strided_slice(call: RelayCall) -> Expr:
    """A part of each axis."""
    attrs = call.attrs
    if attrs.slice_mode != "end" or attrs.begin is None or attrs.end is None:
        raise Unraised("it says sizes, or what is known only when it runs")
    begin, end = [int(each) for each in attrs.begin], [int(each) for each in attrs.end]
    strides = [int(each) for each in attrs.strides or [1] * len(begin)]
    strides += [strides[-1] if len(strides) == 1 else 1] * (len(begin) - len(strides))
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
        fill = np.asarray(value.data).astype(dtype)
    else:
        fill = np.asarray(int(call.name.startswith("ones"))).astype(dtype)
    return call.node("ConstantOfShape", ints(call.sizes()), value=fill.reshape(1))


@raises("argmax", "argmin")
def arg_extremum(call: RelayCall) -> Expr:
    """Where the largest or the smallest element stands."""
    axes = normalise_axes(call.attrs.axis, call.rank(), exclude=call.attrs.exclude)
    if len(axes) != 1:
        raise Unraised("it looks along several axes at once")
    found = call.node(
        "ArgMax" if call.name == "argmax" else "ArgMin",
        call.args[0],
        axis=axes[0],
        keepdims=int(call.attrs.keepdims),
        select_last_index=int(call.attrs.select_last_index) or None,
    )
    dtype = call.type().dtype
    return found if dtype == "int64" else call.node("Cast", found, to=element_type_number(dtype))


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
    if call.opset < _SPLIT_AS_INPUT:
        return call.node("Split", call.args[0], outputs=len(sizes), axis=axis, split=tuple(sizes))
    return call.node("Split", call.args[0], ints(sizes), outputs=len(sizes), axis=axis)


@raises("stack")
def stack(call: RelayCall) -> Expr:
    """Tensors along a further axis."""
    (parts,) = call.args
    if not isinstance(parts, Tuple):
        raise Unraised("it takes a tuple that is made elsewhere")
    shape = call.sizes()
    axis = int(call.attrs.axis) % len(shape)
    wide = [
        call.node("Reshape", each, ints([*shape[:axis], 1, *shape[axis + 1 :]])) for each in parts
    ]
    return call.node("Concat", *wide, axis=axis)
