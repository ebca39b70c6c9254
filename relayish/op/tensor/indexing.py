"""Operators that pick or find elements by position, or by a condition."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attrs import Attrs, Integer, String, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.shape_rules import take_layouts
from relayish.op.types import dimension
from relayish.op.types.dimension import broadcast_shapes, show_shape
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.result_size import bound_by_broadcast
from relayish.op.types.type_checks import (
    check_within,
    integers,
    unify_dimensions,
    vector_of_sizes,
)
from relayish.op.types.type_rules import tensor, tensors, unify_dtype
from relayish.op.values.evaluation import (
    Array,
    Parameters,
    normalise_axis,
    number_of,
    result_dtype,
)


@attrs("relay.attrs.TakeAttrs")
class TakeAttrs(Attrs):
    """Attributes of ``take``."""

    batch_dims: Integer = 0
    axis: int | None = None
    mode: String = "clip"


@attrs("relay.attrs.GatherAttrs")
class GatherAttrs(Attrs):
    """Attributes of ``gather``."""

    axis: int | None = None


@attrs("relay.attrs.GatherNDAttrs")
class GatherNDAttrs(Attrs):
    """Attributes of ``gather_nd``."""

    batch_dims: Integer = 0
    index_rank: int | None = None


@attrs("relay.attrs.OneHotAttrs")
class OneHotAttrs(Attrs):
    """Attributes of ``one_hot``, ``dyn.one_hot``."""

    depth: int = 1
    axis: int = -1
    dtype: OptionalDType = None


@attrs("relay.attrs.SequenceMaskAttrs")
class SequenceMaskAttrs(Attrs):
    """Attributes of ``sequence_mask``."""

    mask_value: float = 0.0
    axis: int = 0


_TAKE_MODES = {"clip": "clip", "wrap": "wrap", "fast": "raise"}


def _take_type(attrs: TakeAttrs, data: Type, indices: Type) -> TensorType:
    source, places = tensor(data, "data"), integers(indices, "indices")
    if attrs.mode not in _TAKE_MODES:
        raise TypeInferenceError(f"mode {attrs.mode!r} of take is not clip, wrap or fast")
    if attrs.axis is None:
        return TensorType(places.shape, source.dtype)
    axis = dimension.normalise_axis(attrs.axis, len(source.shape))
    batch = attrs.batch_dims + (len(places.shape) if attrs.batch_dims < 0 else 0)
    if not 0 <= batch <= min(axis, len(places.shape)):
        raise TypeInferenceError(
            f"take has {attrs.batch_dims} batch dimensions, indices of {len(places.shape)} "
            f"dimensions and the axis {axis}; expected equal batches before the axis"
        )
    heads = [
        unify_dimensions(n, m, f"in the batch dimension {i} data and indices have the sizes")
        for i, (n, m) in enumerate(zip(source.shape[:batch], places.shape[:batch], strict=True))
    ]
    between, behind = source.shape[batch:axis], source.shape[axis + 1 :]
    return TensorType((*heads, *between, *places.shape[batch:], *behind), source.dtype)


def _take(attrs: TakeAttrs, data: Array, indices: Array) -> Array:
    mode = _TAKE_MODES.get(attrs.mode)
    if mode is None:
        raise EvaluationError(f"mode {attrs.mode!r} of take is not clip, wrap or fast")
    if attrs.axis is None:
        return _take_along(np.ravel(data), indices, 0, mode)
    axis = normalise_axis(attrs.axis, data.ndim)
    batch = attrs.batch_dims + indices.ndim if attrs.batch_dims < 0 else attrs.batch_dims
    if batch == 0:
        return _take_along(data, indices, axis, mode)
    heads = data.shape[:batch]
    if heads != indices.shape[:batch] or axis < batch:
        raise EvaluationError(
            f"take of {indices.shape} from {data.shape} along axis {axis} "
            f"with {batch} batch dimensions; expected equal batches before the axis"
        )
    # The batches become one axis beside that of the data, whose place is known in both.
    count, size = int(np.prod(heads, dtype=np.int64)), data.shape[axis]
    others = data.shape[batch:axis] + data.shape[axis + 1 :]
    rows = np.moveaxis(data, axis, batch).reshape((count * size, *others))
    each = int(np.prod(indices.shape[batch:], dtype=np.int64))
    places = _take_along(np.arange(size), indices, 0, mode).reshape((count, each))
    flat = places + np.arange(count)[:, None] * size
    found = rows[flat].reshape((*heads, *indices.shape[batch:], *others))
    moved = tuple(range(batch, indices.ndim))
    between = axis - batch
    return np.moveaxis(found, moved, tuple(place + between for place in moved))


def _take_along(data: Array, indices: Array, axis: int, mode: str) -> Array:
    if indices.size and data.shape[axis] == 0:
        raise EvaluationError(
            f"take from axis {axis} of {tuple(data.shape)}, which has no elements"
        )
    try:
        return np.take(data, indices.astype(np.int64), axis=axis, mode=mode)  # type: ignore[call-overload]
    except IndexError as error:
        raise EvaluationError(f"take in mode fast: {error}") from error


def _gather_type(attrs: GatherAttrs, data: Type, indices: Type) -> TensorType:
    source, places = tensor(data, "data"), integers(indices, "indices")
    rank = len(source.shape)
    axis = dimension.normalise_axis(0 if attrs.axis is None else attrs.axis, rank)
    tensor(indices, "indices", rank)
    check_within(places, source, "indices and data", free=axis)
    return TensorType(places.shape, source.dtype)


def _gather(attrs: GatherAttrs, data: Array, indices: Array) -> Array:
    axis = normalise_axis(0 if attrs.axis is None else attrs.axis, data.ndim)
    where = tuple(slice(0, n) if i != axis else slice(None) for i, n in enumerate(indices.shape))
    try:
        return np.take_along_axis(data[where], indices.astype(np.int64), axis=axis)
    except IndexError as error:
        raise EvaluationError(f"gather: {error}") from error


def positions(shape: tuple[int, ...], indices: Array, batch: int) -> tuple[Array, ...]:
    """Return the index ``indices: (m, y, …)`` is into ``shape``, after ``batch`` equal axes."""
    rest = indices.shape[1:]
    lead = np.indices(rest, sparse=True)[:batch] if batch else ()
    index = tuple(np.broadcast_to(values, rest) for values in (*lead, *indices.astype(np.int64)))
    if len(index) > len(shape):
        raise EvaluationError(f"{len(index)} indices are more than the axes of {shape}")
    _check_range(shape, index)
    return index


def _check_range(shape: tuple[int, ...], index: tuple[Array, ...]) -> None:
    for axis, values in enumerate(index):
        if np.any(values >= shape[axis]) or np.any(values < -shape[axis]):
            raise EvaluationError(f"an index is out of axis {axis} of {shape}")


def _gather_nd_type(attrs: GatherNDAttrs, data: Type, indices: Type) -> TensorType:
    source, places = tensor(data, "data"), integers(indices, "indices")
    if not places.shape:
        raise TypeInferenceError("indices must have a dimension or more; found a scalar")
    count = places.shape[0] if isinstance(places.shape[0], int) else attrs.index_rank
    if count != attrs.index_rank is not None:
        raise TypeInferenceError(
            f"the first size of indices {show_shape(places.shape)} must be index_rank, "
            f"{attrs.index_rank}"
        )
    if count is None:
        raise TypeInferenceError(
            f"the first size of indices {show_shape(places.shape)} must be known, for the rank of "
            f"the result follows from it; set index_rank=..."
        )
    batch, rank = attrs.batch_dims, len(source.shape)
    if not 0 <= batch < len(places.shape) or not 1 <= count <= rank - batch:
        raise TypeInferenceError(
            f"indices {show_shape(places.shape)} name {count} axes behind {batch} batch "
            f"dimensions; data has {rank} axes"
        )
    rest = list(places.shape[1:])
    for axis in range(batch):
        what = f"in the batch dimension {axis} data and indices have the sizes"
        rest[axis] = unify_dimensions(source.shape[axis], rest[axis], what)
    return TensorType((*rest, *source.shape[batch + count :]), source.dtype)


def _gather_nd(attrs: GatherNDAttrs, data: Array, indices: Array) -> Array:
    return data[positions(data.shape, indices, attrs.batch_dims)]


def _one_hot_type(attrs: OneHotAttrs, indices: Type, on_value: Type, off_value: Type) -> TensorType:
    places = integers(indices, "indices")
    on, off = tensor(on_value, "on_value", rank=0), tensor(off_value, "off_value", rank=0)
    if attrs.depth < 1:
        raise TypeInferenceError(f"depth is {attrs.depth}; expected at least 1")
    axis = dimension.normalise_axis(attrs.axis, len(places.shape) + 1)
    shape = (*places.shape[:axis], attrs.depth, *places.shape[axis:])
    return TensorType(shape, attrs.dtype or unify_dtype(on, off))


def one_hot(
    indices: Array, on_value: Array, off_value: Array, *, depth: int, axis: int, dtype: str | None
) -> Array:
    """Return ``on_value`` where the place along the new ``axis`` is the index, else the other."""
    kind = result_dtype(dtype, on_value.dtype)
    place = normalise_axis(axis, indices.ndim + 1)
    if not indices.size:  # no time is spent on a depth that nothing has
        return np.empty((*indices.shape[:place], depth, *indices.shape[place:]), kind)
    shape = [1] * (indices.ndim + 1)
    shape[place] = depth
    hot = np.expand_dims(indices, place) == np.arange(depth).reshape(shape)
    return np.where(hot, on_value.astype(kind), off_value.astype(kind))


def _one_hot(attrs: OneHotAttrs, indices: Array, on_value: Array, off_value: Array) -> Array:
    return one_hot(
        indices, on_value, off_value, depth=attrs.depth, axis=attrs.axis, dtype=attrs.dtype
    )


def _sequence_mask_type(attrs: SequenceMaskAttrs, data: Type, valid_length: Type) -> TensorType:
    source, lengths = tensor(data, "data"), tensor(valid_length, "valid_length", rank=1)
    if attrs.axis not in (0, 1) or len(source.shape) < 2:
        raise TypeInferenceError(
            f"axis {attrs.axis} of data {show_shape(source.shape)} is not 0 or 1 of two or more"
        )
    what = "valid_length and the batches of data have the sizes"
    unify_dimensions(lengths.shape[0], source.shape[1 - attrs.axis], what)
    return source


def _sequence_mask(attrs: SequenceMaskAttrs, data: Array, valid_length: Array) -> Array:
    axis = normalise_axis(attrs.axis, data.ndim)
    if axis > 1:
        raise EvaluationError(f"axis {axis} of sequence_mask is not 0 or 1")
    shape = [1] * data.ndim
    shape[1 - axis] = -1
    lengths = valid_length.reshape(shape)
    shape[1 - axis], shape[axis] = 1, -1
    places = np.arange(data.shape[axis]).reshape(shape)
    return np.where(places < lengths, data, number_of(attrs.mask_value, data.dtype))


def _where_type(_: Parameters, condition: Type, x: Type, y: Type) -> TensorType:
    chosen, one, other = tensor(condition, "condition"), tensor(x, "x"), tensor(y, "y")
    dtype = unify_dtype(one, other)
    shape = broadcast_shapes(one.shape, other.shape)
    return TensorType(broadcast_shapes(chosen.shape, shape), dtype)


def _where(_: Parameters, condition: Array, x: Array, y: Array) -> Array:
    return np.where(condition, x, y)


def _adv_index_type(_: Parameters, inputs: Type) -> TensorType:
    parts = tensors(inputs, "inputs")
    if len(parts) < 2:
        raise TypeInferenceError(f"inputs are {len(parts)}; expected data and an index or more")
    data, *indices = parts
    if len(indices) > len(data.shape):
        raise TypeInferenceError(
            f"there are {len(indices)} indices; data has {len(data.shape)} axes"
        )
    shape: tuple[Dimension, ...] = ()
    for place, index in enumerate(indices, 1):
        shape = broadcast_shapes(shape, integers(index, f"field {place} of inputs").shape)
    return TensorType((*shape, *data.shape[len(indices) :]), data.dtype)


def _adv_index(_: Parameters, inputs: tuple[Array, ...]) -> Array:
    data, *indices = inputs
    index = tuple(values.astype(np.int64) for values in indices)
    _check_range(data.shape, index)
    return data[index]


def _argwhere_type(_: Parameters, condition: Type) -> TensorType:
    return TensorType((dimension.ANY, len(tensor(condition, "condition").shape)), "int32")


def _argwhere(_: Parameters, condition: Array) -> Array:
    return np.argwhere(condition).astype(np.int32)


def _unravel_index_type(_: Parameters, data: Type, shape: Type) -> TensorType:
    """Return a row of places for each axis; Relay's type of several axes of places has but one."""
    places, sizes = integers(data, "data"), vector_of_sizes(shape, "shape")
    return TensorType((sizes.shape[0], *places.shape), places.dtype)


def _unravel_index(_: Parameters, data: Array, shape: Array) -> Array:
    parts = []
    rest = data if data.dtype.itemsize == 8 else data.astype(np.int64)
    for size in reversed(shape.ravel().tolist()):
        if size <= 0:
            raise EvaluationError(f"the shape {shape.tolist()} has no elements to find")
        parts.append(rest % size)
        rest = rest // size
    return np.stack(parts[::-1]).astype(data.dtype)


def _invert_permutation_type(_: Parameters, data: Type) -> TensorType:
    return integers(data, "data", rank=1)


def _invert_permutation(_: Parameters, data: Array) -> Array:
    places = np.arange(data.shape[0], dtype=data.dtype)
    if not np.array_equal(np.sort(data), places):
        raise EvaluationError(f"data is no permutation of 0 to {data.shape[0] - 1}")
    result = np.empty_like(data)
    result[data.astype(np.intp)] = places
    return result


def _bound_indices(_: Parameters, condition: Array) -> int:
    return int(condition.size * condition.ndim)


register_op(
    "where",
    arguments=("condition", "x", "y"),
    description="""
    Take elements of one tensor where a condition holds and of another elsewhere.
    condition (...) bool; x (...); y (...) -> (...), broadcast of all
    """,
    rule=_where_type,
    evaluate=_where,
    result_size=bound_by_broadcast,
    pattern=OpPattern.BROADCAST,
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "take",
    signature="data, indices, axis=None, batch_dims=0, mode='clip'",
    description="""
    Take elements along an axis.
    data (..., n, ...); indices (...) of integers; axis the axis, of the flattened data if None;
        mode clip, wrap or fast for indices outside -> (..., *indices, ...)
    """,
    attrs_type=TakeAttrs,
    rule=_take_type,
    evaluate=_take,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=take_layouts,
)
register_op(
    "gather",
    signature="data, axis, indices",
    description="""
    Take elements along an axis at positions that vary along the others.
    data (..., n, ...); indices (..., m, ...) of integers -> (..., m, ...)
    """,
    attrs_type=GatherAttrs,
    rule=_gather_type,
    evaluate=_gather,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "gather_nd",
    arguments=("data", "indices"),
    description="""
    Take elements or slices at positions given by vectors.
    data (...); indices (k, ...) of integers, k axes behind the batch -> (..., rest of the axes)
    """,
    attrs_type=GatherNDAttrs,
    rule=_gather_nd_type,
    evaluate=_gather_nd,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "one_hot",
    signature="indices, on_value, off_value, depth, axis=-1, dtype='float32'",
    description="""
    Put one value where the class is and another elsewhere.
    indices (...) of integers; on_value (); off_value () -> (..., depth, ...)
    """,
    attrs_type=OneHotAttrs,
    rule=_one_hot_type,
    evaluate=_one_hot,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "sequence_mask",
    arguments=("data", "valid_length"),
    description="""
    Put a value behind the end of each sequence.
    data (length, batch, ...), or (batch, length, ...) with axis 1; valid_length (batch,) ->
        (...)
    """,
    attrs_type=SequenceMaskAttrs,
    rule=_sequence_mask_type,
    evaluate=_sequence_mask,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "adv_index",
    arguments=("inputs",),
    description="""
    Take elements by tensors of indices, as numpy does with several of them.
    inputs a tuple: data (n0, n1, ...), then indices (...) for the leading axes, broadcast ->
        (..., rest of the axes)
    """,
    rule=_adv_index_type,
    evaluate=_adv_index,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "argwhere",
    arguments=("condition",),
    description="""
    Give the positions of the elements that hold.
    condition (d0, ..., dk) -> (n, k + 1) int32, n the number of them
    """,
    rule=_argwhere_type,
    evaluate=_argwhere,
    result_size=_bound_indices,
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "unravel_index",
    arguments=("data", "shape"),
    signature="indices, shape",
    description="""
    Turn positions in the flattened tensor into indices.
    indices (n,) or () of integers; shape (k,) -> (k, n) or (k,)
    """,
    rule=_unravel_index_type,
    evaluate=_unravel_index,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "invert_permutation",
    arguments=("data",),
    description="""
    Invert a permutation.
    data (n,) of integers -> (n,)
    """,
    rule=_invert_permutation_type,
    evaluate=_invert_permutation,
    pattern=OpPattern.INJECTIVE,
)
