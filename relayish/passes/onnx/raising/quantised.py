"""Integers that stand for numbers, at a scale."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.passes.onnx.raising.arithmetic import nearest
from relayish.passes.onnx.raising.normalisation import along
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, number, raises

_ALONG_AXES: Final = 13


def _axis(call: RelayCall) -> int:
    """Return the axis of scales and zero points; of one of each it does not matter."""
    return call.axis() if any(len(call.type(place).shape) for place in (1, 2)) else 0


def _aligned(call: RelayCall, place: int) -> Expr:
    """Return a scale or a zero point so that it broadcasts with the data."""
    if not call.type(place).shape:
        return call.args[place]
    return along(call, call.args[place], call.axis(), call.rank())


@raises("qnn.dequantize")
def dequantize(call: RelayCall) -> Expr:
    """Numbers that integers stand for."""
    dtype, zero = call.type(0).dtype, call.args[2]
    same = len(call.type(1).shape) == len(call.type(2).shape)
    fits = isinstance(zero, Constant) and _fits(np.asarray(zero.data), dtype)
    is_plain = dtype in ("int8", "uint8") and call.type().dtype == "float32"
    if is_plain and fits and same and (call.opset >= _ALONG_AXES or not call.type(1).shape):
        axis = _axis(call) if call.type(1).shape else None
        point = call.cast_from(zero, "int32", dtype)
        return call.node("DequantizeLinear", call.args[0], call.args[1], point, axis=axis)
    wide = call.cast_from(call.args[0], dtype, "int32")
    shifted = call.cast(call.node("Sub", wide, _aligned(call, 2)), "float32")
    found = call.node("Mul", shifted, _aligned(call, 1))
    return call.cast_from(found, "float32", call.type().dtype)


def _fits(value: np.ndarray[Any, Any], dtype: str) -> bool:  # Any: as above
    limits = np.iinfo(dtype)
    return bool((value >= limits.min).all() and (value <= limits.max).all())


@raises("qnn.quantize")
def quantize(call: RelayCall) -> Expr:
    """Numbers as integers: ONNX rounds halves to the even one, Relay away from zero."""
    dtype, limits = call.type().dtype, np.iinfo(call.type().dtype)
    x = call.cast_from(call.args[0], call.type(0).dtype, "float32")
    x = call.cast(call.node("Div", x, _aligned(call, 1)), "float64")
    whole = nearest(call, x, "float64")
    whole = call.node("Where", call.node("IsNaN", whole), number(0, "float64"), whole)
    shifted = call.node("Add", whole, call.cast(_aligned(call, 2), "float64"))
    below, above = number(limits.min, "float64"), number(limits.max, "float64")
    return call.cast(call.node("Clip", shifted, below, above), dtype)


@raises("fixed_point_multiply")
def fixed_point_multiply(call: RelayCall) -> Expr:
    """Products with a number of 31 bits behind the point."""
    left, right = max(int(call.attrs.shift), 0), max(-int(call.attrs.shift), 0)
    return _multiplied(call, np.array(int(call.attrs.multiplier) << left, object), np.array(right))


@raises("fixed_point_multiply_per_axis")
def fixed_point_multiply_per_axis(call: RelayCall) -> Expr:
    """Products with such numbers, which vary along axes."""
    attrs, sizes, rank = call.attrs, call.sizes(), call.rank()
    axes = [int(axis) % rank for axis in attrs.axes]
    apart = [size if axis in axes else 1 for axis, size in enumerate(sizes)]
    factor, left, right = [
        call.known(place).transpose(np.argsort(axes)).reshape(apart) for place in (1, 2, 3)
    ]
    if min(left.min(initial=0), right.min(initial=0)) < 0 or left.max(initial=0) > 31:
        raise Unraised("it shifts by numbers that are no places of bits")
    if attrs.is_lshift_required:
        factor = factor.astype(object) * 2 ** left.astype(object)
    return _multiplied(call, factor, right if attrs.is_rshift_required else right * 0)


def _multiplied(
    call: RelayCall,
    factor: np.ndarray[Any, Any],  # Any: of integers that may be wide
    right: np.ndarray[Any, Any],  # Any: as above
) -> Expr:
    """Return products shifted to the right, halves rounded up, as 64 bits hold them."""
    behind = 31 + right.astype("int64")
    widest = max((abs(int(each)) for each in factor.ravel()), default=0)
    if call.type().dtype != "int32" or widest >> 63 or bool((behind > 62).any()):
        raise Unraised("ONNX has no integers in which its product fits")
    wide = call.node("Mul", call.cast(call.args[0], "int64"), number(factor, "int64"))
    divisor = np.int64(1) << behind
    rounded = call.node("Add", wide, number(divisor >> 1, "int64"))
    rest = call.node("Mod", rounded, number(divisor, "int64"))
    whole = call.node("Div", call.node("Sub", rounded, rest), number(divisor, "int64"))
    return call.cast(whole, "int32")
