"""The operators of image processing; ``op.image.resize2d(x, size=...)`` builds a call."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.op.builders import namespace
from relayish.op.fields import Dimension, OptionalDType
from relayish.op.registry import OpPattern, register_op

__getattr__, __dir__ = namespace("image")


@attrs("relay.attrs.Resize1DAttrs")
class Resize1DAttrs(Attrs):
    """Attributes of ``image.resize1d``."""

    size: tuple[Dimension, ...] | None = None
    roi: tuple[float, ...] | None = None
    layout: str = "NCW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = "round"
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Resize2DAttrs")
class Resize2DAttrs(Attrs):
    """Attributes of ``image.resize2d``, ``dyn.image.resize2d``."""

    size: tuple[Dimension, ...] | None = None
    roi: tuple[float, ...] | None = None
    layout: str = "NCHW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = "round"
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Resize3DAttrs")
class Resize3DAttrs(Attrs):
    """Attributes of ``image.resize3d``."""

    size: tuple[Dimension, ...] | None = None
    roi: tuple[float, ...] | None = None
    layout: str = "NCDHW"
    method: str = "linear"
    coordinate_transformation_mode: str = "half_pixel"
    rounding_method: str = "round"
    cubic_alpha: float = -0.5
    cubic_exclude: int = 0
    extrapolation_value: float = 0.0
    out_dtype: OptionalDType = None


@attrs("relay.attrs.CropAndResizeAttrs")
class CropAndResizeAttrs(Attrs):
    """Attributes of ``image.crop_and_resize``."""

    crop_size: tuple[Dimension, ...] | None = None
    layout: str = "NCHW"
    method: str = "bilinear"
    extrapolation_value: float = 0.0
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Dilation2DAttrs")
class Dilation2DAttrs(Attrs):
    """Attributes of ``image.dilation2d``."""

    strides: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    dilations: tuple[Dimension, ...] = (1, 1)
    data_layout: str = "NCHW"
    kernel_layout: str = "IHW"
    out_dtype: OptionalDType = None


@attrs("relay.attrs.AffineGridAttrs")
class AffineGridAttrs(Attrs):
    """Attributes of ``image.affine_grid``."""

    target_shape: tuple[Dimension, ...]


@attrs("relay.attrs.GridSampleAttrs")
class GridSampleAttrs(Attrs):
    """Attributes of ``image.grid_sample``."""

    method: str = "bilinear"
    layout: str = "NCHW"
    padding_mode: str = "zeros"
    align_corners: bool = True


register_op("image.resize1d", arguments_=("data",), attrs=Resize1DAttrs, fuses=OpPattern.INJECTIVE)
register_op("image.resize2d", arguments_=("data",), attrs=Resize2DAttrs, fuses=OpPattern.INJECTIVE)
register_op("image.resize3d", arguments_=("data",), attrs=Resize3DAttrs, fuses=OpPattern.INJECTIVE)
register_op(
    "image.crop_and_resize",
    arguments_=("data", "boxes", "box_indices"),
    attrs=CropAndResizeAttrs,
    fuses=OpPattern.INJECTIVE,
)
register_op(
    "image.dilation2d",
    arguments_=("data", "weight"),
    attrs=Dilation2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "image.affine_grid", arguments_=("data",), attrs=AffineGridAttrs, fuses=OpPattern.INJECTIVE
)
register_op(
    "image.grid_sample",
    arguments_=("data", "grid"),
    attrs=GridSampleAttrs,
    fuses=OpPattern.INJECTIVE,
)
