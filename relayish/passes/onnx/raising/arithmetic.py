"""Operators that compute with several of ONNX's: quotients, rounding, sums and products so far."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Expr, Function, Tuple, TupleGetItem, Var
from relayish.ir.relay.type import TensorType, TupleType
from relayish.op.tensor.reduction import normalise_axes
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, ints, number, raises

NARROW_FLOATS: Final = ("float16", "bfloat16")
_HAS_PRODUCTS: Final = 26
_NARROW_INTEGERS: Final = ("bool", "int8", "uint8", "int16", "uint16")


def is_whole(dtype: str) -> bool:
    """Return whether elements of a type are integers or truth values."""
    return "float" not in dtype


def widened(dtype: str) -> str:
    """Return the type in which sums of elements are taken: these are rounded, or cut, at last."""
    if dtype in _NARROW_INTEGERS:
        return "int32"
    return "float32" if dtype in NARROW_FLOATS else dtype


@raises("divide", "trunc_divide", "floor_divide")
def divide(call: RelayCall) -> Expr:
    """Quotients: those of integers ONNX rounds towards zero."""
    left, right = call.args
    dtype, rounds_down = call.type().dtype, call.name == "floor_divide"
    quotient = call.node("Div", left, right)
    if not is_whole(dtype):
        return quotient if call.name == "divide" else _whole(call, quotient, rounds_down)
    if not rounds_down or dtype.startswith("u"):
        return quotient
    zero = number(0, dtype)
    is_exact = call.node("Equal", call.node("Mod", left, right), zero)
    differ = call.node("Xor", call.node("Less", left, zero), call.node("Less", right, zero))
    below = call.node("Sub", quotient, number(1, dtype))
    is_below = call.node("And", call.node("Not", is_exact), differ)
    return call.node("Where", is_below, below, quotient)


def _whole(call: RelayCall, quotient: Expr, rounds_down: bool) -> Expr:
    """Return quotients of floats, rounded down or towards zero."""
    return call.node("Floor", quotient) if rounds_down else cut(call, quotient, call.type().dtype)


def cut(call: RelayCall, x: Expr, dtype: str) -> Expr:
    """Return floats without what stands behind their point."""
    is_negative = call.node("Less", x, number(0, dtype))
    return call.node("Where", is_negative, call.node("Ceil", x), call.node("Floor", x))


@raises("floor_mod", "trunc_mod", "mod")
def modulo(call: RelayCall) -> Expr:
    """Remainders: those of floats are what a whole quotient leaves, as Relay computes them."""
    if call.name == "mod" or is_whole(call.type().dtype):
        return call.node("Mod", *call.args, fmod=int(call.name != "floor_mod"))
    left, right = call.args
    times = _whole(call, call.node("Div", left, right), call.name == "floor_mod")
    return call.node("Sub", left, call.node("Mul", times, right))


@raises("round", "trunc")
def round_(call: RelayCall) -> Expr:
    """The nearest whole number, of two that which is further from zero; or the next towards it."""
    (x,), dtype = call.args, call.type().dtype
    if is_whole(dtype):
        return call.node("Identity", x)
    return cut(call, x, dtype) if call.name == "trunc" else nearest(call, x, dtype)


def nearest(call: RelayCall, x: Expr, dtype: str) -> Expr:
    """Return floats rounded, halves away from zero; what is infinite or no number stays."""
    whole = cut(call, x, dtype)
    rest = call.node("Abs", call.node("Sub", x, whole))
    is_below = call.node("Less", rest, number(0.5, dtype))
    is_kept = call.node("Or", is_below, call.node("IsNaN", rest))
    return call.node("Where", is_kept, whole, call.node("Add", whole, call.node("Sign", x)))


@raises("isfinite")
def is_finite(call: RelayCall) -> Expr:
    """Whether elements are numbers, and not infinite."""
    (x,) = call.args
    if is_whole(call.type(0).dtype):
        return call.node("Equal", x, x)
    return call.node("Not", call.node("Or", call.node("IsNaN", x), call.node("IsInf", x)))


@raises("log2", "log10")
def logarithm(call: RelayCall) -> Expr:
    """Logarithms to another base."""
    base = math.log(2 if call.name == "log2" else 10)
    return call.node("Div", call.node("Log", call.args[0]), number(base, call.type().dtype))


@raises("left_shift", "right_shift")
def shift(call: RelayCall) -> Expr:
    """Bits that are moved, of signed integers as those of unsigned ones.

    To the right, those of negative numbers are moved where they are turned over.
    """
    (x, by), dtype = call.args, call.type().dtype
    direction = "LEFT" if call.name == "left_shift" else "RIGHT"
    if not dtype.startswith(("int", "uint")):
        raise Unraised(f"{dtype} has no bits to move")
    if dtype.startswith("u"):
        return call.node("BitShift", x, by, direction=direction)
    is_negative = call.node("Less", x, number(0, dtype))
    if direction == "RIGHT":
        x = _turned_over(call, is_negative, x)
    bits = [call.cast(each, f"u{dtype}") for each in (x, by)]
    found = call.cast(call.node("BitShift", *bits, direction=direction), dtype)
    return _turned_over(call, is_negative, found) if direction == "RIGHT" else found


def _turned_over(call: RelayCall, where: Expr, x: Expr) -> Expr:
    """Return integers whose bits are the others of these in some places."""
    return call.node("Where", where, call.node("Sub", number(-1, call.type().dtype), x), x)


@raises("cast_like")
def cast_like(call: RelayCall) -> Expr:
    """The element type of another tensor."""
    return call.cast(call.args[0], call.type().dtype)


@raises("all", "any")
def hold(call: RelayCall) -> Expr:
    """Whether all elements hold, or some: what holds is counted."""
    if call.type(0).dtype != "bool":
        raise Unraised("it asks numbers whether they hold; cast them to bool")
    axes = normalise_axes(call.attrs.axis, call.rank(), exclude=call.attrs.exclude)
    if not axes:
        return call.node("Identity", call.args[0])
    asked = call.args[0] if call.name == "any" else call.node("Not", call.args[0])
    counts = call.sum(call.cast(asked, "int32"), axes, keep=call.attrs.keepdims)
    found = call.cast(counts, "bool")
    return found if call.name == "any" else call.node("Not", found)


@raises("variance")
def variance(call: RelayCall) -> Expr:
    """The mean of squares of what elements differ from their mean."""
    dtype = call.type().dtype
    if is_whole(dtype):
        raise Unraised("its squares of integers wrap around, and their mean is rounded to zero")
    axes = normalise_axes(call.attrs.axis, call.rank(), exclude=call.attrs.exclude)
    wide = widened(dtype)
    x, mean = [call.cast_from(each, dtype, wide) for each in call.args]
    rest = call.node("Sub", x, mean)
    total: Expr = call.node("Mul", rest, rest)
    if axes:
        total = call.sum(total, axes, keep=call.attrs.keepdims)
    count = math.prod([call.sizes(0)[axis] for axis in axes]) - bool(call.attrs.unbiased)
    return call.cast_from(call.node("Div", total, number(count, wide)), wide, dtype)


@raises("cumsum", "cumprod")
def cumulate(call: RelayCall) -> Expr:
    """Sums, or products, of all elements so far."""
    dtype, given = call.type().dtype, call.type(0).dtype
    x = call.args[0]
    if call.attrs.axis is None:
        x, axis = call.node("Reshape", x, number([-1], "int64")), 0
    else:
        axis = call.axis()
    wide = widened(dtype)
    x = call.cast_from(call.cast_from(x, given, dtype), dtype, wide)
    is_exclusive = int(call.attrs.exclusive or 0) or None
    if call.name == "cumprod" and call.opset < _HAS_PRODUCTS:
        total = _products(call, x, wide, axis)
    else:
        name = "CumSum" if call.name == "cumsum" else "CumProd"
        total = call.node(name, x, number(axis, "int64"), exclusive=is_exclusive)
    return call.cast_from(total, wide, dtype)


def _products(call: RelayCall, x: Expr, dtype: str, axis: int) -> Expr:
    """Return products of all elements so far, by a scan over these."""
    sizes = call.sizes()
    if 0 in sizes:
        return call.node("Identity", x)
    kept = [size for place, size in enumerate(sizes) if place != axis]
    slices, one = TensorType(kept, dtype), np.ones(1).astype(dtype)
    first = call.node("ConstantOfShape", ints(kept), value=one)
    total, each = Var("total", slices), Var("each", slices)
    product = call.node("Mul", total, each)
    shown: Expr = call.node("Identity", total if call.attrs.exclusive else product)
    body = Function((total, each), Tuple([product, shown]), ret_type=TupleType([slices, slices]))
    along = {"scan_input_axes": (axis,), "scan_output_axes": (axis,)}
    found = call.node(
        "Scan", first, x, outputs=2, graphs={"body": body}, num_scan_inputs=1, **along
    )
    return TupleGetItem(found, 1)
