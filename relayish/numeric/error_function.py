"""The error function, which numpy does not have, on whole arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

_STEPS = 512
"""Points of the grid in a unit: so near one another that five terms of the series are enough."""
_END = 6
"""From here on the function is 1, as far as ``float64`` can tell."""
_BLOCK = 1 << 14
"""Elements computed at once: what is kept between two steps stays in the cache."""

Numbers = npt.NDArray[np.float64]
Array = npt.NDArray[Any]  # Any: floating point numbers of any width


@lru_cache(maxsize=1)
def _grid() -> tuple[Numbers, Numbers]:
    """Return the function and its slope at every point of the grid, from ``-_END`` to ``_END``."""
    points = np.arange(-_END * _STEPS, _END * _STEPS + 1) / _STEPS
    values = np.array([math.erf(point) for point in points.tolist()])
    return values, 2 / math.sqrt(math.pi) * np.exp(-points * points)


def erf(data: Array) -> Array:
    """Return the error function of every element of ``data``, of any floating point type.

    It is computed in ``float64`` by Taylor's series about the nearest point of a grid, to within
    one unit in the last place, and rounded once.

    Complexity:
        Linear, by operations on whole blocks; the grid is computed once, when it is first needed.

    Example:
        >>> erf(np.float32([0, 0.5, np.inf])).round(4).tolist()
        [0.0, 0.5205000042915344, 1.0]
    """
    if data.ndim == 0:
        return np.asarray(math.erf(data), data.dtype)[()]
    series = _series if data.dtype.itemsize > 4 else _short_series
    result = np.empty(data.shape, data.dtype)
    flat, given = result.reshape(-1), data.reshape(-1)
    for begin in range(0, given.size, _BLOCK):
        flat[begin : begin + _BLOCK] = _erf_of_block(given[begin : begin + _BLOCK], series)
    return result


def _erf_of_block(data: Array, series: Callable[[Numbers, Numbers], Numbers]) -> Numbers:
    values, slopes = _grid()
    x = np.clip(data.astype(np.float64), -_END, _END)
    steps = np.rint(x * _STEPS)
    steps[np.isnan(steps)] = 0
    point = steps / _STEPS
    place = steps.astype(np.intp) + _END * _STEPS
    block: Numbers = values[place] + slopes[place] * series(point, x - point)
    return block


def _series(point: Numbers, near: Numbers) -> Numbers:
    """Return how much further the function is at ``point + near``, over its slope at ``point``.

    The terms are the derivatives of the function, which are Hermite's polynomials times the slope.
    """
    square = point * point
    fifth = (4 * square * square - 12 * square + 3) / 30
    fourth = point * (3 - 2 * square) / 6
    third = (2 * square - 1) / 3
    return near * (1 + near * (-point + near * (third + near * (fourth + near * fifth))))


def _short_series(point: Numbers, near: Numbers) -> Numbers:
    """Return the first terms of :func:`_series`, which are enough for 32 bits."""
    return near * (1 + near * (near * ((2 / 3) * point * point - 1 / 3) - point))
