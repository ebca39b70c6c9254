"""The attributes of pooling."""

from __future__ import annotations

from typing import ClassVar

from relayish.ir.attrs import Attrs, String, attrs
from relayish.op.types.fields import Dimension


@attrs("relay.attrs.MaxPool1DAttrs")
class MaxPool1DAttrs(Attrs):
    """Attributes of ``nn.max_pool1d``."""

    spatial_rank: ClassVar[int] = 1
    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1,)
    dilation: tuple[Dimension, ...] = (1,)
    padding: tuple[Dimension, ...] = (0,)
    layout: str = "NCW"
    out_layout: String = ""
    ceil_mode: bool = False


@attrs("relay.attrs.MaxPool2DAttrs")
class MaxPool2DAttrs(Attrs):
    """Attributes of ``nn.avg_pool2d_grad``, ``nn.max_pool2d``, ``nn.max_pool2d_grad``."""

    spatial_rank: ClassVar[int] = 2
    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1)
    dilation: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    layout: String = "NCHW"
    out_layout: String = ""
    ceil_mode: bool = False


@attrs("relay.attrs.MaxPool3DAttrs")
class MaxPool3DAttrs(Attrs):
    """Attributes of ``nn.max_pool3d``."""

    spatial_rank: ClassVar[int] = 3
    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1, 1)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    layout: str = "NCDHW"
    out_layout: String = ""
    ceil_mode: bool = False


@attrs("relay.attrs.AvgPool1DAttrs")
class AvgPool1DAttrs(Attrs):
    """Attributes of ``nn.avg_pool1d``."""

    spatial_rank: ClassVar[int] = 1
    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1,)
    dilation: tuple[Dimension, ...] = (1,)
    padding: tuple[Dimension, ...] = (0,)
    layout: str = "NCW"
    out_layout: String = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@attrs("relay.attrs.AvgPool2DAttrs")
class AvgPool2DAttrs(Attrs):
    """Attributes of ``nn.avg_pool2d``, ``qnn.avg_pool2d``."""

    spatial_rank: ClassVar[int] = 2
    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1)
    dilation: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    layout: String = "NCHW"
    out_layout: String = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@attrs("relay.attrs.AvgPool3DAttrs")
class AvgPool3DAttrs(Attrs):
    """Attributes of ``nn.avg_pool3d``."""

    spatial_rank: ClassVar[int] = 3
    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = (1, 1, 1)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    layout: str = "NCDHW"
    out_layout: String = ""
    ceil_mode: bool = False
    count_include_pad: bool = False


@attrs("relay.attrs.GlobalPool2DAttrs")
class GlobalPool2DAttrs(Attrs):
    """Attributes of ``nn.global_avg_pool2d``, ``nn.global_max_pool2d``."""

    layout: String = "NCHW"
    out_layout: String = ""


@attrs("relay.attrs.AdaptivePool1DAttrs")
class AdaptivePool1DAttrs(Attrs):
    """Attributes of ``nn.adaptive_avg_pool1d``, ``nn.adaptive_max_pool1d``."""

    output_size: tuple[Dimension, ...] = ()
    layout: str = "NCW"
    out_layout: String = ""


@attrs("relay.attrs.AdaptivePool2DAttrs")
class AdaptivePool2DAttrs(Attrs):
    """Attributes of ``nn.adaptive_avg_pool2d``, ``nn.adaptive_max_pool2d``."""

    output_size: tuple[Dimension, ...] = ()
    layout: str = "NCHW"
    out_layout: String = ""


@attrs("relay.attrs.AdaptivePool3DAttrs")
class AdaptivePool3DAttrs(Attrs):
    """Attributes of ``nn.adaptive_avg_pool3d``, ``nn.adaptive_max_pool3d``."""

    output_size: tuple[Dimension, ...] = ()
    layout: str = "NCDHW"
    out_layout: String = ""
