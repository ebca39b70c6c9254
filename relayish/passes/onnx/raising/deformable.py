"""Deformable convolution: what is found at places that are moved, times the kernel.

ONNX has an operator for it which, just before the first row or column, fades to zero; Relay's finds
nothing there.
"""

from __future__ import annotations

import functools
from math import prod

import numpy as np

from relayish.ir.relay.expr import Constant, Expr
from relayish.op.builders.builder import op
from relayish.op.nn.windows import sides
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, raises
from relayish.passes.relay.lowering.tensors import arrange, arranged_shape, number, pick


@raises("nn.deformable_conv2d")
def deformable_conv2d(call: RelayCall) -> Expr:
    """Products of the kernel with what its elements see."""
    attrs, dtype = call.attrs, call.type().dtype
    if dtype not in ("float32", "float64") or any(
        call.type(place).dtype != dtype for place in range(3)
    ):
        raise Unraised("what it finds between elements is rounded on the way")
    if any(0 in call.sizes(place) for place in range(3)):
        raise Unraised("it has no elements")
    layout, groups = attrs.data_layout, int(attrs.groups)
    batch, channels, *_ = arranged_shape(call.sizes(0), layout, "NCHW")
    outputs, inputs, *kernel = arranged_shape(call.sizes(2), attrs.kernel_layout, "OIHW")
    places = arranged_shape(call.sizes(1), layout, "NCHW")[2:]
    if groups > 1 and outputs == groups == channels:
        outputs, inputs = outputs * inputs, 1
    taps, count = prod(kernel), prod(places)
    inner = channels // groups * taps
    seen = op.reshape(_seen(call, kernel, places), newshape=(batch, groups, inner, count))
    weight = arrange(call.args[2], attrs.kernel_layout, "OIHW")
    matrices = op.reshape(weight, newshape=(groups, outputs // groups, inputs * taps))
    product = call.node("MatMul", call.write(matrices), call.write(seen))
    found = call.reshape(product, [batch, outputs, *places])
    return call.write(arrange(found, "NCHW", attrs.out_layout or layout))


def _seen(call: RelayCall, kernel: list[int], places: tuple[int, ...]) -> Expr:
    """Return ``(n · g, c / g, taps · places)``: what each element of the kernel sees."""
    attrs, dtype, parts = call.attrs, call.type().dtype, int(call.attrs.deformable_groups)
    batch, channels, *size = arranged_shape(call.sizes(0), attrs.data_layout, "NCHW")
    height, width = size
    maps = op.reshape(
        arrange(call.args[0], attrs.data_layout, "NCHW"),
        newshape=(batch * parts, channels // parts, height * width),
    )
    maps = op.transpose(maps, axes=(0, 2, 1))
    moves = arrange(call.args[1], attrs.data_layout, "NCHW")
    moves = op.reshape(moves, newshape=(batch, parts, *kernel, 2, *places))
    at = [
        op.add(pick(moves, axis, 4), Constant(_starts(call, axis, kernel, places).astype(dtype)))
        for axis in (0, 1)
    ]
    zero, one = number(0, dtype), number(1, dtype)
    bounds = [op.greater_equal(place, zero) for place in at]
    bounds += [op.less(place, number(n, dtype)) for place, n in zip(at, size, strict=True)]
    is_inside = functools.reduce(op.logical_and, bounds)
    at = [op.where(is_inside, place, zero) for place in at]
    below = [op.floor(place) for place in at]
    flat = (batch * parts, prod(kernel) * prod(places))
    down, right = [
        op.reshape(op.subtract(place, low), newshape=(*flat, 1))
        for place, low in zip(at, below, strict=True)
    ]
    row, column = [op.reshape(op.cast(low, "int64"), newshape=flat) for low in below]

    def found(y: int, x: int) -> Expr:
        there = op.add(row, number(y, "int64")), op.add(column, number(x, "int64"))
        is_there = op.logical_and(
            op.less(there[0], number(height, "int64")), op.less(there[1], number(width, "int64"))
        )
        place = op.add(op.multiply(there[0], number(width, "int64")), there[1])
        element = op.where(is_there, place, number(0, "int64"))
        taken = op.take(maps, element, axis=1, batch_dims=1)
        shown: Expr = op.where(op.expand_dims(is_there, axis=2), taken, zero)
        return shown

    def between(left: Expr, other: Expr, share: Expr) -> Expr:
        rest = op.multiply(left, op.subtract(one, share))
        total: Expr = op.add(rest, op.multiply(other, share))
        return total

    rows = [between(found(y, 0), found(y, 1), right) for y in (0, 1)]
    whole = op.where(
        op.reshape(is_inside, newshape=(*flat, 1)), between(rows[0], rows[1], down), zero
    )
    turned: Expr = op.transpose(whole, axes=(0, 2, 1))
    return turned


def _starts(
    call: RelayCall, axis: int, kernel: list[int], places: tuple[int, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return where elements of the kernel are along an axis, without the moves."""
    attrs, before = call.attrs, sides(call.attrs.padding, 2)[axis][0]
    steps = np.arange(places[axis]) * int(attrs.strides[axis]) - before
    spread = np.arange(kernel[axis]) * int(attrs.dilation[axis])
    shape = [1] * 4
    shape[axis], shape[2 + axis] = kernel[axis], places[axis]
    return (spread[:, None] + steps).reshape(shape)
