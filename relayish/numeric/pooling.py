"""Pooling: what windows have in common, along one axis after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array
from relayish.numeric.windows import Windows


def combine_windows(data: Array, windows: Windows, combine: Callable[..., Any]) -> Array:
    """Return what ``combine`` makes of the elements of each window, axis by axis.

    A window of 3 by 3 takes 2 + 2 passes over the data that way, each over strided views, in place
    of 8; sliding views of whole windows that numpy reduces are many times slower than either.

    Args:
        data: Padded already.
        windows: Over some of its axes.
        combine: A function of numpy of two arrays, that takes ``out``. Any: of any element type.

    Returns:
        An array that may be a view of ``data`` where windows are of one element.
    """
    result = data
    for axis, size, *others in zip(*windows, strict=True):
        line = Windows((axis,), (size,), *((value,) for value in others))
        if size == 1:
            result = line.view_tap(result, (0,))
            continue
        whole = combine(line.view_tap(result, (0,)), line.view_tap(result, (1,)))
        for tap in range(2, size):
            combine(whole, line.view_tap(result, (tap,)), out=whole)
        result = whole
    return result


def find_greatest(data: Array, places: Array, windows: Windows) -> tuple[Array, Array]:
    """Return the greatest element of each window, and its place.

    It is the first of several; what is no number is greater than all numbers.

    Args:
        data: Padded already.
        places: Of the elements, as they broadcast with ``data``; one without a place, which is
            -1, is taken where no element of the window has one.
        windows: Over some of the axes.

    Returns:
        New arrays.

    Raises:
        EvaluationError: If windows have no elements.
    """
    taps = list(windows.taps())
    if not taps:
        raise EvaluationError("windows have no elements; expected a kernel_shape above 0")
    odd = data.dtype.kind == "f" and bool(np.isnan(data).any())
    greatest = windows.view_tap(data, taps[0]).copy()
    found: Array = np.broadcast_to(windows.view_tap(places, taps[0]), greatest.shape).copy()
    for tap in taps[1:]:
        part, at = windows.view_tap(data, tap), windows.view_tap(places, tap)
        better = part > greatest
        if odd:
            better |= np.isnan(part) & ~np.isnan(greatest)
        better = (better | (found < 0)) & (at >= 0)
        np.copyto(greatest, part, where=better)
        np.copyto(found, at, where=better)
    return greatest, found


def count_elements(windows: Windows, rank: int, inside: Sequence[tuple[int, int]]) -> Array:
    """Return how many elements of each window are to count, at least 1.

    Args:
        windows: Over some axes of a tensor.
        rank: How many axes the tensor has.
        inside: For each of the axes, which of its elements count, from the first to behind the
            last; padding before the data moves these as it moves the data.

    Returns:
        A tensor that broadcasts with what is one for each window.
    """
    counts = []
    for axis, size, stride, spread, count, (low, high) in zip(*windows, inside, strict=True):
        first = np.arange(count) * stride  # elements before an end: the distance over the spread
        before_low, before_high = (
            np.clip(-((first - end) // spread), 0, size) for end in (low, high)
        )
        counted = np.maximum(before_high - before_low, 0)
        counts.append(counted.reshape([-1 if each == axis else 1 for each in range(rank)]))
    return np.maximum(reduce(np.multiply, counts, np.ones((1,) * rank, np.int64)), 1)
