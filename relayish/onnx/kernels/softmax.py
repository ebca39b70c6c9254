"""Softmax and its relatives, which since version 13 work along one axis, and before on rows."""

from __future__ import annotations

import numpy as np

from relayish.numeric import softmax as numeric
from relayish.numeric.axes import normalise_axis
from relayish.numeric.precision import widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.shape import flatten


@kernel("Softmax", since=(13,))
def softmax(x: Array, *, axis: int = -1) -> Array:
    """Return ``exp(x)`` with a sum of 1 along ``axis``."""
    return numeric.softmax(x, normalise_axis(axis, x.ndim))


@kernel("LogSoftmax", since=(13,))
def log_softmax(x: Array, *, axis: int = -1) -> Array:
    """Return the logarithm of the softmax along ``axis``."""
    return numeric.log_softmax(x, normalise_axis(axis, x.ndim))


@kernel("Hardmax", since=(13,))
def hardmax(x: Array, *, axis: int = -1) -> Array:
    """Return 1 at the first of the greatest elements along ``axis``, 0 elsewhere."""
    axis = normalise_axis(axis, x.ndim)
    y = np.zeros_like(x)
    if x.size:
        np.put_along_axis(y, widen(x).argmax(axis, keepdims=True), x.dtype.type(1), axis)
    return y


@kernel("Softmax", since=(1, 11))
def softmax_of_rows(x: Array, *, axis: int = 1) -> Array:
    """Return the softmax of what ``axis`` and all behind it make up together."""
    return softmax(flatten(x, axis=axis)).reshape(x.shape)


@kernel("LogSoftmax", since=(1, 11))
def log_softmax_of_rows(x: Array, *, axis: int = 1) -> Array:
    """Return the logarithm of the softmax of what ``axis`` and all behind it make up together."""
    return log_softmax(flatten(x, axis=axis)).reshape(x.shape)


@kernel("Hardmax", since=(1, 11))
def hardmax_of_rows(x: Array, *, axis: int = 1) -> Array:
    """Return 1 at the first of the greatest elements of what ``axis`` and all behind make up."""
    return hardmax(flatten(x, axis=axis)).reshape(x.shape)
