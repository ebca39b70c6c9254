"""Regions of interest: parts of images, each of which becomes an image of one size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, widen

_FURTHEST: Final = 1 << 31
"""Places in an image are counted by 32 bits."""


def pool_regions(data: Array, images: Array, corners: Array, bins: Sequence[int]) -> Array:
    """Return the greatest element of each bin of each region, 0 of an empty bin.

    Args:
        data: (n, channels, height, width)
        images: (regions,), in which image each region lies.
        corners: (regions, 4) of numbers: left, top, right and bottom of the elements at the ends.
        bins: Into how many rows and columns of bins a region is divided.

    Returns:
        (regions, channels, *bins), in the element type of ``data``.

    Raises:
        EvaluationError: If a region lies in an image that is not there, or ends at no number, or
            further away than images are large.
    """
    if not np.all(np.abs(corners) < _FURTHEST):
        raise EvaluationError(f"regions must end nearer than {_FURTHEST}; found {corners.tolist()}")
    rows, columns = bins
    result: Array = np.zeros((len(images), data.shape[1], rows, columns), data.dtype)
    check_images(images, len(data))
    for number, (image, ends) in enumerate(zip(images.tolist(), corners.tolist(), strict=True)):
        left, top, right, bottom = (_nearest(end) for end in ends)
        across = _bins(left, right, columns, data.shape[3])
        for y, row in enumerate(_bins(top, bottom, rows, data.shape[2])):
            if row.start >= row.stop:
                continue
            strip = widen(data[int(image), :, row]).max(axis=1)
            for x, column in enumerate(across):
                if column.start < column.stop:
                    result[number, :, y, x] = strip[:, column].max(axis=1)
    return result


def check_images(images: Array, count: int) -> None:
    """Refuse regions of images that are not there.

    Raises:
        EvaluationError: Naming the first of them.
    """
    for region, image in enumerate(images.tolist()):
        if not 0 <= image < count:
            raise EvaluationError(
                f"region {region} lies in image {image:g}; expected one of 0 to {count - 1}"
            )


def _nearest(number: float) -> int:
    """Return the nearest integer, of two as near the one further from zero."""
    return int(np.copysign(np.floor(abs(number) + 0.5), number))


def _bins(first: int, last: int, count: int, size: int) -> list[slice]:
    """Return the bins of a region, whose ends are exact: a rounded step may reach one further."""
    length = max(last - first + 1, 1)
    return [
        slice(
            min(max(n * length // count + first, 0), size),
            min(max(-(-(n + 1) * length // count) + first, 0), size),
        )
        for n in range(count)
    ]
