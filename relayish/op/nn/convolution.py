"""Convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.evaluation import Array, as_sizes, result_dtype
from relayish.op.layout import convert_layout
from relayish.op.nn.convolution_attrs import (
    BinaryConv2DAttrs,
    Conv1DAttrs,
    Conv1DTransposeAttrs,
    Conv2DAttrs,
    Conv2DTransposeAttrs,
    Conv2DWinogradAttrs,
    Conv2DWinogradNNPACKWeightTransformAttrs,
    Conv3DAttrs,
    Conv3DTransposeAttrs,
    Conv3DWinogradAttrs,
    ConvGemmWeightTransformAttrs,
    ConvWinogradWeightTransformAttrs,
    DeformableConv2DAttrs,
)
from relayish.op.nn.convolution_types import (
    bitserial_convolution_type,
    convolution_relation,
    deformable_convolution_relation,
    packed_convolution_relation,
    transposed_convolution_relation,
    weight_gradient_type,
)
from relayish.op.registry import OpPattern, register_op

_TransposeAttrs: TypeAlias = Conv1DTransposeAttrs | Conv2DTransposeAttrs | Conv3DTransposeAttrs
_ConvAttrs: TypeAlias = Conv1DAttrs | Conv2DAttrs | Conv3DAttrs
_SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def sides(padding: Sequence[object], rank: int) -> tuple[tuple[int, int], ...]:
    """Return what is padded before and after each of ``rank`` axes.

    Args:
        padding: One number for all, one for each axis, or all those before and then all after.
        rank: The number of spatial axes.

    Raises:
        EvaluationError: If there is another number of sizes.

    Example:
        >>> sides((1, 2), 2)
        ((1, 1), (2, 2))
    """
    sizes = as_sizes(padding)
    if len(sizes) == 1:
        sizes *= rank
    if len(sizes) == rank:
        sizes *= 2
    if len(sizes) != 2 * rank:
        raise EvaluationError(f"padding {tuple(padding)} does not fit {rank} axes")
    return tuple(zip(sizes[:rank], sizes[rank:], strict=True))


def windows(
    data: Array, size: Sequence[int], strides: Sequence[int], dilation: Sequence[int]
) -> Array:
    """Return a view ``(n, c, *out, *size)`` of the windows of ``data: (n, c, *in)``."""
    reach = tuple((s - 1) * d + 1 for s, d in zip(size, dilation, strict=True))
    rank = len(reach)
    axes = tuple(range(2, 2 + rank))
    if any(n < r for n, r in zip(data.shape[2:], reach, strict=True)):
        raise EvaluationError(f"a window of {reach} does not fit into {tuple(data.shape[2:])}")
    view = np.lib.stride_tricks.sliding_window_view(data, reach, axis=axes)
    steps = (slice(None), slice(None), *(slice(None, None, s) for s in (*strides, *dilation)))
    return view[steps]


def _convolution(attrs: _ConvAttrs, data: Array, weight: Array) -> Array:
    rank = len(attrs.strides)
    spatial = _SPATIAL[rank]
    source = convert_layout(data, attrs.data_layout, "NC" + spatial)
    kernel = convert_layout(weight, attrs.kernel_layout, "OI" + spatial)
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    padded = np.pad(source, ((0, 0), (0, 0), *sides(attrs.padding, rank)))
    view = windows(padded, kernel.shape[2:], as_sizes(attrs.strides), as_sizes(attrs.dilation))
    batch, out = view.shape[0], view.shape[2 : 2 + rank]
    groups, outputs, inputs = attrs.groups, kernel.shape[0], kernel.shape[1]
    grouped = view.reshape((batch, groups, inputs, *view.shape[2:])).astype(dtype)
    kernels = kernel.reshape((groups, outputs // groups, *kernel.shape[1:])).astype(dtype)
    letters = "xyz"[:rank], "uvw"[:rank]
    equation = f"ngi{letters[0]}{letters[1]},goi{letters[1]}->ngo{letters[0]}"
    result = np.einsum(equation, grouped, kernels, optimize=True)
    result = result.reshape((batch, outputs, *out))
    return convert_layout(result, "NC" + spatial, attrs.out_layout or attrs.data_layout)


def _transposed(attrs: _TransposeAttrs, data: Array, weight: Array) -> Array:
    """Return the sum of the kernels, each scaled by an element and put where that one is."""
    rank = len(attrs.strides)
    spatial = _SPATIAL[rank]
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    source = convert_layout(data, attrs.data_layout, "NC" + spatial).astype(dtype)
    kernel = convert_layout(weight, attrs.kernel_layout, "IO" + spatial).astype(dtype)
    strides, dilation = as_sizes(attrs.strides), as_sizes(attrs.dilation)
    groups, batch, sizes = attrs.groups, source.shape[0], source.shape[2:]
    grouped = source.reshape((batch, groups, -1, *sizes))
    kernels = kernel.reshape((groups, -1, *kernel.shape[1:]))
    padding, extra = sides(attrs.padding, rank), as_sizes(attrs.output_padding)
    whole = tuple(
        (sizes[a] - 1) * strides[a] + (kernel.shape[2 + a] - 1) * dilation[a] + 1 + extra[a]
        for a in range(rank)
    )
    result: Array = np.zeros((batch, groups, kernel.shape[1], *whole), dtype)
    for place in np.ndindex(*kernel.shape[2:]):
        part = np.einsum("ngi...,gio->ngo...", grouped, kernels[(..., *place)])
        spots = tuple(
            slice(at * d, at * d + (n - 1) * s + 1, s)
            for at, d, n, s in zip(place, dilation, sizes, strides, strict=True)
        )
        result[(..., *spots)] += part
    kept = tuple(slice(b, n - a) for (b, a), n in zip(padding, whole, strict=True))
    result = result[(..., *kept)]
    result = result.reshape((batch, -1, *result.shape[3:]))
    return convert_layout(result, "NC" + spatial, attrs.out_layout or attrs.data_layout)


register_op(
    "nn.conv1d",
    arguments_=("data", "weight"),
    attrs=Conv1DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=convolution_relation,
    evaluates=_convolution,
)
register_op(
    "nn.conv2d",
    arguments_=("data", "weight"),
    attrs=Conv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=convolution_relation,
    evaluates=_convolution,
)
register_op(
    "nn.conv3d",
    arguments_=("data", "weight"),
    attrs=Conv3DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=convolution_relation,
    evaluates=_convolution,
)
register_op(
    "nn.conv1d_transpose",
    arguments_=("data", "weight"),
    attrs=Conv1DTransposeAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=transposed_convolution_relation,
    evaluates=_transposed,
)
register_op(
    "nn.conv2d_transpose",
    arguments_=("data", "weight"),
    attrs=Conv2DTransposeAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=transposed_convolution_relation,
    evaluates=_transposed,
)
register_op(
    "nn.conv3d_transpose",
    arguments_=("data", "weight"),
    attrs=Conv3DTransposeAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=transposed_convolution_relation,
    evaluates=_transposed,
)
register_op(
    "nn.conv2d_backward_weight",
    arguments_=("grad", "data"),
    attrs=Conv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=weight_gradient_type,
)
register_op(
    "nn.deformable_conv2d",
    arguments_=("data", "offset", "weight"),
    attrs=DeformableConv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=deformable_convolution_relation,
)
register_op(
    "nn.contrib_conv2d_NCHWc",
    arguments_=("data", "weight"),
    attrs=Conv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=packed_convolution_relation,
)
register_op(
    "nn.contrib_depthwise_conv2d_NCHWc",
    arguments_=("data", "weight"),
    attrs=Conv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=convolution_relation,
)
register_op(
    "nn.contrib_conv2d_gemm_weight_transform",
    arguments_=("weights",),
    attrs=ConvGemmWeightTransformAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.contrib_conv2d_gemm_without_weight_transform",
    arguments_=("data", "weight"),
    attrs=Conv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=packed_convolution_relation,
)
register_op(
    "nn.contrib_conv2d_winograd_nnpack_weight_transform",
    arguments_=("weight",),
    attrs=Conv2DWinogradNNPACKWeightTransformAttrs,
)
register_op(
    "nn.contrib_conv2d_winograd_weight_transform",
    arguments_=("weight",),
    attrs=ConvWinogradWeightTransformAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.contrib_conv2d_winograd_without_weight_transform",
    arguments_=("data", "weight"),
    attrs=Conv2DWinogradAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=packed_convolution_relation,
)
register_op(
    "nn.contrib_conv3d_winograd_weight_transform",
    arguments_=("weight",),
    attrs=ConvWinogradWeightTransformAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.contrib_conv3d_winograd_without_weight_transform",
    arguments_=("data", "weight"),
    attrs=Conv3DWinogradAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    relates=packed_convolution_relation,
)
register_op(
    "nn.bitserial_conv2d",
    arguments_=("data", "weight"),
    attrs=BinaryConv2DAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    types=bitserial_convolution_type,
)
