"""Axes, counted from the front or from the back."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.errors import EvaluationError, RelayishError
from relayish.numeric.precision import Array


def normalise_axis(axis: int, rank: int, raises: type[RelayishError] = EvaluationError) -> int:
    """Return ``axis`` of ``rank`` axes counted from the front.

    Raises:
        EvaluationError: If there is no such axis; or the error asked for.
    """
    if -rank <= axis < rank:
        return int(axis) % rank
    if not rank:
        raise raises(f"axis {axis} is not one of 0 axes; expected a tensor that is no scalar")
    raise raises(f"axis {axis} is not one of {rank} axes; expected {-rank} to {rank - 1}")


def normalise_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Return ``axes`` counted from the front, in their order.

    Raises:
        EvaluationError: If one does not exist, or comes twice.
    """
    found = tuple(normalise_axis(axis, rank) for axis in axes)
    if len(set(found)) < len(found):
        raise EvaluationError(f"axes {found} come twice; expected each axis once")
    return found


def align(vector: Array, axis: int, rank: int) -> Array:
    """Return ``vector: (n,)`` shaped so that it broadcasts along ``axis`` of ``rank`` axes."""
    shape = [1] * rank
    shape[normalise_axis(axis, rank)] = -1
    return vector.reshape(shape)
