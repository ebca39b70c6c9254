"""Products of matrices, and what is added to them."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import align
from relayish.numeric.products import matrix_product
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.layouts.rules import of_axis, of_dense
from relayish.op.nn.arguments import settle, tensor_so_far, unify_sizes
from relayish.op.nn.mac_count import count_product
from relayish.op.types.dimension import broadcast_dimension, multiply, normalise_axis, show_type
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, result_dtype

_MATRIX: Final = 2
"""The dimensions of a matrix."""


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
    weight_layout: String = "NC"


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


def _dense_relation(
    attrs: DenseAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """Relate ``data: (…, k)`` and ``weight: (units, k)``."""
    data = tensor_so_far(types[0], "data")
    if data is None:
        return None
    return _times_matrix(data, types[1], attrs.units, attrs.out_dtype, reporter, ("data", "weight"))


def _matmul_relation(
    attrs: MatmulAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """Relate ``tensor_a: (…, m, k)`` and ``tensor_b: (k, units)``, each transposed if asked for."""
    left = tensor_so_far(types[0], "tensor_a")
    if left is None:
        return None
    if attrs.transpose_a:
        _require_rank(left, 2, "tensor_a, which is transposed,")
        left = TensorType((*left.shape[:-2], left.shape[-1], left.shape[-2]), left.dtype)
    names = "tensor_a", "tensor_b"
    units, out_dtype = attrs.units, attrs.out_dtype
    return _times_matrix(
        left, types[1], units, out_dtype, reporter, names, transposed=attrs.transpose_b
    )


def _times_matrix(
    left: TensorType,
    right: Type,
    units: Dimension | None,
    out_dtype: str | None,
    reporter: TypeReporter,
    names: tuple[str, str],
    *,
    transposed: bool = True,
) -> TensorType | None:
    """Return the type of ``left: (…, k)`` times ``(k, units)``, or its transpose ``(units, k)``.

    With ``units`` given the second operand takes its type from the first. Without, Relay gives a
    type to the product of a stack of matrices and one whose ``k`` differs, and so does this; only
    evaluation fails then.
    """
    _require_rank(left, 1, names[0])
    reduced = left.shape[-1]
    matrix = tensor_so_far(right, names[1], 2)
    if units is None:
        if matrix is None:
            return None
        units, inner = matrix.shape if transposed else matrix.shape[::-1]
        if len(left.shape) <= _MATRIX:
            unify_sizes(inner, reduced, f"{names[1]} takes {{}} features, {names[0]} has {{}}")
    else:
        if isinstance(units, int) and units < 0:
            raise TypeInferenceError(f"units must not be negative; found {units}")
        shape = (units, reduced) if transposed else (reduced, units)
        dtype = left.dtype if matrix is None else matrix.dtype
        settle(reporter, right, TensorType(shape, dtype), names[1])
    return TensorType((*left.shape[:-1], units), out_dtype or left.dtype)


def _require_rank(ty: TensorType, rank: int, what: str) -> None:
    if len(ty.shape) < rank:
        raise TypeInferenceError(
            f"{what} must have {rank} dimensions or more; found {show_type(ty)}"
        )


def _dense_pack_type(attrs: DenseAttrs, data: Type, weight: Type) -> TensorType:
    """Return ``(m, units)`` for ``data: (m, k)`` and ``weight: (units/b, k, b)`` or one axis more.

    The fourth axis of ``weight`` splits ``k``.
    """
    left, right = tensor(data, "data", 2), tensor(weight, "weight")
    if len(right.shape) not in (3, 4):
        raise TypeInferenceError(f"weight must have 3 or 4 dimensions; found {show_type(right)}")
    inner = multiply(right.shape[1], right.shape[3] if len(right.shape) == 4 else 1)
    unify_sizes(inner, left.shape[1], "weight takes {} features, data has {}")
    units = multiply(right.shape[0], right.shape[2])
    return TensorType((left.shape[0], units), attrs.out_dtype or left.dtype)


def _batch_matmul_type(attrs: BatchMatmulAttrs, tensor_a: Type, tensor_b: Type) -> TensorType:
    """Return ``(b, m, n)``; a stack of one matrix serves for all of the other."""
    left, right = tensor(tensor_a, "tensor_a", 3), tensor(tensor_b, "tensor_b", 3)
    stack, rows, inner = _matrix(left, transposed=attrs.transpose_a)
    other, facing, columns = _matrix(right, transposed=attrs.transpose_b)
    batch = broadcast_dimension(stack, other)
    if batch is None:
        raise TypeInferenceError(
            f"tensor_a holds {stack} matrices, tensor_b {other}; they must be equally many, or 1"
        )
    unify_sizes(inner, facing, "tensor_a sums over {} elements, tensor_b over {}")
    return TensorType((batch, rows, columns), attrs.out_dtype or unify_dtype(left, right))


def _matrix(ty: TensorType, *, transposed: bool) -> tuple[Dimension, Dimension, Dimension]:
    stack, rows, columns = ty.shape
    return (stack, columns, rows) if transposed else (stack, rows, columns)


def _bias_add_relation(
    attrs: BiasAddAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """The bias is a vector as long as the axis of the data."""
    data = tensor_so_far(types[0], "data")
    if data is None:
        return None
    size = data.shape[normalise_axis(attrs.axis, len(data.shape))]
    settle(reporter, types[1], TensorType((size,), data.dtype), "bias")
    return data


def _dense(attrs: DenseAttrs, data: Array, weight: Array) -> Array:
    return matrix_product(data, weight.T, result_dtype(attrs.out_dtype, data.dtype))


def _dense_pack(attrs: DenseAttrs, data: Array, weight: Array) -> Array:
    split = weight if weight.ndim == 4 else weight[..., None]
    matrix = split.transpose(1, 3, 0, 2).reshape(data.shape[1], split.shape[0] * split.shape[2])
    return matrix_product(data, matrix, result_dtype(attrs.out_dtype, data.dtype))


def _matmul(attrs: MatmulAttrs, lhs: Array, rhs: Array) -> Array:
    left = np.swapaxes(lhs, -1, -2) if attrs.transpose_a else lhs
    right = rhs.T if attrs.transpose_b else rhs
    return matrix_product(left, right, result_dtype(attrs.out_dtype, lhs.dtype))


def _batch_matmul(attrs: BatchMatmulAttrs, tensor_a: Array, tensor_b: Array) -> Array:
    left = np.swapaxes(tensor_a, -1, -2) if attrs.transpose_a else tensor_a
    right = np.swapaxes(tensor_b, -1, -2) if attrs.transpose_b else tensor_b
    return matrix_product(left, right, result_dtype(attrs.out_dtype, tensor_a.dtype))


def _bias_add(attrs: BiasAddAttrs, data: Array, bias: Array) -> Array:
    return data + align(bias, attrs.axis, data.ndim)


def _bias_add_into(attrs: BiasAddAttrs, out: Array, data: Array, bias: Array) -> Array:
    return np.add(data, align(bias, attrs.axis, data.ndim), out=out)


register_op(
    "nn.bias_add",
    description="""
    Add a vector along an axis.
    data (..., c, ...); bias (c,) -> (..., c, ...)
    """,
    relation=_bias_add_relation,
    evaluate=_bias_add,
    pattern=OpPattern.BROADCAST,
    result_memory=ResultMemory(into=_bias_add_into),
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=of_axis(),
)
register_op(
    "nn.dense",
    description="""
    Multiply vectors by the transpose of a matrix.
    data (..., k); weight (units, k) -> (..., units)
    """,
    relation=_dense_relation,
    evaluate=_dense,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    result_memory=ResultMemory(),
    mixed_precision=MixedPrecision.ALWAYS,
    chosen_dtype="out_dtype",
    mac_count=count_product,
    infer_layout=of_dense,
)
register_op(
    "nn.contrib_dense_pack",
    description="""
    Multiply vectors by the transpose of a matrix whose rows are packed.
    data (n, k); weight (units / b, k, b) -> (n, units)
    """,
    rule=_dense_pack_type,
    evaluate=_dense_pack,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    infer_layout=of_dense,
)
register_op(
    "nn.matmul",
    arguments=("tensor_a", "tensor_b"),
    description="""
    Multiply two matrices.
    tensor_a (..., m, k), or (..., k, m) transposed; tensor_b (k, n), or (n, k) transposed ->
        (..., m, n)
    """,
    relation=_matmul_relation,
    evaluate=_matmul,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    chosen_dtype="out_dtype",
    mac_count=count_product,
)
register_op(
    "nn.batch_matmul",
    description="""
    Multiply two stacks of matrices.
    tensor_a (b, m, k), or (b, k, m) transposed; tensor_b (b, n, k) transposed, as by default,
        or (b, k, n) -> (b, m, n)
    """,
    other_names={"x": "tensor_a", "y": "tensor_b"},
    rule=_batch_matmul_type,
    evaluate=_batch_matmul,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    result_memory=ResultMemory(),
    mixed_precision=MixedPrecision.ALWAYS,
    chosen_dtype="out_dtype",
    mac_count=count_product,
)
