"""The attributes of convolutions of every kind."""

from __future__ import annotations

from typing import ClassVar

from relayish.ir.attrs import Attrs, String, attrs
from relayish.op.types.fields import Dimension, OptionalDType


@attrs("relay.attrs.Conv1DAttrs")
class Conv1DAttrs(Attrs):
    """Attributes of ``nn.conv1d``."""

    spatial_rank: ClassVar[int] = 1
    strides: tuple[Dimension, ...] = (1,)
    padding: tuple[Dimension, ...] = (0, 0)
    dilation: tuple[Dimension, ...] = (1,)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: String = "NCW"
    kernel_layout: String = "OIW"
    out_layout: String = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv2DAttrs")
class Conv2DAttrs(Attrs):
    """Attributes of ``nn.contrib_conv2d_NCHWc`` and others."""

    spatial_rank: ClassVar[int] = 2
    strides: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    dilation: tuple[Dimension, ...] = (1, 1)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: String = "NCHW"
    kernel_layout: String = "OIHW"
    out_layout: String = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv3DAttrs")
class Conv3DAttrs(Attrs):
    """Attributes of ``nn.conv3d``."""

    spatial_rank: ClassVar[int] = 3
    strides: tuple[Dimension, ...] = (1, 1, 1)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: String = "NCDHW"
    kernel_layout: String = "OIDHW"
    out_layout: String = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv1DTransposeAttrs")
class Conv1DTransposeAttrs(Attrs):
    """Attributes of ``nn.conv1d_transpose``."""

    spatial_rank: ClassVar[int] = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    strides: tuple[Dimension, ...] = (1,)
    output_padding: tuple[Dimension, ...] = (0,)
    padding: tuple[Dimension, ...] = (0,)
    dilation: tuple[Dimension, ...] = (1,)
    groups: int = 1
    data_layout: str = "NCW"
    kernel_layout: str = "IOW"
    out_layout: str = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv2DTransposeAttrs")
class Conv2DTransposeAttrs(Attrs):
    """Attributes of ``nn.conv2d_transpose``, ``qnn.conv2d_transpose``."""

    spatial_rank: ClassVar[int] = 2
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    strides: tuple[Dimension, ...] = (1, 1)
    output_padding: tuple[Dimension, ...] = (0, 0)
    padding: tuple[Dimension, ...] = (0, 0)
    dilation: tuple[Dimension, ...] = (1, 1)
    groups: int = 1
    data_layout: str = "NCHW"
    kernel_layout: str = "IOHW"
    out_layout: str = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv3DTransposeAttrs")
class Conv3DTransposeAttrs(Attrs):
    """Attributes of ``nn.conv3d_transpose``."""

    spatial_rank: ClassVar[int] = 3
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    strides: tuple[Dimension, ...] = (1, 1, 1)
    output_padding: tuple[Dimension, ...] = (0, 0, 0)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    groups: int = 1
    data_layout: String = "NCDHW"
    kernel_layout: String = "IODHW"
    out_layout: String = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv2DWinogradAttrs")
class Conv2DWinogradAttrs(Attrs):
    """Attributes of ``nn.contrib_conv2d_winograd_without_weight_transform``."""

    spatial_rank: ClassVar[int] = 2
    tile_size: int
    strides: tuple[Dimension, ...] = (1, 1)
    padding: tuple[Dimension, ...] = (0, 0)
    dilation: tuple[Dimension, ...] = (1, 1)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: String = "NCHW"
    kernel_layout: String = "OIHW"
    out_layout: String = ""
    out_dtype: OptionalDType = None


@attrs("relay.attrs.Conv3DWinogradAttrs")
class Conv3DWinogradAttrs(Attrs):
    """Attributes of ``nn.contrib_conv3d_winograd_without_weight_transform``."""

    spatial_rank: ClassVar[int] = 3
    tile_size: int
    strides: tuple[Dimension, ...] = (1, 1, 1)
    padding: tuple[Dimension, ...] = (0, 0, 0)
    dilation: tuple[Dimension, ...] = (1, 1, 1)
    groups: int = 1
    channels: Dimension | None = None
    kernel_size: tuple[Dimension, ...] | None = None
    data_layout: str = "NCDHW"
    kernel_layout: str = "OIDHW"
    out_layout: str = ""
    out_dtype: OptionalDType = None


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
