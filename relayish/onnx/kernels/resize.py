"""Resizing: each axis by itself, as a weighted sum of elements near where the result lies."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import resizing
from relayish.numeric.axes import normalise_axes
from relayish.numeric.precision import weighing_dtype
from relayish.numeric.resizing import Axis, Resampling
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import choice

_NEAREST: Final = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


@kernel(
    "Resize",
    since=(11, 13, 18, 19),
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
    found, how, beyond = plan_resize(
        x,
        roi,
        scales,
        sizes,
        antialias=antialias,
        axes=axes,
        coordinate_transformation_mode=coordinate_transformation_mode,
        cubic_coeff_a=cubic_coeff_a,
        exclude_outside=exclude_outside,
        extrapolation_value=extrapolation_value,
        keep_aspect_ratio_policy=keep_aspect_ratio_policy,
        mode=mode,
        nearest_mode=nearest_mode,
    )
    return _resample(x, found, how, beyond)


def plan_resize(
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
) -> tuple[list[tuple[int, Axis]], Resampling, float]:
    """Return which axes of ``x`` become others, how, and what is outside.

    Raises:
        EvaluationError: If what is asked for contradicts itself, or there is no such mode.
    """
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
    if mode == "nearest":
        choice(nearest_mode, _NEAREST, "nearest_mode")
    how = Resampling(
        mode,
        coordinate_transformation_mode,
        nearest_mode,
        slope=cubic_coeff_a,
        exclude_outside=bool(exclude_outside),
        antialias=bool(antialias),
    )
    return _changed(found), how, extrapolation_value


@kernel("Resize", since=(10,))
@kernel("Upsample", since=(9, 10))
def upsample(x: Array, scales: Array, *, mode: str = "nearest") -> Array:
    """Return ``x`` with axes longer by ``scales``, whose first elements stay where they are.

    What is nearest is the element before, or behind where an axis becomes shorter.
    """
    found = _axes_of_scales(x, tuple(range(x.ndim)), scales, None)
    how = Resampling("linear" if mode == "bilinear" else mode, "asymmetric", None)
    return _resample(x, found, how, 0.0)


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
        found.append((axis, Axis(size, output, float(scale), *region)))
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
        scale = None if policy == "stretch" else ratio
        found.append((axis, Axis(x.shape[axis], size, scale, *region)))
    return found


def _changed(axes: list[tuple[int, Axis]]) -> list[tuple[int, Axis]]:
    return [
        (n, axis)
        for n, axis in axes
        if axis.size != axis.output or (axis.factor(), axis.start, axis.end) != (1, 0, 1)
    ]


def _resample(
    x: Array, axes: list[tuple[int, Axis]], how: Resampling, extrapolation: float
) -> Array:
    """Return ``x`` resized; axes of which nothing is changed are as they were in any mode.

    Integers are cut off, within their range.
    """
    y = resizing.resize(x, _changed(axes), how, weighing_dtype(x.dtype), extrapolation)
    if y.dtype != x.dtype and x.dtype.kind in "iu":
        bounds = np.iinfo(x.dtype)
        y = np.clip(y, bounds.min, bounds.max)
    return y.astype(x.dtype, copy=False)
