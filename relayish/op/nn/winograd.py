"""Convolutions by Winograd's algorithm, with weights that were transformed beforehand."""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import TypeAlias

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import round_to
from relayish.numeric.windows import extend
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_transformed_convolution
from relayish.op.nn.convolution import arrange_data, arrange_result
from relayish.op.nn.convolution_attrs import (
    Conv2DWinogradAttrs,
    Conv2DWinogradNNPACKWeightTransformAttrs,
    Conv3DWinogradAttrs,
    ConvWinogradWeightTransformAttrs,
)
from relayish.op.nn.convolution_types import packed_convolution_relation
from relayish.op.nn.windows import sides
from relayish.op.types.dimension import ANY, add, subtract
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes, result_dtype

WinogradAttrs: TypeAlias = Conv2DWinogradAttrs | Conv3DWinogradAttrs

_POINTS = (0, -1, 1, 0.5, -2, -0.5)
_MORE_POINTS = (0, -1, 1, 0.5, -0.5, 2, -2, -0.25, 4)
"""Where polynomials are evaluated: the first few of these, Relay's choice; from seven on the second
row, which then errs less."""


@lru_cache(maxsize=32)
def transform_matrices(tile: int, kernel: int) -> tuple[Array, Array, Array]:
    """Return the matrices by which Winograd's algorithm convolves along one axis.

    ``a.T @ ((g @ weight) * (b.T @ data))`` are the ``tile`` results of a kernel of ``kernel``
    elements on ``tile + kernel - 1`` elements of data. Each row of ``a`` and ``g`` evaluates a
    polynomial at a point, the last one at infinity; ``b`` interpolates the product (Lavin and Gray,
    Fast algorithms for convolutional neural networks, 2016).

    Returns:
        ``a: (n, tile)``, ``b: (n, n)`` and ``g: (n, kernel)`` of float64, where ``n`` is
        ``tile + kernel - 1``.

    Raises:
        EvaluationError: If no points are known for so many elements.
    """
    count = tile + kernel - 2
    if not 1 <= count <= len(_MORE_POINTS) or tile < 1 or kernel < 1:
        raise EvaluationError(
            f"tiles of {tile} with kernels of {kernel} are not among those Winograd's algorithm is "
            f"evaluated for; their sum must be between 3 and {len(_MORE_POINTS) + 2}"
        )
    points = np.array((_POINTS if count <= len(_POINTS) else _MORE_POINTS)[:count], np.float64)
    scales = np.array([np.prod(p - np.delete(points, i)) for i, p in enumerate(points)])
    signs = np.ones(count)
    signs[0] = np.sign(scales[0])  # the point 0 has the scale without its sign
    last = np.zeros(count + 1)
    last[-1] = 1
    values = np.vander(points, count + 1, increasing=True)
    a = np.vstack([values[:, :tile], last[-tile:]])
    g = np.vstack([values[:, :kernel] / (signs * scales)[:, None], last[-kernel:]])
    rows = [s * np.atleast_1d(np.poly(np.delete(points, i)))[::-1] for i, s in enumerate(signs)]
    b = np.vstack([*(np.append(row, 0) for row in rows), np.poly(points)[::-1]])
    return a, b.T, g


def is_deep(depth: int) -> bool:
    """Return whether kernels of this depth are transformed along depth as well."""
    return 2 < depth < 8


def _weight_transform_2d_type(attrs: ConvWinogradWeightTransformAttrs, weight: Type) -> TensorType:
    given = tensor(weight, "weight", rank=4)
    outputs, inputs, *kernel = given.shape
    return TensorType((*(_tile(attrs, size) for size in kernel), outputs, inputs), given.dtype)


def _weight_transform_3d_type(attrs: ConvWinogradWeightTransformAttrs, weight: Type) -> TensorType:
    given = tensor(weight, "weight", rank=5)
    outputs, inputs, depth, height, width = given.shape
    flat = _tile(attrs, height), _tile(attrs, width)
    if not isinstance(depth, int):  # whether it is transformed cannot be told; three sizes it is
        return TensorType((ANY, ANY, ANY, outputs, inputs), given.dtype)
    sizes = (_tile(attrs, depth), *flat) if is_deep(depth) else (*flat, depth)
    return TensorType((*sizes, outputs, inputs), given.dtype)


def _nnpack_weight_transform_type(
    attrs: Conv2DWinogradNNPACKWeightTransformAttrs, weight: Type
) -> TensorType:
    given = tensor(weight, "weight", rank=4)
    return TensorType((*given.shape[:2], 8, 8), attrs.out_dtype or given.dtype)


def _tile(attrs: ConvWinogradWeightTransformAttrs, kernel: Dimension) -> Dimension:
    if attrs.tile_size < 1:
        raise TypeInferenceError(f"tile_size must be positive; found {attrs.tile_size}")
    return subtract(add(kernel, attrs.tile_size), 1)


def _multiply_along(matrix: Array, data: Array, axis: int) -> Array:
    """Return ``data`` with every line along ``axis`` multiplied by ``matrix``."""
    return np.moveaxis(np.tensordot(matrix, data, axes=(1, axis)), 0, axis)


def _weight_transform(attrs: ConvWinogradWeightTransformAttrs, weight: Array) -> Array:
    """Return ``weight: (o, i, *kernel)`` as ``(*tile, o, i)``, or ``(*tile, depth, o, i)``."""
    flat = weight.ndim == 5 and not is_deep(weight.shape[2])
    result = weight.astype(np.float64)
    for axis in range(3 if flat else 2, weight.ndim):
        g = transform_matrices(attrs.tile_size, weight.shape[axis])[2]
        result = _multiply_along(g, result, axis)
    order = (3, 4, 2, 0, 1) if flat else (*range(2, weight.ndim), 0, 1)
    return round_to(result.transpose(order), weight.dtype)


def _winograd_convolution(attrs: WinogradAttrs, data: Array, weight: Array) -> Array:
    """Return the convolution, tile by tile: data is transformed, multiplied, transformed back.

    Along a depth that is not transformed it is a sum over the kernel's depth; where there is no
    such depth it counts as one of size 1. All is computed in float64, for the transforms magnify
    rounding errors.
    """
    kernel = require_kernel(attrs)
    flat = len(kernel) == 3 and not is_deep(kernel[0])
    padding = sides(attrs.padding, len(kernel))
    plain = arrange_data(attrs, data)
    source = extend(plain, range(2, plain.ndim), padding, dtype=np.dtype(np.float64))
    if weight.ndim != 2 + len(kernel):
        raise EvaluationError(
            f"the transformed weight has {weight.ndim} dimensions; expected {2 + len(kernel)}"
        )
    parts = weight.astype(np.float64)
    if weight.shape[-2] != attrs.channels:
        raise EvaluationError(
            f"the transformed weight has {weight.shape[-2]} output channels, the attribute "
            f"channels says {attrs.channels}"
        )
    if not flat:
        kernel = (1, *kernel)
        source, parts = np.expand_dims(source, 2), np.expand_dims(parts, -3)
    found = _winograd(source, parts, kernel, attrs.tile_size, as_sizes(attrs.strides)[0])
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    return arrange_result(attrs, round_to(found if flat else found[:, :, 0], dtype))


def require_kernel(attrs: WinogradAttrs) -> tuple[int, ...]:
    """Return the size of the kernel, of a convolution that the algorithm can do.

    Raises:
        EvaluationError: If it cannot.
    """
    if attrs.kernel_size is None:
        raise EvaluationError("the attribute kernel_size must be given")
    kernel, strides = as_sizes(attrs.kernel_size), as_sizes(attrs.strides)
    transformed = slice(1 if len(kernel) == 3 and not is_deep(kernel[0]) else 0, None)
    if (
        attrs.groups != 1
        or set(strides[transformed]) != {1}
        or set(as_sizes(attrs.dilation)) != {1}
    ):
        raise EvaluationError(
            "Winograd's algorithm convolves without strides, dilation and groups; found strides "
            f"{strides}, dilation {attrs.dilation} and {attrs.groups} groups"
        )
    return kernel


def _winograd(source: Array, parts: Array, kernel: tuple[int, ...], tile: int, step: int) -> Array:
    """Return the convolution of ``source: (n, i, d, *s)`` with ``parts: (*tile, depth, o, i)``.

    Args:
        source: Padded data.
        parts: The transformed weight.
        kernel: The size of the kernel; along the first axis it is not transformed.
        tile: How many results a tile has along each transformed axis.
        step: The stride along the first axis.
    """
    batch, inputs, depth, *sizes = source.shape
    rank = len(sizes)
    wanted = [n - k + 1 for n, k in zip(sizes, kernel[1:], strict=True)]
    places = (depth - kernel[0]) // step + 1
    if min(places, *wanted) < 1:
        raise EvaluationError(f"a window of {kernel} does not fit into {source.shape[2:]}")
    matrices = [transform_matrices(tile, k) for k in kernel[1:]]
    expected = (*(tile + k - 1 for k in kernel[1:]), kernel[0], parts.shape[-2], inputs)
    if parts.shape != expected:
        raise EvaluationError(
            f"the transformed weight has, with its depth, the shape {parts.shape}; "
            f"tiles of {tile} for kernels of {kernel} have {expected}"
        )
    counts = [-(-n // tile) for n in wanted]
    spans = [tile + k - 1 for k in kernel[1:]]
    behind = tuple(
        (0, (c - 1) * tile + span - n) for c, span, n in zip(counts, spans, sizes, strict=True)
    )
    axes = tuple(range(3, 3 + rank))
    view = np.lib.stride_tricks.sliding_window_view(extend(source, axes, behind), spans, axes)
    tiles = view[(slice(None),) * 3 + (slice(None, None, tile),) * rank]
    for axis, (_, b, _) in enumerate(matrices):
        tiles = _multiply_along(b.T, tiles, 3 + rank + axis)
    tiles = tiles.transpose((*range(3 + rank, 3 + 2 * rank), 1, 2, 0, *axes))

    outputs = parts.shape[-2]
    products: Array = 0.0
    for z in range(kernel[0]):
        seen = tiles[(slice(None),) * (rank + 1) + (slice(z, z + (places - 1) * step + 1, step),)]
        columns = seen.reshape((*spans, inputs, places * batch * prod(counts)))
        products = products + np.matmul(parts[(..., z, slice(None), slice(None))], columns)
    result = products.reshape((*spans, outputs, places, batch, *counts))
    for axis, (a, _, _) in enumerate(matrices):
        result = _multiply_along(a.T, result, axis)
    order = [place for axis in range(rank) for place in (rank + 3 + axis, axis)]
    result = result.transpose((rank + 2, rank, rank + 1, *order))
    result = result.reshape((batch, outputs, places, *(c * tile for c in counts)))
    return result[(..., *(slice(n) for n in wanted))]


register_op(
    "nn.contrib_conv2d_winograd_weight_transform",
    description="""
    Transform a weight for the convolution of Winograd.
    weight (o, c, k, k) -> (tile_size + k - 1, tile_size + k - 1, o, c)
    """,
    rule=_weight_transform_2d_type,
    evaluate=_weight_transform,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.contrib_conv2d_winograd_without_weight_transform",
    description="""
    Convolve as Winograd does, the weight transformed before.
    data (n, c, h, w); weight as the transform gives it -> (n, o, h', w')
    """,
    attrs_type=Conv2DWinogradAttrs,
    relation=packed_convolution_relation,
    evaluate=_winograd_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    chosen_dtype="out_dtype",
    infer_layout=of_transformed_convolution,
)
register_op(
    "nn.contrib_conv2d_winograd_nnpack_weight_transform",
    description="""
    Transform a weight for the convolution of NNPACK.
    weight (o, c, 3, 3) -> (o, c, 8, 8)
    """,
    rule=_nnpack_weight_transform_type,
    chosen_dtype="out_dtype",
)
register_op(
    "nn.contrib_conv3d_winograd_weight_transform",
    description="""
    Transform a weight for the convolution of volumes of Winograd.
    weight (o, c, d, k, k) -> (tile_size + k - 1, ..., o, c)
    """,
    rule=_weight_transform_3d_type,
    evaluate=_weight_transform,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.contrib_conv3d_winograd_without_weight_transform",
    description="""
    Convolve volumes as Winograd does, the weight transformed before.
    data (n, c, d, h, w); weight as the transform gives it -> (n, o, d', h', w')
    """,
    attrs_type=Conv3DWinogradAttrs,
    relation=packed_convolution_relation,
    evaluate=_winograd_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    chosen_dtype="out_dtype",
    infer_layout=of_transformed_convolution,
)
