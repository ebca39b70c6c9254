"""Reductions along axes, which are an attribute of older versions and an input of newer ones."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.numeric.axes import normalise_axes, normalise_axis
from relayish.numeric.precision import is_fractional, is_integral, widen
from relayish.numeric.reduction import find_extreme, mean_along, reduce_along
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import DType, Shape, Value, numbers_of, without_warnings

Reduction = Callable[[Array, Shape, bool], Value]


class _Versions(NamedTuple):
    """Which versions of a reduction are told their axes by an attribute, which by an input."""

    function: Reduction
    attribute: tuple[int, ...]
    input: tuple[int, ...]


def _largest(data: Array, axes: Shape, keepdims: bool) -> Value:
    return np.max(data, axis=axes, keepdims=keepdims, initial=_bound(data.dtype, largest=False))


def _smallest(data: Array, axes: Shape, keepdims: bool) -> Value:
    return np.min(data, axis=axes, keepdims=keepdims, initial=_bound(data.dtype, largest=True))


def _bound(dtype: DType, *, largest: bool) -> Any:  # Any: a number of the type
    """Return the largest or smallest thing that elements can be."""
    if dtype.kind == "b":
        return largest
    if is_integral(dtype):
        info = np.iinfo(dtype)
        return info.max if largest else info.min
    return np.inf if largest else -np.inf


def _absolute_sum(data: Array, axes: Shape, keepdims: bool) -> Value:
    return reduce_along(np.add, np.abs(data), axes, keepdims)


def _square_sum(data: Array, axes: Shape, keepdims: bool) -> Value:
    return reduce_along(np.add, np.multiply(data, data), axes, keepdims)


def _norm(data: Array, axes: Shape, keepdims: bool) -> Value:
    return np.sqrt(_square_sum(_real(data), axes, keepdims))


def _log_sum(data: Array, axes: Shape, keepdims: bool) -> Value:
    return np.log(reduce_along(np.add, _real(data), axes, keepdims))


def _log_sum_of_exponentials(data: Array, axes: Shape, keepdims: bool) -> Value:
    """Return logarithms of sums of exponentials, none of which overflows."""
    data = _real(data)
    top = _largest(data, axes, True)
    top = np.where(np.isfinite(top), top, data.dtype.type(0))
    result = np.log(reduce_along(np.add, np.exp(data - top), axes, True)) + top
    return result if keepdims else np.squeeze(result, axis=axes)


def _real(data: Array) -> Array:
    return data if is_fractional(data.dtype) else data.astype(np.float64)


_REDUCTIONS: Final = {
    "ReduceSum": _Versions(partial(reduce_along, np.add), (1, 11), (13,)),
    "ReduceMean": _Versions(mean_along, (1, 11, 13), (18,)),
    "ReduceProd": _Versions(partial(reduce_along, np.multiply), (1, 11, 13), (18,)),
    "ReduceMax": _Versions(_largest, (1, 11, 12, 13), (18, 20)),
    "ReduceMin": _Versions(_smallest, (1, 11, 12, 13), (18, 20)),
    "ReduceL1": _Versions(_absolute_sum, (1, 11, 13), (18,)),
    "ReduceL2": _Versions(_norm, (1, 11, 13), (18,)),
    "ReduceSumSquare": _Versions(_square_sum, (1, 11, 13), (18,)),
    "ReduceLogSum": _Versions(_log_sum, (1, 11, 13), (18, 28)),
    "ReduceLogSumExp": _Versions(_log_sum_of_exponentials, (1, 11, 13), (18, 28)),
}


def _reduce(function: Reduction, data: Array, axes: Shape | None, keepdims: int) -> Array:
    """Reduce along ``axes``, all where ``None``; narrow floating point numbers are added wide."""
    rank = data.ndim
    along = tuple(range(rank)) if axes is None else normalise_axes(axes, max(rank, 1))
    if not rank:  # a scalar may be told to have one axis, which reduces nothing
        along = ()
    return np.asarray(function(widen(data), along, bool(keepdims))).astype(data.dtype, copy=False)


def _declare(name: str, versions: _Versions) -> None:
    @without_warnings
    def along_attribute(
        data: Array, *, axes: tuple[int, ...] | None = None, keepdims: int = 1
    ) -> Array:
        return _reduce(versions.function, data, axes or None, keepdims)

    @without_warnings
    def along_input(
        data: Array, axes: Array | None = None, *, keepdims: int = 1, noop_with_empty_axes: int = 0
    ) -> Array:
        named = () if axes is None else numbers_of(axes, f"axes of {name}")
        everywhere = not named and not noop_with_empty_axes
        return _reduce(versions.function, data, None if everywhere else named, keepdims)

    kernel(name, since=versions.attribute)(along_attribute)
    kernel(name, since=versions.input)(along_input)


for _name, _versions in _REDUCTIONS.items():
    _declare(_name, _versions)


def _position(
    find: Callable[..., Array],  # of numpy, with keywords of its own
    data: Array,
    axis: int,
    keepdims: int,
    select_last_index: int,
) -> Array:
    axes = (normalise_axis(axis, data.ndim),)
    last = bool(select_last_index)
    return find_extreme(find, data, axes, keepdims=bool(keepdims), last=last)


def _declare_position(name: str, find: Callable[..., Array]) -> None:
    def first(data: Array, *, axis: int = 0, keepdims: int = 1) -> Array:
        return _position(find, data, axis, keepdims, 0)

    def first_or_last(
        data: Array, *, axis: int = 0, keepdims: int = 1, select_last_index: int = 0
    ) -> Array:
        return _position(find, data, axis, keepdims, select_last_index)

    kernel(name, since=(1, 11))(first)
    kernel(name, since=(12, 13))(first_or_last)


_declare_position("ArgMax", np.argmax)
_declare_position("ArgMin", np.argmin)
