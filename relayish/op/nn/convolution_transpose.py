"""Transposed convolutions, and the gradient of a convolution to its weight."""

from __future__ import annotations

from math import prod

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import Attrs
from relayish.numeric.convolution import column_blocks, transpose_convolve
from relayish.numeric.precision import accumulator, operand, round_to
from relayish.numeric.windows import Windows, extend
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_convolution
from relayish.op.nn.convolution_attrs import (
    Conv1DTransposeAttrs,
    Conv2DAttrs,
    Conv2DTransposeAttrs,
    Conv3DTransposeAttrs,
    ConvTransposeAttrs,
)
from relayish.op.nn.convolution_types import (
    gradient_layouts,
    transposed_convolution_relation,
    weight_gradient_type,
)
from relayish.op.nn.mac_count import count_convolution
from relayish.op.nn.window_types import SPATIAL
from relayish.op.nn.windows import sides, windows_over
from relayish.op.types.layout import convert_layout
from relayish.op.values.evaluation import Array, as_sizes, result_dtype


def _transposed_convolution(attrs: ConvTransposeAttrs, data: Array, weight: Array) -> Array:
    """Return the sum of the kernels, each scaled by an element and put where that one is."""
    rank, groups = len(attrs.strides), attrs.groups
    plain = "NC" + SPATIAL[rank]
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    source = operand(convert_layout(data, attrs.data_layout, plain), dtype)
    kernel = operand(convert_layout(weight, attrs.kernel_layout, "IO" + SPATIAL[rank]), dtype)
    window, sizes = kernel.shape[2:], source.shape[2:]
    strides, spread = as_sizes(attrs.strides), as_sizes(attrs.dilation)
    placed = Windows(tuple(range(2, 2 + rank)), window, strides, spread, sizes)
    whole = placed.reach()
    work = accumulator(dtype, source, kernel, kernel.shape[0] // groups * prod(window))
    result = transpose_convolve(
        source.astype(work, copy=False),
        kernel.astype(work, copy=False),
        placed,
        groups,
        [max(size, 0) for size in whole],
    )
    padding, extra = sides(attrs.padding, rank), as_sizes(attrs.output_padding)
    cut = tuple(  # of nothing there may be less than nothing before it is padded
        (-b, more - a + min(n, 0)) for (b, a), more, n in zip(padding, extra, whole, strict=True)
    )
    kept = round_to(extend(result, placed.axes, cut), dtype)
    return convert_layout(kept, plain, attrs.out_layout or attrs.data_layout)


def _weight_gradient(attrs: Conv2DAttrs, grad: Array, data: Array) -> Array:
    """Return what the weight of a convolution gets of the gradient of its result.

    The gradient of every place times what the window saw there: with the columns of the
    convolution itself it is one matrix product.
    """
    if attrs.kernel_size is None:
        raise EvaluationError("the attribute kernel_size must be given")
    data_layout, weight_layout = gradient_layouts(attrs)
    given = convert_layout(grad, attrs.data_layout, "NCHW")
    source = convert_layout(data, data_layout, "NCHW")
    dtype = result_dtype(attrs.out_dtype, grad.dtype)
    left, right = operand(given, dtype), operand(source, dtype)
    batch, outputs, *places = given.shape
    work = accumulator(dtype, left, right, batch * prod(places))
    padded = extend(right, (2, 3), sides(attrs.padding, 2), dtype=work)
    over = windows_over(padded.shape, (2, 3), attrs.kernel_size, attrs.strides, attrs.dilation)
    groups = attrs.groups
    rows = left.astype(work, copy=False).reshape((batch, groups, outputs // groups, prod(places)))
    inputs = source.shape[1] // groups
    result: Array = np.zeros((groups, outputs // groups, inputs * prod(over.kernel)), work)
    for images, part, columns in column_blocks(padded, over, groups):
        result += np.matmul(rows[images, :, :, part], np.swapaxes(columns, 2, 3)).sum(axis=0)
    weight = round_to(result.reshape((outputs, inputs, *over.kernel)), dtype)
    return convert_layout(weight, "OIHW", weight_layout)


def _declare(name: str, attrs_type: type[Attrs], signature: str, shapes: str) -> None:
    """Declare a transposed convolution along so many axes."""
    summary = (
        "Put a kernel, scaled by each element, where that element is: "
        "the gradient of a convolution."
    )
    register_op(
        name,
        signature=signature,
        description=f"{summary}\n{shapes}",
        attrs_type=attrs_type,
        relation=transposed_convolution_relation,
        evaluate=_transposed_convolution,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        mixed_precision=MixedPrecision.ALWAYS,
        chosen_dtype="out_dtype",
        mac_count=count_convolution,
        infer_layout=of_convolution,
    )


_declare(
    "nn.conv1d_transpose",
    Conv1DTransposeAttrs,
    signature=(
        "data, weight, strides=(1,), padding=(0,), dilation=(1,), groups=1, channels=None, "
        "kernel_size=None, data_layout='NCW', kernel_layout='IOW', out_layout='', "
        "output_padding=(0,), out_dtype=''"
    ),
    shapes="data (n, c, w); weight (c, o / groups, kw) -> (n, o, w')",
)
_declare(
    "nn.conv2d_transpose",
    Conv2DTransposeAttrs,
    signature=(
        "data, weight, strides=(1, 1), padding=(0, 0), dilation=(1, 1), groups=1, "
        "channels=None, kernel_size=None, data_layout='NCHW', kernel_layout='IOHW', "
        "out_layout='', output_padding=(0, 0), out_dtype=''"
    ),
    shapes="data (n, c, h, w); weight (c, o / groups, kh, kw) -> (n, o, h', w')",
)
_declare(
    "nn.conv3d_transpose",
    Conv3DTransposeAttrs,
    signature=(
        "data, weight, strides=(1, 1, 1), padding=(0, 0, 0), dilation=(1, 1, 1), groups=1, "
        "channels=None, kernel_size=None, data_layout='NCDHW', kernel_layout='IODHW', "
        "out_layout='', output_padding=(0, 0, 0), out_dtype=''"
    ),
    shapes="data (n, c, d, h, w); weight (c, o / groups, kd, kh, kw) -> (n, o, d', h', w')",
)
register_op(
    "nn.conv2d_backward_weight",
    description="""
    Take the gradient of nn.conv2d with respect to the weight.
    grad (n, o, h', w'); data (n, c, h, w) -> (o, c / groups, kh, kw)
    """,
    rule=weight_gradient_type,
    evaluate=_weight_gradient,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
