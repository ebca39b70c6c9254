"""Sizes of results of operators whose shapes come as arguments."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from relayish.numeric.arguments import get_count
from relayish.op.types.layout import read_layout
from relayish.op.values.evaluation import Array, Parameters


def bound_by_last_input(_: Parameters, *inputs: Array) -> int:
    """Multiply the numbers of the last argument, which is a shape."""
    return int(prod(np.ravel(inputs[-1]).tolist()))


def bound_tile(_: Parameters, data: Array, reps: Array) -> int:
    """Multiply the size of the data by the repetitions."""
    return int(data.size * prod(np.ravel(reps).tolist()))


def bound_one_hot(_: Parameters, indices: Array, _on: Array, _off: Array, depth: Array) -> int:
    """Multiply the number of indices by the depth."""
    return int(indices.size) * get_count(depth, "depth")


def bound_topk(_: Parameters, data: Array, _k: Array) -> int:
    """Count all elements, and where each is."""
    return 2 * int(data.size)


def bound_pad(_: Parameters, data: Array, widths: Array, *_value: Array) -> int:
    """Multiply the sizes of the data with their padding."""
    return prod(size + sum(pad.tolist()) for size, pad in zip(data.shape, widths, strict=True))


def _sizes_along(letters: str, data: Array, layout: str) -> list[int]:
    places = [axis.letter for axis in read_layout(layout)]
    return [data.shape[places.index(letter)] for letter in letters]


def bound_resize(attrs: Parameters, data: Array, size: Array, _roi: Array) -> int:
    """Put the new height and width in place of the old."""
    before = prod(_sizes_along("HW", data, attrs.layout))
    return int(data.size // max(1, before) * prod(size.tolist()))


def bound_scaling(letters: str) -> Callable[..., int]:
    """Return the bound where the axes called ``letters`` are scaled by the other arguments."""

    def size(attrs: Parameters, data: Array, *scales: Array) -> int:
        before = _sizes_along(letters, data, attrs.layout)
        after = (round(n * float(scale)) for n, scale in zip(before, scales, strict=True))
        return int(data.size // max(1, prod(before)) * prod(after))

    return size
