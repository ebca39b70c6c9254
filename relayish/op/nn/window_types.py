"""Arithmetic of windows that slide over spatial axes, for the types of convolutions and pools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import Any
from relayish.op.types.dimension import add, floor_divide, multiply, show_shape, subtract
from relayish.op.types.fields import Dimension

SPATIAL: Final = {1: "W", 2: "HW", 3: "DHW"}
"""The letters of the spatial axes, by how many there are."""


def per_axis(values: Sequence[Dimension], rank: int, name: str) -> tuple[Dimension, ...]:
    """Return the attribute ``name``, which has a positive number for each of ``rank`` axes.

    Raises:
        TypeInferenceError: If it has another count of them, or one that is not positive.
    """
    if len(values) != rank:
        raise TypeInferenceError(
            f"{name} must have one number for each of {rank} spatial axes; "
            f"found {show_shape(values)}"
        )
    if any(isinstance(size, int) and size < 1 for size in values):
        raise TypeInferenceError(f"{name} must be positive; found {show_shape(values)}")
    return tuple(values)


def sum_padding(padding: Sequence[Dimension], rank: int) -> tuple[Dimension, ...]:
    """Return how much is padded along each of ``rank`` axes, both sides together.

    Args:
        padding: One number for all, one for each axis, or all those before and then all after;
            what is negative takes away.
        rank: The number of spatial axes.

    Raises:
        TypeInferenceError: If there is another number of sizes.
    """
    if len(padding) == 1:
        padding = tuple(padding) * rank
    if len(padding) == rank:
        padding = tuple(padding) * 2
    if len(padding) != 2 * rank:
        raise TypeInferenceError(
            f"padding must have 1, {rank} or {2 * rank} numbers; found {show_shape(padding)}"
        )
    return tuple(add(b, a) for b, a in zip(padding[:rank], padding[rank:], strict=True))


def window_reach(kernel: Dimension, dilation: Dimension) -> Dimension:
    """Return how many elements a window of ``kernel`` elements, spread by ``dilation``, spans."""
    return add(multiply(subtract(kernel, 1), dilation), 1)


def window_count(
    size: Dimension,
    padding: Dimension,
    reach: Dimension,
    stride: Dimension,
    *,
    ceil_mode: bool = False,
) -> Dimension:
    """Return at how many places a window stands along an axis.

    Args:
        size: The elements along the axis; where they are not known, the result is not either.
        padding: What is padded on both sides together.
        reach: What the window spans.
        stride: From one place to the next.
        ceil_mode: Whether a last window counts that hangs over the end.

    Raises:
        TypeInferenceError: If not even one window fits.
    """
    if isinstance(size, Any):
        return size
    room = subtract(add(size, padding), reach)
    if ceil_mode:
        room = subtract(add(room, stride), 1)
    if isinstance(room, int) and room < 0:
        raise TypeInferenceError(
            f"a window of {reach} elements does not fit into an axis of {size} padded by {padding}"
        )
    return add(floor_divide(room, stride), 1)


def window_counts(
    sizes: Sequence[Dimension],
    padding: Sequence[Dimension],
    kernel: Sequence[Dimension],
    strides: Sequence[Dimension],
    dilation: Sequence[Dimension],
    *,
    ceil_mode: bool = False,
) -> tuple[Dimension, ...]:
    """Return the sizes of the spatial axes after a window went over them.

    Args:
        sizes: What they were.
        padding: The attribute, see :func:`sum_padding`.
        kernel: The size of the window.
        strides: The attribute.
        dilation: The attribute.
        ceil_mode: See :func:`window_count`.

    Raises:
        TypeInferenceError: If an attribute does not fit, or a window does not.
    """
    rank = len(sizes)
    steps = per_axis(strides, rank, "strides")
    spread = per_axis(dilation, rank, "dilation")
    sums = sum_padding(padding, rank)
    return tuple(
        window_count(
            sizes[axis],
            sums[axis],
            window_reach(kernel[axis], spread[axis]),
            steps[axis],
            ceil_mode=ceil_mode,
        )
        for axis in range(rank)
    )
