"""The element types in which kernels compute: half precision is widened, integers stay exact."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.onnx.kernels.registry import Array

EXACT_IN_FLOAT32: Final = 2**24
"""Up to which magnitude float32 holds every integer."""


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:  # Any: known when the value is
    """Return the element type to compute in: float32 for what is narrower and fractional.

    Strings keep theirs.
    """
    if dtype.kind in "fc" and is_native(dtype):
        return np.dtype(np.float32) if dtype.itemsize == 2 else dtype
    if dtype.kind == "O" or (dtype.kind in "iub" and is_native(dtype)):
        return dtype
    return np.dtype(np.float32) if is_fractional(dtype) else np.dtype(np.int32)


def widen(x: Array) -> Array:
    """Return ``x`` in the element type to compute in; ``x`` itself where it has that type."""
    return x.astype(compute_dtype(x.dtype), copy=False)


def narrow(y: Array, x: Array) -> Array:
    """Return ``y`` in the element type of ``x``; ``y`` itself where it has that type."""
    return np.asarray(y).astype(x.dtype, copy=False)


def is_native(dtype: np.dtype[Any]) -> bool:  # Any: as above
    """Return whether an element type is numpy's own, in whatever order its bytes are."""
    return dtype.type.__module__ == "numpy"


def is_fractional(dtype: np.dtype[Any]) -> bool:  # Any: as above
    """Return whether an element type holds floating-point numbers, those of ml_dtypes included."""
    return dtype.kind in "fc" or "float" in dtype.name


def is_integral(dtype: np.dtype[Any]) -> bool:  # Any: as above
    """Return whether an element type holds integers, those of ml_dtypes included; no booleans."""
    return dtype.kind in "iu" or (dtype.kind == "V" and "int" in dtype.name)


def dtype_of_exact_products(length: int, *operands: Array) -> np.dtype[Any]:  # Any: as above
    """Return the floating-point type in which sums of ``length`` products are exact.

    BLAS has no integers: products of eight-bit operands are computed in float32 where the sums are
    short enough, and in float64, which holds integers up to 2**53, otherwise.
    """
    bound = max(length, 1)
    for operand in operands:
        bound *= max(abs(int(operand.min())), abs(int(operand.max())), 1) if operand.size else 1
    return np.dtype(np.float32 if bound <= EXACT_IN_FLOAT32 else np.float64)
