"""Convolutions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Final, TypeAlias, Unpack

import numpy as np

from relayish.errors import EvaluationError
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
from relayish.op.nn.windows import Sides, Windows, extend, sides, windows_over
from relayish.op.types.layout import convert_layout
from relayish.op.values.accumulation import ElementType, accumulator, operand, round_to
from relayish.op.values.evaluation import Array, lowest_bits, result_dtype

AnyConvAttrs: TypeAlias = ConvAttrs | WinogradAttrs | DeformableConv2DAttrs
_BLOCK = 2**19
"""How many elements of columns are made at a time: few enough to stay in the cache."""


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

    What every place of the window sees becomes a column of a matrix, one strided copy for each
    element of the kernel, and the kernels are the rows of another: their product is the result, at
    the speed of the machine's matrix product. Measured against sums of shifted products and against
    columns along one axis only, this was fastest for all layers of ResNet-18, in blocks that fit
    the cache also for large images. Windows of one element are not copied at all. Kernels of one
    channel each make products of a single row: see :func:`_depthwise`.

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
    outputs = kernel.shape[0]
    if kernel.shape[1] == 1 < groups and len(windows.axes) > 1:
        by_channel = _depthwise(source, right.astype(work, copy=False), windows)
        return round_to(by_channel, dtype)
    rows = right.astype(work, copy=False).reshape(
        (groups, outputs // groups, prod(kernel.shape[1:]))
    )
    result: Array = np.empty((data.shape[0], groups, outputs // groups, prod(windows.counts)), work)
    for images, places, columns in column_blocks(source, windows, groups):
        np.matmul(rows, columns, out=result[images, :, :, places])
    return round_to(result.reshape((data.shape[0], outputs, *windows.counts)), dtype)


def column_blocks(
    source: Array, windows: Windows, groups: int
) -> Iterator[tuple[slice, slice, Array]]:
    """Yield what windows see as columns of matrices, some images or rows of windows at a time.

    Args:
        source: (batch, channels, *spatial), padded already.
        windows: Over its spatial axes.
        groups: How many parts the channels are divided into.

    Yields:
        Which images, which places of the window, counted through, and their columns ``(images,
        groups, channels / groups · taps, places)``, which are overwritten by those that follow.
    """
    batch, channels = source.shape[:2]
    taps, line = prod(windows.kernel), prod(windows.counts[1:])
    if taps == 1 and source.shape[2:] == windows.counts:  # every element is a window of its own
        flat = source.reshape((batch, groups, channels // groups, prod(windows.counts)))
        yield slice(None), slice(None), flat
        return
    lines = windows.counts[0]
    each = max(1, channels * taps * line)
    images = max(1, min(batch, _BLOCK // (each * lines)))
    height = lines if images > 1 else max(1, min(lines, _BLOCK // each))
    height = -(-lines // -(-lines // height))  # blocks of one size, or nearly
    buffer: Array = np.empty(images * each * height, source.dtype)
    for first in range(0, batch, images):
        some = source[first : first + images]
        for top in range(0, lines, height):
            count = min(height, lines - top)
            part = windows._replace(counts=(count, *windows.counts[1:]))
            shape = (some.shape[0], channels, *windows.kernel, *part.counts)
            columns = buffer[: prod(shape)].reshape(shape)
            below = some[:, :, top * windows.strides[0] :]
            for tap in windows.taps():
                columns[(slice(None), slice(None), *tap)] = part.view_tap(below, tap)
            depth = channels // groups * taps
            matrix = columns.reshape((some.shape[0], groups, depth, count * line))
            yield slice(first, first + images), slice(top * line, (top + count) * line), matrix


def _depthwise(source: Array, kernel: Array, windows: Windows) -> Array:
    """Return the convolution of every channel with kernels of its own.

    Columns are made along all axes but the first, so there are fewer by the height of the window;
    the product with all lines of the kernels then has one result for each of these, which are added
    where they belong. Measured on the layers of MobileNet this takes from half to nine tenths of
    the time of columns for the whole window, and half of that of adding up shifted, scaled images.

    Args:
        source: (batch, channels, *spatial), padded already, of two axes at least.
        kernel: (channels · outputs of each, 1, *window)
        windows: Over the spatial axes.
    """
    batch, channels, height = source.shape[:3]
    each, lines = kernel.shape[0] // channels, windows.kernel[0]
    along = Windows(
        windows.axes,
        (1, *windows.kernel[1:]),
        (1, *windows.strides[1:]),
        (1, *windows.dilation[1:]),
        (height, *windows.counts[1:]),
    )
    taps, places = prod(along.kernel), prod(along.counts)
    down = Windows((4,), (lines,), windows.strides[:1], windows.dilation[:1], windows.counts[:1])
    rows = kernel.reshape((channels, each * lines, taps))
    result: Array = np.zeros((batch, channels, each, *windows.counts), source.dtype)
    step = max(1, _BLOCK // (2 * max(1, batch * taps * places)))
    for first in range(0, channels, step):
        some = source[:, first : first + step]
        columns: Array = np.empty((*some.shape[:2], *along.kernel, *along.counts), source.dtype)
        for tap in along.taps():
            columns[(slice(None), slice(None), *tap)] = along.view_tap(some, tap)
        matrix = columns.reshape((*some.shape[:2], taps, places))
        found = np.matmul(rows[first : first + step], matrix)
        found = found.reshape((*some.shape[:2], each, lines, *along.counts))
        for line in range(lines):
            result[:, first : first + step] += down.view_tap(found, (line,))[:, :, :, line]
    return result.reshape((batch, channels * each, *windows.counts))


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
    attrs_type=BinaryConv2DAttrs,
    rule=bitserial_convolution_type,
    evaluate=_bitserial_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
