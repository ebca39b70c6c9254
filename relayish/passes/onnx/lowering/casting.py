"""Operators that give elements another type: casts, and the same bits in another type."""

from __future__ import annotations

from typing import Final

import ml_dtypes

from relayish.ir.relay.expr import Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_fractional, is_native
from relayish.onnx.element_types import element_type_name
from relayish.passes.onnx.lowering.arithmetic import Numbers
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, const, lowers

_SATURATING: Final = ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz")
_POWERS: Final = "float8_e8m0fnu"
_MOST_POWER: Final = 254
_NO_POWER: Final = 255


@lowers("Cast")
def cast(node: OnnxNode) -> Expr:
    """Another element type."""
    to = node.attr("to")
    dtype = to.lower() if isinstance(to, str) else element_type_name(int(to))
    return _cast(node, {"float": "float32", "double": "float64"}.get(dtype, dtype))


@lowers("CastLike")
def cast_like(node: OnnxNode) -> Expr:
    """The element type of another tensor."""
    return _cast(node, node.dtype(1))


def _cast(node: OnnxNode, dtype: str) -> Expr:
    x, given = node.input(0), node.dtype()
    if "string" in (dtype, given):
        raise Unlowered("Relay has no tensors of strings")
    if dtype == given:
        return x
    saturates = bool(node.attr("saturate", 1))
    if dtype == _POWERS:
        return _power_of_two(node, build("cast", x, "float32"), saturates=saturates)
    if saturates and dtype in _SATURATING:
        return clipped(build("cast", x, _wide(given)), dtype)
    return build("cast", x, dtype)


def _wide(dtype: str) -> str:
    """Return the type in which numbers are compared with the limits of a smaller one."""
    held = numpy_dtype(dtype)
    if is_native(held):
        return dtype if is_fractional(held) else "float64"
    return "float32"


def clipped(x: Expr, dtype: str) -> Expr:
    """Return numbers as a type of small floats, what is beyond its range as its ends."""
    most = float(ml_dtypes.finfo(numpy_dtype(dtype)).max)  # type: ignore[no-untyped-call]
    return build("cast", build("clip", x, -most, most), dtype)


def _power_of_two(node: OnnxNode, x: Expr, *, saturates: bool) -> Expr:
    """Return the exponents of numbers as elements that have nothing else: 255 is no number."""
    mode = node.attr("round_mode", "up")
    if mode not in ("up", "down", "nearest"):
        raise Unlowered(f"there is no way {mode!r} to round")
    op = Numbers("int32")
    bits = op("bitwise_and", build("reinterpret", x, dtype="int32"), 0x7FFFFFFF)
    exponent, fraction = op("right_shift", bits, 23), op("bitwise_and", bits, 0x7FFFFF)
    # below 2**-126 no bit is implied: half of the fraction is 2**-127, the least power
    below = op("equal", exponent, 0)
    beyond = op("where", below, op("subtract", fraction, 1 << 22), fraction)
    rises: Expr = const(0, "int32")
    if mode == "up":
        rises = build("cast", op("greater", beyond, 0), "int32")
    elif mode == "nearest":
        half = op("where", below, 1 << 21, 1 << 22)
        rises = build("cast", op("greater_equal", beyond, half), "int32")
    found, none = op("add", exponent, rises), build("isnan", x)
    if saturates:
        found = op("minimum", found, _MOST_POWER)
    else:
        lost = op("logical_or", op("equal", bits, 0), op("greater", found, _MOST_POWER))
        if mode != "up":
            lost = op("logical_or", lost, op("less", bits, 1 << 22))
        none = op("logical_or", none, lost)
    found = build("cast", op("where", none, _NO_POWER, found), "uint8")
    return build("reinterpret", found, dtype=_POWERS)


@lowers("BitCast")
def bit_cast(node: OnnxNode) -> Expr:
    """The same bits in another element type."""
    dtype = element_type_name(int(node.attr("to")))
    if "string" in (dtype, node.dtype()):
        raise Unlowered("strings have no bits")
    if _width(dtype) != _width(node.dtype()):
        raise Unlowered(f"{node.dtype()} has not as many bits as {dtype}")
    return build("reinterpret", node.input(0), dtype=dtype)


def _width(dtype: str) -> int:
    held = numpy_dtype(dtype)
    if is_native(held):
        return 8 * held.itemsize
    told = ml_dtypes.finfo if is_fractional(held) else ml_dtypes.iinfo
    return int(told(held).bits)
