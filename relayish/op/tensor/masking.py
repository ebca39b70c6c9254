"""Operators that choose elements by a condition, or find where it holds."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.numeric.indexing import one_hot as place_values
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types import dimension
from relayish.op.types.dimension import broadcast_shapes, show_shape
from relayish.op.types.fields import OptionalDType
from relayish.op.types.result_size import bound_by_broadcast
from relayish.op.types.type_checks import integers, unify_dimensions
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, Parameters, number_of, result_dtype


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
    return place_values(indices, depth, on_value.astype(kind), off_value.astype(kind), axis)


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


def _argwhere_type(_: Parameters, condition: Type) -> TensorType:
    return TensorType((dimension.ANY, len(tensor(condition, "condition").shape)), "int32")


def _argwhere(_: Parameters, condition: Array) -> Array:
    return np.argwhere(condition).astype(np.int32)


def _bound_indices(_: Parameters, condition: Array) -> int:
    return int(condition.size * condition.ndim)


register_op(
    "where",
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
    "one_hot",
    signature="indices, on_value, off_value, depth, axis=-1, dtype='float32'",
    description="""
    Put one value where the class is and another elsewhere.
    indices (...) of integers; on_value (); off_value () -> (..., depth, ...)
    """,
    rule=_one_hot_type,
    evaluate=_one_hot,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
register_op(
    "sequence_mask",
    description="""
    Put a value behind the end of each sequence.
    data (length, batch, ...), or (batch, length, ...) with axis 1; valid_length (batch,) ->
        (...)
    """,
    rule=_sequence_mask_type,
    evaluate=_sequence_mask,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "argwhere",
    description="""
    Give the positions of the elements that hold.
    condition (d0, ..., dk) -> (n, k + 1) int32, n the number of them
    """,
    rule=_argwhere_type,
    evaluate=_argwhere,
    result_size=_bound_indices,
    mixed_precision=MixedPrecision.FOLLOW,
)
