"""Helpers that kernels of several families share: numbers, shapes, broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import is_integral
from relayish.onnx.kernels.registry import Array

DType = np.dtype[Any]  # Any: the scalar class is known when the array is
Value: TypeAlias = Any  # an array, or a scalar of numpy, which operations on scalars give
Shape = tuple[int, ...]

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def without_warnings(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Return ``function`` without numpy's warnings: ONNX says what overflows and NaN give."""

    @wraps(function)
    def quiet(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with np.errstate(all="ignore"):
            return function(*args, **kwargs)

    return quiet


def numbers_of(data: Array, what: str) -> tuple[int, ...]:
    """Return the elements of a tensor of integers that gives sizes, axes or positions.

    Raises:
        EvaluationError: If it holds no integers, or has more than one dimension.
    """
    if not is_integral(data.dtype) or data.ndim > 1:
        raise EvaluationError(
            f"{what} is {data.dtype} of shape {data.shape}; expected integers, in a vector"
        )
    return tuple(data.reshape(-1).tolist())


def broadcast_shape(*arrays: Array) -> Shape:
    """Return the shape that arrays have in common when each is broadcast.

    Raises:
        EvaluationError: If they cannot be broadcast together.
    """
    try:
        return np.broadcast_shapes(*[array.shape for array in arrays])
    except ValueError:
        shapes = " and ".join(str(array.shape) for array in arrays)
        raise EvaluationError(
            f"cannot broadcast shapes {shapes}; expected sizes that are equal, or 1"
        ) from None


def check_broadcasts(data: Array, shape: Shape, what: str) -> None:
    """Check that a tensor can be broadcast to a shape.

    Raises:
        EvaluationError: If it cannot.
    """
    padded = (1,) * (len(shape) - data.ndim) + data.shape
    sizes = zip(padded, shape, strict=False)
    if len(padded) > len(shape) or any(n not in (1, m) for n, m in sizes):
        raise EvaluationError(
            f"{what} has shape {data.shape}, which does not broadcast to {shape}; expected sizes "
            "that are equal or 1"
        )


def on_broadcast(function: Callable[[Array, Array], Value], one: Array, other: Array) -> Array:
    """Return a function of numpy of two arrays, which are broadcast.

    Raises:
        EvaluationError: If they cannot be broadcast together.
    """
    try:
        return np.asarray(function(one, other))
    except ValueError:
        broadcast_shape(one, other)
        raise


def check_rank(data: Array, rank: int, what: str) -> None:
    """Check that a tensor has ``rank`` dimensions.

    Raises:
        EvaluationError: If it has not.
    """
    if data.ndim != rank:
        raise EvaluationError(
            f"{what} has shape {data.shape}; expected {rank} dimension{'s' * (rank != 1)}"
        )


def check_same(one: Array, other: Array, what: str) -> None:
    """Check that two tensors have one shape.

    Raises:
        EvaluationError: If they have not.
    """
    if one.shape != other.shape:
        raise EvaluationError(
            f"{what} have shapes {one.shape} and {other.shape}; expected one shape"
        )


def choice(value: str, known: Sequence[str], what: str) -> str:
    """Return ``value`` if it is one of the words that an attribute may have.

    Raises:
        EvaluationError: If it is none.
    """
    if value in known:
        return value
    raise EvaluationError(f"{what} is {value!r}; expected one of {', '.join(known)}")
