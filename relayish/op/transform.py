"""Operators that move the elements of tensors about without looking at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, Parameters, normal_axis
from relayish.op.layout import convert_layout
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.TransposeAttrs")
class TransposeAttrs(Attrs):
    """Attributes of ``transpose``."""

    axes: tuple[int, ...] | None


@attrs("relay.attrs.ConcatenateAttrs")
class ConcatenateAttrs(Attrs):
    """Attributes of ``concatenate``, ``qnn.concatenate``."""

    axis: int = 0


@attrs("relay.attrs.StackAttrs")
class StackAttrs(Attrs):
    """Attributes of ``stack``."""

    axis: int = 0


@attrs("relay.attrs.SplitAttrs")
class SplitAttrs(Attrs):
    """Attributes of ``split``."""

    indices_or_sections: int | tuple[int, ...]
    axis: int = 0


@attrs("relay.attrs.StridedSliceAttrs")
class StridedSliceAttrs(Attrs):
    """Attributes of ``strided_slice``, ``dyn.strided_slice``."""

    begin: tuple[int, ...] | None
    end: tuple[int, ...] | None
    strides: tuple[int, ...] | None
    slice_mode: str = "end"
    axes: tuple[int, ...] | None  # type: ignore[misc]  # required, given by name


@attrs("relay.attrs.SliceLikeAttrs")
class SliceLikeAttrs(Attrs):
    """Attributes of ``slice_like``."""

    axes: tuple[int, ...] | None


@attrs("relay.attrs.TileAttrs")
class TileAttrs(Attrs):
    """Attributes of ``tile``, ``dyn.tile``."""

    reps: tuple[int, ...]


@attrs("relay.attrs.RepeatAttrs")
class RepeatAttrs(Attrs):
    """Attributes of ``repeat``."""

    repeats: int
    axis: int | None = None


@attrs("relay.attrs.ReverseAttrs")
class ReverseAttrs(Attrs):
    """Attributes of ``reverse``."""

    axis: int | None = None


@attrs("relay.attrs.ReverseSequenceAttrs")
class ReverseSequenceAttrs(Attrs):
    """Attributes of ``reverse_sequence``."""

    seq_axis: int = 1
    batch_axis: int = 0


@attrs("relay.attrs.LayoutTransformAttrs")
class LayoutTransformAttrs(Attrs):
    """Attributes of ``layout_transform``."""

    src_layout: str
    dst_layout: str


@attrs("relay.attrs.AutoSchedulerLayoutTransformAttrs")
class AutoSchedulerLayoutTransformAttrs(Attrs):
    """Attributes of ``auto_scheduler_layout_transform``."""

    src_layout: str
    dst_layout: str


@attrs("relay.attrs.MetaScheduleLayoutTransformAttrs")
class MetaScheduleLayoutTransformAttrs(Attrs):
    """Attributes of ``meta_schedule_layout_transform``."""

    index_map: object


@attrs("relay.attrs.MeshgridAttrs")
class MeshgridAttrs(Attrs):
    """Attributes of ``meshgrid``."""

    indexing: str = "ij"


@attrs("relay.attrs.TriluAttrs")
class TriluAttrs(Attrs):
    """Attributes of ``trilu``."""

    upper: bool = True


@attrs("relay.attrs.SlidingWindowAttrs")
class SlidingWindowAttrs(Attrs):
    """Attributes of ``sliding_window``."""

    axis: int
    window_shape: tuple[int, ...]
    strides: tuple[int, ...]


@attrs("relay.attrs.MatrixSetDiagAttrs")
class MatrixSetDiagAttrs(Attrs):
    """Attributes of ``matrix_set_diag``."""

    k1: int = 0
    k2: int = 0
    super_diag_right_align: bool = True
    sub_diag_right_align: bool = False


def _transpose(attrs: TransposeAttrs, data: Array) -> Array:
    return np.transpose(data, attrs.axes)


def _concatenate(attrs: ConcatenateAttrs, data: tuple[Array, ...]) -> Array:
    return np.concatenate(data, axis=attrs.axis)


def _stack(attrs: StackAttrs, data: tuple[Array, ...]) -> Array:
    return np.stack(data, axis=attrs.axis)


def _split(attrs: SplitAttrs, data: Array) -> tuple[Array, ...]:
    axis = normal_axis(attrs.axis, data.ndim)
    parts = attrs.indices_or_sections
    if isinstance(parts, int) and (parts < 1 or data.shape[axis] % parts):
        raise EvaluationError(
            f"axis {axis} of {tuple(data.shape)} cannot be split into {parts} equal parts"
        )
    return tuple(np.split(data, parts, axis=axis))


def sliced(
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
    """
    index = [slice(None)] * data.ndim
    for place, first in enumerate(begin):
        axis = place if axes is None else normal_axis(axes[place], data.ndim)
        size = data.shape[axis]
        if slice_mode == "size":
            start = first + size if first < 0 else first
            index[axis] = slice(start, size if end[place] < 0 else start + end[place])
            continue
        stride = strides[place] if place < len(strides) else strides[0] if len(strides) == 1 else 1
        last = end[place] if place < len(end) else None
        index[axis] = slice(first, last, stride)
    return data[tuple(index)]


def _strided_slice(attrs: StridedSliceAttrs, data: Array) -> Array:
    if attrs.begin is None or attrs.end is None:
        raise EvaluationError("strided_slice has no bounds; set begin=(...) and end=(...)")
    strides = attrs.strides or ()
    return sliced(
        data, attrs.begin, attrs.end, strides, axes=attrs.axes, slice_mode=attrs.slice_mode
    )


def _strided_set(
    _: Parameters, data: Array, v: Array, begin: Array, end: Array, strides: Array
) -> Array:
    result = np.array(data)
    sliced(result, begin.tolist(), end.tolist(), strides.tolist())[...] = v
    return result


def _slice_like(attrs: SliceLikeAttrs, data: Array, like: Array) -> Array:
    axes = range(min(data.ndim, like.ndim)) if not attrs.axes else attrs.axes
    index = [slice(None)] * data.ndim
    for axis in axes:
        index[axis] = slice(0, like.shape[axis])
    return data[tuple(index)]


def _tile(attrs: TileAttrs, data: Array) -> Array:
    return np.tile(data, attrs.reps)


def _repeat(attrs: RepeatAttrs, data: Array) -> Array:
    return np.repeat(data, attrs.repeats, attrs.axis)


def _reverse(attrs: ReverseAttrs, data: Array) -> Array:
    return np.flip(data, attrs.axis)


def _reverse_sequence(attrs: ReverseSequenceAttrs, data: Array, seq_lengths: Array) -> Array:
    batch = normal_axis(attrs.batch_axis, data.ndim)
    along = normal_axis(attrs.seq_axis, data.ndim)
    if batch == along:
        raise EvaluationError(f"batch_axis and seq_axis are both {batch}; expected two axes")
    result = np.array(data)
    source, target = (np.moveaxis(array, (batch, along), (0, 1)) for array in (data, result))
    for row, length in enumerate(seq_lengths.tolist()):
        count = min(max(length, 1), source.shape[1])
        target[row, :count] = source[row, :count][::-1]
    return result


def _layout_transform(attrs: LayoutTransformAttrs, data: Array) -> Array:
    return convert_layout(data, attrs.src_layout, attrs.dst_layout)


def _meshgrid(attrs: MeshgridAttrs, data: tuple[Array, ...]) -> tuple[Array, ...]:
    match attrs.indexing:
        case "ij":
            return tuple(np.meshgrid(*data, indexing="ij"))
        case "xy":
            return tuple(np.meshgrid(*data, indexing="xy"))
    raise EvaluationError(f"indexing {attrs.indexing!r} of meshgrid is not 'ij' or 'xy'")


def _trilu(attrs: TriluAttrs, data: Array, k: Array) -> Array:
    return (np.triu if attrs.upper else np.tril)(data, int(k))


def _sliding_window(attrs: SlidingWindowAttrs, data: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    axes = tuple(range(axis, data.ndim))
    windows = np.lib.stride_tricks.sliding_window_view(data, attrs.window_shape, axis=axes)
    steps = (slice(None),) * axis + tuple(slice(None, None, s) for s in attrs.strides)
    return windows[steps]


def _matrix_set_diag(attrs: MatrixSetDiagAttrs, data: Array, diagonal: Array) -> Array:
    rows, columns = data.shape[-2:]
    result = np.array(data)
    several = attrs.k1 != attrs.k2
    longest = min(rows + min(attrs.k2, 0), columns - max(attrs.k1, 0))
    for k in range(attrs.k1, attrs.k2 + 1):
        length = min(rows + min(k, 0), columns - max(k, 0))
        right = attrs.super_diag_right_align if k >= 0 else attrs.sub_diag_right_align
        start = longest - length if several and right else 0
        band = diagonal[..., attrs.k2 - k, :] if several else diagonal
        index = np.arange(length)
        result[..., index + max(-k, 0), index + max(k, 0)] = band[..., start : start + length]
    return result


register_op(
    "transpose",
    arguments_=("data",),
    attrs=TransposeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_transpose,
)
register_op(
    "concatenate",
    arguments_=("data",),
    attrs=ConcatenateAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_concatenate,
)
register_op(
    "stack", arguments_=("data",), attrs=StackAttrs, fuses=OpPattern.INJECTIVE, evaluates=_stack
)
register_op(
    "split", arguments_=("data",), attrs=SplitAttrs, fuses=OpPattern.INJECTIVE, evaluates=_split
)
register_op(
    "strided_slice",
    arguments_=("data",),
    attrs=StridedSliceAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_strided_slice,
)
register_op(
    "strided_set",
    arguments_=("data", "v", "begin", "end", "strides"),
    fuses=OpPattern.INJECTIVE,
    evaluates=_strided_set,
)
register_op(
    "slice_like",
    arguments_=("data", "shape_like"),
    attrs=SliceLikeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_slice_like,
)
register_op(
    "tile", arguments_=("data",), attrs=TileAttrs, fuses=OpPattern.BROADCAST, evaluates=_tile
)
register_op(
    "repeat", arguments_=("data",), attrs=RepeatAttrs, fuses=OpPattern.BROADCAST, evaluates=_repeat
)
register_op(
    "reverse",
    arguments_=("data",),
    attrs=ReverseAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_reverse,
)
register_op(
    "reverse_sequence",
    arguments_=("data", "seq_lengths"),
    attrs=ReverseSequenceAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_reverse_sequence,
)
register_op(
    "layout_transform",
    arguments_=("data",),
    attrs=LayoutTransformAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_layout_transform,
)
register_op(
    "auto_scheduler_layout_transform",
    arguments_=("data",),
    attrs=AutoSchedulerLayoutTransformAttrs,
    fuses=OpPattern.INJECTIVE,
)
register_op(
    "meta_schedule_layout_transform",
    arguments_=("data",),
    attrs=MetaScheduleLayoutTransformAttrs,
    fuses=OpPattern.INJECTIVE,
)
register_op(
    "meshgrid",
    arguments_=("data",),
    attrs=MeshgridAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_meshgrid,
)
register_op(
    "trilu",
    arguments_=("data", "k"),
    attrs=TriluAttrs,
    in_metadata=True,
    fuses=OpPattern.ELEMWISE,
    evaluates=_trilu,
)
register_op(
    "sliding_window", arguments_=("data",), attrs=SlidingWindowAttrs, evaluates=_sliding_window
)
register_op(
    "matrix_set_diag",
    arguments_=("input", "diagonal"),
    attrs=MatrixSetDiagAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_matrix_set_diag,
)
