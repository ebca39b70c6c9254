"""What the evaluations of several families share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.dtype import numpy_dtype

Array: TypeAlias = Any  # a numpy scalar or array; its element type is known only when it comes
Parameters: TypeAlias = Any  # the attributes of the one operator that is evaluated


def result_dtype(name: str | None, otherwise: np.dtype[Any]) -> np.dtype[Any]:
    """Return the numpy type called ``name``, or ``otherwise`` where no name is given."""
    return otherwise if name is None else numpy_dtype(name)


def is_integral(value: Array) -> bool:
    """Return whether the elements of ``value`` are integers or booleans."""
    return value.dtype.kind in "iub"


def normal_axis(axis: int, rank: int) -> int:
    """Return ``axis`` counted from the front.

    Raises:
        EvaluationError: If there is no such axis.

    """
    if -rank <= axis < rank:
        return axis % rank
    raise EvaluationError(f"axis {axis} is not one of {rank} axes; expected {-rank} to {rank - 1}")


def aligned(vector: Array, axis: int, rank: int) -> Array:
    """Return ``vector: (n,)`` shaped so that it broadcasts along ``axis`` of ``rank`` axes."""
    shape = [1] * rank
    shape[normal_axis(axis, rank)] = -1
    return vector.reshape(shape)


def as_sizes(values: Sequence[object]) -> tuple[int, ...]:
    """Return the sizes given in an attribute as numbers.

    Raises:
        EvaluationError: If one is known only by name.

    """
    for size in values:
        if not isinstance(size, int):
            raise EvaluationError(f"size {size!r} is not known; evaluation needs numbers")
    return tuple(int(size) for size in values)  # type: ignore[call-overload]
