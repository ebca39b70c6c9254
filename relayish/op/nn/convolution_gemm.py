"""Convolutions whose weight was cut into the tiles of a matrix product beforehand."""

from __future__ import annotations

from math import prod
from typing import Final

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_transformed_convolution
from relayish.op.nn.convolution import arrange_data, arrange_result, convolve_plain
from relayish.op.nn.convolution_attrs import Conv2DAttrs, ConvGemmWeightTransformAttrs
from relayish.op.nn.convolution_types import packed_convolution_relation
from relayish.op.types.dimension import ceil_divide, multiply, product
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, as_sizes, result_dtype

_AT_ONCE: Final = 4
"""As many tiles are taken at once along the rows, which are filled up accordingly."""


def _gemm_weight_transform_type(attrs: ConvGemmWeightTransformAttrs, weights: Type) -> TensorType:
    given = tensor(weights, "weights", rank=4)
    if attrs.tile_N < 1 or attrs.tile_K < 1:
        raise TypeInferenceError(
            f"tile_N and tile_K must be positive; found {attrs.tile_N} and {attrs.tile_K}"
        )
    rows, columns = product(given.shape[:3]), given.shape[3]
    deep = multiply(ceil_divide(rows, _AT_ONCE * attrs.tile_K), _AT_ONCE)
    shape = (ceil_divide(columns, attrs.tile_N), deep)
    tile = (attrs.tile_N, attrs.tile_K)
    return TensorType((*shape, *(tile if _is_transposed(given.dtype) else tile[::-1])), given.dtype)


def _is_transposed(dtype: str) -> bool:
    """Return whether the tiles of a weight are transposed: those of integers of 8 bits are."""
    return dtype in ("int8", "uint8")


def _gemm_weight_transform(attrs: ConvGemmWeightTransformAttrs, weights: Array) -> Array:
    """Return ``weights: (h, w, i, o)``, a matrix ``(h · w · i, o)``, in tiles filled up with zeros.

    Tile ``[n, k]`` holds the rows from ``k · tile_K`` and columns from ``n · tile_N``; transposed
    where the elements are integers of 8 bits. Relay takes four tiles at once along the rows.
    """
    matrix = weights.reshape((prod(weights.shape[:3]), weights.shape[3]))
    rows, columns = matrix.shape
    deep = -(-rows // (_AT_ONCE * attrs.tile_K)) * _AT_ONCE
    wide = -(-columns // attrs.tile_N)
    full: Array = np.zeros((deep * attrs.tile_K, wide * attrs.tile_N), weights.dtype)
    full[:rows, :columns] = matrix
    tiles = full.reshape((deep, attrs.tile_K, wide, attrs.tile_N))
    return tiles.transpose(2, 0, *((3, 1) if _is_transposed(weights.dtype.name) else (1, 3)))


def _gemm_convolution(attrs: Conv2DAttrs, data: Array, weight: Array) -> Array:
    """Return the convolution with a weight made by ``nn.contrib_conv2d_gemm_weight_transform``."""
    if attrs.kernel_size is None or attrs.channels is None:
        raise EvaluationError("the attributes channels and kernel_size must be given")
    source = arrange_data(attrs, data)
    (outputs,) = as_sizes((attrs.channels,))
    shape = (*as_sizes(attrs.kernel_size), source.shape[1] // attrs.groups)
    if weight.ndim != 4:
        raise EvaluationError(f"a weight in tiles has 4 dimensions; found {weight.shape}")
    tiles = weight if _is_transposed(weight.dtype.name) else weight.swapaxes(2, 3)
    wide, deep, tile_n, tile_k = tiles.shape
    if wide * tile_n < outputs or deep * tile_k < prod(shape):
        raise EvaluationError(
            f"a weight of shape {weight.shape} does not hold {outputs} kernels of shape {shape}"
        )
    matrix = tiles.transpose(1, 3, 0, 2).reshape((deep * tile_k, wide * tile_n))
    kernel = matrix[: prod(shape), :outputs].reshape((*shape, outputs)).transpose(3, 2, 0, 1)
    dtype = result_dtype(attrs.out_dtype, data.dtype)
    return arrange_result(attrs, convolve_plain(attrs, source, kernel, dtype))


register_op(
    "nn.contrib_conv2d_gemm_weight_transform",
    description="""
    Bring a weight into the form the convolution by matrix products takes.
    weights (kh, kw, c, o) -> (o / tile_N, k / tile_K, tile_N, tile_K), both rounded up
    """,
    rule=_gemm_weight_transform_type,
    evaluate=_gemm_weight_transform,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.contrib_conv2d_gemm_without_weight_transform",
    description="""
    Convolve by a matrix product, the weight transformed before.
    data (n, h, w, c); weight as the transform gives it -> (n, h', w', o)
    """,
    relation=packed_convolution_relation,
    evaluate=_gemm_convolution,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    infer_layout=of_transformed_convolution,
)
