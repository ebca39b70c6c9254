"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final, TypeAlias, Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric import convolution
from relayish.numeric.precision import ElementType, accumulator, operand, round_to
from relayish.numeric.windows import Sides, extend
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_convolution
from relayish.op.nn.convolution_attrs import (
    BinaryConv2DAttrs,
    Conv1DAttrs,
    Conv2DAttrs,
    Conv3DAttrs,
    ConvAttrs,
    DeformableConv2DAttrs,
    WinogradAttrs,
)
from relayish.op.nn.convolution_types import (
    bitserial_convolution_type,
    convolution_relation,
    packed_convolution_relation,
)
from relayish.op.nn.mac_count import count_convolution
from relayish.op.nn.window_types import SPATIAL
from relayish.op.nn.windows import sides, windows_over
from relayish.op.types.layout import convert_layout
from relayish.op.values.evaluation import Array, lowest_bits, result_dtype

AnyConvAttrs: TypeAlias = ConvAttrs | WinogradAttrs | DeformableConv2DAttrs


def convolve(
    data: Array,
    kernel: Array,
    strides: Sequence[object],
    padding: Sides,
    dilation: Sequence[object],
    groups: int,
    dtype: ElementType,
) -> Array:
    """Return the convolution of ``data`` with ``kernel``.

    Args:
        data: (batch, groups · i, *spatial)
        kernel: (groups · o, i, *window)
        strides: One for each spatial axis.
        padding: What is added before and after each spatial axis.
        dilation: One for each spatial axis.
        groups: How many parts the channels are divided into, convolved each for itself.
        dtype: The element type of the result, in which it counts as computed.

    Returns:
        (batch, groups · o, *places)
    """
    left, right = operand(data, dtype), operand(kernel, dtype)
    work = accumulator(dtype, left, right, prod(kernel.shape[1:]))
    axes = range(2, data.ndim)
    source = extend(left, axes, padding, dtype=work)
    windows = windows_over(source.shape, axes, kernel.shape[2:], strides, dilation)
    found = convolution.convolve(source, right.astype(work, copy=False), windows, groups)
    return round_to(found, dtype)


def arrange_data(attrs: AnyConvAttrs, data: Array) -> Array:
    """Return the data of a convolution as ``(batch, channels, *spatial)``."""
    return convert_layout(data, attrs.data_layout, "NC" + SPATIAL[len(attrs.strides)])


def arrange_result(attrs: AnyConvAttrs, result: Array) -> Array:
    """Return ``result: (batch, channels, *spatial)`` in the layout the attributes ask for."""
    plain = "NC" + SPATIAL[result.ndim - 2]
    return convert_layout(result, plain, attrs.out_layout or attrs.data_layout)


def fit_kernel(kernel: Array, inputs: int, groups: int) -> Array:
    """Return ``kernel: (outputs, inputs / groups, *window)`` as it is.

    Where there is a group for each channel it may be ``(inputs, outputs of each, *window)`` too.

    Raises:
        EvaluationError: If it does not fit.
    """
    if groups > 1 and kernel.shape[0] == groups == inputs:
        return kernel.reshape((prod(kernel.shape[:2]), 1, *kernel.shape[2:]))
    if kernel.shape[0] % groups or kernel.shape[1] * groups != inputs:
        raise EvaluationError(
            f"a weight of {kernel.shape[0]} output and {kernel.shape[1]} input channels does not "
            f"fit data of {inputs} channels in {groups} groups"
        )
    return kernel


def convolve_plain(attrs: ConvAttrs, data: Array, kernel: Array, dtype: ElementType) -> Array:
    """Return :func:`convolve` as the attributes say, of data and kernel in plain layout."""
    padding = sides(attrs.padding, len(attrs.strides))
    fitting = fit_kernel(kernel, data.shape[1], attrs.groups)
    outputs, sizes = attrs.channels, attrs.kernel_size
    if outputs not in (None, fitting.shape[0]) or sizes not in (None, fitting.shape[2:]):
        raise EvaluationError(
            f"a weight of {fitting.shape[0]} kernels of the size {fitting.shape[2:]} is not what "
            f"the attributes channels={outputs} and kernel_size={sizes} say"
        )
    return convolve(data, fitting, attrs.strides, padding, attrs.dilation, attrs.groups, dtype)


def _convolution(attrs: ConvAttrs, data: Array, weight: Array) -> Array:
    kernel = convert_layout(weight, attrs.kernel_layout, "OI" + SPATIAL[len(attrs.strides)])
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    return arrange_result(attrs, convolve_plain(attrs, arrange_data(attrs, data), kernel, dtype))


def _bitserial_convolution(attrs: BinaryConv2DAttrs, data: Array, weight: Array) -> Array:
    """Return the convolution of numbers of few bits.

    Bits of a weight stand for 0 and 1, or, if ``unipolar``, for -1 and 1.
    """
    source = convert_layout(data, attrs.data_layout, "NCHW").astype(np.int64)
    kernel = convert_layout(weight, attrs.kernel_layout, "OIHW").astype(np.int64)
    source &= lowest_bits(attrs.activation_bits)
    highest = lowest_bits(attrs.weight_bits)
    kernel &= highest
    if attrs.unipolar:
        kernel = 2 * kernel - highest
    dtype = result_dtype(attrs.out_dtype, np.dtype(np.int16))
    padding = sides(attrs.padding, 2)
    result = convolve(source, kernel, attrs.strides, padding, (1, 1), 1, dtype)
    return convert_layout(result, "NCHW", attrs.data_layout)


_PACKED_SIGNATURE: Final = (
    "data, kernel, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, "
    "channels=None, kernel_size=None, data_layout='NCHW8c', kernel_layout='OIHW', "
    "out_layout='', out_dtype=''"
)
_PACKED: Final = """
    Convolve with channels split into blocks.
    data (n, c / b, h, w, b); kernel (o / ob, c / b, kh, kw, b, ob) -> (n, o / ob, h', w', ob)
    """


def _declare(name: str, signature: str | None = None, **told: Unpack[Record]) -> None:
    """Declare a convolution."""
    record: Record = {
        "relation": convolution_relation,
        "evaluate": _convolution,
        "pattern": OpPattern.OUT_ELEMWISE_FUSABLE,
        "mixed_precision": MixedPrecision.ALWAYS,
        "chosen_dtype": "out_dtype",
        "mac_count": count_convolution,
        "infer_layout": of_convolution,
        **told,
    }
    register_op(name, arguments=("data", "weight"), signature=signature, **record)


_declare(
    "nn.conv1d",
    signature=(
        "data, weight, strides=(1,), padding=(0,), dilation=(1,), groups=1, channels=None, "
        "kernel_size=None, data_layout='NCW', kernel_layout='OIW', out_layout='', "
        "out_dtype=''"
    ),
    description="""
    Slide a kernel over sequences and add up the products.
    data (n, c, w), axes as data_layout; weight (o, c / groups, kw), axes as kernel_layout ->
        (n, o, w')
    """,
    attrs_type=Conv1DAttrs,
)
_declare(
    "nn.conv2d",
    description="""
    Slide a kernel over images and add up the products.
    data (n, c, h, w), axes as data_layout; weight (o, c / groups, kh, kw), axes as
        kernel_layout -> (n, o, h', w')
    """,
    attrs_type=Conv2DAttrs,
    result_memory=ResultMemory(),
)
_declare(
    "nn.conv3d",
    description="""
    Slide a kernel over volumes and add up the products.
    data (n, c, d, h, w), axes as data_layout; weight (o, c / groups, kd, kh, kw), axes as
        kernel_layout -> (n, o, d', h', w')
    """,
    attrs_type=Conv3DAttrs,
)
_declare(
    "nn.contrib_conv2d_NCHWc",
    signature=_PACKED_SIGNATURE,
    description=_PACKED,
    aliases=("nn.contrib_conv2d_nchwc",),
    attrs_type=Conv2DAttrs,
    relation=packed_convolution_relation,
    mixed_precision=None,
    chosen_dtype=None,
)
_declare(
    "nn.contrib_depthwise_conv2d_NCHWc",
    signature=_PACKED_SIGNATURE,
    description=_PACKED,
    aliases=("nn.contrib_depthwise_conv2d_nchwc",),
    attrs_type=Conv2DAttrs,
    mixed_precision=None,
    chosen_dtype=None,
    mac_count=None,
)
register_op(
    "nn.bitserial_conv2d",
    signature=(
        "data, weight, strides=(1, 1), padding=(0, 0), channels=None, kernel_size=(3, 3), "
        "activation_bits=1, weight_bits=1, data_layout='NCHW', kernel_layout='OIHW', "
        "pack_dtype='uint32', out_dtype='int16', unipolar=True"
    ),
    description="""
    Convolve integers of few bits, a bit at a time.
    data (n, c, h, w) of integers; weight (o, c, kh, kw), or packed -> (n, o, h', w')
    """,
    rule=bitserial_convolution_type,
    evaluate=_bitserial_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
