"""Operators that pick, place or find elements by position."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, Parameters, normal_axis, result_dtype
from relayish.op.fields import OptionalDType
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.TakeAttrs")
class TakeAttrs(Attrs):
    """Attributes of ``take``."""

    batch_dims: int = 0
    axis: int | None = None
    mode: str = "clip"


@attrs("relay.attrs.GatherAttrs")
class GatherAttrs(Attrs):
    """Attributes of ``gather``."""

    axis: int | None = None


@attrs("relay.attrs.GatherNDAttrs")
class GatherNDAttrs(Attrs):
    """Attributes of ``gather_nd``."""

    batch_dims: int = 0
    index_rank: int | None = None


@attrs("relay.attrs.ScatterElementsAttrs")
class ScatterElementsAttrs(Attrs):
    """Attributes of ``scatter_elements``."""

    axis: int = 0
    reduction: str = "update"


@attrs("relay.attrs.ScatterNDAttrs")
class ScatterNDAttrs(Attrs):
    """Attributes of ``scatter_nd``."""

    mode: str = "update"


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


@attrs("relay.attrs.SparseToDenseAttrs")
class SparseToDenseAttrs(Attrs):
    """Attributes of ``sparse_to_dense``."""

    output_shape: tuple[int, ...]


_TAKE_MODES = {"clip": "clip", "wrap": "wrap", "fast": "raise"}


def _take(attrs: TakeAttrs, data: Array, indices: Array) -> Array:
    mode = _TAKE_MODES.get(attrs.mode)
    if mode is None:
        raise EvaluationError(f"mode {attrs.mode!r} of take is not clip, wrap or fast")
    if attrs.axis is None:
        return _taken(np.ravel(data), indices, 0, mode)
    axis = normal_axis(attrs.axis, data.ndim)
    batch = attrs.batch_dims + indices.ndim if attrs.batch_dims < 0 else attrs.batch_dims
    if batch == 0:
        return _taken(data, indices, axis, mode)
    heads = data.shape[:batch]
    if heads != indices.shape[:batch] or axis < batch:
        raise EvaluationError(
            f"take of {indices.shape} from {data.shape} along axis {axis} "
            f"with {batch} batch dimensions; expected equal batches before the axis"
        )
    shape = data.shape[:axis] + indices.shape[batch:] + data.shape[axis + 1 :]
    result = np.empty(shape, data.dtype)
    for at in np.ndindex(*heads):
        result[at] = _taken(data[at], indices[at], axis - batch, mode)
    return result


def _taken(data: Array, indices: Array, axis: int, mode: str) -> Array:
    if indices.size and data.shape[axis] == 0:
        raise EvaluationError(
            f"take from axis {axis} of {tuple(data.shape)}, which has no elements"
        )
    try:
        return np.take(data, indices.astype(np.int64), axis=axis, mode=mode)  # type: ignore[call-overload]
    except IndexError as error:
        raise EvaluationError(f"take in mode fast: {error}") from error


def _gather(attrs: GatherAttrs, data: Array, indices: Array) -> Array:
    axis = normal_axis(0 if attrs.axis is None else attrs.axis, data.ndim)
    where = tuple(slice(0, n) if i != axis else slice(None) for i, n in enumerate(indices.shape))
    try:
        return np.take_along_axis(data[where], indices.astype(np.int64), axis=axis)
    except IndexError as error:
        raise EvaluationError(f"gather: {error}") from error


def _positions(shape: tuple[int, ...], indices: Array, batch: int) -> tuple[Array, ...]:
    """Return the index ``indices: (m, y, …)`` is into ``shape``, after ``batch`` equal axes."""
    rest = indices.shape[1:]
    lead = np.indices(rest, sparse=True)[:batch] if batch else ()
    index = (*lead, *indices.astype(np.int64))
    if len(index) > len(shape):
        raise EvaluationError(f"{len(index)} indices are more than the axes of {shape}")
    for axis, values in enumerate(index):
        if np.any(values >= shape[axis]) or np.any(values < -shape[axis]):
            raise EvaluationError(f"an index is out of axis {axis} of {shape}")
    return index


def _gather_nd(attrs: GatherNDAttrs, data: Array, indices: Array) -> Array:
    return data[_positions(data.shape, indices, attrs.batch_dims)]


_REDUCTIONS = {
    "add": np.add,
    "mul": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def _scattered(data: Array, index: tuple[Array, ...], updates: Array, how: str) -> Array:
    result = np.array(data)
    if how == "update":
        result[index] = updates
    elif how in _REDUCTIONS:
        _REDUCTIONS[how].at(result, index, updates)
    else:
        known = ", ".join(("update", *_REDUCTIONS))
        raise EvaluationError(f"{how!r} is no way to scatter; expected one of {known}")
    return result


def _scatter_elements(
    attrs: ScatterElementsAttrs, data: Array, indices: Array, updates: Array
) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    updates = updates[tuple(slice(size) for size in indices.shape)]  # there may be more of them
    index = list(np.indices(indices.shape, sparse=True))
    places = indices.astype(np.int64)
    if np.any(places >= data.shape[axis]) or np.any(places < -data.shape[axis]):
        raise EvaluationError(f"an index is out of axis {axis} of {data.shape}")
    index[axis] = places
    if attrs.reduction == "mean":
        full = tuple(np.broadcast_arrays(*index))
        total = _scattered(data, full, updates, "add")
        counts = _scattered(np.ones(data.shape, np.int64), full, np.int64(1), "add")
        return (total / counts.astype(data.dtype)).astype(data.dtype)
    return _scattered(data, tuple(np.broadcast_arrays(*index)), updates, attrs.reduction)


def _scatter_nd(attrs: ScatterNDAttrs, data: Array, indices: Array, updates: Array) -> Array:
    return _scattered(data, _positions(data.shape, indices, 0), updates, attrs.mode)


def one_hot(
    indices: Array, on_value: Array, off_value: Array, *, depth: int, axis: int, dtype: str | None
) -> Array:
    """Return ``on_value`` where the place along the new ``axis`` is the index, else the other."""
    kind = result_dtype(dtype, on_value.dtype)
    place = normal_axis(axis, indices.ndim + 1)
    shape = [1] * (indices.ndim + 1)
    shape[place] = depth
    hot = np.expand_dims(indices, place) == np.arange(depth).reshape(shape)
    return np.where(hot, on_value.astype(kind), off_value.astype(kind))


def _one_hot(attrs: OneHotAttrs, indices: Array, on_value: Array, off_value: Array) -> Array:
    return one_hot(
        indices, on_value, off_value, depth=attrs.depth, axis=attrs.axis, dtype=attrs.dtype
    )


def _sequence_mask(attrs: SequenceMaskAttrs, data: Array, valid_length: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    if axis > 1:
        raise EvaluationError(f"axis {axis} of sequence_mask is not 0 or 1")
    shape = [1] * data.ndim
    shape[1 - axis] = -1
    lengths = valid_length.reshape(shape)
    shape[1 - axis], shape[axis] = 1, -1
    places = np.arange(data.shape[axis]).reshape(shape)
    return np.where(places < lengths, data, data.dtype.type(attrs.mask_value))


def to_dense(places: Array, values: Array, default: Array, shape: tuple[int, ...]) -> Array:
    """Return a tensor of ``shape`` holding ``values`` at ``places``, ``default`` elsewhere."""
    result = np.full(shape, default, values.dtype)
    rows = places.reshape((-1, len(shape))) if places.ndim > 1 or len(shape) == 1 else places[None]
    result[tuple(rows.T.astype(np.int64))] = values
    return result


def _sparse_to_dense(
    attrs: SparseToDenseAttrs, sparse_indices: Array, sparse_values: Array, default_value: Array
) -> Array:
    return to_dense(sparse_indices, sparse_values, default_value, attrs.output_shape)


def _where(_: Parameters, condition: Array, x: Array, y: Array) -> Array:
    return np.where(condition, x, y)


def _adv_index(_: Parameters, inputs: tuple[Array, ...]) -> Array:
    data, *indices = inputs
    return data[tuple(indices)]


def _argwhere(_: Parameters, condition: Array) -> Array:
    return np.argwhere(condition).astype(np.int32)


def _unravel_index(_: Parameters, data: Array, shape: Array) -> Array:
    parts = []
    rest = data
    for size in reversed(shape.ravel().tolist()):
        parts.append(rest % size)
        rest = rest // size
    return np.stack(parts[::-1]).astype(data.dtype)


def _invert_permutation(_: Parameters, data: Array) -> Array:
    result = np.empty_like(data)
    result[data] = np.arange(data.shape[0], dtype=data.dtype)
    return result


register_op(
    "where", arguments_=("condition", "x", "y"), fuses=OpPattern.BROADCAST, evaluates=_where
)
register_op(
    "take",
    arguments_=("data", "indices"),
    attrs=TakeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_take,
)
register_op(
    "gather",
    arguments_=("data", "indices"),
    attrs=GatherAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_gather,
)
register_op(
    "gather_nd",
    arguments_=("data", "indices"),
    attrs=GatherNDAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_gather_nd,
)
register_op(
    "scatter_elements",
    arguments_=("data", "indices", "updates"),
    attrs=ScatterElementsAttrs,
    in_metadata=True,
    evaluates=_scatter_elements,
)
register_op(
    "scatter_nd",
    arguments_=("data", "indices", "updates"),
    attrs=ScatterNDAttrs,
    in_metadata=True,
    evaluates=_scatter_nd,
)
register_op(
    "one_hot",
    arguments_=("indices", "on_value", "off_value"),
    attrs=OneHotAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_one_hot,
)
register_op(
    "sequence_mask",
    arguments_=("data", "valid_length"),
    attrs=SequenceMaskAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_sequence_mask,
)
register_op(
    "sparse_to_dense",
    arguments_=("sparse_indices", "sparse_values", "default_value"),
    attrs=SparseToDenseAttrs,
    evaluates=_sparse_to_dense,
)
register_op("adv_index", arguments_=("inputs",), fuses=OpPattern.INJECTIVE, evaluates=_adv_index)
register_op("argwhere", arguments_=("condition",), evaluates=_argwhere)
register_op(
    "unravel_index",
    arguments_=("data", "shape"),
    fuses=OpPattern.INJECTIVE,
    evaluates=_unravel_index,
)
register_op(
    "invert_permutation",
    arguments_=("data",),
    fuses=OpPattern.INJECTIVE,
    evaluates=_invert_permutation,
)
register_op(
    "sparse_fill_empty_rows",
    arguments_=("sparse_indices", "sparse_values", "dense_shape", "default_value"),
)
register_op(
    "sparse_reshape",
    arguments_=("sparse_indices", "prev_shape", "new_shape"),
    fuses=OpPattern.INJECTIVE,
)
