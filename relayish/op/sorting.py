"""Operators that order elements, and those that search ordered ones."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.ir.dtype import DType
from relayish.op.evaluation import Array, normal_axis, result_dtype
from relayish.op.fields import OptionalDType
from relayish.op.registry import register_op


@attrs("relay.attrs.ArgsortAttrs")
class ArgsortAttrs(Attrs):
    """Attributes of ``argsort``, ``sort``."""

    axis: int = -1
    is_ascend: bool = True
    dtype: OptionalDType = None


@attrs("relay.attrs.TopkAttrs")
class TopkAttrs(Attrs):
    """Attributes of ``topk``, ``dyn.topk``."""

    k: int | None
    axis: int = -1
    ret_type: str = "both"
    is_ascend: bool = False
    dtype: OptionalDType = None


@attrs("relay.attrs.SearchSortedAttrs")
class SearchSortedAttrs(Attrs):
    """Attributes of ``searchsorted``."""

    right: bool = False
    dtype: DType = "int32"


@attrs("relay.attrs.UniqueAttrs")
class UniqueAttrs(Attrs):
    """Attributes of ``unique``."""

    sorted: bool = True
    return_counts: bool = False


def _order(data: Array, axis: int, *, ascending: bool) -> Array:
    """Return the positions of the elements in order; equal ones keep theirs either way."""
    if ascending:
        return np.argsort(data, axis=axis, kind="stable")
    backwards = np.argsort(np.flip(data, axis), axis=axis, kind="stable")
    return data.shape[axis] - 1 - np.flip(backwards, axis)


def _argsort(attrs: ArgsortAttrs, data: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    order = _order(data, axis, ascending=attrs.is_ascend)
    return order.astype(result_dtype(attrs.dtype, np.dtype(np.int32)))


def _sort(attrs: ArgsortAttrs, data: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    return np.take_along_axis(data, _order(data, axis, ascending=attrs.is_ascend), axis)


def topk(
    data: Array, k: int, axis: int, ret_type: str, *, is_ascend: bool, dtype: str | None
) -> Array | tuple[Array, ...]:
    """Return the first ``k`` in order along ``axis`` (all if ``k < 1``): values, places or both."""
    along = normal_axis(axis, data.ndim)
    count = data.shape[along] if k < 1 else min(k, data.shape[along])
    order = _order(data, along, ascending=is_ascend)
    first = np.take(order, np.arange(count), axis=along)
    values = np.take_along_axis(data, first, along)
    places = first.astype(result_dtype(dtype, np.dtype(np.int32)))
    match ret_type:
        case "both":
            return values, places
        case "values":
            return values
        case "indices":
            return places
    raise EvaluationError(f"ret_type {ret_type!r} of topk is not both, values or indices")


def _topk(attrs: TopkAttrs, data: Array) -> Array | tuple[Array, ...]:
    if attrs.k is None:
        raise EvaluationError("topk has no k; set k=...")
    return topk(
        data,
        attrs.k,
        attrs.axis,
        attrs.ret_type,
        is_ascend=attrs.is_ascend,
        dtype=attrs.dtype,
    )


def _searchsorted(attrs: SearchSortedAttrs, sequence: Array, values: Array) -> Array:
    side = "right" if attrs.right else "left"
    dtype = result_dtype(attrs.dtype, np.dtype(np.int32))
    if sequence.ndim == 1:
        return np.searchsorted(sequence, values, side).astype(dtype)  # type: ignore[call-overload]
    result = np.empty(values.shape, dtype)
    for row in np.ndindex(*sequence.shape[:-1]):
        result[row] = np.searchsorted(sequence[row], values[row], side)  # type: ignore[call-overload]
    return result


register_op("argsort", arguments_=("data",), attrs=ArgsortAttrs, evaluates=_argsort)
register_op("sort", arguments_=("data",), attrs=ArgsortAttrs, evaluates=_sort)
register_op("topk", arguments_=("data",), attrs=TopkAttrs, evaluates=_topk)
register_op(
    "searchsorted",
    arguments_=("sorted_sequence", "values"),
    attrs=SearchSortedAttrs,
    evaluates=_searchsorted,
)
register_op("unique", arguments_=("data",), attrs=UniqueAttrs, in_metadata=True)
