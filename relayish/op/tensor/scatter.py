"""Operators that put elements into a tensor by position."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Integer, String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.indexing import SCATTERED, index_along, index_of_rows, scatter
from relayish.numeric.precision import is_whole
from relayish.op.declaration.properties import MixedPrecision
from relayish.op.declaration.registry import register_op
from relayish.op.types import dimension
from relayish.op.types.dimension import show_shape
from relayish.op.types.type_checks import check_within, integers, unify_dimensions
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array


@attrs("relay.attrs.ScatterElementsAttrs")
class ScatterElementsAttrs(Attrs):
    """Attributes of ``scatter_elements``."""

    axis: Integer = 0
    reduction: String = "update"


@attrs("relay.attrs.ScatterNDAttrs")
class ScatterNDAttrs(Attrs):
    """Attributes of ``scatter_nd``."""

    mode: String = "update"


def _check_way(how: str, *others: str) -> None:
    known = ("update", *SCATTERED, *others)
    if how not in known:
        raise TypeInferenceError(
            f"{how!r} is no way to scatter; expected one of {', '.join(known)}"
        )


def _scatter_elements_type(
    attrs: ScatterElementsAttrs, data: Type, indices: Type, updates: Type
) -> TensorType:
    target, places = tensor(data, "data"), integers(indices, "indices")
    unify_dtype(target, tensor(updates, "updates"))
    rank = len(target.shape)
    axis = dimension.normalise_axis(attrs.axis, rank)
    tensor(indices, "indices", rank)
    check_within(places, target, "indices and data", free=axis)
    check_within(places, tensor(updates, "updates", rank), "indices and updates")
    _check_way(attrs.reduction, "mean")
    return target


def _scatter_nd_type(attrs: ScatterNDAttrs, data: Type, indices: Type, updates: Type) -> TensorType:
    target, places = tensor(data, "data"), integers(indices, "indices")
    given = tensor(updates, "updates")
    unify_dtype(target, given)
    _check_way(attrs.mode)
    if not places.shape:
        raise TypeInferenceError("indices must have a dimension or more; found a scalar")
    count, *rest = places.shape
    if not isinstance(count, int):
        return target
    if not 1 <= count <= len(target.shape):
        raise TypeInferenceError(
            f"indices {show_shape(places.shape)} name {count} axes; data has {len(target.shape)}"
        )
    expected = (*rest, *target.shape[count:])
    if len(given.shape) != len(expected):
        raise TypeInferenceError(
            f"updates have the shape {show_shape(given.shape)}; expected {show_shape(expected)}"
        )
    for axis, (size, wanted) in enumerate(zip(given.shape, expected, strict=True)):
        unify_dimensions(size, wanted, f"in axis {axis} updates have, and must have, the sizes")
    return target


def _scatter_by(data: Array, index: tuple[Array, ...], updates: Array, how: str) -> Array:
    if how not in ("update", *SCATTERED):
        known = ", ".join(("update", *SCATTERED))
        raise EvaluationError(f"{how!r} is no way to scatter; expected one of {known}")
    return scatter(data, index, updates, None if how == "update" else how)


def _scatter_elements(
    attrs: ScatterElementsAttrs, data: Array, indices: Array, updates: Array
) -> Array:
    updates = updates[tuple(slice(size) for size in indices.shape)]  # there may be more of them
    index = index_along(data.shape, indices, attrs.axis)
    if attrs.reduction == "mean":
        return _average(data, np.broadcast_arrays(*index), updates, attrs.axis)
    return _scatter_by(data, index, updates, attrs.reduction)


def _average(data: Array, index: Sequence[Array], updates: Array, axis: int) -> Array:
    """Return ``data`` with the mean of itself and of each update in turn, as Relay takes it.

    Several updates of one place follow one another along ``axis``.
    """
    result = np.array(data)
    for number in range(updates.shape[axis]):
        taken = np.array([number])
        place = tuple(np.take(part, taken, axis) for part in index)
        total = result[place] + np.take(updates, taken, axis)
        result[place] = np.trunc(total / 2) if is_whole(data.dtype) else total / 2
    return result


def _scatter_nd(attrs: ScatterNDAttrs, data: Array, indices: Array, updates: Array) -> Array:
    return _scatter_by(data, index_of_rows(data.shape, indices), updates, attrs.mode)


register_op(
    "scatter_elements",
    description="""
    Put updates at positions along an axis, which vary along the others.
    data (...); indices (...) of integers; updates (...), as indices -> (...), as data
    """,
    attrs_in_metadata=True,
    rule=_scatter_elements_type,
    evaluate=_scatter_elements,
    in_place=((0, 0),),
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "scatter_nd",
    description="""
    Put updates at positions given by vectors.
    data (...); indices (k, ...) of integers; updates (..., rest of the axes) -> (...), as data
    """,
    attrs_in_metadata=True,
    rule=_scatter_nd_type,
    evaluate=_scatter_nd,
    in_place=((0, 0),),
    mixed_precision=MixedPrecision.FOLLOW,
)
