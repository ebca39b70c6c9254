"""The attributes of convolutions of every kind."""

from __future__ import annotations

from typing import ClassVar, Final

from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.op.nn.ranked_attrs import RankedAttrs, per_axis
from relayish.op.types.fields import Dimension, OptionalDType

_PLAIN: Final = ("data_layout", "kernel_layout", "out_layout")


class ConvAttrs(RankedAttrs):
    """What convolutions of all ranks have."""

    strides: tuple[Dimension, ...] = per_axis(1)
    padding: tuple[Dimension, ...] = per_axis(0)
    dilation: tuple[Dimension, ...] = per_axis(1)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: String
    kernel_layout: String
    out_layout: String = ""
    out_dtype: OptionalDType = None


class ConvTransposeAttrs(RankedAttrs):
    """What transposed convolutions of all ranks have."""

    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    strides: tuple[Dimension, ...] = per_axis(1)
    output_padding: tuple[Dimension, ...] = per_axis(0)
    padding: tuple[Dimension, ...] = per_axis(0)
    dilation: tuple[Dimension, ...] = per_axis(1)
    groups: int = 1
    data_layout: String
    kernel_layout: String
    out_layout: String = ""
    out_dtype: OptionalDType = None


class WinogradAttrs(RankedAttrs):
    """What convolutions by the algorithm of Winograd have."""

    tile_size: int
    strides: tuple[Dimension, ...] = per_axis(1)
    padding: tuple[Dimension, ...] = per_axis(0)
    dilation: tuple[Dimension, ...] = per_axis(1)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: String
    kernel_layout: String
    out_layout: String = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv1DAttrs")
class Conv1DAttrs(ConvAttrs, data_layout="NCW", kernel_layout="OIW", padding=(0, 0)):
    """Attributes of ``nn.conv1d``."""


@attrs("relay.attrs.Conv2DAttrs")
class Conv2DAttrs(ConvAttrs, data_layout="NCHW", kernel_layout="OIHW"):
    """Attributes of ``nn.contrib_conv2d_NCHWc`` and others."""


@attrs("relay.attrs.Conv3DAttrs")
class Conv3DAttrs(ConvAttrs, data_layout="NCDHW", kernel_layout="OIDHW"):
    """Attributes of ``nn.conv3d``."""


@attrs("relay.attrs.Conv1DTransposeAttrs")
class Conv1DTransposeAttrs(
    ConvTransposeAttrs, data_layout="NCW", kernel_layout="IOW", plain=_PLAIN
):
    """Attributes of ``nn.conv1d_transpose``."""


@attrs("relay.attrs.Conv2DTransposeAttrs")
class Conv2DTransposeAttrs(
    ConvTransposeAttrs, data_layout="NCHW", kernel_layout="IOHW", plain=_PLAIN
):
    """Attributes of ``nn.conv2d_transpose``, ``qnn.conv2d_transpose``."""


@attrs("relay.attrs.Conv3DTransposeAttrs")
class Conv3DTransposeAttrs(ConvTransposeAttrs, data_layout="NCDHW", kernel_layout="IODHW"):
    """Attributes of ``nn.conv3d_transpose``."""


@attrs("relay.attrs.Conv2DWinogradAttrs")
class Conv2DWinogradAttrs(WinogradAttrs, data_layout="NCHW", kernel_layout="OIHW"):
    """Attributes of ``nn.contrib_conv2d_winograd_without_weight_transform``."""


@attrs("relay.attrs.Conv3DWinogradAttrs")
class Conv3DWinogradAttrs(WinogradAttrs, data_layout="NCDHW", kernel_layout="OIDHW", plain=_PLAIN):
    """Attributes of ``nn.contrib_conv3d_winograd_without_weight_transform``."""


@attrs("relay.attrs.ConvWinogradWeightTransformAttrs")
class ConvWinogradWeightTransformAttrs(Attrs):
    """Attributes of ``nn.contrib_conv2d_winograd_weight_transform`` and others."""

    tile_size: int


@attrs("relay.attrs.ConvGemmWeightTransformAttrs")
class ConvGemmWeightTransformAttrs(Attrs):
    """Attributes of ``nn.contrib_conv2d_gemm_weight_transform``."""

    tile_N: int  # noqa: N815 - Relay's name
    tile_K: int  # noqa: N815 - Relay's name


@attrs("relay.attrs.Conv2DWinogradNNPACKWeightTransformAttrs")
class Conv2DWinogradNNPACKWeightTransformAttrs(Attrs):
    """Attributes of ``nn.contrib_conv2d_winograd_nnpack_weight_transform``."""

    convolution_algorithm: int
    out_dtype: OptionalDType = None


@attrs("relay.attrs.DeformableConv2DAttrs")
class DeformableConv2DAttrs(Attrs):
    """Attributes of ``nn.deformable_conv2d``."""

    spatial_rank: ClassVar[int] = 2
    strides: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    dilation: tuple[Dimension, ...] = (1, 1)
    deformable_groups: int = 1
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    out_layout: str = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.BinaryConv2DAttrs")
class BinaryConv2DAttrs(Attrs):
    """Attributes of ``nn.bitserial_conv2d``."""

    spatial_rank: ClassVar[int] = 2
    strides: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    kernel_size: tuple[Dimension, ...] = (3, 3)
    channels: Dimension | None = None
    activation_bits: int = 1
    weight_bits: int = 1
    data_layout: str = "NCHW"
    kernel_layout: str = "OIHW"
    pack_dtype: OptionalDType = None
    out_dtype: OptionalDType = None
    unipolar: bool = True
