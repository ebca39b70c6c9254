"""Regions of interest: parts of images, each of which becomes an image of one size."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final, NamedTuple

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.precision import Array, weighing_dtype, widen

_FURTHEST: Final = 1 << 31
"""Places in an image are counted by 32 bits."""
_DENSE: Final = 2
"""Elements of which fewer than one in so many are looked at are picked."""
_MOST_SAMPLES: Final = 1 << 20
"""A bin that has more samples is that of a region out of all proportion."""


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


def align_regions(
    data: Array,
    images: Array,
    corners: Array,
    bins: Sequence[int],
    *,
    ratio: int,
    mode: str,
    least: float = -inf,
) -> Array:
    """Return what samples at regular places of each bin of each region have in common.

    Between elements the data is linear; up to a whole step outside it is as at its edge, and
    further away 0.

    Args:
        data: (n, channels, height, width)
        images: (regions,), in which image each region lies.
        corners: (regions, 4) of floats: left, top, right and bottom, counted in elements.
        bins: Into how many rows and columns of bins a region is divided.
        ratio: How many samples there are along each axis of a bin; where it is not above 0, as many
            as there are elements.
        mode: ``avg``, their mean; ``max``, the greatest of them; or ``max_part``, the greatest of
            all weighted elements that samples are sums of.
        least: How long a side counts at least.

    Returns:
        (regions, channels, *bins), in the element type for weighted sums of ``data``.

    Raises:
        EvaluationError: If there is no such mode, a region lies in an image that is not there, or
            would take samples out of all proportion.
    """
    if mode not in ("avg", "max", "max_part"):
        raise EvaluationError(f"mode is {mode!r}; expected avg or max")
    check_images(images, len(data))
    wide, ends = (
        data.astype(weighing_dtype(data.dtype), copy=False),
        corners.astype(weighing_dtype(corners.dtype)),
    )
    result: Array = np.zeros((len(images), data.shape[1], *bins), wide.dtype)
    for number, (image, (left, top, right, bottom)) in enumerate(
        zip(images.tolist(), ends, strict=True)
    ):
        down = _place_samples(top, bottom, bins[0], ratio, least, data.shape[2])
        across = _place_samples(left, right, bins[1], ratio, least, data.shape[3])
        if not (down.indices.size and across.indices.size and wide.size):
            continue
        rows, down = down.compact()
        columns, across = across.compact()
        if isinstance(rows, slice) or isinstance(columns, slice):
            seen = wide[int(image)][:, rows][:, :, columns]
        else:
            flat = wide[int(image)].reshape(wide.shape[1], -1)
            seen = flat.take(rows[:, None] * wide.shape[3] + columns, axis=1)
        if mode == "avg":
            means = down.mean_matrix(seen.shape[1]), across.mean_matrix(seen.shape[2])
            first, second = (mean.astype(wide.dtype) for mean in means)
            with np.errstate(invalid="ignore"):
                result[number] = first @ seen @ second.T
            if np.isfinite(result[number]).all():  # or what weighs nothing was infinite
                continue
        combine = np.maximum if mode == "max_part" else np.add
        samples = across.blend(down.blend(seen, 1, combine), 3, combine)
        result[number] = samples.mean((2, 4)) if mode == "avg" else samples.max(2).max(3)
    return result


class _Samples(NamedTuple):
    """Between which elements the samples of bins lie along one axis.

    Attributes:
        indices: (2, bins, samples): the element before each, and that behind.
        weights: Of both, likewise.
    """

    indices: Array
    weights: Array

    def compact(self) -> tuple[slice | Array, _Samples]:
        """Return the elements that are looked at, and samples that count these alone."""
        first, last = int(self.indices.min()), int(self.indices.max())
        if last - first < _DENSE * self.indices.size:  # to pick them takes longer than to skip some
            return slice(first, last + 1), self._replace(indices=self.indices - first)
        seen = np.unique(self.indices)
        return seen, self._replace(indices=np.searchsorted(seen, self.indices))

    def mean_matrix(self, size: int) -> Array:
        """Return ``(bins, size)``: how much each element weighs in the mean of a bin.

        The product of data with it takes far fewer steps than to interpolate each sample.
        """
        _, bins, samples = self.indices.shape
        places = self.indices + size * np.arange(bins)[:, None]
        sums = np.bincount(places.ravel(), self.weights.ravel(), bins * size)
        means: Array = sums.reshape(bins, size) / samples
        return means

    def blend(self, data: Array, axis: int, combine: np.ufunc) -> Array:
        """Return samples along an axis, as two: bins, and samples within them."""
        shape = (*self.indices.shape[1:], *(1,) * (data.ndim - axis - 1))
        before, behind = (
            np.take(data, places, axis) * weights.reshape(shape).astype(data.dtype)
            for places, weights in zip(self.indices, self.weights, strict=True)
        )
        result: Array = combine(before, behind)
        return result


def _place_samples(
    start: Array, end: Array, bins: int, ratio: int, least: float, size: int
) -> _Samples:
    """Return where the samples of a region lie, in the precision its ends are given in."""
    length = max(end - start, start.dtype.type(least))
    wanted = float(ratio if ratio > 0 else np.ceil(length / bins))
    if not wanted <= _MOST_SAMPLES:
        raise EvaluationError(f"a region from {start} to {end} would take {wanted} samples a bin")
    count = max(int(wanted), 0)
    step = length / start.dtype.type(bins)
    within = (np.arange(count, dtype=start.dtype) + start.dtype.type(0.5)) * step / max(count, 1)
    places = start + np.arange(bins, dtype=start.dtype)[:, None] * step + within
    inside = np.clip(places, 0, max(size - 1, 0))
    before = np.floor(inside).astype(np.int64)
    after = inside - before
    is_near = (places >= -1) & (places <= size)
    weights = np.where(is_near, np.stack((1 - after, after)), 0)
    return _Samples(np.stack((before, np.minimum(before + 1, max(size - 1, 0)))), weights)


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
