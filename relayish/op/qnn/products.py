"""Convolutions and matrix products of quantised tensors.

Their calls give two zero points and then two scales, whatever names Relay's description of the
arguments has for them. The result is of plain integers: its zero point is 0 and its scale the
product of the scales, which it does not depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs
from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.type import IncompleteType, TensorType, Type
from relayish.op.builders.builder import custom_builder
from relayish.op.builders.call import relay_call
from relayish.op.declaration.properties import OpPattern, evaluate, relation, rule
from relayish.op.declaration.registry import relay_op
from relayish.op.declaration.relation import Relation, TypeReporter
from relayish.op.layouts.rules import of_convolution
from relayish.op.nn.arguments import unify_sizes
from relayish.op.nn.convolution_attrs import Conv2DAttrs, Conv2DTransposeAttrs
from relayish.op.nn.product import BatchMatmulAttrs, DenseAttrs, DensePackAttrs
from relayish.op.qnn.declaration import declare_quantised
from relayish.op.qnn.parameters import (
    SCALE,
    ZERO_POINT,
    check_along,
    check_dtype,
    check_scalar,
    require_quantised,
)
from relayish.op.types.dimension import multiply, show_type
from relayish.op.types.fields import Dimension
from relayish.op.types.layout import convert_layout, read_layout
from relayish.op.types.layout_types import convert_shape
from relayish.op.values.evaluation import Array, Parameters

_DATA = ("int8", "uint8", "int16")
_WEIGHT = ("int8", "uint8")
_RESULT = ("int16", "int32", "int64")
_WIDE = "int32"


def _check_operands(
    attrs: Parameters, types: Sequence[Type], names: tuple[str, str]
) -> tuple[TensorType, TensorType]:
    """Return the types of the two operands, after all has been checked that is always the same."""
    left = require_quantised(types[0], names[0], _DATA)
    right = require_quantised(types[1], names[1], _WEIGHT)
    check_dtype(attrs.out_dtype or _WIDE, "the result", _RESULT)
    check_scalar(types[2], f"{names[0]}_zero_point", ZERO_POINT)
    check_scalar(types[4], f"{names[0]}_scale", SCALE)
    return left, right


def _check_weight(types: Sequence[Type], channels: Dimension) -> None:
    check_along(types[3], "weight_zero_point", ZERO_POINT, channels)
    check_along(types[5], "weight_scale", SCALE, channels)


def _plain_type(
    name: str,
    attrs: Attrs,
    operands: tuple[TensorType, TensorType],
    reporter: TypeReporter,
) -> Type | None:
    """Return what the operator ``name`` on plain numbers makes of such operands."""
    op, wide = relay_op(name), tuple(TensorType(ty.shape, _WIDE) for ty in operands)
    known = rule.get(op)
    if known is not None:
        return known(_with_result(attrs), *wide)
    related = relation.get(op)
    assert related is not None
    return related(_with_result(attrs), wide, reporter)


def _with_result(attrs: Parameters) -> Attrs:
    """Return the attributes with an element type of the result, by default Relay's."""
    found: Attrs = attrs if attrs.out_dtype else attrs.with_values(out_dtype=_WIDE)
    return found


def _convolution_relation(name: str) -> Relation:
    def relates(attrs: Parameters, types: tuple[Type, ...], reporter: TypeReporter) -> Type | None:
        """Relate as ``nn.conv2d`` does; nothing is inferred of a weight."""
        if any(isinstance(ty, IncompleteType) for ty in types):
            return None
        data, weight = _check_operands(attrs, types, ("data", "weight"))
        outer, inner, *_ = convert_shape(weight.shape, attrs.kernel_layout, "OIHW", "weight")
        _check_weight(types, outer if attrs.groups == 1 else multiply(outer, inner))
        return _plain_type(name, attrs, (data, weight), reporter)

    return relates


def _dense_relation(
    attrs: DenseAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """Relate as ``nn.dense`` does; nothing is inferred of a weight."""
    if any(isinstance(ty, IncompleteType) for ty in types):
        return None
    data, weight = _check_operands(attrs, types, ("data", "weight"))
    result = _plain_type("nn.dense", attrs, (data, weight), reporter)
    assert isinstance(result, TensorType)
    _check_weight(types, result.shape[-1])
    return result


def _dense_pack_type(attrs: DensePackAttrs, *types: Type) -> TensorType:
    data, weight = _check_operands(attrs, types, ("data", "weight"))
    units, inner = convert_shape(weight.shape, attrs.weight_layout, "NC", "weight")
    if not data.shape:
        raise TypeInferenceError(f"data must have at least one dimension; found {show_type(data)}")
    unify_sizes(inner, data.shape[-1], "weight takes {} features, data has {}")
    _check_weight(types, units)
    return TensorType((*data.shape[:-1], units), attrs.out_dtype or _WIDE)


def _batch_matmul_relation(
    attrs: BatchMatmulAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    if any(isinstance(ty, IncompleteType) for ty in types):
        return None
    left, right = _check_operands(attrs, types, ("x", "y"))
    check_scalar(types[3], "y_zero_point", ZERO_POINT)
    check_scalar(types[5], "y_scale", SCALE)
    return _plain_type("nn.batch_matmul", attrs, (left, right), reporter)


def _multiply_plain(name: str, attrs: Attrs, data: Array, weight: Array) -> Array:
    function = evaluate.get(relay_op(name))
    assert function is not None
    return function(_with_result(attrs), data, weight)


def _centre(data: Array, zero_point: Array) -> Array:
    return data.astype(np.int32) - zero_point


def _convolution(name: str) -> Callable[..., Array]:
    def evaluation(
        attrs: Conv2DAttrs | Conv2DTransposeAttrs,
        data: Array,
        weight: Array,
        input_zero_point: Array,
        weight_zero_point: Array,
        *_: Array,
    ) -> Array:
        """Convolve what is left without the zero points; what is padded stands for 0."""
        layout = attrs.kernel_layout
        zero_point = _broadcast_to_weight(weight_zero_point, weight, layout)
        return _multiply_plain(
            name, attrs, _centre(data, input_zero_point), _centre(weight, zero_point)
        )

    return evaluation


def _broadcast_to_weight(zero_point: Array, weight: Array, layout: str) -> Array:
    """Return a zero point for each output channel so shaped that it broadcasts to the weight."""
    if zero_point.size == 1:
        return zero_point.reshape(())
    matrix, order, shape = weight_channels(zero_point.size, weight.shape, layout)
    return zero_point.reshape(matrix).transpose(order).reshape(shape)


def weight_channels(
    count: int, weight: Sequence[int], layout: str
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Return how one number for each output channel is made to broadcast to a weight.

    Args:
        count: How many numbers there are: as many as the axis ``O`` of the weight has places, or
            that axis and ``I``, which are the channels of a convolution of each channel by itself.
        weight: The shape of the weight.
        layout: Its layout.

    Returns:
        The shape to give them first, the order of axes to bring that into, and the last shape.

    Raises:
        EvaluationError: If there are as many of neither.
    """
    letters = [axis.letter for axis in read_layout(layout)]
    shape = [1] * len(weight)
    outer, inner = letters.index("O"), letters.index("I")
    shape[outer] = weight[outer]
    if count == weight[outer]:
        return (count,), (0,), tuple(shape)
    if count != weight[outer] * weight[inner]:
        raise EvaluationError(
            f"weight_zero_point has {count} elements, which does not fit a weight "
            f"{tuple(weight)} in layout {layout}"
        )
    shape[inner] = weight[inner]
    order = (0, 1) if outer < inner else (1, 0)
    return (weight[outer], weight[inner]), order, tuple(shape)


def _dense(
    attrs: DenseAttrs,
    data: Array,
    weight: Array,
    input_zero_point: Array,
    weight_zero_point: Array,
    *_: Array,
) -> Array:
    zero_point = weight_zero_point.reshape(-1, 1)
    left, right = _centre(data, input_zero_point), _centre(weight, zero_point)
    return _multiply_plain("nn.dense", attrs, left, right)


def _dense_pack(attrs: DensePackAttrs, data: Array, weight: Array, *parameters: Array) -> Array:
    plain = DenseAttrs(units=None, out_dtype=attrs.out_dtype)
    unpacked = convert_layout(weight, attrs.weight_layout, "NC")
    return _dense(plain, data, unpacked, *parameters)


def _batch_matmul(
    attrs: BatchMatmulAttrs,
    x: Array,
    y: Array,
    x_zero_point: Array,
    y_zero_point: Array,
    *_: Array,
) -> Array:
    left, right = _centre(x, x_zero_point), _centre(y, y_zero_point)
    return _multiply_plain("nn.batch_matmul", attrs, left, right)


_WEIGHTED = (
    "data",
    "weight",
    "input_scale",
    "input_zero_point",
    "weight_scale",
    "weight_zero_point",
)

declare_quantised(
    "qnn.conv2d",
    arguments=_WEIGHTED,
    signature=(
        "data, kernel, input_zero_point, kernel_zero_point, input_scale, kernel_scale, "
        "kernel_size, channels, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, "
        "data_layout='NCHW', kernel_layout='OIHW', out_layout='', out_dtype='int32'"
    ),
    description="""
    Slide a quantised kernel over quantised images and add up the products.
    data (n, c, h, w) int8 or uint8; kernel (o, c / groups, kh, kw); input_zero_point ();
        kernel_zero_point () or (o,); input_scale (); kernel_scale () or (o,) -> (n, o, h', w')
        of out_dtype
    """,
    attrs_type=Conv2DAttrs,
    relation=_convolution_relation("nn.conv2d"),
    evaluate=_convolution("nn.conv2d"),
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    infer_layout=of_convolution,
)
declare_quantised(
    "qnn.conv2d_transpose",
    arguments=_WEIGHTED,
    signature=(
        "data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale, "
        "strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, channels=None, "
        "kernel_size=None, data_layout='NCHW', kernel_layout='IOHW', out_layout='', "
        "output_padding=(0, 0), out_dtype='int32'"
    ),
    description="""
    Take the gradient of a convolution of quantised tensors.
    data (n, c, h, w) int8 or uint8; weight (c, o / groups, kh, kw); input_zero_point ();
        kernel_zero_point () or (o,); input_scale (); kernel_scale () or (o,) -> (n, o, h', w')
        of out_dtype
    """,
    attrs_type=Conv2DTransposeAttrs,
    relation=_convolution_relation("nn.conv2d_transpose"),
    evaluate=_convolution("nn.conv2d_transpose"),
    infer_layout=of_convolution,
)
declare_quantised(
    "qnn.dense",
    arguments=_WEIGHTED,
    signature=(
        "data, weight, input_zero_point, kernel_zero_point, input_scale, kernel_scale, "
        "units, out_dtype='int32'"
    ),
    description="""
    Multiply quantised vectors by the transpose of a quantised matrix.
    data (n, k) int8 or uint8; weight (units, k); input_zero_point (); kernel_zero_point () or
        (units,); input_scale (); kernel_scale () or (units,) -> (n, units) of out_dtype
    """,
    relation=_dense_relation,
    evaluate=_dense,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
declare_quantised(
    "qnn.contrib_dense_pack",
    arguments=_WEIGHTED,
    description="""
    Multiply quantised vectors by the transpose of a quantised matrix whose rows are packed.
    data (n, k) int8 or uint8; weight packed as kernel_layout says; input_zero_point ();
        kernel_zero_point () or (units,); input_scale (); kernel_scale () or (units,) -> (n,
        units) of out_dtype
    """,
    rule=_dense_pack_type,
    evaluate=_dense_pack,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
declare_quantised(
    "qnn.batch_matmul",
    arguments=("x", "y", "x_scale", "x_zero_point", "y_scale", "y_zero_point"),
    signature=(
        "x, y, x_zero_point, y_zero_point, x_scale, y_scale, out_dtype='int32', "
        "transpose_a=False, transpose_b=True"
    ),
    description="""
    Multiply two stacks of quantised matrices, the second transposed.
    x (b, m, k) int8 or uint8; y (b, n, k); x_zero_point (); y_zero_point (); x_scale ();
        y_scale () -> (b, m, n) of out_dtype
    """,
    relation=_batch_matmul_relation,
    evaluate=_batch_matmul,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)


@custom_builder("qnn.contrib_dense_pack")
def contrib_dense_pack(
    data: Expr,
    weight: Expr,
    input_zero_point: Expr,
    kernel_zero_point: Expr,
    input_scale: Expr,
    kernel_scale: Expr,
    kernel_layout: str = "NC",
    units: int | None = None,
    out_dtype: str = "int32",
) -> Call:
    """Return the product of quantised data and a packed weight; ``kernel_layout`` is its layout."""
    return relay_call(
        "qnn.contrib_dense_pack",
        data,
        weight,
        input_zero_point,
        kernel_zero_point,
        input_scale,
        kernel_scale,
        weight_layout=kernel_layout,
        units=units,
        out_dtype=out_dtype,
    )
