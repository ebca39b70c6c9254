"""Fourier transforms, of whole signals and of overlapping frames of them."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.ir.relay.expr import Constant, Expr, Tuple
from relayish.passes.onnx.raising.arithmetic import is_whole, widened
from relayish.passes.onnx.raising.rule import RelayCall, Unraised, number, raises

_AXIS_AS_INPUT: Final = 20
_HAS_FRAMES: Final = 17


@raises("dft")
def dft(call: RelayCall) -> Expr:
    """Transforms along the last axis, with real and imaginary parts in a further one."""
    dtype, shape = call.type(0).dtype, call.sizes(0)
    if 0 in shape:
        return Tuple([call.node("Identity", each) for each in call.args])
    wide = widened(dtype)
    lines = (math.prod(shape[:-1]), shape[-1], 1)
    parts = [call.reshape(call.cast_from(each, dtype, wide), lines) for each in call.args]
    whole = call.node("Concat", *parts, axis=2)
    inverse = int(bool(call.attrs.inverse))
    if call.opset < _AXIS_AS_INPUT:
        found = call.node("DFT", whole, axis=1, inverse=inverse)
    else:
        found = call.node("DFT", whole, None, number(1, "int64"), inverse=inverse)
    fields = [call.node("Gather", found, number(place, "int64"), axis=2) for place in (0, 1)]
    return Tuple([call.cast_from(call.reshape(each, shape), wide, dtype) for each in fields])


@raises("stft")
def stft(call: RelayCall) -> Expr:
    """Transforms of frames: where a window is as long as they are, ONNX has an operator."""
    attrs, dtype = call.attrs, call.type(0).dtype
    if is_whole(dtype):
        raise Unraised("Relay cuts off what it computes of integers")
    wide = widened(dtype)
    data, window = [
        call.cast_from(each, call.type(place).dtype, wide) for place, each in enumerate(call.args)
    ]
    fills = attrs.win_length == attrs.n_fft and call.type(1).dtype == dtype
    if fills and call.opset >= _HAS_FRAMES:
        signal = call.unit_axes("Unsqueeze", data, [2])
        sizes = [number(each, "int64") for each in (attrs.hop_length, attrs.n_fft)]
        onesided = int(bool(attrs.onesided))
        found: Expr = call.node("STFT", signal, sizes[0], window, sizes[1], onesided=onesided)
        found = call.node("Transpose", found, perm=(0, 2, 1, 3))
    else:
        found = _by_waves(call, data, window, wide)
    if attrs.normalized:
        found = call.node("Div", found, number(math.sqrt(attrs.n_fft), wide))
    return call.cast_from(found, wide, dtype)


def _by_waves(call: RelayCall, data: Expr, window: Expr, dtype: str) -> Expr:
    """Return the products of frames with the waves of all frequencies, of the window's length."""
    attrs, length = call.attrs, int(call.attrs.win_length)
    bins = attrs.n_fft // 2 + 1 if attrs.onesided else attrs.n_fft
    first = np.arange(0, call.size(1) - attrs.n_fft + 1, attrs.hop_length)
    frames = call.node("Gather", data, Constant(first[:, None] + np.arange(length)), axis=1)
    frames = call.node("Mul", frames, window)
    angles = 2 * np.pi * np.outer(np.arange(length), np.arange(bins)) / length
    parts = []
    for waves in (np.cos(angles), -np.sin(angles)):
        product = call.node("MatMul", frames, Constant(waves.astype(dtype)))
        turned = call.node("Transpose", product, perm=(0, 2, 1))
        parts.append(call.unit_axes("Unsqueeze", turned, [3]))
    return call.node("Concat", *parts, axis=3)
