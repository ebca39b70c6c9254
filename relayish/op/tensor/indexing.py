"""Operators that pick elements by position, and those that compute with positions."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Integer, String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.numeric.indexing import index_along, index_of_rows
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.shape_rules import take_layouts
from relayish.op.types import dimension
from relayish.op.types.dimension import broadcast_shapes, show_shape
from relayish.op.types.fields import Dimension
from relayish.op.types.type_checks import check_within, integers, unify_dimensions, vector_of_sizes
from relayish.op.types.type_rules import tensor, tensors
from relayish.op.values.evaluation import Array, Parameters


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
    return data[index_along(data.shape, indices, attrs.axis or 0)]


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
    return data[index_of_rows(data.shape, indices, attrs.batch_dims)]


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
    return data[index_of_rows(data.shape, indices)]


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


register_op(
    "take",
    signature="data, indices, axis=None, batch_dims=0, mode='clip'",
    description="""
    Take elements along an axis.
    data (..., n, ...); indices (...) of integers; axis the axis, of the flattened data if None;
        mode clip, wrap or fast for indices outside -> (..., *indices, ...)
    """,
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
    rule=_gather_type,
    evaluate=_gather,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "gather_nd",
    description="""
    Take elements or slices at positions given by vectors.
    data (...); indices (k, ...) of integers, k axes behind the batch -> (..., rest of the axes)
    """,
    rule=_gather_nd_type,
    evaluate=_gather_nd,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "adv_index",
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
    description="""
    Invert a permutation.
    data (n,) of integers -> (n,)
    """,
    rule=_invert_permutation_type,
    evaluate=_invert_permutation,
    pattern=OpPattern.INJECTIVE,
)
