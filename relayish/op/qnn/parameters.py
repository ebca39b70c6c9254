"""Scales and zero points: their types, and how they stand beside the data."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.quantization import convert_saturated
from relayish.op.types.dimension import compare, normalise_axis, show_type, unify
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array

SCALE: Final = "float32"
ZERO_POINT: Final = "int32"


def require_quantised(ty: Type, what: str, dtypes: Collection[str]) -> TensorType:
    """Return ``ty``, the type of the argument called ``what``, whose elements are quantised.

    Raises:
        TypeInferenceError: If it is no tensor, or its element type is none of ``dtypes``.
    """
    found = tensor(ty, what)
    check_dtype(found.dtype, what, dtypes)
    return found


def check_dtype(dtype: str, what: str, dtypes: Collection[str]) -> None:
    """Check that ``dtype`` is one of ``dtypes``.

    Raises:
        TypeInferenceError: If it is not.
    """
    if dtype not in dtypes:
        raise TypeInferenceError(
            f"{what} has the element type {dtype}; expected one of {', '.join(dtypes)}"
        )


def check_scalar(ty: Type, what: str, dtype: str) -> None:
    """Check that ``ty`` is that of a scalar of the element type ``dtype``.

    Raises:
        TypeInferenceError: If it is not.
    """
    found = tensor(ty, what)
    if found.shape or found.dtype != dtype:
        raise TypeInferenceError(
            f"{what} has type {show_type(found)}; expected a scalar of {dtype}"
        )


def check_scalars(scale: Type, zero_point: Type, whose: str) -> None:
    """Check the types of a scale and a zero point that hold for a whole tensor.

    Raises:
        TypeInferenceError: If one is another.
    """
    check_scalar(scale, f"{whose}_scale", SCALE)
    check_scalar(zero_point, f"{whose}_zero_point", ZERO_POINT)


def check_along(ty: Type, what: str, dtype: str, length: Dimension) -> None:
    """Check that ``ty`` is that of a scalar, or of a vector with ``length`` elements, or one.

    Raises:
        TypeInferenceError: If it is not.
    """
    found = tensor(ty, what)
    fits = found.dtype == dtype and len(found.shape) < 2
    if fits and found.shape:
        size = found.shape[0]
        fits = compare(size, 1) is True or unify(size, length) is not None
    if not fits:
        raise TypeInferenceError(
            f"{what} has type {show_type(found)}; expected a scalar of {dtype}, "
            f"or a vector of {length}"
        )


def check_pair_along(
    scale: Type, zero_point: Type, whose: str, data: TensorType, axis: int
) -> None:
    """Check the types of a scale and a zero point that may differ along ``axis`` of ``data``.

    Raises:
        TypeInferenceError: If one is another, or there is no such axis and one is no scalar.
    """
    single = all(_may_be_single(ty) for ty in (scale, zero_point))
    rank = len(data.shape)
    length: Dimension = 1
    if rank and not (single and not -rank <= axis < rank):
        length = data.shape[normalise_axis(axis, rank)]
    check_along(scale, f"{whose}_scale", SCALE, length)
    check_along(zero_point, f"{whose}_zero_point", ZERO_POINT, length)


def _may_be_single(ty: Type) -> bool:
    """Return whether ``ty`` is the type of one element, or of a tensor that may have one."""
    return isinstance(ty, TensorType) and all(compare(size, 1) is not False for size in ty.shape)


def saturate(value: Array, dtype: str) -> Array:
    """Return ``value`` clipped to the range of the integer type ``dtype``, in that type.

    Raises:
        EvaluationError: If it is no integer type.
    """
    target: np.dtype[Any] = numpy_dtype(dtype)
    if target.kind not in "iu":
        raise EvaluationError(f"cannot quantise to {dtype}; expected an integer type")
    return convert_saturated(value, target)
