"""Operators that cut pieces out of a tensor, put one in, or slide a window over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from relayish.errors import EvaluationError, RelayishError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.attributes.conversion import String
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.axes import normalise_axis
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.layouts.shape_rules import slice_like_layouts, strided_slice_layouts
from relayish.op.types import dimension
from relayish.op.types.dimension import show_shape
from relayish.op.types.fields import Dimension
from relayish.op.types.result_size import bound_by_inputs
from relayish.op.types.type_checks import integers
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.StridedSliceAttrs")
class StridedSliceAttrs(Attrs):
    """Attributes of ``strided_slice``, ``dyn.strided_slice``."""

    begin: tuple[int, ...] | None
    end: tuple[int, ...] | None
    strides: tuple[int, ...] | None
    slice_mode: String = "end"
    axes: tuple[int, ...] | None  # type: ignore[misc]  # required, given by name


@attrs("relay.attrs.SliceLikeAttrs")
class SliceLikeAttrs(Attrs):
    """Attributes of ``slice_like``."""

    axes: tuple[int, ...] | None


@attrs("relay.attrs.SlidingWindowAttrs")
class SlidingWindowAttrs(Attrs):
    """Attributes of ``sliding_window``."""

    axis: int
    window_shape: tuple[int, ...]
    strides: tuple[int, ...]


class _Cut(NamedTuple):
    """What is taken along one axis; a bound of ``None`` is as far as there is anything."""

    axis: int
    begin: int | None
    end: int | None
    stride: int
    by_size: bool  # whether ``end`` is how many, where negative numbers mean all there are

    def of(self, size: int) -> slice:
        """Return the places taken of ``size`` elements; bounds are clipped to them."""
        first, last = (0, size) if self.stride > 0 else (-1, size - 1)
        start, stop = (first, last) if self.stride > 0 else (last, first)
        begin = start if self.begin is None else _clip(self.begin, size, first, last)
        if self.end is None or (self.by_size and self.end < 0):
            end = stop
        elif self.by_size:
            end = min(begin + self.end, last)
        else:
            end = _clip(self.end, size, first, last)
        if begin < 0:  # backwards from before the first
            return slice(0, 0)
        return slice(begin, None if end < 0 else end, self.stride)

    def length(self, size: int) -> int:
        """Return how many of ``size`` elements are taken."""
        return len(range(*self.of(size).indices(size)))


def _clip(bound: int, size: int, first: int, last: int) -> int:
    """Return ``bound``, counted from the end if negative, as far as ``first`` and ``last``."""
    return min(max(bound + size if bound < 0 else bound, first), last)


def _cuts(
    rank: int,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    *,
    axes: Sequence[int] | None,
    slice_mode: str,
    raises: type[RelayishError] = TypeInferenceError,
) -> list[_Cut]:
    """Return what is cut along each of the axes named, or the first ones.

    One stride stands for all of them, and missing ones are 1; missing bounds do not cut.

    Raises:
        TypeInferenceError: If the numbers do not fit one another, or a tensor of ``rank`` axes; or
            the error asked for.
    """
    if slice_mode not in ("end", "size"):
        raise raises(f"slice_mode {slice_mode!r} is not 'end' or 'size'")
    count, by_size = max(len(begin), len(end)), slice_mode == "size"
    allowed = rank if axes is None else len(axes)
    if count > allowed or (axes is not None and min(len(begin), len(end)) < allowed):
        raise raises(f"there are {len(begin)} begins and {len(end)} ends for {allowed} axes")
    named = range(count) if axes is None else axes
    for axis in named:
        if not -rank <= axis < rank:
            raise raises(f"axis {axis} is not one of {rank} axes")
    if len({axis % rank for axis in named}) < len(named):
        raise raises(f"axes {tuple(named)} name one of them twice")
    steps = tuple(strides) * count if len(strides) == 1 else (*strides, *(1,) * count)
    if 0 in steps[:count]:
        raise raises("a stride is 0; expected a positive or negative number")
    missing = (None,) * count
    bounds = zip(named, (*begin, *missing), (*end, *missing), steps, strict=False)
    return [
        _Cut(axis % rank, first, last, 1 if by_size else step, by_size)
        for axis, first, last, step in bounds
    ]


def slice_tensor(
    data: Array,
    begin: Sequence[int],
    end: Sequence[int],
    strides: Sequence[int],
    *,
    axes: Sequence[int] | None = None,
    slice_mode: str = "end",
) -> Array:
    """Return the part of ``data`` from ``begin`` up to ``end`` in steps of ``strides``.

    Bounds count from the end when negative and are clipped to the tensor. In the mode ``"size"``
    ``end`` holds lengths instead, of which -1 means as long as there is anything, and every step
    is 1. Without ``axes`` the numbers belong to the first axes.

    Raises:
        EvaluationError: If the numbers do not fit one another, or the tensor.
    """
    index = [slice(None)] * data.ndim
    for cut in _cuts(
        data.ndim, begin, end, strides, axes=axes, slice_mode=slice_mode, raises=EvaluationError
    ):
        index[cut.axis] = cut.of(data.shape[cut.axis])
    return data[tuple(index)]


def _strided_slice_type(attrs: StridedSliceAttrs, data: Type) -> TensorType:
    whole = tensor(data, "data")
    if attrs.begin is None or attrs.end is None:
        raise TypeInferenceError("strided_slice has no bounds; set begin=(...) and end=(...)")
    shape = list(whole.shape)
    for cut in _cuts(
        len(shape),
        attrs.begin,
        attrs.end,
        attrs.strides or (),
        axes=attrs.axes,
        slice_mode=attrs.slice_mode,
    ):
        size = shape[cut.axis]
        shape[cut.axis] = cut.length(size) if isinstance(size, int) else dimension.ANY
    return TensorType(tuple(shape), whole.dtype)


def _strided_slice(attrs: StridedSliceAttrs, data: Array) -> Array:
    if attrs.begin is None or attrs.end is None:
        raise EvaluationError("strided_slice has no bounds; set begin=(...) and end=(...)")
    strides = attrs.strides or ()
    return slice_tensor(
        data, attrs.begin, attrs.end, strides, axes=attrs.axes, slice_mode=attrs.slice_mode
    )


def _strided_set_type(
    _: Parameters, data: Type, v: Type, begin: Type, end: Type, strides: Type
) -> TensorType:
    whole, part = tensor(data, "data"), tensor(v, "v")
    unify_dtype(whole, part)
    for bounds, what in ((begin, "begin"), (end, "end"), (strides, "strides")):
        integers(bounds, what, rank=1)
    return whole


def _strided_set(
    _: Parameters, data: Array, v: Array, begin: Array, end: Array, strides: Array
) -> Array:
    result = np.array(data)
    part = slice_tensor(result, begin.tolist(), end.tolist(), strides.tolist())
    if part.shape != v.shape:
        raise EvaluationError(
            f"v has the shape {show_shape(v.shape)}; the slice that is set has "
            f"{show_shape(part.shape)}"
        )
    part[...] = v
    return result


def _slice_like_axes(attrs: SliceLikeAttrs, rank: int, other: int) -> list[int]:
    """Return the axes to cut, of those that both tensors have.

    Raises:
        TypeInferenceError: If one of them is no axis of both.
    """
    if not attrs.axes:
        return list(range(min(rank, other)))
    axes = [dimension.normalise_axis(axis, rank) for axis in attrs.axes]
    if max(axes) >= other:
        raise TypeInferenceError(f"shape_like has {other} axes; it is to give axis {max(axes)}")
    return axes


def _slice_like_type(attrs: SliceLikeAttrs, data: Type, shape_like: Type) -> TensorType:
    whole, like = tensor(data, "data"), tensor(shape_like, "shape_like")
    shape = list(whole.shape)
    for axis in _slice_like_axes(attrs, len(shape), len(like.shape)):
        size, wanted = shape[axis], like.shape[axis]
        if isinstance(size, int) and isinstance(wanted, int) and wanted > size:
            raise TypeInferenceError(
                f"shape_like {show_shape(like.shape)} is larger than data "
                f"{show_shape(whole.shape)} in axis {axis}"
            )
        shape[axis] = wanted
    return TensorType(tuple(shape), whole.dtype)


def _slice_like(attrs: SliceLikeAttrs, data: Array, shape_like: Array) -> Array:
    index = [slice(None)] * data.ndim
    for axis in _slice_like_axes(attrs, data.ndim, shape_like.ndim):
        index[axis] = slice(0, shape_like.shape[axis])
    return data[tuple(index)]


def _sliding_window_type(attrs: SlidingWindowAttrs, data: Type) -> TensorType:
    whole = tensor(data, "data")
    axis = dimension.normalise_axis(attrs.axis, len(whole.shape))
    slid = whole.shape[axis:]
    for what, sizes in (("window_shape", attrs.window_shape), ("strides", attrs.strides)):
        if len(sizes) != len(slid):
            raise TypeInferenceError(
                f"{what} holds {len(sizes)} sizes; {len(slid)} axes are slid over"
            )
        if min(sizes) < 1:
            raise TypeInferenceError(f"{what} is {sizes}; expected positive sizes")
    places: list[Dimension] = []
    for size, window, stride in zip(slid, attrs.window_shape, attrs.strides, strict=True):
        if isinstance(size, int) and size < window:
            raise TypeInferenceError(f"a window of {window} does not fit {size} elements")
        room = dimension.subtract(size, window - 1)
        places.append(dimension.ceil_divide(room, stride))
    return TensorType((*whole.shape[:axis], *places, *attrs.window_shape), whole.dtype)


def _sliding_window(attrs: SlidingWindowAttrs, data: Array) -> Array:
    axis = normalise_axis(attrs.axis, data.ndim)
    axes = tuple(range(axis, data.ndim))
    words = data.view(f"u{data.dtype.itemsize}") if data.dtype.kind in "fV" else data
    windows = np.lib.stride_tricks.sliding_window_view(words, attrs.window_shape, axis=axes)
    steps = (slice(None),) * axis + tuple(slice(None, None, s) for s in attrs.strides)
    return windows[steps].view(data.dtype)  # numpy shows no windows of types it does not know


register_op(
    "strided_slice",
    signature="data, begin, end, strides=None, axes=None, slice_mode='end'",
    description="""
    Cut a slice out of a tensor.
    data (...) -> (...)
    """,
    rule=_strided_slice_type,
    evaluate=_strided_slice,
    result_size=bound_by_inputs,
    pattern=OpPattern.INJECTIVE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=strided_slice_layouts,
)
register_op(
    "strided_set",
    description="""
    Replace a slice of a tensor.
    data (...); v the slice; begin (k,) of integers; end (k,); strides (k,), ones if None ->
        (...)
    """,
    rule=_strided_set_type,
    evaluate=_strided_set,
    pattern=OpPattern.INJECTIVE,
)
register_op(
    "slice_like",
    description="""
    Cut a tensor to the sizes of another.
    data (...); shape_like (...) -> (...); axes all that both have, if empty
    """,
    rule=_slice_like_type,
    evaluate=_slice_like,
    pattern=OpPattern.INJECTIVE,
    infer_layout=slice_like_layouts,
)
register_op(
    "sliding_window",
    description="""
    Show all windows of a tensor.
    data (..., d0, ..., dk), the axes from axis on -> (..., w0, ..., wk, *window_shape)
    """,
    rule=_sliding_window_type,
    evaluate=_sliding_window,
)
