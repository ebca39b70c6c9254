"""Constants as a page tells of them: type, first elements, least, mean, greatest, a histogram."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from relayish._support.printable import escape
from relayish.numeric.precision import is_fractional, is_integral

FIRST: Final = 16
"""How many elements are shown."""
BINS: Final = 16
FEW: Final = 8
"""A constant of fewer elements needs no histogram: they are shown."""
LARGE: Final = 1_000_000
SAMPLE: Final = 1 << 17
"""Of a constant with more than :data:`LARGE` elements so many, evenly spread, are looked at."""


def summarize(name: str, value: NDArray[Any] | object) -> dict[str, object]:
    """Return what the page tells of a constant, ready for JSON.

    Complexity:
        Linear in the elements; constant above a million.

    Example:
        >>> summarize("k", np.arange(3, dtype="int8"))["mean"]
        1.0
    """
    if not isinstance(value, np.ndarray):
        return {"name": name, "type": type(value).__name__, "first": [_short(str(value))]}
    sides = ", ".join(map(str, value.shape))
    told = {"name": name, "type": f"{value.dtype.name}[{sides}]" if sides else value.dtype.name}
    first = [_spell(each) for each in value.flat[:FIRST]]
    return {**told, "first": first, **_statistics(value)}


def _spell(element: object) -> str:
    if isinstance(element, (bool, np.bool_)):
        return str(bool(element))
    if isinstance(element, np.generic) and is_fractional(element.dtype):
        return f"{element:.6g}" if element.dtype.kind in "fc" else f"{float(element):.6g}"
    return _short(repr(element) if isinstance(element, (str, bytes)) else str(element))


def _short(text: str) -> str:
    return escape(text if len(text) <= 40 else f"{text[:40]}…")


def _statistics(value: NDArray[Any]) -> dict[str, object]:
    if not value.size or not _is_real(value):
        return {}
    step = 1 if value.size <= LARGE else -(-value.size // SAMPLE)
    with np.errstate(all="ignore"):
        numbers = value.flat[::step].astype(np.float64)
        finite = numbers[np.isfinite(numbers)]
        told = []
        if step > 1:
            told.append(f"of {numbers.size:,} elements out of {value.size:,}")
        if finite.size < numbers.size:
            told.append(f"{numbers.size - finite.size:,} NaN or infinite")
        found: dict[str, object] = {"told": "; ".join(told)} if told else {}
        if finite.size:
            low, high = float(finite.min()), float(finite.max())
            mean = float(np.mean(finite / finite.size) * finite.size)
            found |= {"low": low, "high": high, "mean": min(max(mean, low), high)}
            if finite.size >= FEW and low < high:
                found["histogram"] = _histogram(finite, low, high)
    return found


def _is_real(value: NDArray[Any]) -> bool:
    dtype = value.dtype
    return dtype.kind == "b" or (dtype.kind != "c" and (is_fractional(dtype) or is_integral(dtype)))


def _histogram(numbers: NDArray[np.float64], low: float, high: float) -> list[int]:
    """Return how many numbers are in each of equal parts; halves, for the whole may overflow."""
    parts = (numbers / 2 - low / 2) / (high / 2 - low / 2) * BINS
    counts = np.bincount(np.clip(parts, 0, BINS - 1).astype(np.int64), minlength=BINS)
    return [int(count) for count in counts]
