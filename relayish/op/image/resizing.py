"""Resizing along one, two or three axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import weighing_dtype
from relayish.numeric.resizing import Axis, Resampling, resize
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_layout
from relayish.op.nn.ranked_attrs import RankedAttrs
from relayish.op.nn.window_types import SPATIAL, per_axis
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.layout import convert_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes, result_dtype
from relayish.op.values.resampling import SLACK, get_method, usual_rounding


class ResizeAttrs(RankedAttrs):
    """What operators that resize have, along any number of axes."""

    has_windows: ClassVar[bool] = False
    size: tuple[Dimension, ...] | None = None
    roi: tuple[float, ...] | None = None
    layout: str
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = "round"
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Resize1DAttrs")
class Resize1DAttrs(ResizeAttrs, layout="NCW"):
    """Attributes of ``image.resize1d``."""


@attrs("relay.attrs.Resize2DAttrs")
class Resize2DAttrs(ResizeAttrs, layout="NCHW"):
    """Attributes of ``image.resize2d``, ``dyn.image.resize2d``."""


@attrs("relay.attrs.Resize3DAttrs")
class Resize3DAttrs(ResizeAttrs, layout="NCDHW"):
    """Attributes of ``image.resize3d``."""


def _resize_type(attrs: ResizeAttrs, data: Type) -> TensorType:
    plain = "NC" + SPATIAL[attrs.rank]
    given = tensor(data, "data")
    batch, channels, *sizes = convert_shape(given.shape, attrs.layout, plain)
    target = per_axis(attrs.size or (), len(sizes), "size")
    shape = convert_shape((batch, channels, *target), plain, attrs.layout, "the result")
    return TensorType(shape, attrs.out_dtype or given.dtype)


def _resize(attrs: ResizeAttrs, data: Array) -> Array:
    return resize_tensor(attrs, data, as_sizes(attrs.size or ()), attrs.roi)


def resize_tensor(
    attrs: ResizeAttrs, data: Array, size: tuple[int, ...], roi: Sequence[float] | None
) -> Array:
    """Return ``data`` resized.

    Args:
        attrs: How, but for ``size`` and ``roi``, which are taken from the arguments.
        data: In the layout they say.
        size: How many elements there shall be along each spatial axis.
        roi: For ``tf_crop_and_resize``, where the part to resize begins along each spatial axis and
            then where it ends, both from 0 to 1.

    Raises:
        EvaluationError: If no such way to resize is known, or a region is missing.
    """
    plain = "NC" + SPATIAL[attrs.rank]
    source = convert_layout(data, attrs.layout, plain)
    axes, how = resampling(attrs, source.shape[2:], size, roi)
    work = weighing_dtype(data.dtype)
    result = resize(source, list(enumerate(axes, 2)), how, work, attrs.extrapolation_value)
    result = result.astype(result_dtype(attrs.out_dtype, data.dtype))
    return convert_layout(result, plain, attrs.layout)


def resampling(
    attrs: ResizeAttrs, sizes: Sequence[int], size: Sequence[int], roi: Sequence[float] | None
) -> tuple[list[Axis], Resampling]:
    """Return the spatial axes of what is resized, and how new elements are made.

    Args:
        attrs: How, but for ``size`` and ``roi``.
        sizes: How many elements there are along each spatial axis.
        size: How many there shall be.
        roi: As :func:`resize_tensor` takes it.

    Raises:
        EvaluationError: As :func:`resize_tensor`.
    """
    cropping = attrs.coordinate_transformation_mode == "tf_crop_and_resize"
    spans = _spans(roi, len(size)) if cropping else [(0.0, 1.0)] * len(size)
    axes = [Axis(old, new, None, *span) for old, new, span in zip(sizes, size, spans, strict=True)]
    how = Resampling(
        get_method(attrs.method),
        attrs.coordinate_transformation_mode,
        attrs.rounding_method or usual_rounding(attrs.coordinate_transformation_mode),
        SLACK,
        attrs.cubic_alpha,
        bool(attrs.cubic_exclude),
    )
    return axes, how


def _spans(roi: Sequence[float] | None, rank: int) -> list[tuple[float, float]]:
    if roi is None or len(roi) != 2 * rank:
        raise EvaluationError(
            f"tf_crop_and_resize needs a roi of {2 * rank} numbers, where each of {rank} axes "
            f"begins and then where each ends; found {roi}"
        )
    return list(zip(roi[:rank], roi[rank:], strict=True))


def _declare(
    name: str,
    attrs_type: type[ResizeAttrs],
    layout: str,
    description: str,
    mixed_precision: MixedPrecision | None = None,
) -> None:
    """Declare the operator that resizes along so many axes."""
    register_op(
        name,
        signature=(
            f"data, size, roi=None, layout='{layout}', method='linear', "
            "coordinate_transformation_mode='half_pixel', rounding_method='', cubic_alpha=-0.5, "
            "cubic_exclude=0, extrapolation_value=0.0, out_dtype=None"
        ),
        description=description,
        attrs_type=attrs_type,
        pattern=OpPattern.INJECTIVE,
        rule=_resize_type,
        evaluate=_resize,
        mixed_precision=mixed_precision,
        infer_layout=of_layout(),
    )


_declare(
    "image.resize1d",
    Resize1DAttrs,
    "NCW",
    "Resize sequences.\ndata (n, c, w), axes as layout -> (n, c, size)",
)
_declare(
    "image.resize2d",
    Resize2DAttrs,
    "NCHW",
    "Resize images.\ndata (n, c, h, w), axes as layout -> (n, c, *size)",
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "image.resize3d",
    Resize3DAttrs,
    "NCDHW",
    "Resize volumes.\ndata (n, c, d, h, w), axes as layout -> (n, c, *size)",
)
