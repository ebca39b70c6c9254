"""Operators that move the elements of a tensor about, or repeat them, without looking at them."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Integer
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.numeric.indexing import reverse_sequences
from relayish.numeric.padding import tile
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_axis
from relayish.op.layouts.shape_rules import transpose_layouts
from relayish.op.types import dimension
from relayish.op.types.fields import Dimension
from relayish.op.types.result_size import bound_by_inputs
from relayish.op.types.type_checks import integers, unify_dimensions
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.TransposeAttrs")
class TransposeAttrs(Attrs):
    """Attributes of ``transpose``."""

    axes: tuple[int, ...] | None


@attrs("relay.attrs.TileAttrs")
class TileAttrs(Attrs):
    """Attributes of ``tile``, ``dyn.tile``."""

    reps: tuple[int, ...]


@attrs("relay.attrs.RepeatAttrs")
class RepeatAttrs(Attrs):
    """Attributes of ``repeat``."""

    repeats: Integer
    axis: int | None = None


@attrs("relay.attrs.ReverseAttrs")
class ReverseAttrs(Attrs):
    """Attributes of ``reverse``."""

    axis: int | None = None


@attrs("relay.attrs.ReverseSequenceAttrs")
class ReverseSequenceAttrs(Attrs):
    """Attributes of ``reverse_sequence``."""

    seq_axis: Integer = 1
    batch_axis: Integer = 0


@attrs("relay.attrs.TriluAttrs")
class TriluAttrs(Attrs):
    """Attributes of ``trilu``."""

    upper: bool = True


@attrs("relay.attrs.MatrixSetDiagAttrs")
class MatrixSetDiagAttrs(Attrs):
    """Attributes of ``matrix_set_diag``."""

    k1: int = 0
    k2: int = 0
    super_diag_right_align: bool = True
    sub_diag_right_align: bool = False


def _transpose_type(attrs: TransposeAttrs, data: Type) -> TensorType:
    source = tensor(data, "data")
    rank = len(source.shape)
    if attrs.axes is None:
        return TensorType(source.shape[::-1], source.dtype)
    axes = [dimension.normalise_axis(axis, rank) for axis in attrs.axes]
    if sorted(axes) != list(range(rank)):
        raise TypeInferenceError(
            f"axes {attrs.axes} of a transpose must name each of {rank} axes once"
        )
    return TensorType(tuple(source.shape[axis] for axis in axes), source.dtype)


def _transpose(attrs: TransposeAttrs, data: Array) -> Array:
    return np.transpose(data, attrs.axes)


def _tile_type(attrs: TileAttrs, data: Type) -> TensorType:
    source = tensor(data, "data")
    if any(times < 1 for times in attrs.reps):
        raise TypeInferenceError(f"tile is to repeat {attrs.reps} times; expected positive numbers")
    rank = max(len(source.shape), len(attrs.reps))
    ones = (1,) * rank
    sizes = (*ones[len(source.shape) :], *source.shape)
    reps = (*ones[len(attrs.reps) :], *attrs.reps)
    shape = tuple(dimension.multiply(n, times) for n, times in zip(sizes, reps, strict=True))
    return TensorType(shape, source.dtype)


def _tile(attrs: TileAttrs, data: Array) -> Array:
    return tile(data, attrs.reps)


def _repeat_type(attrs: RepeatAttrs, data: Type) -> TensorType:
    source = tensor(data, "data")
    if attrs.repeats < 1:
        raise TypeInferenceError(f"repeats is {attrs.repeats}; expected at least 1")
    shape: list[Dimension] = list(source.shape)
    if attrs.axis is None:
        shape = [dimension.product(shape)]
    axis = dimension.normalise_axis(attrs.axis or 0, len(shape))
    shape[axis] = dimension.multiply(shape[axis], attrs.repeats)
    return TensorType(tuple(shape), source.dtype)


def _repeat(attrs: RepeatAttrs, data: Array) -> Array:
    if data.size:
        return np.repeat(data, attrs.repeats, attrs.axis)
    shape = [0] if attrs.axis is None else list(data.shape)  # repeating nothing takes no time
    shape[attrs.axis or 0] *= attrs.repeats
    return np.empty(shape, data.dtype)


def _reverse_type(attrs: ReverseAttrs, data: Type) -> TensorType:
    source = tensor(data, "data")
    if attrs.axis is not None:
        dimension.normalise_axis(attrs.axis, len(source.shape))
    return source


def _reverse(attrs: ReverseAttrs, data: Array) -> Array:
    return np.flip(data, attrs.axis)


def _reverse_sequence_type(
    attrs: ReverseSequenceAttrs, data: Type, seq_lengths: Type
) -> TensorType:
    source, lengths = tensor(data, "data"), integers(seq_lengths, "seq_lengths", rank=1)
    rank = len(source.shape)
    batch = dimension.normalise_axis(attrs.batch_axis, rank)
    if batch == dimension.normalise_axis(attrs.seq_axis, rank):
        raise TypeInferenceError(f"batch_axis and seq_axis are both {batch}; expected two axes")
    what = "seq_lengths and the batch axis of data have the sizes"
    unify_dimensions(lengths.shape[0], source.shape[batch], what)
    return source


def _reverse_sequence(attrs: ReverseSequenceAttrs, data: Array, seq_lengths: Array) -> Array:
    batch = normalise_axis(attrs.batch_axis, data.ndim)
    along = normalise_axis(attrs.seq_axis, data.ndim)
    if batch == along:
        raise EvaluationError(f"batch_axis and seq_axis are both {batch}; expected two axes")
    lengths = np.clip(seq_lengths.astype(np.int64), 1, data.shape[along])
    return reverse_sequences(data, lengths, along, batch)


def _trilu_type(_: TriluAttrs, data: Type, k: Type) -> TensorType:
    source = tensor(data, "data")
    if len(source.shape) < 2:
        raise TypeInferenceError(
            f"data must have rows and columns; found {dimension.show_type(source)}"
        )
    integers(k, "k", rank=0)
    return source


def _trilu(attrs: TriluAttrs, data: Array, k: Array) -> Array:
    reach = sum(data.shape[-2:])  # diagonals further away have no elements
    return (np.triu if attrs.upper else np.tril)(data, max(-reach, min(int(k), reach)))


def _matrix_set_diag_type(attrs: MatrixSetDiagAttrs, matrix: Type, diagonal: Type) -> TensorType:
    source, given = tensor(matrix, "input"), tensor(diagonal, "diagonal")
    unify_dtype(source, given)
    if len(source.shape) < 2:
        raise TypeInferenceError(
            f"input must have rows and columns; found {dimension.show_type(source)}"
        )
    if attrs.k1 > attrs.k2:
        raise TypeInferenceError(
            f"diagonals {attrs.k1} to {attrs.k2} are none; k1 must not exceed k2"
        )
    *batches, rows, columns = source.shape
    expected: list[Dimension] = list(batches)
    if attrs.k1 != attrs.k2:
        expected.append(attrs.k2 - attrs.k1 + 1)
    expected.append(_measure_longest_diagonal(attrs, rows, columns))
    if len(given.shape) != len(expected):
        raise TypeInferenceError(
            f"diagonal has {len(given.shape)} dimensions; expected {len(expected)}"
        )
    for axis, (size, wanted) in enumerate(zip(given.shape, expected, strict=True)):
        unify_dimensions(size, wanted, f"in axis {axis} diagonal has, and must have, the sizes")
    return source


def _measure_longest_diagonal(
    attrs: MatrixSetDiagAttrs, rows: Dimension, columns: Dimension
) -> Dimension:
    """Return how many elements the longest of the diagonals ``k1`` to ``k2`` has."""
    if not isinstance(rows, int) or not isinstance(columns, int):
        return dimension.ANY
    if attrs.k1 <= -rows or attrs.k2 >= columns:
        raise TypeInferenceError(
            f"diagonals {attrs.k1} to {attrs.k2} are not all in {rows} rows and {columns} columns"
        )
    return min(rows + min(attrs.k2, 0), columns - max(attrs.k1, 0))


def _matrix_set_diag(attrs: MatrixSetDiagAttrs, data: Array, diagonal: Array) -> Array:
    rows, columns = data.shape[-2:]
    result = np.array(data)
    several = attrs.k1 != attrs.k2
    longest = min(rows + min(attrs.k2, 0), columns - max(attrs.k1, 0))
    for k in range(attrs.k1, attrs.k2 + 1):
        length = min(rows + min(k, 0), columns - max(k, 0))
        right = attrs.super_diag_right_align if k >= 0 else attrs.sub_diag_right_align
        start = longest - length if several and right else 0
        band = diagonal[..., attrs.k2 - k, :] if several else diagonal
        index = np.arange(length)
        result[..., index + max(-k, 0), index + max(k, 0)] = band[..., start : start + length]
    return result


register_op(
    "transpose",
    description="""
    Put the axes in another order.
    data (d0, ..., dk); axes the axes, turned around if None -> (...)
    """,
    rule=_transpose_type,
    evaluate=_transpose,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=transpose_layouts,
)
register_op(
    "tile",
    description="""
    Repeat a tensor as a whole.
    data (...) -> (...)
    """,
    rule=_tile_type,
    evaluate=_tile,
    pattern=OpPattern.BROADCAST,
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "repeat",
    description="""
    Repeat each element along an axis.
    data (...); axis the axis, of the flattened data if None -> (...), longer along the axis
    """,
    rule=_repeat_type,
    evaluate=_repeat,
    pattern=OpPattern.BROADCAST,
    infer_layout=of_axis(),
)
register_op(
    "reverse",
    description="""
    Turn the order along an axis around.
    data (...) -> (...)
    """,
    rule=_reverse_type,
    evaluate=_reverse,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
    infer_layout=of_axis(),
)
register_op(
    "reverse_sequence",
    description="""
    Turn the beginning of each sequence around.
    data (...); seq_lengths (batch,) of integers -> (...)
    """,
    rule=_reverse_sequence_type,
    evaluate=_reverse_sequence,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "trilu",
    arguments=("data", "k: int32"),
    description="""
    Keep the upper or lower triangle of matrices.
    data (..., m, n); k (), the diagonal where it ends -> (..., m, n)
    """,
    attrs_in_metadata=True,
    rule=_trilu_type,
    evaluate=_trilu,
    pattern=OpPattern.ELEMWISE,
)
register_op(
    "matrix_set_diag",
    arguments=("input", "diagonal"),
    signature=(
        "data, diagonal, k1=0, k2=0, super_diag_right_align=True, sub_diag_right_align=False"
    ),
    description="""
    Replace diagonals of matrices.
    data (..., m, n); diagonal (..., d), or (..., number, d) for several; k the diagonal, 0 the
        main one, or the lowest and the highest of several -> (..., m, n)
    """,
    rule=_matrix_set_diag_type,
    evaluate=_matrix_set_diag,
    pattern=OpPattern.INJECTIVE,
)
