"""Products of matrices, and what is added to them."""

from __future__ import annotations

import numpy as np

from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, aligned, result_dtype
from relayish.op.fields import Dimension, OptionalDType
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.DenseAttrs")
class DenseAttrs(Attrs):
    """Attributes of ``nn.contrib_dense_pack``, ``nn.dense``, ``qnn.dense``."""

    units: Dimension | None
    out_dtype: OptionalDType = None


@attrs("relay.attrs.DensePackAttrs")
class DensePackAttrs(Attrs):
    """Attributes of ``qnn.contrib_dense_pack``."""

    units: Dimension | None
    out_dtype: OptionalDType = None
    weight_layout: str = "NC"


@attrs("relay.attrs.MatmulAttrs")
class MatmulAttrs(Attrs):
    """Attributes of ``nn.matmul``."""

    units: Dimension | None
    out_dtype: OptionalDType = None
    transpose_a: bool = False
    transpose_b: bool = False


@attrs("relay.attrs.BatchMatmulAttrs")
class BatchMatmulAttrs(Attrs):
    """Attributes of ``nn.batch_matmul``, ``qnn.batch_matmul``."""

    out_dtype: OptionalDType = None
    transpose_a: bool = False
    transpose_b: bool = False


@attrs("relay.attrs.BiasAddAttrs")
class BiasAddAttrs(Attrs):
    """Attributes of ``nn.bias_add``."""

    axis: int = 1


@attrs("relay.attrs.EinsumAttrs")
class EinsumAttrs(Attrs):
    """Attributes of ``einsum``."""

    equation: str


@attrs("relay.attrs.SparseDenseAttrs")
class SparseDenseAttrs(Attrs):
    """Attributes of ``nn.internal.sparse_dense_padded``, ``nn.sparse_dense``."""

    sparse_lhs: bool = False


@attrs("relay.attrs.BinaryDenseAttrs")
class BinaryDenseAttrs(Attrs):
    """Attributes of ``nn.bitserial_dense``."""

    units: Dimension | None
    data_bits: int = 1
    weight_bits: int = 1
    pack_dtype: OptionalDType = None
    out_dtype: OptionalDType = None
    unipolar: bool = True


@attrs("relay.attrs.BitPackAttrs")
class BitPackAttrs(Attrs):
    """Attributes of ``nn.bitpack``."""

    bits: int = 1
    pack_axis: int = 1
    bit_axis: int = -1
    pack_type: OptionalDType = None
    name: str = "BitPack"


def _product(lhs: Array, rhs: Array, out_dtype: str | None) -> Array:
    dtype = result_dtype(out_dtype, lhs.dtype)
    return np.matmul(lhs.astype(dtype), rhs.astype(dtype))


def _dense(attrs: DenseAttrs, data: Array, weight: Array) -> Array:
    return _product(data, weight.T, attrs.out_dtype)


def _matmul(attrs: MatmulAttrs, lhs: Array, rhs: Array) -> Array:
    left = np.swapaxes(lhs, -1, -2) if attrs.transpose_a else lhs
    return _product(left, rhs.T if attrs.transpose_b else rhs, attrs.out_dtype)


def _batch_matmul(attrs: BatchMatmulAttrs, lhs: Array, rhs: Array) -> Array:
    left = np.swapaxes(lhs, -1, -2) if attrs.transpose_a else lhs
    right = np.swapaxes(rhs, -1, -2) if attrs.transpose_b else rhs
    return _product(left, right, attrs.out_dtype)


def _bias_add(attrs: BiasAddAttrs, data: Array, bias: Array) -> Array:
    return data + aligned(bias, attrs.axis, data.ndim)


def _einsum(attrs: EinsumAttrs, data: tuple[Array, ...]) -> Array:
    return np.einsum(attrs.equation, *data)


register_op(
    "nn.bias_add",
    arguments_=("data", "bias"),
    attrs=BiasAddAttrs,
    fuses=OpPattern.BROADCAST,
    evaluates=_bias_add,
)
register_op(
    "nn.dense",
    arguments_=("data", "weight"),
    attrs=DenseAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_dense,
)
register_op(
    "nn.contrib_dense_pack",
    arguments_=("data", "weight"),
    attrs=DenseAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.matmul",
    arguments_=("tensor_a", "tensor_b"),
    attrs=MatmulAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_matmul,
)
register_op(
    "nn.batch_matmul",
    arguments_=("tensor_a", "tensor_b"),
    attrs=BatchMatmulAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_batch_matmul,
)
register_op(
    "einsum", arguments_=("data",), attrs=EinsumAttrs, fuses=OpPattern.INJECTIVE, evaluates=_einsum
)
register_op(
    "nn.sparse_dense",
    arguments_=("dense_data", "sparse_data", "sparse_indices", "sparse_indptr"),
    attrs=SparseDenseAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.internal.sparse_dense_padded",
    arguments_=("data", "weight_data", "weight_indices", "weight_indptr"),
    attrs=SparseDenseAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.sparse_add", arguments_=("dense_data", "sparse_data", "sparse_indices", "sparse_indptr")
)
register_op("nn.bitpack", arguments_=("data",), attrs=BitPackAttrs, fuses=OpPattern.INJECTIVE)
register_op(
    "nn.bitserial_dense",
    arguments_=("data", "weight"),
    attrs=BinaryDenseAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
