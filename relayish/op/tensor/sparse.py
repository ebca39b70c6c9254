"""Operators on tensors given by the places and values of their elements (COO)."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types.dimension import ANY, show_shape, show_type
from relayish.op.types.type_checks import integers, unify_dimensions, vector_of_sizes
from relayish.op.types.type_rules import require_number, sizes, tensor
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.SparseToDenseAttrs")
class SparseToDenseAttrs(Attrs):
    """Attributes of ``sparse_to_dense``."""

    output_shape: tuple[int, ...]


def _sparse_to_dense_type(
    attrs: SparseToDenseAttrs, sparse_indices: Type, sparse_values: Type, default_value: Type
) -> TensorType:
    """Return a tensor of values; what fills the rest may be of another element type."""
    places = integers(sparse_indices, "sparse_indices")
    values = tensor(sparse_values, "sparse_values")
    tensor(default_value, "default_value", rank=0)
    check_lengths(places, values)
    if not attrs.output_shape:
        raise TypeInferenceError("output_shape must hold a size or more; found ()")
    axes = places.shape[1] if len(places.shape) > 1 else 1
    what = "sparse_indices and output_shape have the numbers of axes"
    unify_dimensions(axes, len(attrs.output_shape), what)
    return TensorType(sizes(attrs.output_shape, "output_shape"), values.dtype)


def check_lengths(places: TensorType, values: TensorType) -> None:
    """Check that there is a value for every place, or one number for all.

    Raises:
        TypeInferenceError: If there are more or fewer, or they are no lists.
    """
    for part, most, what in ((places, 2, "sparse_indices"), (values, 1, "sparse_values")):
        if len(part.shape) > most:
            raise TypeInferenceError(
                f"{what} must have at most {most} dimensions; found {show_type(part)}"
            )
    if values.shape:
        what = "sparse_indices and sparse_values have the lengths"
        unify_dimensions(places.shape[0] if places.shape else 1, values.shape[0], what)


def to_dense(places: Array, values: Array, default: Array, shape: tuple[int, ...]) -> Array:
    """Return a tensor of ``shape`` holding ``values`` at ``places``, ``default`` elsewhere.

    Places out of the tensor are left out; the last of several values for one place is the one.

    Raises:
        EvaluationError: If the places have another number of axes than ``shape``, or there are more
            values than places, or fewer.
    """
    if (places.shape[1] if places.ndim > 1 else 1) != len(shape):
        raise EvaluationError(
            f"sparse_indices of shape {show_shape(places.shape)} are no places in "
            f"{show_shape(shape)}"
        )
    count = len(places) if places.ndim else 1
    if values.ndim and len(values) != count:
        raise EvaluationError(f"there are {len(values)} values for {count} places")
    result = np.full(shape, default, values.dtype)
    rows = places.reshape((count, len(shape))).astype(np.int64)
    inside = np.all((rows >= 0) & (rows < np.array(shape)), axis=1)
    given = np.broadcast_to(values, rows.shape[:1])
    result[tuple(rows[inside].T)] = given[inside]
    return result


def _sparse_to_dense(
    attrs: SparseToDenseAttrs, sparse_indices: Array, sparse_values: Array, default_value: Array
) -> Array:
    return to_dense(sparse_indices, sparse_values, default_value, attrs.output_shape)


def _sparse_fill_empty_rows_type(
    _: Parameters, sparse_indices: Type, sparse_values: Type, dense_shape: Type, default_value: Type
) -> TupleType:
    """Return places, values and, for each row, whether it was empty; how many is not known.

    Relay calls the element type of all three int64, also that of values which are none.
    """
    places = integers(sparse_indices, "sparse_indices", rank=2)
    values = tensor(sparse_values, "sparse_values", rank=1)
    sizes = vector_of_sizes(dense_shape, "dense_shape")
    require_number(default_value, "default_value")
    check_lengths(places, values)
    what = "each row of sparse_indices, and dense_shape, have the lengths"
    rank = unify_dimensions(places.shape[1], sizes.shape[0], what)
    return TupleType(
        (
            TensorType((ANY, rank), "int64"),
            TensorType((ANY,), values.dtype),
            TensorType((ANY,), "int64"),
        )
    )


def _sparse_fill_empty_rows(
    _: Parameters,
    sparse_indices: Array,
    sparse_values: Array,
    dense_shape: Array,
    default_value: Array,
) -> tuple[Array, ...]:
    rows = int(dense_shape[0])
    if (
        sparse_indices.size
        and not 0 <= int(sparse_indices[:, 0].min()) <= int(sparse_indices[:, 0].max()) < rows
    ):
        raise EvaluationError(f"an index is out of the {rows} rows of the tensor")
    empty = np.ones(rows, np.bool_)
    empty[sparse_indices[:, 0]] = False
    (missing,) = np.nonzero(empty)
    added = np.zeros((missing.size, sparse_indices.shape[1]), sparse_indices.dtype)
    added[:, 0] = missing
    everything = np.concatenate((sparse_indices, added))
    order = np.argsort(everything[:, 0], kind="stable")
    filled = np.concatenate(
        (sparse_values, np.full(missing.size, default_value.item(), sparse_values.dtype))
    )
    return everything[order].astype(np.int64), filled[order], empty.astype(np.int64)


def _sparse_reshape_type(
    _: Parameters, sparse_indices: Type, prev_shape: Type, new_shape: Type
) -> TupleType:
    """Return the places in the new shape, and that shape without a -1."""
    places = integers(sparse_indices, "sparse_indices", rank=2)
    before = vector_of_sizes(prev_shape, "prev_shape")
    after = vector_of_sizes(new_shape, "new_shape")
    what = "each row of sparse_indices, and prev_shape, have the lengths"
    unify_dimensions(places.shape[1], before.shape[0], what)
    return TupleType(
        (TensorType((places.shape[0], after.shape[0]), places.dtype), after),
    )


def _sparse_reshape(
    _: Parameters, sparse_indices: Array, prev_shape: Array, new_shape: Array
) -> tuple[Array, ...]:
    before = [int(size) for size in prev_shape]
    after = [int(size) for size in new_shape]
    total, known = int(np.prod(before)), int(np.prod([size for size in after if size != -1]))
    if after.count(-1) == 1 and known and total % known == 0:
        after[after.index(-1)] = total // known
    elif -1 in after or total != known:
        raise EvaluationError(f"a sparse tensor of shape {before} cannot have the shape {after}")
    if np.any(sparse_indices < 0) or np.any(sparse_indices >= np.array(before)):
        raise EvaluationError(f"an index is out of the shape {before}")
    flat = np.ravel_multi_index(tuple(sparse_indices.astype(np.int64).T), before)
    moved = np.stack(np.unravel_index(flat, after), axis=1).astype(sparse_indices.dtype)
    return moved, np.array(after, new_shape.dtype)


def _bound_filled(
    _: Parameters, sparse_indices: Array, _values: Array, dense_shape: Array, _default: Array
) -> int:
    rows = int(dense_shape[0])
    elements = sparse_indices.shape[0] + rows - np.unique(sparse_indices[:, 0]).size
    return int(elements * (sparse_indices.shape[1] + 1) + rows)


register_op(
    "sparse_to_dense",
    signature="sparse_indices, output_shape, sparse_values, default_value=0",
    description="""
    Put values at their places in a tensor of a default.
    sparse_indices (n, k), (n,) or (); sparse_values (n,) or (); default_value () ->
        output_shape
    """,
    rule=_sparse_to_dense_type,
    evaluate=_sparse_to_dense,
)
register_op(
    "sparse_fill_empty_rows",
    description="""
    Put a default into the empty rows of a sparse matrix.
    sparse_indices (n, 2); sparse_values (n,); dense_shape (2,); default_value () -> a tuple:
        indices (m, 2), values (m,), whether rows were empty (rows,) bool
    """,
    rule=_sparse_fill_empty_rows_type,
    evaluate=_sparse_fill_empty_rows,
    outputs=3,
    result_size=_bound_filled,
)
register_op(
    "sparse_reshape",
    description="""
    Give a sparse tensor another shape.
    sparse_indices (n, k); prev_shape (k,); new_shape (m,) -> a tuple: indices (n, m), shape
        (m,)
    """,
    rule=_sparse_reshape_type,
    evaluate=_sparse_reshape,
    outputs=2,
    pattern=OpPattern.INJECTIVE,
)
