"""Upper bounds on the sizes of results that may be far larger than the arguments.

Whoever evaluates a program before it runs asks here first, so that ``repeat(1, 10**12)`` stays a
call instead of becoming an array.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, prod
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.errors import TypeInferenceError
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.op.declaration.properties import relation, result_size, rule
from relayish.op.declaration.registry import relay_op
from relayish.op.declaration.relation import NULL_REPORTER
from relayish.op.types.layout import read_layout
from relayish.op.values.evaluation import as_sizes

Size: TypeAlias = Callable[..., int]
Array: TypeAlias = Any  # a numpy scalar or array
Parameters: TypeAlias = Any  # the attributes of the one operator


def _by_type(name: str) -> Size:
    """Return the size of what the rule or relation of the operator says the result is."""
    op = relay_op(name)
    find, relate = rule.get(op), relation.get(op)

    def size(attrs: Parameters, *inputs: Array) -> int:
        types = tuple(map(_type_of, inputs))
        result = relate(attrs, types, NULL_REPORTER) if relate is not None else None
        result = find(attrs, *types) if find is not None else result
        fields = result.fields if isinstance(result, TupleType) else (result,)
        padded = _bound_padded(attrs, inputs)
        return padded if padded > _MUCH else sum(_elements(field, name) for field in fields)

    return size


_MUCH: Final = 1 << 24
"""Operands that are padded to more elements than this count for as much as a result would."""


def _bound_padded(attrs: Parameters, inputs: tuple[Array, ...]) -> int:
    """Return how many elements operands have at most when they are padded; 0 if they are not.

    A window that moves in long steps over wide padding has a small result, but not on the way.
    """
    layout = getattr(attrs, "data_layout", "") or getattr(attrs, "layout", "")
    padding = getattr(attrs, "padding", ())
    if not layout or not isinstance(padding, tuple) or not padding:
        return 0
    around = 2 * max(0, *as_sizes(padding))
    axes = read_layout(layout)
    most = 0
    for value in inputs:
        if isinstance(value, tuple) or len(value.shape) != len(axes):
            continue
        sizes = zip(value.shape, axes, strict=True)
        most = max(most, prod(n + around if axis.letter in "DHW" else n for n, axis in sizes))
    return most


def _elements(ty: Type | None, name: str) -> int:
    if not isinstance(ty, TensorType):
        raise TypeInferenceError(f"the result of {name} must be tensors; found {ty}")
    return prod(as_sizes(ty.shape))


def _type_of(value: Array) -> Type:
    if isinstance(value, tuple):
        return TupleType(tuple(map(_type_of, value)))
    return TensorType(value.shape, value.dtype.name)


def _bound_by_last_input(_: Parameters, *inputs: Array) -> int:
    return int(prod(np.ravel(inputs[-1]).tolist()))


def _tile_by_input(_: Parameters, data: Array, reps: Array) -> int:
    return int(data.size * prod(np.ravel(reps).tolist()))


def _bound_one_hot(_: Parameters, indices: Array, _on: Array, _off: Array, depth: Array) -> int:
    return int(indices.size) * int(depth)


def _arange(_: Parameters, *bounds: Array) -> int:
    if not all(np.isfinite(bound) for bound in bounds):
        return 0  # evaluating it says that it has no end
    start, end, step = (Fraction(bound.item()) for bound in bounds)
    return max(0, ceil((end - start) / step)) if step else 0


def _pad_by_input(_: Parameters, data: Array, widths: Array, *_value: Array) -> int:
    return prod(size + sum(pad.tolist()) for size, pad in zip(data.shape, widths, strict=True))


def _fill_empty_rows(
    _: Parameters, places: Array, _values: Array, dense_shape: Array, _default: Array
) -> int:
    rows = int(dense_shape[0])
    elements = places.shape[0] + rows - np.unique(places[:, 0]).size
    return int(elements * (places.shape[1] + 1) + rows)


def _sizes_along(letters: str, data: Array, layout: str) -> list[int]:
    places = [axis.letter for axis in read_layout(layout)]
    return [data.shape[places.index(letter)] for letter in letters]


def _resize_by_input(attrs: Parameters, data: Array, size: Array, _roi: Array) -> int:
    before = prod(_sizes_along("HW", data, attrs.layout))
    return int(data.size // max(1, before) * prod(size.tolist()))


def _scale_by_input(letters: str) -> Size:
    def size(attrs: Parameters, data: Array, *scales: Array) -> int:
        before = _sizes_along(letters, data, attrs.layout)
        after = (round(n * float(scale)) for n, scale in zip(before, scales, strict=True))
        return int(data.size // max(1, prod(before)) * prod(after))

    return size


_SIZES: Final[dict[str, Size]] = {
    "arange": _arange,
    "dyn.broadcast_to": _bound_by_last_input,
    "dyn.full": _bound_by_last_input,
    "dyn.image.resize2d": _resize_by_input,
    "dyn.nn.pad": _pad_by_input,
    "dyn.nn.upsampling": _scale_by_input("HW"),
    "dyn.nn.upsampling3d": _scale_by_input("DHW"),
    "dyn.one_hot": _bound_one_hot,
    "dyn.ones": _bound_by_last_input,
    "dyn.sparse_to_dense": _bound_by_last_input,
    "dyn.tile": _tile_by_input,
    "dyn.zeros": _bound_by_last_input,
    "sparse_fill_empty_rows": _fill_empty_rows,
}
"""Where values of arguments, not their types, say how large the result is."""

_TYPED: Final = (
    "adv_index",
    "broadcast_to",
    "einsum",
    "full",
    "gather_nd",
    "image.affine_grid",
    "image.crop_and_resize",
    "image.dilation2d",
    "image.resize1d",
    "image.resize2d",
    "image.resize3d",
    "layout_transform",
    "meshgrid",
    "nn.adaptive_avg_pool1d",
    "nn.adaptive_avg_pool2d",
    "nn.adaptive_avg_pool3d",
    "nn.adaptive_max_pool1d",
    "nn.adaptive_max_pool2d",
    "nn.adaptive_max_pool3d",
    "nn.avg_pool1d",
    "nn.avg_pool2d",
    "nn.avg_pool3d",
    "nn.batch_matmul",
    "nn.bitserial_conv2d",
    "nn.bitserial_dense",
    "nn.contrib_conv2d_NCHWc",
    "nn.contrib_conv2d_gemm_weight_transform",
    "nn.contrib_conv2d_gemm_without_weight_transform",
    "nn.contrib_conv2d_winograd_weight_transform",
    "nn.contrib_conv2d_winograd_without_weight_transform",
    "nn.contrib_conv3d_winograd_weight_transform",
    "nn.contrib_conv3d_winograd_without_weight_transform",
    "nn.contrib_dense_pack",
    "nn.contrib_depthwise_conv2d_NCHWc",
    "nn.conv1d",
    "nn.conv1d_transpose",
    "nn.conv2d",
    "nn.conv2d_backward_weight",
    "nn.conv2d_transpose",
    "nn.conv3d",
    "nn.conv3d_transpose",
    "nn.correlation",
    "nn.deformable_conv2d",
    "nn.dense",
    "nn.dilate",
    "nn.internal.sparse_dense_padded",
    "nn.matmul",
    "nn.max_pool1d",
    "nn.max_pool2d",
    "nn.max_pool3d",
    "nn.mirror_pad",
    "nn.pad",
    "nn.space_to_batch_nd",
    "nn.sparse_conv2d",
    "nn.sparse_dense",
    "nn.upsampling",
    "nn.upsampling3d",
    "one_hot",
    "repeat",
    "sliding_window",
    "sparse_to_dense",
    "stft",
    "take",
    "tile",
    "vision.multibox_prior",
    "vision.roi_align",
    "vision.roi_pool",
)
"""What pads, spreads, repeats or multiplies without bound, as far as its type says."""

for _name, _size in _SIZES.items():
    result_size.set(relay_op(_name), _size)
for _name in _TYPED:
    result_size.set(relay_op(_name), _by_type(_name))
