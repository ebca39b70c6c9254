"""Operators that combine the elements along some axes, and those that do so step by step."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Final, Unpack

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import Bool
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.numeric.ordering import accumulate
from relayish.numeric.precision import cast_to, narrow, widen
from relayish.numeric.reduction import divide_by_count, find_extreme, mean_along, reduce_along
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.rules import of_axis, of_reduction
from relayish.op.types.dimension import broadcast_shapes, compare, product, show_shape
from relayish.op.types.dimension import normalise_axis as checked_axis
from relayish.op.types.fields import OptionalDType
from relayish.op.types.result_size import bound_by_reduction
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, Parameters, result_dtype


@attrs("relay.attrs.ReduceAttrs")
class ReduceAttrs(Attrs):
    """Attributes of ``all``, ``any``, ``max`` and others."""

    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    exclude: bool = False


@attrs("relay.attrs.ArgReduceAttrs")
class ArgReduceAttrs(Attrs):
    """Attributes of ``argmax``, ``argmin``."""

    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    select_last_index: bool = False
    exclude: bool = False


@attrs("relay.attrs.VarianceAttrs")
class VarianceAttrs(Attrs):
    """Attributes of ``variance``."""

    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    exclude: bool = False
    unbiased: bool = False


@attrs("relay.attrs.ScanopAttrs")
class ScanopAttrs(Attrs):
    """Attributes of ``cumprod``, ``cumsum``."""

    axis: int | None = None
    dtype: OptionalDType = None
    exclusive: Bool = False


def normalise_axes(
    axis: tuple[int, ...] | None,
    rank: int,
    *,
    exclude: bool,
    normal: Callable[[int, int], int] = normalise_axis,
) -> tuple[int, ...]:
    """Return the axes to reduce, sorted: all of them for ``None`` and for ``()``, as in Relay.

    ``normal`` counts an axis from the front, and refuses one that is not there.

    Raises:
        EvaluationError: If ``axis`` names an axis that is not there.

    Example:
        >>> normalise_axes((-1,), 3, exclude=True)
        (0, 1)

    """
    if not axis:
        return tuple(range(rank))
    named = {normal(a, rank) for a in axis}
    return tuple(a for a in range(rank) if (a in named) != exclude)


def _refuse_booleans(name: str, data: Array) -> None:
    if data.dtype.kind == "b":
        raise EvaluationError(f"{name} of bool is not defined; cast it to a type of numbers")


def _evaluate_total(function: np.ufunc) -> Callable[[ReduceAttrs, Array], Array]:
    def evaluation(attrs: ReduceAttrs, data: Array) -> Array:
        axes = normalise_axes(attrs.axis, data.ndim, exclude=attrs.exclude)
        return reduce_along(function, data, axes, attrs.keepdims)

    return evaluation


def _mean(attrs: ReduceAttrs, data: Array) -> Array:
    _refuse_booleans("mean", data)
    axes = normalise_axes(attrs.axis, data.ndim, exclude=attrs.exclude)
    return mean_along(data, axes, attrs.keepdims)


def _variance(attrs: VarianceAttrs, data: Array, mean: Array) -> Array:
    _refuse_booleans("variance", data)
    axes = normalise_axes(attrs.axis, data.ndim, exclude=attrs.exclude)
    wide = widen(data)
    squares = np.square(wide - mean.astype(wide.dtype)).astype(wide.dtype)
    count = prod(data.shape[axis] for axis in axes) - attrs.unbiased
    total = reduce_along(np.add, squares, axes, attrs.keepdims)
    return narrow(divide_by_count(total, count), data)


def _evaluate_ufunc(name: str, ufunc: np.ufunc) -> Callable[[ReduceAttrs, Array], Array]:
    def evaluation(attrs: ReduceAttrs, data: Array) -> Array:
        axes = normalise_axes(attrs.axis, data.ndim, exclude=attrs.exclude)
        if ufunc.identity is None and not all(data.shape[axis] for axis in axes):
            raise EvaluationError(f"{name} of no elements is not defined")
        return narrow(ufunc.reduce(widen(data), axis=axes, keepdims=attrs.keepdims), data)

    return evaluation


def _evaluate_position(find: Callable[..., Array]) -> Callable[[ArgReduceAttrs, Array], Array]:
    """Return the evaluation of ``argmax`` or ``argmin``."""

    def evaluation(attrs: ArgReduceAttrs, data: Array) -> Array:
        axes = normalise_axes(attrs.axis, data.ndim, exclude=attrs.exclude)
        last, keepdims = attrs.select_last_index, attrs.keepdims
        return find_extreme(find, data, axes, keepdims=keepdims, last=last).astype(np.int32)

    return evaluation


def _scan(ufunc: np.ufunc) -> Callable[[ScanopAttrs, Array], Array]:
    def evaluation(attrs: ScanopAttrs, data: Array) -> Array:
        if attrs.axis is None:
            data, axis = np.ravel(data), 0
        else:
            axis = normalise_axis(attrs.axis, data.ndim)
        data = cast_to(data, result_dtype(attrs.dtype, data.dtype))
        return accumulate(ufunc, data, axis, exclusive=attrs.exclusive)

    return evaluation


def _compute_reduced_type(attrs: Parameters, data: Type, dtype: str | None = None) -> TensorType:
    """Return the type of ``data`` without the axes that are reduced, or with size 1 in them."""
    found = tensor(data, "data")
    rank = len(found.shape)
    axes = normalise_axes(attrs.axis, rank, exclude=attrs.exclude, normal=checked_axis)
    shape = [
        1 if axis in axes else size
        for axis, size in enumerate(found.shape)
        if attrs.keepdims or axis not in axes
    ]
    return TensorType(tuple(shape), dtype or found.dtype)


def _reduce_type(attrs: ReduceAttrs, data: Type) -> TensorType:
    return _compute_reduced_type(attrs, data)


def _arg_reduce_type(attrs: ArgReduceAttrs, data: Type) -> TensorType:
    return _compute_reduced_type(attrs, data, "int32")


def _variance_type(attrs: VarianceAttrs, data: Type, mean: Type) -> TensorType:
    left, right = tensor(data, "data"), tensor(mean, "mean")
    unify_dtype(left, right)
    both = broadcast_shapes(left.shape, right.shape)
    if len(both) != len(left.shape) or any(
        compare(one, other) is False for one, other in zip(both, left.shape, strict=True)
    ):
        raise TypeInferenceError(
            f"mean of {show_shape(right.shape)} is larger than the data of {show_shape(left.shape)}"
        )
    return _compute_reduced_type(attrs, data)


def _scan_type(attrs: ScanopAttrs, data: Type) -> TensorType:
    found = tensor(data, "data")
    dtype = attrs.dtype or found.dtype
    if attrs.axis is None:
        return TensorType((product(found.shape),), dtype)
    checked_axis(attrs.axis, len(found.shape))
    return TensorType(found.shape, dtype)


_SHAPES: Final = "data (...); axis the axes, all of them if None -> (...), without the axes"
_SHAPES_OF_BOOLEANS: Final = (
    "data (...); axis the axes, all of them if None -> (...) bool, without the axes"
)
_SHAPES_OF_POSITIONS: Final = (
    "data (...); axis the axes, all of them if None -> (...) int32, without the axes"
)


def _declare(name: str, summary: str, shapes: str = _SHAPES, **told: Unpack[Record]) -> None:
    """Declare a reduction along axes."""
    record: Record = {
        "description": f"{summary}\n{shapes}",
        "attrs_type": ReduceAttrs,
        "pattern": OpPattern.COMM_REDUCE,
        "rule": _reduce_type,
        "result_size": bound_by_reduction,
        "infer_layout": of_reduction(),
        **told,
    }
    register_op(name, arguments=("data",), **record)


_declare(
    "sum",
    "Add up the elements along axes.",
    evaluate=_evaluate_total(np.add),
    mixed_precision=MixedPrecision.NEVER,
)
_declare("mean", "Take the mean along axes.", evaluate=_mean, mixed_precision=MixedPrecision.NEVER)
_declare("prod", "Multiply the elements along axes.", evaluate=_evaluate_total(np.multiply))
_declare(
    "max",
    "Take the largest element along axes.",
    evaluate=_evaluate_ufunc("max", np.maximum),
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "min",
    "Take the smallest element along axes.",
    evaluate=_evaluate_ufunc("min", np.minimum),
    mixed_precision=MixedPrecision.FOLLOW,
)
_declare(
    "all",
    "Say whether all elements along axes hold.",
    shapes=_SHAPES_OF_BOOLEANS,
    evaluate=_evaluate_ufunc("all", np.logical_and),
)
_declare(
    "any",
    "Say whether some element along axes holds.",
    shapes=_SHAPES_OF_BOOLEANS,
    evaluate=_evaluate_ufunc("any", np.logical_or),
)
for _name, _summary, _find in (
    ("argmax", "Find where the largest element along axes is.", np.argmax),
    ("argmin", "Find where the smallest element along axes is.", np.argmin),
):
    register_op(
        _name,
        signature="data, axis=None, keepdims=False, exclude=False, select_last_index=False",
        description=f"{_summary}\n{_SHAPES_OF_POSITIONS}",
        pattern=OpPattern.COMM_REDUCE,
        rule=_arg_reduce_type,
        evaluate=_evaluate_position(_find),
        infer_layout=of_reduction(order_counts=True),
        mixed_precision=MixedPrecision.FOLLOW,
    )
for _name, _ufunc in (("cumsum", np.add), ("cumprod", np.multiply)):
    register_op(
        _name,
        arguments=("data",),
        description="""
        Add up, or multiply, the elements up to each place along an axis.
        data (...); axis the axis, of the flattened data if None -> (...)
        """,
        attrs_in_metadata=True,
        rule=_scan_type,
        evaluate=_scan(_ufunc),
        infer_layout=of_axis(),
    )
register_op(
    "variance",
    description="""
    Take the variance along axes, about the mean.
    data (...); axis the axes, all of them if None -> (...), without the axes
    """,
    rule=_variance_type,
    evaluate=_variance,
    pattern=OpPattern.COMM_REDUCE,
    mixed_precision=MixedPrecision.NEVER,
    infer_layout=of_reduction(),
)
