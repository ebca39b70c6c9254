"""Windows that slide over spatial axes: where they stand, what they see, what is around.

A window is looked at one element at a time: *tap* ``(0, 2)`` of a 3 by 3 window is the view of all
the elements that stand in its corner, wherever the window goes. Whatever is done with windows is
then done with a few large strided views, without a copy of every window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, ElementType

Sides: TypeAlias = tuple[tuple[int, int], ...]
"""What is padded before and after each axis; what is negative takes away."""


def extend(
    data: Array,
    axes: Sequence[int],
    padding: Sequence[tuple[int, int]],
    fill: object = 0,
    dtype: ElementType | None = None,
) -> Array:
    """Return ``data`` with elements of value ``fill`` added before and after some axes.

    Where ``padding`` is negative elements are taken away. Nothing is copied if there is nothing to
    add and the element type is ``dtype`` already.
    """
    wanted = data.dtype if dtype is None else dtype
    kept, shape, place = [slice(None)] * data.ndim, list(data.shape), [slice(None)] * data.ndim
    for axis, (before, after) in zip(axes, padding, strict=True):
        size = data.shape[axis]
        first = max(-before, 0)
        last = max(size - max(-after, 0), first)  # nothing is left where they meet
        kept[axis] = slice(first, last)
        shape[axis] = max(size + before + after, 0)
        place[axis] = slice(first + before, last + before) if first < last else slice(0)
    if tuple(shape) == data.shape and all(pair == (0, 0) for pair in padding):
        return data.astype(wanted, copy=False)
    if all(side <= 0 for pair in padding for side in pair):
        return data[tuple(kept)].astype(wanted, copy=False)
    result: Array = np.full(shape, fill, wanted)
    result[tuple(place)] = data[tuple(kept)]
    return result


class Windows(NamedTuple):
    """Windows of one size over some axes of a tensor that has been padded already."""

    axes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilation: tuple[int, ...]
    counts: tuple[int, ...]
    """At how many places the window stands along each axis."""

    def spans(self) -> tuple[int, ...]:
        """Return over how many elements a window reaches, along each axis."""
        return tuple((k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation, strict=True))

    def reach(self) -> tuple[int, ...]:
        """Return over how many elements all windows reach together, along each axis.

        Along an axis without windows it is the span of one less the stride.
        """
        return tuple(
            (n - 1) * s + span
            for n, s, span in zip(self.counts, self.strides, self.spans(), strict=True)
        )

    def taps(self) -> Iterator[tuple[int, ...]]:
        """Yield the elements of the window, in order."""
        yield from np.ndindex(*self.kernel)

    def view_tap(self, data: Array, tap: Sequence[int]) -> Array:
        """Return the view of what stands at ``tap`` of every window."""
        index = [slice(None)] * data.ndim
        for axis, at, stride, spread, count in zip(
            self.axes, tap, self.strides, self.dilation, self.counts, strict=True
        ):
            last = (count - 1) * stride + 1 if count else 0
            index[axis] = slice(at * spread, at * spread + last, stride)
        return data[tuple(index)]

    def fold(self, columns: Array, sizes: Sequence[int]) -> Array:
        """Return the sum of what windows hold, each element where its window has it.

        Args:
            columns: (batch, channels, *kernel, *counts)
            sizes: Those of the spatial axes of the result, which the windows do not go beyond.

        Returns:
            (batch, channels, *sizes), a new array.
        """
        result: Array = np.zeros((*columns.shape[:2], *sizes), columns.dtype)
        for tap in self.taps():
            there = self.view_tap(result, tap)
            there += columns[of_channels(tap)]
        return result


def of_channels(tap: tuple[int, ...]) -> tuple[Any, ...]:
    """Return the index of ``tap`` in (batch, channels, *kernel, ...). Any: slices and numbers."""
    return (slice(None), slice(None), *tap)


def windows_over(
    shape: Sequence[int],
    axes: Sequence[int],
    kernel: Sequence[int],
    strides: Sequence[int],
    dilation: Sequence[int],
) -> Windows:
    """Return the windows over ``axes`` of a tensor of ``shape``, padding included.

    Raises:
        EvaluationError: If not even one fits.
    """
    found = Windows(tuple(axes), tuple(kernel), tuple(strides), tuple(dilation), ())
    reach, given = found.spans(), tuple(shape[axis] for axis in axes)
    if any(n < r for n, r in zip(given, reach, strict=True)):
        raise EvaluationError(f"a window of {reach} does not fit into {given}")
    counts = tuple((n - r) // s + 1 for n, r, s in zip(given, reach, strides, strict=True))
    return found._replace(counts=counts)
