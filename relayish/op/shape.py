"""Operators that give the elements of a tensor another shape, and those that ask for the shape."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, Parameters, normal_axis, result_dtype
from relayish.op.fields import OptionalDType
from relayish.op.init import InitOpAttrs
from relayish.op.registry import OpPattern, get_op, register_op, shape_only
from relayish.op.reshaping import reshaped


@attrs("relay.attrs.ReshapeAttrs")
class ReshapeAttrs(Attrs):
    """Attributes of ``reshape``, ``contrib_reverse_reshape``, ``dyn.reshape``."""

    newshape: tuple[int, ...]
    allowzero: bool = False


@attrs("relay.attrs.ReshapeLikeAttrs")
class ReshapeLikeAttrs(Attrs):
    """Attributes of ``reshape_like``."""

    lhs_begin: int = 0
    lhs_end: int | None = None
    rhs_begin: int = 0
    rhs_end: int | None = None


@attrs("relay.attrs.SqueezeAttrs")
class SqueezeAttrs(Attrs):
    """Attributes of ``squeeze``, ``dyn.squeeze``."""

    axis: tuple[int, ...] | None = None


@attrs("relay.attrs.ExpandDimsAttrs")
class ExpandDimsAttrs(Attrs):
    """Attributes of ``expand_dims``."""

    axis: int
    num_newaxis: int = 1


@attrs("relay.attrs.ShapeOfAttrs")
class ShapeOfAttrs(Attrs):
    """Attributes of ``shape_of``, ``vm.shape_of``."""

    dtype: OptionalDType = None


@attrs("relay.attrs.NdarraySizeAttrs")
class NdarraySizeAttrs(Attrs):
    """Attributes of ``ndarray_size``."""

    dtype: OptionalDType = None


def _reshape(attrs: ReshapeAttrs, data: Array) -> Array:
    return data.reshape(reshaped(data.shape, attrs.newshape, allowzero=attrs.allowzero))


def _reverse_reshape(attrs: ReshapeAttrs, data: Array) -> Array:
    if any(size < -3 for size in attrs.newshape):
        raise EvaluationError(f"contrib_reverse_reshape cannot split; found {attrs.newshape}")
    backwards = reshaped(data.shape[::-1], attrs.newshape[::-1], allowzero=attrs.allowzero)
    return data.reshape(backwards[::-1])


def _reshape_like(attrs: ReshapeLikeAttrs, data: Array, like: Array) -> Array:
    def bounds(begin: int, end: int | None, rank: int) -> tuple[int, int]:
        last = rank if end is None else end
        return (begin + rank if begin < 0 else begin), (last + rank if last < 0 else last)

    lhs_begin, lhs_end = bounds(attrs.lhs_begin, attrs.lhs_end, data.ndim)
    rhs_begin, rhs_end = bounds(attrs.rhs_begin, attrs.rhs_end, like.ndim)
    middle = like.shape[rhs_begin:rhs_end]
    return data.reshape(data.shape[:lhs_begin] + middle + data.shape[lhs_end:])


def _squeeze(attrs: SqueezeAttrs, data: Array) -> Array:
    return np.squeeze(data, attrs.axis)


def _expand_dims(attrs: ExpandDimsAttrs, data: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim + 1)
    return data.reshape(data.shape[:axis] + (1,) * attrs.num_newaxis + data.shape[axis:])


def _broadcast_to(attrs: InitOpAttrs, data: Array) -> Array:
    if attrs.shape is None:
        raise EvaluationError("broadcast_to has no shape; set shape=(...)")
    return np.broadcast_to(data, attrs.shape)


def collapsed(data: Array, shape: Sequence[int]) -> Array:
    """Return ``data`` summed over the axes along which ``shape`` would broadcast to its own.

    Raises:
        EvaluationError: If ``shape`` does not broadcast to the shape of ``data``.

    """
    extra = data.ndim - len(shape)
    if extra < 0 or any(b not in (1, a) for a, b in zip(data.shape[extra:], shape, strict=True)):
        raise EvaluationError(f"{tuple(data.shape)} cannot be summed down to {tuple(shape)}")
    axes = tuple(
        i for i in range(data.ndim) if i < extra or (shape[i - extra] == 1 != data.shape[i])
    )
    total = np.add.reduce(data, axis=axes, dtype=data.dtype) if axes else data
    return np.asarray(total).reshape(shape)


def _shape_of(attrs: ShapeOfAttrs, data: Array) -> Array:
    return np.array(data.shape, result_dtype(attrs.dtype, np.dtype(np.int32)))


def _ndarray_size(attrs: NdarraySizeAttrs, data: Array) -> Array:
    dtype = result_dtype(attrs.dtype, np.dtype(np.int32))
    return np.array(math.prod(data.shape), dtype)[()]


def _collapse_sum_to(_: Parameters, data: Array, shape: Array) -> Array:
    return collapsed(data, shape.ravel().tolist())


def _broadcast_to_like(_: Parameters, data: Array, like: Array) -> Array:
    return np.broadcast_to(data, like.shape)


def _collapse_sum_like(_: Parameters, data: Array, like: Array) -> Array:
    return collapsed(data, like.shape)


def _batch_flatten(_: Parameters, data: Array) -> Array:
    return data.reshape((data.shape[0], math.prod(data.shape[1:])))


register_op(
    "reshape",
    arguments_=("data",),
    attrs=ReshapeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_reshape,
)
register_op(
    "contrib_reverse_reshape",
    arguments_=("data",),
    attrs=ReshapeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_reverse_reshape,
)
register_op(
    "reshape_like",
    arguments_=("data", "shape_like"),
    attrs=ReshapeLikeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_reshape_like,
)
register_op(
    "squeeze",
    arguments_=("data",),
    attrs=SqueezeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_squeeze,
)
register_op(
    "expand_dims",
    arguments_=("data",),
    attrs=ExpandDimsAttrs,
    fuses=OpPattern.BROADCAST,
    evaluates=_expand_dims,
)
register_op(
    "broadcast_to",
    arguments_=("data",),
    attrs=InitOpAttrs,
    fuses=OpPattern.BROADCAST,
    evaluates=_broadcast_to,
)
register_op(
    "broadcast_to_like",
    arguments_=("data", "broadcast_type"),
    fuses=OpPattern.BROADCAST,
    evaluates=_broadcast_to_like,
)
register_op(
    "collapse_sum_to",
    arguments_=("data", "shape"),
    fuses=OpPattern.COMM_REDUCE,
    evaluates=_collapse_sum_to,
)
register_op(
    "collapse_sum_like",
    arguments_=("data", "collapse_type"),
    fuses=OpPattern.COMM_REDUCE,
    evaluates=_collapse_sum_like,
)
register_op("shape_of", arguments_=("data",), attrs=ShapeOfAttrs, evaluates=_shape_of)
register_op(
    "ndarray_size",
    arguments_=("data",),
    attrs=NdarraySizeAttrs,
    fuses=OpPattern.INJECTIVE,
    evaluates=_ndarray_size,
)
register_op(
    "nn.batch_flatten", arguments_=("data",), fuses=OpPattern.INJECTIVE, evaluates=_batch_flatten
)

shape_only.set(get_op("shape_of"), lambda shape: shape)
shape_only.set(get_op("ndarray_size"), math.prod)
