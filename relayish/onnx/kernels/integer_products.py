"""Products and convolutions of quantised numbers, summed up exactly in 32 bits."""

from __future__ import annotations

from math import prod
from typing import Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.convolution import convolve
from relayish.numeric.precision import accumulator, round_to, widen
from relayish.numeric.products import matrix_product
from relayish.numeric.quantization import requantize, subtract_zero_point
from relayish.onnx.kernels.convolution import ConvAttributes, place_kernel, spread_channels
from relayish.onnx.kernels.registry import Array, kernel


@kernel("MatMulInteger", since=(10,))
def matmul_integer(
    a: Array, b: Array, a_zero_point: Array | None = None, b_zero_point: Array | None = None
) -> Array:
    """Return ``(a - a_zero_point) @ (b - b_zero_point)`` as int32.

    Zero points are one number, or one for each row of ``a`` and column of ``b``.
    """
    left = subtract_zero_point(a, _spread_rows(a_zero_point, a))
    right = subtract_zero_point(b, _spread_columns(b_zero_point, b))
    return matrix_product(left, right, np.dtype(np.int64)).astype(np.int32)


def _spread_rows(value: Array | None, a: Array) -> Array | None:
    """Return what belongs to each row of ``a`` with a shape that broadcasts to that of ``a``."""
    if value is None or value.size == 1 or a.ndim < 2:
        return None if value is None else value.reshape(()) if value.size == 1 else value
    if value.ndim == 1:
        value = value[:, None]
    _check_parameter(value, a, (*a.shape[:-1], 1))
    return value


def _spread_columns(value: Array | None, b: Array) -> Array | None:
    if value is None or value.size == 1 or b.ndim < 2:
        return None if value is None else value.reshape(()) if value.size == 1 else value
    if value.ndim == 1:
        value = value[None, :]
    _check_parameter(value, b, (*b.shape[:-2], 1, b.shape[-1]))
    return value


def _check_parameter(value: Array, matrix: Array, expected: tuple[int, ...]) -> None:
    if value.shape != expected[-value.ndim :] or value.ndim > len(expected):
        raise EvaluationError(
            f"a scale or zero point of shape {value.shape} belongs to a matrix of shape "
            f"{matrix.shape}; expected one number, or shape {expected}"
        )


@kernel("QLinearMatMul", since=(10, 21))
def qlinear_matmul(
    a: Array,
    a_scale: Array,
    a_zero_point: Array,
    b: Array,
    b_scale: Array,
    b_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
) -> Array:
    """Return the product of quantised matrices, quantised."""
    left = subtract_zero_point(a, _spread_rows(a_zero_point, a))
    right = subtract_zero_point(b, _spread_columns(b_zero_point, b))
    whole = left.dtype.kind != "f"
    total = matrix_product(left, right, np.dtype(np.int64) if whole else left.dtype)
    rows = _spread_rows(widen(a_scale), a)
    columns = _spread_columns(widen(b_scale), b)
    assert rows is not None
    assert columns is not None
    return requantize(total, rows * columns / widen(y_scale), y_zero_point)


@kernel("ConvInteger", since=(10,))
def conv_integer(
    x: Array,
    w: Array,
    x_zero_point: Array | None = None,
    w_zero_point: Array | None = None,
    **attributes: Unpack[ConvAttributes],
) -> Array:
    """Return the convolution of ``x - x_zero_point`` and ``w - w_zero_point`` as int32."""
    total = _convolve_integers(x, w, x_zero_point, w_zero_point, **attributes)
    return total.astype(np.int32)


def _convolve_integers(
    x: Array,
    w: Array,
    x_zero_point: Array | None,
    w_zero_point: Array | None,
    **attributes: Unpack[ConvAttributes],
) -> Array:
    placed = place_kernel(x, w, **attributes)
    zero = None if w_zero_point is None else _spread_outputs(w_zero_point, w)
    weights = subtract_zero_point(w, zero)
    data = subtract_zero_point(x, None if x_zero_point is None else x_zero_point.reshape(()))
    whole = np.dtype(np.int64)
    exact = accumulator(whole, data, weights, prod(w.shape[1:]))
    source = placed.pad(data.astype(exact, copy=False))
    total = convolve(
        source, weights.astype(exact, copy=False), placed.windows, attributes.get("group", 1)
    )
    return round_to(total, whole)


def _spread_outputs(value: Array, w: Array) -> Array:
    """Return one number, or one for each output channel, as it broadcasts with the weights."""
    if value.size == 1:
        return value.reshape(())
    if value.shape != (w.shape[0],):
        raise EvaluationError(
            f"a scale or zero point of shape {value.shape} belongs to weights of shape {w.shape}; "
            f"expected one number, or {w.shape[0]}"
        )
    return value.reshape(-1, *(1,) * (w.ndim - 1))


@kernel("QLinearConv", since=(10,))
def qlinear_conv(
    x: Array,
    x_scale: Array,
    x_zero_point: Array,
    w: Array,
    w_scale: Array,
    w_zero_point: Array,
    y_scale: Array,
    y_zero_point: Array,
    b: Array | None = None,
    **attributes: Unpack[ConvAttributes],
) -> Array:
    """Return the convolution of quantised tensors; ``b`` counts multiples of both scales."""
    total = _convolve_integers(x, w, x_zero_point, w_zero_point, **attributes)
    if b is not None:
        total = total + spread_channels(b, w.shape[0], x.ndim).astype(np.float64)
    factor = x_scale.reshape(()) * _spread_outputs(w_scale, w) / y_scale.reshape(())
    factor = np.asarray(factor)
    if factor.ndim:
        factor = factor.reshape(-1, *(1,) * (x.ndim - 2))
    return requantize(total, factor, y_zero_point.reshape(()))
