"""Products and sums with sparse matrices, held as compressed rows of numbers or of blocks.

A matrix of rows is ``data: (n,)``, the column of each number ``indices: (n,)``, and where each row
starts and the last one ends ``indptr: (rows + 1,)``. One of blocks has ``data: (n, b, c)``; indices
and pointers then count blocks.
"""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.products import matrix_product
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.nn.arguments import unify_sizes
from relayish.op.types.dimension import multiply, show_type, subtract
from relayish.op.types.fields import Dimension
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.SparseDenseAttrs")
class SparseDenseAttrs(Attrs):
    """Attributes of ``nn.internal.sparse_dense_padded``, ``nn.sparse_dense``."""

    sparse_lhs: bool = False


@attrs("relay.attrs.SparseTransposeAttrs")
class SparseTransposeAttrs(Attrs):
    """Attributes of ``nn.sparse_transpose``; there are none."""


@attrs("relay.attrs.SparseConv2DAttrs")
class SparseConv2DAttrs(Attrs):
    """Attributes of ``nn.sparse_conv2d``."""

    layout: str = "NHWC"
    kernel_size: tuple[Dimension, ...] = (1, 1)


def _sparse_dense_type(
    attrs: SparseDenseAttrs,
    dense_data: Type,
    sparse_data: Type,
    sparse_indices: Type,
    sparse_indptr: Type,
) -> TensorType:
    """Return ``(m, n)`` for ``(m, k)`` times the transpose of a sparse ``(n, k)``.

    With ``sparse_lhs`` it is the sparse matrix times the transpose of the dense one: ``(n, m)``.
    """
    dense = tensor(dense_data, "dense_data", 2)
    rows = _sparse_rows(sparse_data, sparse_indices, sparse_indptr)
    unify_dtype(dense, tensor(sparse_data))
    shape = (rows, dense.shape[0]) if attrs.sparse_lhs else (dense.shape[0], rows)
    return TensorType(shape, dense.dtype)


def _sparse_add_type(
    _: Parameters, dense_data: Type, sparse_data: Type, sparse_indices: Type, sparse_indptr: Type
) -> TensorType:
    """Return the type of the dense matrix; the sparse one, of numbers, has as many rows."""
    dense = tensor(dense_data, "dense_data", 2)
    numbers = tensor(sparse_data, "sparse_data", 1)
    rows = _sparse_rows(sparse_data, sparse_indices, sparse_indptr)
    unify_sizes(rows, dense.shape[0], "the sparse matrix has {} rows, dense_data has {}")
    return TensorType(dense.shape, unify_dtype(dense, numbers))


def _sparse_transpose_type(
    _: SparseTransposeAttrs, sparse_data: Type, sparse_indices: Type, sparse_indptr: Type
) -> TupleType:
    """Return the three types again, those of a square sparse matrix of numbers."""
    numbers = tensor(sparse_data, "sparse_data", 1)
    _sparse_rows(numbers, sparse_indices, sparse_indptr)
    return TupleType((numbers, tensor(sparse_indices), tensor(sparse_indptr)))


def _sparse_conv2d_type(
    attrs: SparseConv2DAttrs,
    dense_data: Type,
    sparse_data: Type,
    sparse_indices: Type,
    sparse_indptr: Type,
) -> TensorType:
    """Return the type of the data with the rows of the sparse matrix as its channels.

    Blocks of one column may be held as ``(n, b)``.
    """
    dense = tensor(dense_data, "dense_data", 4)
    rows = _sparse_rows(sparse_data, sparse_indices, sparse_indptr, (1, 2, 3))
    unify_dtype(dense, tensor(sparse_data))
    if attrs.layout not in ("NHWC", "NCHW"):
        raise TypeInferenceError(f"layout {attrs.layout!r} is not NHWC or NCHW")
    if len(attrs.kernel_size) != 2:
        raise TypeInferenceError(f"kernel_size must hold two sizes; found {attrs.kernel_size}")
    shape = list(dense.shape)
    shape[attrs.layout.index("C")] = rows
    return TensorType(tuple(shape), dense.dtype)


def _sparse_rows(
    data: Type, indices: Type, indptr: Type, ranks: tuple[int, ...] = (1, 3)
) -> Dimension:
    """Return how many rows the sparse matrix has, whose data has one of ``ranks`` dimensions."""
    numbers = tensor(data, "sparse_data")
    places, starts = tensor(indices, "sparse_indices", 1), tensor(indptr, "sparse_indptr", 1)
    if len(numbers.shape) not in ranks:
        raise TypeInferenceError(
            f"sparse_data must have {' or '.join(map(str, ranks))} dimensions; "
            f"found {show_type(numbers)}"
        )
    for ty, name in ((places, "sparse_indices"), (starts, "sparse_indptr")):
        if not ty.dtype.startswith(("int", "uint")):
            raise TypeInferenceError(f"{name} must be integers; found {show_type(ty)}")
    unify_sizes(
        numbers.shape[0], places.shape[0], "sparse_data holds {} entries, sparse_indices {}"
    )
    if starts.shape[0] == 0:
        raise TypeInferenceError("sparse_indptr must have an element or more; found none")
    height = numbers.shape[1] if len(numbers.shape) > 1 else 1
    return multiply(subtract(starts.shape[0], 1), height)


def as_dense(data: Array, indices: Array, indptr: Array, columns: int) -> Array:
    """Return the sparse matrix as ``(rows, columns)``; numbers at one place add up.

    Raises:
        EvaluationError: If the pointers do not ascend from 0 to the number of entries, or an entry
            lies beyond the columns.
    """
    counts = _row_counts(indptr, len(data))
    used = int(indptr[-1])
    blocks = data.reshape((*data.shape, *(1,) * (3 - data.ndim)))
    _, height, width = blocks.shape
    if not width or columns % width:
        raise EvaluationError(f"blocks of {height} by {width} elements fill no {columns} columns")
    if used and not 0 <= indices[:used].min() <= indices[:used].max() < columns // width:
        raise EvaluationError(f"an entry of a sparse matrix lies outside of its {columns} columns")
    result = np.zeros((len(counts), columns // width, height, width), data.dtype)
    np.add.at(result, (np.repeat(np.arange(len(counts)), counts), indices[:used]), blocks[:used])
    return result.transpose(0, 2, 1, 3).reshape(len(counts) * height, columns)


def as_block_rows(matrix: Array, height: int, width: int) -> tuple[Array, Array, Array]:
    """Return ``(data, indices, indptr)`` of a matrix in blocks of ``height`` by ``width``.

    Blocks that are zero throughout are left out; the others come row by row, in ascending columns.

    Args:
        matrix: (rows, columns); both are whole numbers of blocks.
        height: Rows of a block.
        width: Columns of a block.

    Example:
        >>> data, indices, indptr = as_block_rows(np.array([[0, 0, 1, 2], [0, 0, 0, 0]]), 1, 2)
        >>> data.tolist(), indices.tolist(), indptr.tolist()
        ([[[1, 2]]], [1], [0, 1, 1])
    """
    rows, columns = matrix.shape
    blocks = matrix.reshape(rows // height, height, columns // width, width).swapaxes(1, 2)
    kept = blocks.astype(bool).any(axis=(2, 3))
    ends = np.concatenate(([0], np.cumsum(kept.sum(axis=1))))
    return blocks[kept], np.nonzero(kept)[1].astype(np.int32), ends.astype(np.int32)


def _row_counts(indptr: Array, entries: int) -> Array:
    """Return how many of ``entries`` entries each row has.

    Raises:
        EvaluationError: If the pointers do not ascend from 0 to at most so many.
    """
    counts = np.diff(indptr.astype(np.int64))
    if indptr[0] != 0 or indptr[-1] > entries or (counts < 0).any():
        raise EvaluationError(
            f"row pointers {indptr.tolist()[:8]} do not ascend from 0 to at most {entries}"
        )
    return counts


def _sparse_dense(
    attrs: SparseDenseAttrs,
    dense_data: Array,
    sparse_data: Array,
    sparse_indices: Array,
    sparse_indptr: Array,
) -> Array:
    sparse = as_dense(sparse_data, sparse_indices, sparse_indptr, dense_data.shape[1])
    if attrs.sparse_lhs:
        return matrix_product(sparse, dense_data.T, dense_data.dtype)
    return matrix_product(dense_data, sparse.T, dense_data.dtype)


def _sparse_add(
    _: Parameters,
    dense_data: Array,
    sparse_data: Array,
    sparse_indices: Array,
    sparse_indptr: Array,
) -> Array:
    return dense_data + as_dense(sparse_data, sparse_indices, sparse_indptr, dense_data.shape[1])


def _sparse_transpose(
    _: SparseTransposeAttrs, sparse_data: Array, sparse_indices: Array, sparse_indptr: Array
) -> tuple[Array, Array, Array]:
    """Sort the entries by column; those of one column stay in the order of their rows."""
    rows = np.repeat(
        np.arange(len(sparse_indptr) - 1), _row_counts(sparse_indptr, len(sparse_data))
    )
    if len(rows) != len(sparse_data):
        raise EvaluationError(
            f"the row pointers cover {len(rows)} entries; there are {len(sparse_data)}"
        )
    if (
        len(sparse_data)
        and not 0 <= sparse_indices.min() <= sparse_indices.max() < len(sparse_indptr) - 1
    ):
        raise EvaluationError(f"an entry lies outside of the {len(sparse_indptr) - 1} columns")
    order = np.argsort(sparse_indices, kind="stable")
    counts = np.bincount(sparse_indices, minlength=len(sparse_indptr) - 1)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(sparse_indptr.dtype)
    return sparse_data[order], rows[order].astype(sparse_indices.dtype), starts


def _sparse_conv2d(
    attrs: SparseConv2DAttrs,
    dense_data: Array,
    sparse_data: Array,
    sparse_indices: Array,
    sparse_indptr: Array,
) -> Array:
    """Multiply what is around each place by the sparse matrix; there are zeros around the data.

    The columns of the matrix are those of a kernel ``OIHW`` in the layout ``NCHW``, and of one
    ``OHWI`` in ``NHWC``.
    """
    odd = [n for n in attrs.kernel_size if isinstance(n, int) and n > 0 and n % 2]
    if len(odd) != 2:
        raise EvaluationError(
            f"a sparse kernel of {attrs.kernel_size} has no place in its middle; sizes must be odd"
        )
    height, width = odd
    channels = attrs.layout.index("C")
    last = np.moveaxis(dense_data, channels, -1)
    rows, columns = last.shape[1:3]
    around = ((0, 0), (height // 2, height // 2), (width // 2, width // 2), (0, 0))
    padded = np.pad(last, around)
    places = [padded[:, y : y + rows, x : x + columns] for y in range(height) for x in range(width)]
    patches = np.stack(places, axis=-1 if attrs.layout == "NCHW" else -2)
    patches = patches.reshape(*last.shape[:3], height * width * last.shape[3])
    sparse = as_dense(sparse_data, sparse_indices, sparse_indptr, patches.shape[-1])
    return np.moveaxis(matrix_product(patches, sparse.T, dense_data.dtype), -1, channels)


register_op(
    "nn.sparse_dense",
    description="""
    Multiply a dense matrix by the transpose of a sparse one.
    dense_mat (m, k); sparse_mat a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (n
        + 1,), or a matrix that has them -> (m, n)
    """,
    rule=_sparse_dense_type,
    evaluate=_sparse_dense,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.internal.sparse_dense_padded",
    arguments=("data", "weight_data", "weight_indices", "weight_indptr"),
    description="""
    Multiply a dense and a sparse matrix that is padded for a GPU.
    data (m, k); weight_data (nnz,); weight_indices (nnz,); weight_indptr (n + 1,) -> (m, n)
    """,
    rule=_sparse_dense_type,
    evaluate=_sparse_dense,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.sparse_add",
    description="""
    Add a dense and a sparse matrix.
    dense_mat (m, n); sparse_mat a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (m
        + 1,), or a matrix that has them -> (m, n)
    """,
    rule=_sparse_add_type,
    evaluate=_sparse_add,
)
register_op(
    "nn.sparse_transpose",
    description="""
    Transpose a sparse matrix.
    x a tuple of data (nnz,) or blocks, indices (nnz,) and indptr (m + 1,) -> a tuple of data,
        indices and indptr
    """,
    rule=_sparse_transpose_type,
    evaluate=_sparse_transpose,
    outputs=3,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "nn.sparse_conv2d",
    description="""
    Convolve with a sparse kernel.
    dense_data (n, h, w, c); sparse_data (nnz,) or blocks; sparse_indices (nnz,); sparse_indptr
        (o + 1,) -> (n, h, w, o)
    """,
    rule=_sparse_conv2d_type,
    evaluate=_sparse_conv2d,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
