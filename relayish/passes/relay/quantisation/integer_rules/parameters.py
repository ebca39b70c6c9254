"""Scales and zero points while rules compute with them: constants as numbers, others as calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from relayish.errors import PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric import axes
from relayish.op.builders.call import relay_call
from relayish.op.types.affine_type import TensorAffineType
from relayish.passes.relay.quantisation.affine_types import AffineTypes

_CLOSE: Final = 1e-5
"""By which part scales may differ that count as one, as rounded products do."""
_BYTES: Final = ("int8", "uint8")
_SHIFT: Final = 128
"""What lies between the numbers of ``int8`` and those of ``uint8`` that stand for the same."""


def array_of(expr: Expr) -> Any:  # Any: an array of numbers of any kind
    """Return the value of a constant tensor, or ``None`` if ``expr`` is none."""
    found = expr.data if type(expr) is Constant else None
    return np.asarray(found) if isinstance(found, (np.ndarray, np.generic)) else None


def is_close(one: Expr, other: Expr) -> bool:
    """Return whether two scales, or two zero points, are the same, up to rounding."""
    left, right = array_of(one), array_of(other)
    if left is None or right is None:
        return one is other or structural_equal(one, other)
    if left.shape != right.shape and left.size != 1 and right.size != 1:
        return False
    if left.dtype.kind in "iu":
        return bool(np.all(left == right))
    return bool(np.all(np.abs(left - right) <= _CLOSE * np.abs(right)))


def is_same(types: AffineTypes, one: TensorAffineType, other: TensorAffineType) -> bool:
    """Return whether integers of two affine types stand for the same numbers."""
    return (
        one.dtype == other.dtype
        and is_close(one.scale, other.scale)
        and is_close(one.zero_point, other.zero_point)
        and (one.axis == other.axis or not (types.is_per_axis(one) or types.is_per_axis(other)))
    )


def multiply_scales(one: Expr, other: Expr) -> Expr:
    """Return the product of two scales: a constant, if both are."""
    left, right = array_of(one), array_of(other)
    if left is None or right is None:
        return relay_call("multiply", one, other)
    return Constant(left * right)


def zeros_for(scale: Expr) -> Expr:
    """Return zero points, 0, of the form that ``scale`` has."""
    found = array_of(scale)
    if found is None:
        return relay_call("cast", relay_call("zeros_like", scale), dtype="int32")
    return Constant(np.zeros(found.shape, "int32"))


def requantize(data: Expr, given: TensorAffineType, to: TensorAffineType, dtype: str = "") -> Expr:
    """Return a call that makes numbers of one affine type those of another."""
    return relay_call(
        "qnn.requantize",
        data,
        given.scale,
        given.zero_point,
        to.scale,
        to.zero_point,
        axis=given.axis,
        out_dtype=dtype or to.dtype,
    )


def quantize(data: Expr, ty: TensorAffineType, axis: int = -1) -> Expr:
    """Return a call that makes floating point numbers those of an affine type."""
    return relay_call("qnn.quantize", data, ty.scale, ty.zero_point, axis=axis, out_dtype=ty.dtype)


def with_dtype(ty: TensorAffineType, dtype: str) -> TensorAffineType:
    """Return the affine type of integers of ``dtype`` that stand for the numbers of ``ty``.

    Raises:
        PassError: If these are not bytes, signed or not, whose zero point is constant.
    """
    if ty.dtype == dtype:
        return ty
    zero_point = array_of(ty.zero_point)
    if zero_point is None or ty.dtype not in _BYTES or dtype not in _BYTES:
        raise PassError(f"numbers quantised to {ty.dtype} cannot be computed in {dtype}")
    moved = zero_point + np.int32(_SHIFT if dtype == "uint8" else -_SHIFT)
    return TensorAffineType(ty.scale, Constant(moved.astype("int32")), dtype, ty.axis)


def spread(values: Any, size: int, axis: int, rank: int) -> Any:  # Any: arrays of numbers
    """Return one number, or ``size`` of them, so that they broadcast along ``axis`` of a tensor."""
    shape = [1] * rank
    shape[axis] = size
    return np.broadcast_to(values, (size,)).reshape(shape)


def saturated(values: Any, dtype: str) -> Any:  # Any: arrays of numbers
    """Return whole numbers in the element type ``dtype``, those beyond its range at its ends."""
    target: np.dtype[Any] = numpy_dtype(dtype)
    limits = np.iinfo(target)
    return np.clip(values, limits.min, limits.max).astype(target)


def normalise_axis(axis: int, shape: Sequence[object]) -> int:
    """Return ``axis`` of a tensor of ``shape``, counted from the first one.

    Raises:
        PassError: If there is no such axis.
    """
    return axes.normalise_axis(axis, len(shape), PassError)
