"""Padding: elements before and behind those of a tensor, or some of these taken away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array
from relayish.numeric.windows import extend


def _reflect(places: Array, size: int) -> Array:
    period = max(2 * (size - 1), 1)
    folded = places % period
    return np.asarray(np.minimum(folded, period - folded)) if size > 1 else np.zeros_like(places)


def _symmetric(places: Array, size: int) -> Array:
    folded = places % (2 * size)
    return np.asarray(np.minimum(folded, 2 * size - 1 - folded))


_SOURCES: Final[dict[str, Callable[[Array, int], Array]]] = {
    "edge": lambda places, size: np.clip(places, 0, size - 1),
    "reflect": _reflect,
    "symmetric": _symmetric,
    "wrap": lambda places, size: places % size,
}
"""Of which of so many elements those at other places are copies."""


def pad(
    data: Array, sides: Sequence[tuple[int, int]], mode: str = "constant", value: object = 0
) -> Array:
    """Return ``data`` with elements more before and behind those of each axis.

    Args:
        data: Any tensor.
        sides: How many, for each axis. Those that are negative are taken away, of what the others
            have made: copies may be of elements that are not there in the end.
        mode: ``constant``, or which elements are copied: those at the ``edge``, a mirror image with
            it (``symmetric``) or without (``reflect``), or those from the other side (``wrap``).
        value: That of elements added in the mode ``constant``.

    Returns:
        ``data`` itself, or a view of it, if no constant is to be added.

    Raises:
        EvaluationError: If there is no such mode, or nothing to copy.

    Complexity:
        Linear in the elements of the result, which are copied once, and those added once more.
    """
    axes = range(data.ndim)
    if mode == "constant":
        return extend(data, axes, sides, value)
    find = _SOURCES.get(mode)
    if find is None:
        raise EvaluationError(
            f"the mode of a padding is {mode!r}; expected constant, {', '.join(_SOURCES)}"
        )
    added = [(max(before, 0), max(after, 0)) for before, after in sides]
    shape = [size + sum(pair) for size, pair in zip(data.shape, added, strict=True)]
    padded: Array = np.empty(shape, data.dtype)
    inside = zip(added, data.shape, strict=True)
    padded[tuple(slice(before, before + size) for (before, _), size in inside)] = data
    for axis, (size, (before, after)) in enumerate(zip(data.shape, added, strict=True)):
        if not size and before + after:
            raise EvaluationError(f"axis {axis} of size 0 has nothing to pad it with")
        lines = np.moveaxis(padded, axis, 0)
        for places in (np.arange(-before, 0), np.arange(size, size + after)):
            if len(places):
                lines[places[0] + before : places[-1] + before + 1] = lines[
                    find(places, size) + before
                ]
    return extend(padded, axes, [(min(before, 0), min(after, 0)) for before, after in sides])


def tile(data: Array, reps: tuple[int, ...]) -> Array:
    """Return ``data`` repeated as a whole; no time is spent on repeating nothing, or not at all."""
    if data.size and all(reps):
        return np.tile(data, reps)
    ones = (1,) * max(data.ndim, len(reps))
    sizes, times = (*ones[data.ndim :], *data.shape), (*ones[len(reps) :], *reps)
    return np.empty([n * count for n, count in zip(sizes, times, strict=True)], data.dtype)
