"""Windows that slide over spatial axes: where they stand and what they see, for evaluation.

A window is looked at one element at a time: *tap* ``(0, 2)`` of a 3 by 3 window is the view of all
the elements that stand in its corner, wherever the window goes. Whatever is done with windows is
then done with a few large strided views, without a copy of every window.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.values.evaluation import Array, as_sizes

Sides = tuple[tuple[int, int], ...]


def sides(padding: Sequence[object], rank: int) -> Sides:
    """Return what is padded before and after each of ``rank`` axes.

    Args:
        padding: One number for all, one for each axis, or all those before and then all after;
            what is negative takes away.
        rank: The number of spatial axes.

    Raises:
        EvaluationError: If there is another number of sizes.

    Example:
        >>> sides((1, 2), 2)
        ((1, 1), (2, 2))
    """
    sizes = as_sizes(padding)
    if len(sizes) == 1:
        sizes *= rank
    if len(sizes) == rank:
        sizes *= 2
    if len(sizes) != 2 * rank:
        raise EvaluationError(f"padding {tuple(padding)} does not fit {rank} axes")
    return tuple(zip(sizes[:rank], sizes[rank:], strict=True))


def extend(
    data: Array,
    axes: Sequence[int],
    padding: Sides,
    fill: float = 0,
    dtype: np.dtype[Any] | None = None,  # Any: an element type known only when it comes
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


def windows_over(
    shape: Sequence[int],
    axes: Sequence[int],
    kernel: Sequence[object],
    strides: Sequence[object],
    dilation: Sequence[object],
) -> Windows:
    """Return the windows over ``axes`` of a tensor of ``shape``, padding included.

    Raises:
        EvaluationError: If not even one fits, or a size is known only by name.
    """
    size, steps, spread = as_sizes(kernel), as_sizes(strides), as_sizes(dilation)
    reach = tuple((k - 1) * d + 1 for k, d in zip(size, spread, strict=True))
    given = tuple(shape[axis] for axis in axes)
    if any(n < r for n, r in zip(given, reach, strict=True)):
        raise EvaluationError(f"a window of {reach} does not fit into {given}")
    counts = tuple((n - r) // s + 1 for n, r, s in zip(given, reach, steps, strict=True))
    return Windows(tuple(axes), size, steps, spread, counts)
