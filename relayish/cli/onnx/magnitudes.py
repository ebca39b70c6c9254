"""Magnitudes of arrays, and differences in parts of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

SMALLEST: Final = 1e-2
"""The magnitude of an output whose elements are all smaller."""


def magnitude(array: Any) -> float:  # Any: an array of floating-point numbers
    """Return the largest finite magnitude of an element, and at least ``SMALLEST``."""
    finite = np.abs(array[np.isfinite(array)])
    return max(float(finite.max()) if finite.size else 0.0, SMALLEST)


@dataclass(frozen=True, slots=True)
class Noise:
    """By how much a model changes an output when it rounds otherwise, in parts of its magnitude.

    Attributes:
        largest: The largest difference of an element.
        mean: The root of the mean square of all differences.
        share: How many of the elements differ, in parts of all, of what is no float.
    """

    largest: float = 0.0
    mean: float = 0.0
    share: float = 0.0


def differences(first: Any, second: Any, scale: float) -> Noise:  # Any: arrays of floats
    """Return by how much the elements of arrays differ that are finite in both."""
    with np.errstate(invalid="ignore", over="ignore"):
        found = np.abs(first - second)
    found = found[np.isfinite(found)] / scale
    if not found.size:
        return Noise()
    return Noise(float(found.max()), float(np.sqrt(np.mean(found**2))))


def allowed_difference(array: Any, tolerance: float, narrowest: int = 4) -> float:
    """Return the tolerance for an array: that of its element type, if that is wider.

    Args:
        array: Any: an array of any type.
        tolerance: That for floats of 32 bits and more.
        narrowest: The bytes of the narrowest floats that it was computed of.
    """
    width = array.dtype.itemsize // (2 if array.dtype.kind == "c" else 1)
    width = min(width, narrowest)
    return max(tolerance, {1: 0.25, 2: 1e-2}.get(width, 0.0))


def is_floating(array: Any) -> bool:  # Any: as above
    """Return whether elements are floats, or complex."""
    return array.dtype.kind in "fc" or "float" in array.dtype.name


def widen(array: Any) -> Any:  # Any: as above
    """Return floats as those of 64 bits."""
    return array if array.dtype.kind == "c" else array.astype(np.float64)


def show_array(array: Any) -> str:  # Any: as above
    """Return the element type and sizes of an array, as messages show them."""
    return f"{array.dtype.name}{list(array.shape)}"
