"""The operators on quantised numbers; they are lowered to others before anything is evaluated."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType
from relayish.op.builders import namespace
from relayish.op.fields import OptionalDType
from relayish.op.joining import ConcatenateAttrs
from relayish.op.nn.activation import LeakyReluAttrs, SoftmaxAttrs
from relayish.op.nn.convolution_attrs import Conv2DAttrs, Conv2DTransposeAttrs
from relayish.op.nn.pooling_attrs import AvgPool2DAttrs
from relayish.op.nn.product import BatchMatmulAttrs, DenseAttrs, DensePackAttrs
from relayish.op.registry import OpPattern, register_op

__getattr__, __dir__ = namespace("qnn")


@attrs("relay.attrs.QuantizeAttrs")
class QuantizeAttrs(Attrs):
    """Attributes of ``qnn.quantize``."""

    out_dtype: DType
    axis: int = -1


@attrs("relay.attrs.DequantizeAttrs")
class DequantizeAttrs(Attrs):
    """Attributes of ``qnn.dequantize``, ``qnn.simulated_dequantize``."""

    out_dtype: DType
    axis: int = -1


@attrs("relay.attrs.RequantizeAttrs")
class RequantizeAttrs(Attrs):
    """Attributes of ``qnn.requantize``."""

    axis: int = -1
    rounding: str = "None"
    compute_dtype: str = "None"
    out_dtype: OptionalDType = None


@attrs("relay.attrs.SimulatedQuantizeAttrs")
class SimulatedQuantizeAttrs(Attrs):
    """Attributes of ``relay.op.annotation.simulated_quantize``, ``qnn.simulated_quantize``."""

    kind: int
    sign: bool = True
    rounding: str = "round"


@attrs("relay.attrs.BroadcastAttrs")
class BroadcastAttrs(Attrs):
    """Attributes of ``qnn.add``, ``qnn.mul``, ``qnn.subtract``."""

    lhs_axis: int = -1
    rhs_axis: int = -1


register_op(
    "qnn.quantize",
    arguments_=("data", "output_scale", "output_zero_point"),
    attrs=QuantizeAttrs,
    fuses=OpPattern.ELEMWISE,
    marks_only=True,
)
register_op(
    "qnn.dequantize",
    arguments_=("data", "input_scale", "input_zero_point"),
    attrs=DequantizeAttrs,
    fuses=OpPattern.ELEMWISE,
    marks_only=True,
)
register_op(
    "qnn.requantize",
    arguments_=("data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"),
    attrs=RequantizeAttrs,
    fuses=OpPattern.ELEMWISE,
    marks_only=True,
)
register_op(
    "qnn.simulated_quantize",
    arguments_=("data", "out_dtype", "output_scale", "output_zero_point"),
    attrs=SimulatedQuantizeAttrs,
    fuses=OpPattern.ELEMWISE,
)
register_op(
    "qnn.simulated_dequantize",
    arguments_=("data", "in_dtype", "input_scale", "input_zero_point"),
    attrs=DequantizeAttrs,
    fuses=OpPattern.ELEMWISE,
)
register_op(
    "qnn.add",
    arguments_=(
        "lhs",
        "rhs",
        "lhs_scale",
        "lhs_zero_point",
        "rhs_scale",
        "rhs_zero_point",
        "output_scale",
        "output_zero_point",
    ),
    attrs=BroadcastAttrs,
    fuses=OpPattern.BROADCAST,
    marks_only=True,
)
register_op(
    "qnn.subtract",
    arguments_=(
        "lhs",
        "rhs",
        "lhs_scale",
        "lhs_zero_point",
        "rhs_scale",
        "rhs_zero_point",
        "output_scale",
        "output_zero_point",
    ),
    attrs=BroadcastAttrs,
    fuses=OpPattern.BROADCAST,
    marks_only=True,
)
register_op(
    "qnn.mul",
    arguments_=(
        "lhs",
        "rhs",
        "lhs_scale",
        "lhs_zero_point",
        "rhs_scale",
        "rhs_zero_point",
        "output_scale",
        "output_zero_point",
    ),
    attrs=BroadcastAttrs,
    fuses=OpPattern.BROADCAST,
    marks_only=True,
)
register_op(
    "qnn.conv2d",
    arguments_=(
        "data",
        "weight",
        "input_scale",
        "input_zero_point",
        "weight_scale",
        "weight_zero_point",
    ),
    attrs=Conv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    marks_only=True,
)
register_op(
    "qnn.conv2d_transpose",
    arguments_=(
        "data",
        "weight",
        "input_scale",
        "input_zero_point",
        "weight_scale",
        "weight_zero_point",
    ),
    attrs=Conv2DTransposeAttrs,
    marks_only=True,
)
register_op(
    "qnn.dense",
    arguments_=(
        "data",
        "weight",
        "input_scale",
        "input_zero_point",
        "weight_scale",
        "weight_zero_point",
    ),
    attrs=DenseAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    marks_only=True,
)
register_op(
    "qnn.contrib_dense_pack",
    arguments_=(
        "data",
        "weight",
        "input_scale",
        "input_zero_point",
        "weight_scale",
        "weight_zero_point",
    ),
    attrs=DensePackAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    marks_only=True,
)
register_op(
    "qnn.batch_matmul",
    arguments_=("x", "y", "x_scale", "x_zero_point", "y_scale", "y_zero_point"),
    attrs=BatchMatmulAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    marks_only=True,
)
register_op(
    "qnn.concatenate",
    arguments_=("data", "input_scales", "input_zero_points", "output_scale", "output_zero_point"),
    attrs=ConcatenateAttrs,
    fuses=OpPattern.INJECTIVE,
    marks_only=True,
)
register_op(
    "qnn.avg_pool2d",
    arguments_=("data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"),
    attrs=AvgPool2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "qnn.leaky_relu",
    arguments_=("data", "input_scale", "input_zero_point", "output_scale", "output_zero_point"),
    attrs=LeakyReluAttrs,
    marks_only=True,
)
register_op(
    "qnn.softmax",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    attrs=SoftmaxAttrs,
    marks_only=True,
)
register_op(
    "qnn.abs",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.erf",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.exp",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.hardswish",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.log",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.rsqrt",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.sigmoid",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.sqrt",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    marks_only=True,
)
register_op(
    "qnn.tanh",
    arguments_=("data", "scale", "zero_point", "output_scale", "output_zero_point"),
    fuses=OpPattern.ELEMWISE,
    marks_only=True,
)
register_op(
    "relay.op.annotation.simulated_quantize",
    arguments_=("data", "dom_scale", "clip_min", "clip_max"),
    attrs=SimulatedQuantizeAttrs,
    fuses=OpPattern.ELEMWISE,
)
