"""How large the results of operators get that may make far more than they are given.

Whoever evaluates a program before it runs asks here first, so that ``repeat(1, 10**12)`` stays a
call instead of becoming an array.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, Final, TypeAlias

import numpy as np

from relayish.ir.type import TensorType, TupleType, Type
from relayish.op.evaluation import as_sizes
from relayish.op.registry import get_op, relation, result_size, rule

Size: TypeAlias = Callable[..., int]
Array: TypeAlias = Any  # a numpy scalar or array
Parameters: TypeAlias = Any  # the attributes of the one operator


def _by_shape(attrs: Parameters, *_inputs: Array) -> int:
    return int(prod(attrs.shape))


def _by_last_input(_: Parameters, *inputs: Array) -> int:
    return int(prod(np.ravel(inputs[-1]).tolist()))


def _tile(attrs: Parameters, data: Array) -> int:
    return int(data.size * prod(attrs.reps))


def _tile_by_input(_: Parameters, data: Array, reps: Array) -> int:
    return int(data.size * prod(np.ravel(reps).tolist()))


def _repeat(attrs: Parameters, data: Array) -> int:
    return int(data.size) * int(attrs.repeats)


def _one_hot(attrs: Parameters, indices: Array, *_values: Array) -> int:
    return int(indices.size) * int(attrs.depth)


def _one_hot_by_input(_: Parameters, indices: Array, _on: Array, _off: Array, depth: Array) -> int:
    return int(indices.size * depth)


def _arange(_: Parameters, start: Array, end: Array, step: Array) -> int:
    return max(0, int((end - start) / step)) if step else 0


def _pad(attrs: Parameters, data: Array, *_value: Array) -> int:
    sizes = zip(data.shape, attrs.pad_width, strict=True)
    return prod(size + int(before) + int(after) for size, (before, after) in sizes)


def _pad_by_input(_: Parameters, data: Array, widths: Array, *_value: Array) -> int:
    return prod(size + int(pad.sum()) for size, pad in zip(data.shape, widths, strict=True))


def _dilate(attrs: Parameters, data: Array) -> int:
    strides = zip(data.shape, attrs.strides, strict=True)
    return prod((size - 1) * int(stride) + 1 for size, stride in strides)


def _take(attrs: Parameters, data: Array, indices: Array) -> int:
    along = 1 if attrs.axis is None else data.size // max(1, data.shape[attrs.axis])
    return int(indices.size * along)


def _gather_nd(_: Parameters, data: Array, indices: Array) -> int:
    taken = indices.shape[0]
    return int(prod(indices.shape[1:]) * prod(data.shape[taken:]))


class _Deaf:
    """A reporter for relations between types that are all known already."""

    def assign(self, unknown: Type, found: Type) -> None:
        """Leave both as they are."""


def _by_type(name: str) -> Size:
    """Return the size of the tensor that the rule or relation of the operator says."""
    op = get_op(name)
    find, relate = rule.get(op), relation.get(op)

    def size(attrs: Parameters, *inputs: Array) -> int:
        types = tuple(map(_type_of, inputs))
        result = relate(attrs, types, _Deaf()) if relate is not None else None
        result = find(attrs, *types) if find is not None else result
        assert isinstance(result, TensorType)
        return prod(as_sizes(result.shape))

    return size


def _type_of(value: Array) -> Type:
    if isinstance(value, tuple):
        return TupleType(tuple(map(_type_of, value)))
    return TensorType(value.shape, value.dtype.name)


def _bitserial_dense(attrs: Parameters, data: Array, _weight: Array) -> int:
    return int(prod(data.shape[:-1]) * attrs.units)


def _dense(_: Parameters, data: Array, weight: Array) -> int:
    return int(prod(data.shape[:-1]) * weight.shape[0])


def _matmul(attrs: Parameters, lhs: Array, rhs: Array) -> int:
    rows = lhs.shape[:-2] + lhs.shape[-1:] if attrs.transpose_a else lhs.shape[:-1]
    return int(prod(rows) * rhs.shape[-2 if attrs.transpose_b else -1])


def _batch_matmul(attrs: Parameters, lhs: Array, rhs: Array) -> int:
    rows = int(lhs.shape[2 if attrs.transpose_a else 1])
    columns = int(rhs.shape[1 if attrs.transpose_b else 2])
    return int(max(lhs.shape[0], rhs.shape[0]) * rows * columns)


def _meshgrid(_: Parameters, data: tuple[Array, ...]) -> int:
    return int(len(data) * prod(item.size for item in data))


def _sparse_to_dense(attrs: Parameters, *_inputs: Array) -> int:
    return int(prod(attrs.output_shape))


_SIZES: Final[dict[str, Size]] = {
    "arange": _arange,
    "broadcast_to": _by_shape,
    "dyn.broadcast_to": _by_last_input,
    "dyn.full": _by_last_input,
    "dyn.nn.pad": _pad_by_input,
    "dyn.one_hot": _one_hot_by_input,
    "dyn.ones": _by_last_input,
    "dyn.tile": _tile_by_input,
    "dyn.zeros": _by_last_input,
    "einsum": _by_type("einsum"),
    "full": _by_shape,
    "gather_nd": _gather_nd,
    "meshgrid": _meshgrid,
    "nn.batch_matmul": _batch_matmul,
    "nn.bitserial_dense": _bitserial_dense,
    "nn.contrib_dense_pack": _by_type("nn.contrib_dense_pack"),
    "nn.correlation": _by_type("nn.correlation"),
    "nn.dense": _dense,
    "nn.dilate": _dilate,
    "nn.internal.sparse_dense_padded": _by_type("nn.internal.sparse_dense_padded"),
    "nn.matmul": _matmul,
    "nn.pad": _pad,
    "nn.space_to_batch_nd": _by_type("nn.space_to_batch_nd"),
    "nn.sparse_conv2d": _by_type("nn.sparse_conv2d"),
    "nn.sparse_dense": _by_type("nn.sparse_dense"),
    "nn.upsampling": _by_type("nn.upsampling"),
    "nn.upsampling3d": _by_type("nn.upsampling3d"),
    "one_hot": _one_hot,
    "repeat": _repeat,
    "sparse_to_dense": _sparse_to_dense,
    "take": _take,
    "tile": _tile,
}

_TYPED: Final = (
    "nn.adaptive_avg_pool1d",
    "nn.adaptive_avg_pool2d",
    "nn.adaptive_avg_pool3d",
    "nn.adaptive_max_pool1d",
    "nn.adaptive_max_pool2d",
    "nn.adaptive_max_pool3d",
    "nn.avg_pool1d",
    "nn.avg_pool2d",
    "nn.avg_pool3d",
    "nn.bitserial_conv2d",
    "nn.contrib_conv2d_NCHWc",
    "nn.contrib_conv2d_gemm_weight_transform",
    "nn.contrib_conv2d_gemm_without_weight_transform",
    "nn.contrib_conv2d_winograd_weight_transform",
    "nn.contrib_conv2d_winograd_without_weight_transform",
    "nn.contrib_conv3d_winograd_weight_transform",
    "nn.contrib_conv3d_winograd_without_weight_transform",
    "nn.contrib_depthwise_conv2d_NCHWc",
    "nn.conv1d",
    "nn.conv1d_transpose",
    "nn.conv2d",
    "nn.conv2d_backward_weight",
    "nn.conv2d_transpose",
    "nn.conv3d",
    "nn.conv3d_transpose",
    "nn.deformable_conv2d",
    "nn.max_pool1d",
    "nn.max_pool2d",
    "nn.max_pool3d",
)
"""Convolutions and pools may pad, spread and multiply without bound: their types tell."""

for _name, _size in _SIZES.items():
    result_size.set(get_op(_name), _size)
for _name in _TYPED:
    result_size.set(get_op(_name), _by_type(_name))
