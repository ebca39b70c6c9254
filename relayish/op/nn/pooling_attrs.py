"""The attributes of pooling."""

from __future__ import annotations

from typing import ClassVar

from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.op.nn.ranked_attrs import RankedAttrs, per_axis
from relayish.op.types.fields import Dimension


class MaxPoolAttrs(RankedAttrs):
    """What maximum pools of all ranks have."""

    pool_size: tuple[Dimension, ...]
    strides: tuple[Dimension, ...] = per_axis(1)
    dilation: tuple[Dimension, ...] = per_axis(1)
    padding: tuple[Dimension, ...] = per_axis(0)
    layout: String
    out_layout: String = ""
    ceil_mode: bool = False


class AvgPoolAttrs(MaxPoolAttrs):
    """What average pools of all ranks have."""

    count_include_pad: bool = False


@attrs("relay.attrs.MaxPool1DAttrs")
class MaxPool1DAttrs(MaxPoolAttrs, layout="NCW", plain=("layout",)):
    """Attributes of ``nn.max_pool1d``."""


@attrs("relay.attrs.MaxPool2DAttrs")
class MaxPool2DAttrs(MaxPoolAttrs, layout="NCHW"):
    """Attributes of ``nn.avg_pool2d_grad``, ``nn.max_pool2d``, ``nn.max_pool2d_grad``."""


@attrs("relay.attrs.MaxPool3DAttrs")
class MaxPool3DAttrs(MaxPoolAttrs, layout="NCDHW", plain=("layout",)):
    """Attributes of ``nn.max_pool3d``."""


@attrs("relay.attrs.AvgPool1DAttrs")
class AvgPool1DAttrs(AvgPoolAttrs, layout="NCW", plain=("layout",)):
    """Attributes of ``nn.avg_pool1d``."""


@attrs("relay.attrs.AvgPool2DAttrs")
class AvgPool2DAttrs(AvgPoolAttrs, layout="NCHW"):
    """Attributes of ``nn.avg_pool2d``, ``qnn.avg_pool2d``."""


@attrs("relay.attrs.AvgPool3DAttrs")
class AvgPool3DAttrs(AvgPoolAttrs, layout="NCDHW", plain=("layout",)):
    """Attributes of ``nn.avg_pool3d``."""


@attrs("relay.attrs.GlobalPool2DAttrs")
class GlobalPool2DAttrs(Attrs):
    """Attributes of ``nn.global_avg_pool2d``, ``nn.global_max_pool2d``."""

    layout: String = "NCHW"
    out_layout: String = ""


class AdaptivePoolAttrs(RankedAttrs):
    """What pools to a given size have, of all ranks."""

    has_windows: ClassVar[bool] = False
    output_size: tuple[Dimension, ...] = ()
    layout: str
    out_layout: String = ""


@attrs("relay.attrs.AdaptivePool1DAttrs")
class AdaptivePool1DAttrs(AdaptivePoolAttrs, layout="NCW"):
    """Attributes of ``nn.adaptive_avg_pool1d``, ``nn.adaptive_max_pool1d``."""


@attrs("relay.attrs.AdaptivePool2DAttrs")
class AdaptivePool2DAttrs(AdaptivePoolAttrs, layout="NCHW"):
    """Attributes of ``nn.adaptive_avg_pool2d``, ``nn.adaptive_max_pool2d``."""


@attrs("relay.attrs.AdaptivePool3DAttrs")
class AdaptivePool3DAttrs(AdaptivePoolAttrs, layout="NCDHW"):
    """Attributes of ``nn.adaptive_avg_pool3d``, ``nn.adaptive_max_pool3d``."""
