"""Operators that order elements, and those that search ordered ones."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.ir.values.dtype import DType
from relayish.numeric.axes import normalise_axis
from relayish.numeric.ordering import find_distinct, find_top, order
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_axis
from relayish.op.types import dimension
from relayish.op.types.fields import Dimension, OptionalDType
from relayish.op.types.type_checks import unify_dimensions
from relayish.op.types.type_rules import tensor
from relayish.op.values.evaluation import Array, result_dtype


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


def _sort_type(attrs: ArgsortAttrs, data: Type) -> TensorType:
    source = tensor(data, "data")
    dimension.normalise_axis(attrs.axis, len(source.shape))
    return source


def _argsort_type(attrs: ArgsortAttrs, data: Type) -> TensorType:
    return TensorType(_sort_type(attrs, data).shape, attrs.dtype or "int32")


def _argsort(attrs: ArgsortAttrs, data: Array) -> Array:
    axis = normalise_axis(attrs.axis, data.ndim)
    places = order(data, axis, largest=not attrs.is_ascend)
    return places.astype(result_dtype(attrs.dtype, np.dtype(np.int32)))


def _sort(attrs: ArgsortAttrs, data: Array) -> Array:
    axis = normalise_axis(attrs.axis, data.ndim)
    return np.take_along_axis(data, order(data, axis, largest=not attrs.is_ascend), axis)


def topk_type(data: TensorType, k: Dimension, axis: int, ret_type: str, dtype: str | None) -> Type:
    """Return the type of the first ``k`` in order along ``axis``: values, places or both.

    Raises:
        TypeInferenceError: If there is no such axis, it has not as many, or ``ret_type`` is wrong.
    """
    along = dimension.normalise_axis(axis, len(data.shape))
    size = data.shape[along]
    if isinstance(k, int) and k < 1:
        k = size
    if isinstance(k, int) and isinstance(size, int) and k > size:
        raise TypeInferenceError(f"the first {k} are asked for; axis {along} has {size}")
    shape = (*data.shape[:along], k, *data.shape[along + 1 :])
    values, places = TensorType(shape, data.dtype), TensorType(shape, dtype or "int32")
    match ret_type:
        case "both":
            return TupleType((values, places))
        case "values":
            return values
        case "indices":
            return places
    raise TypeInferenceError(f"ret_type {ret_type!r} of topk is not both, values or indices")


def topk(
    data: Array, k: int, axis: int, ret_type: str, *, is_ascend: bool, dtype: str | None
) -> Array | tuple[Array, ...]:
    """Return the first ``k`` in order along ``axis`` (all if ``k < 1``): values, places or both."""
    along = normalise_axis(axis, data.ndim)
    count = data.shape[along] if k < 1 else k
    values, first = find_top(data, count, along, largest=not is_ascend)
    places = first.astype(result_dtype(dtype, np.dtype(np.int32)))
    match ret_type:
        case "both":
            return values, places
        case "values":
            return values
        case "indices":
            return places
    raise EvaluationError(f"ret_type {ret_type!r} of topk is not both, values or indices")


def _topk_type(attrs: TopkAttrs, data: Type) -> Type:
    if attrs.k is None:
        raise TypeInferenceError("topk has no k; set k=...")
    return topk_type(tensor(data, "data"), attrs.k, attrs.axis, attrs.ret_type, attrs.dtype)


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


def _searchsorted_type(attrs: SearchSortedAttrs, sorted_sequence: Type, values: Type) -> TensorType:
    line, wanted = tensor(sorted_sequence, "sorted_sequence"), tensor(values, "values")
    rank = len(line.shape)
    if rank == 0:
        raise TypeInferenceError("sorted_sequence must have a dimension or more; found a scalar")
    if rank > 1:
        tensor(values, "values", rank)
        for axis, (n, m) in enumerate(zip(line.shape[:-1], wanted.shape[:-1], strict=True)):
            what = f"in axis {axis} sorted_sequence and values have the sizes"
            unify_dimensions(n, m, what)
    return TensorType(wanted.shape, attrs.dtype)


def _searchsorted(attrs: SearchSortedAttrs, sorted_sequence: Array, values: Array) -> Array:
    """Search every line at once, by halving the range in which each value's place may be."""
    side = "right" if attrs.right else "left"
    dtype = result_dtype(attrs.dtype, np.dtype(np.int32))
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side).astype(dtype)  # type: ignore[call-overload]
    size = sorted_sequence.shape[-1]
    low, high = np.zeros(values.shape, np.int64), np.full(values.shape, size, np.int64)
    for _ in range(size.bit_length()):
        open_ = low < high
        middle = (low + high) // 2
        found = np.take_along_axis(sorted_sequence, np.minimum(middle, size - 1), -1)
        later = (found <= values) if attrs.right else (found < values)
        low = np.where(open_ & later, middle + 1, low)
        high = np.where(open_ & ~later, middle, high)
    return low.astype(dtype)


def _unique_type(attrs: UniqueAttrs, data: Type) -> TupleType:
    """Return values, where each first stood, which each is, how many there are and how often.

    Sizes are those of ``data``: as many as there may be at most.
    """
    source = tensor(data, "data", rank=1)
    places = TensorType(source.shape, "int32")
    fields = (source, places, places, TensorType((1,), "int32"))
    return TupleType((*fields, places) if attrs.return_counts else fields)


def _unique(attrs: UniqueAttrs, data: Array) -> tuple[Array, ...]:
    """Fill up with zeros what there is no value for, and places with the number of elements."""
    first, which, counts = find_distinct(data, by_value=attrs.sorted)
    values = data[first]
    missing = (0, data.size - values.size)
    found = (
        np.pad(values, missing),
        np.pad(first, missing, constant_values=data.size).astype(np.int32),
        which.astype(np.int32),
        np.array([values.size], np.int32),
    )
    return (*found, np.pad(counts, missing).astype(np.int32)) if attrs.return_counts else found


def count_topk(attrs: TopkAttrs, _args: object) -> int | None:
    """Return how many results ``topk`` has, ``None`` where it gives one tensor."""
    return 2 if attrs.ret_type == "both" else None


def _count_unique(attrs: UniqueAttrs, _args: object) -> int:
    return 5 if attrs.return_counts else 4


def _count_results(attrs: TopkAttrs) -> int:
    return 2 if attrs.ret_type == "both" else 1


register_op(
    "argsort",
    signature="data, axis=-1, is_ascend=True, dtype='int32'",
    description="""
    Give the positions of the elements in order along an axis.
    data (...) -> (...) of dtype
    """,
    rule=_argsort_type,
    evaluate=_argsort,
    infer_layout=of_axis(),
)
register_op(
    "sort",
    signature="data, axis=-1, is_ascend=True",
    description="""
    Put the elements along an axis in order.
    data (...) -> (...)
    """,
    rule=_sort_type,
    evaluate=_sort,
    infer_layout=of_axis(),
)
register_op(
    "topk",
    signature="data, k=1, axis=-1, ret_type='both', is_ascend=False, dtype='int32'",
    description="""
    Take the first elements in order along an axis.
    data (..., n, ...) -> a tuple of values (..., k, ...) and indices (..., k, ...), or one of
        them
    """,
    rule=_topk_type,
    evaluate=_topk,
    outputs=count_topk,
    infer_layout=of_axis(outputs=_count_results),
)
register_op(
    "searchsorted",
    description="""
    Find where values belong in sorted sequences.
    sorted_sequence (..., n); values (..., m) -> (..., m) of dtype
    """,
    rule=_searchsorted_type,
    evaluate=_searchsorted,
)
register_op(
    "unique",
    description="""
    Take each element once.
    data (n,) of integers -> a tuple: elements (n,), first positions (n,), places of all (n,),
        count (1,), and how often (n,) with return_counts
    """,
    attrs_in_metadata=True,
    rule=_unique_type,
    evaluate=_unique,
    outputs=_count_unique,
)
