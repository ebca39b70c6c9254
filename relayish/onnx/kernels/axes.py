"""Axes, counted from the front or from the back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from relayish.errors import EvaluationError
from relayish.onnx.kernels.registry import Array


def normalize_axis(axis: int, rank: int, *, end: bool = False) -> int:
    """Return ``axis`` counted from the front.

    Args:
        axis: An axis; negative ones count from the back.
        rank: How many axes there are; what has rank 0 is taken as having one.
        end: Whether ``rank`` itself is an axis, behind the last.

    Raises:
        EvaluationError: If there is no such axis.
    """
    axes = rank if end else max(rank, 1)
    if not -axes <= axis < axes + end:
        raise EvaluationError(
            f"axis {axis} of a tensor of rank {rank} does not exist; expected one of {-axes} to "
            f"{axes - 1 + end}"
        )
    return axis + axes if axis < 0 else int(axis)


def normalize_axes(axes: Iterable[int], rank: int) -> tuple[int, ...]:
    """Return ``axes`` counted from the front, in their order.

    Raises:
        EvaluationError: If one does not exist, or comes twice.
    """
    found = tuple(normalize_axis(int(axis), rank) for axis in axes)
    if len(set(found)) < len(found):
        raise EvaluationError(f"axes {found} come twice; expected each axis once")
    return found


def axis_of(data: Array, axis: int) -> int:
    """Return an axis of ``data`` counted from the front.

    Raises:
        EvaluationError: If it does not exist; a scalar has none.
    """
    if not data.ndim:
        raise EvaluationError(f"axis {axis} of a scalar does not exist; expected a tensor with one")
    return normalize_axis(axis, data.ndim)


def axes_of(data: Array, axes: Sequence[int]) -> tuple[int, ...]:
    """Return axes of ``data`` counted from the front, in their order.

    Raises:
        EvaluationError: If one does not exist, or comes twice; a scalar has none.
    """
    for axis in axes:
        axis_of(data, axis)
    return normalize_axes(axes, data.ndim)
