"""Resizing: each axis by itself, as a weighted sum of elements near where the result lies."""

from __future__ import annotations

import math

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.axes import normalise_axes
from relayish.numeric.precision import is_fractional, widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.resize_axes import Axis, Sampling, find_samples, is_unchanged


@kernel(
    "Resize",
    since=(13, 18, 19),
    added={"antialias": 18, "axes": 18, "keep_aspect_ratio_policy": 18},
)
def resize(
    x: Array,
    roi: Array | None = None,
    scales: Array | None = None,
    sizes: Array | None = None,
    *,
    antialias: int = 0,
    axes: tuple[int, ...] | None = None,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    keep_aspect_ratio_policy: str = "stretch",
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Array:
    """Return ``x`` with axes longer by ``scales``, or of given ``sizes``."""
    over = tuple(range(x.ndim)) if axes is None else normalise_axes(axes, x.ndim)
    regions = _read_regions(roi, len(over), coordinate_transformation_mode)
    if scales is not None and scales.size:
        if sizes is not None and sizes.size:
            raise EvaluationError("scales and sizes are given; expected one of them")
        found = _axes_of_scales(x, over, scales, regions)
    elif sizes is not None and sizes.size:
        found = _axes_of_sizes(x, over, sizes, regions, keep_aspect_ratio_policy)
    else:
        raise EvaluationError("neither scales nor sizes are given; expected one of them")
    sampling = Sampling(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        cubic_coeff_a,
        bool(exclude_outside),
        bool(antialias),
    )
    return _resample(x, found, sampling, extrapolation_value)


@kernel("Resize", since=(11,))
def resize_with_region(
    x: Array,
    roi: Array,
    scales: Array,
    sizes: Array | None = None,
    *,
    coordinate_transformation_mode: str = "half_pixel",
    cubic_coeff_a: float = -0.75,
    exclude_outside: int = 0,
    extrapolation_value: float = 0.0,
    mode: str = "nearest",
    nearest_mode: str = "round_prefer_floor",
) -> Array:
    """Return ``x`` with all axes longer by ``scales``, or where these are empty of ``sizes``."""
    return resize(
        x,
        roi,
        scales,
        sizes,
        coordinate_transformation_mode=coordinate_transformation_mode,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        mode=mode,
        nearest_mode=nearest_mode,
    )


@kernel("Resize", since=(10,))
@kernel("Upsample", since=(9, 10))
def upsample(x: Array, scales: Array, *, mode: str = "nearest") -> Array:
    """Return ``x`` with axes longer by ``scales``, whose first elements stay where they are.

    What is nearest is the element before, or behind where an axis becomes shorter.
    """
    found = _axes_of_scales(x, tuple(range(x.ndim)), scales, None)
    sampling = Sampling("linear" if mode == "bilinear" else mode, "asymmetric", "simple")
    return _resample(x, found, sampling, 0.0)


@kernel("Upsample", since=(7,))
def upsample_by_scales(x: Array, *, scales: tuple[float, ...], mode: str = "nearest") -> Array:
    """Return ``x`` with axes longer by ``scales``."""
    return upsample(x, np.array(scales, np.float32), mode=mode)


@kernel("Upsample", since=(1,))
def upsample_image(
    x: Array, *, height_scale: float, width_scale: float, mode: str = "nearest"
) -> Array:
    """Return an image (n, c, h, w) with more rows and columns."""
    if x.ndim != 4:
        raise EvaluationError(f"the input has shape {x.shape}; expected (n, c, h, w)")
    return upsample_by_scales(x, scales=(1.0, 1.0, height_scale, width_scale), mode=mode)


def _read_regions(
    roi: Array | None, count: int, transformation: str
) -> list[tuple[float, float]] | None:
    """Return begin and end of the region of each axis, from 0 to 1; ``None`` where it is whole."""
    if transformation != "tf_crop_and_resize":
        return None
    if roi is None or roi.shape != (2 * count,):
        raise EvaluationError(
            f"roi has shape {None if roi is None else roi.shape}; expected ({2 * count},) for "
            "tf_crop_and_resize, a begin and an end for each axis"
        )
    numbers = roi.astype(np.float64).tolist()
    return list(zip(numbers[:count], numbers[count:], strict=True))


def _axes_of_scales(
    x: Array,
    over: tuple[int, ...],
    scales: Array,
    regions: list[tuple[float, float]] | None,
) -> list[tuple[int, Axis]]:
    if scales.shape != (len(over),) or (scales <= 0).any():
        raise EvaluationError(
            f"scales are {scales.tolist()}; expected {len(over)} numbers above 0, one for each axis"
        )
    found = []
    for index, (axis, scale) in enumerate(zip(over, scales.astype(np.float32), strict=True)):
        size = x.shape[axis]
        region = (0.0, 1.0) if regions is None else regions[index]
        # in single precision, as shapes are inferred
        extent = np.float32(size) * np.float32(region[1] - region[0]) * scale
        output = max(math.floor(extent), 0)
        exact = float(scale) * size
        found.append((axis, Axis(size, output, float(scale), exact, *region)))
    return found


def _axes_of_sizes(
    x: Array,
    over: tuple[int, ...],
    sizes: Array,
    regions: list[tuple[float, float]] | None,
    policy: str,
) -> list[tuple[int, Axis]]:
    if sizes.shape != (len(over),) or (sizes < 0).any():
        raise EvaluationError(
            f"sizes are {sizes.tolist()}; expected {len(over)} sizes, one for each axis"
        )
    wanted = [int(size) for size in sizes]
    ratios = [size / max(x.shape[axis], 1) for axis, size in zip(over, wanted, strict=True)]
    if policy not in ("stretch", "not_larger", "not_smaller"):
        raise EvaluationError(
            f"keep_aspect_ratio_policy is {policy!r}; expected stretch, not_larger or not_smaller"
        )
    if policy != "stretch":
        ratio = min(ratios) if policy == "not_larger" else max(ratios)
        ratios = [ratio] * len(over)
        wanted = [math.floor(ratio * x.shape[axis] + 0.5) for axis in over]
    found = []
    for index, (axis, size, ratio) in enumerate(zip(over, wanted, ratios, strict=True)):
        region = (0.0, 1.0) if regions is None else regions[index]
        exact = float(size) if policy == "stretch" else ratio * x.shape[axis]
        found.append((axis, Axis(x.shape[axis], size, ratio, exact, *region)))
    return found


def _resample(
    x: Array, axes: list[tuple[int, Axis]], sampling: Sampling, extrapolation: float
) -> Array:
    """Return ``x`` sampled along one axis after another, those first that become shorter."""
    if sampling.mode not in ("nearest", "linear", "cubic"):
        raise EvaluationError(f"mode is {sampling.mode!r}; expected nearest, linear or cubic")
    changed = [(n, axis) for n, axis in axes if not is_unchanged(axis, sampling)]
    if any(axis.size == 0 and axis.output for _, axis in changed):
        raise EvaluationError(f"shape {x.shape} has no elements to resize; expected some")
    exact = sampling.mode == "nearest"
    y = x if exact else widen(x)
    if not exact and not is_fractional(y.dtype):
        y = y.astype(np.float32 if y.dtype.itemsize <= 2 else np.float64)
    outside = []
    for n, axis in sorted(changed, key=lambda each: each[1].output / max(each[1].size, 1)):
        samples = find_samples(axis, sampling)
        y = _sample_axis(y, n, samples.indices, None if exact else samples.weights)
        if samples.outside is not None:
            outside.append((n, samples.outside))
    y = _convert(y, x)
    if any(mask.any() for _, mask in outside):
        y = y.copy()
        for n, mask in outside:
            y[(slice(None),) * n + (mask,)] = np.asarray(extrapolation).astype(y.dtype)
    return y


def _convert(y: Array, x: Array) -> Array:
    """Return the result in the element type of ``x``: integers are cut off, within their range."""
    if y.dtype == x.dtype:
        return y
    if x.dtype.kind in "iu":
        bounds = np.iinfo(x.dtype)
        y = np.clip(y, bounds.min, bounds.max)
    return y.astype(x.dtype)


def _sample_axis(y: Array, axis: int, indices: Array, weights: Array | None) -> Array:
    """Return sums of the elements at ``indices`` (outputs, taps), weighted, along an axis."""
    if weights is None:
        return np.take(y, indices[:, 0], axis)
    outputs, taps = indices.shape
    if taps > 8:
        matrix = np.zeros((outputs, y.shape[axis]), y.dtype)
        np.add.at(matrix, (np.arange(outputs)[:, None], indices), weights.astype(y.dtype))
        return np.moveaxis(np.tensordot(matrix, y, (1, axis)), 0, axis)
    shape = (outputs, *(1,) * (y.ndim - axis - 1))
    total: Array | None = None
    for tap in range(taps):
        part = np.take(y, indices[:, tap], axis)
        part *= weights[:, tap].astype(y.dtype).reshape(shape)
        if total is None:
            total = part
        else:
            total += part
    assert total is not None
    return total
