"""Normalisations; evaluated as they are when a model is used, not trained."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.axes import align, normalise_axis
from relayish.numeric.normalization import (
    normalise_channels,
    normalise_locally,
    scale_and_shift,
    standardise,
)
from relayish.numeric.precision import narrow, widen
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.layouts.rules import of_axes, of_axis
from relayish.op.nn.arguments import settle, tensor_so_far
from relayish.op.types import dimension
from relayish.op.types.type_rules import identity
from relayish.op.values.evaluation import Array, number_of


@attrs("relay.attrs.BatchNormAttrs")
class BatchNormAttrs(Attrs):
    """Attributes of ``nn.batch_norm``."""

    axis: int = 1
    epsilon: float = 1e-05
    center: bool = True
    scale: bool = True


@attrs("relay.attrs.InstanceNormAttrs")
class InstanceNormAttrs(Attrs):
    """Attributes of ``nn.instance_norm``."""

    axis: int = 1
    epsilon: float = 1e-05
    center: bool = True
    scale: bool = True


@attrs("relay.attrs.LayerNormAttrs")
class LayerNormAttrs(Attrs):
    """Attributes of ``nn.layer_norm``."""

    axis: int = -1
    epsilon: float = 1e-05
    center: bool = True
    scale: bool = True


@attrs("relay.attrs.GroupNormAttrs")
class GroupNormAttrs(Attrs):
    """Attributes of ``nn.group_norm``."""

    num_groups: int = 0
    axis: int = 1
    epsilon: float = 1e-05
    center: bool = True
    scale: bool = True


@attrs("relay.attrs.LRNAttrs")
class LRNAttrs(Attrs):
    """Attributes of ``nn.lrn``."""

    size: int = 5
    axis: int = 1
    bias: float = 2.0
    alpha: float = 0.0001
    beta: float = 0.75


@attrs("relay.attrs.L2NormalizeAttrs")
class L2NormalizeAttrs(Attrs):
    """Attributes of ``nn.l2_normalize``."""

    eps: float
    axis: tuple[int, ...] | None


ScalingAttrs: TypeAlias = BatchNormAttrs | InstanceNormAttrs | LayerNormAttrs | GroupNormAttrs


def _norm_relation(
    attrs: ScalingAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """The scale and the offset are vectors as long as the axis of the data."""
    data = tensor_so_far(types[0], "data")
    if data is None:
        return None
    _settle_vectors(attrs, data, types[1:], reporter)
    return data


def _batch_norm_relation(
    attrs: BatchNormAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """All but the data are vectors as long as its axis; so are the second and third result."""
    data = tensor_so_far(types[0], "data")
    if data is None:
        return None
    vector = _settle_vectors(attrs, data, types[1:], reporter)
    return TupleType((data, vector, vector))


def _settle_vectors(
    attrs: ScalingAttrs, data: TensorType, types: tuple[Type, ...], reporter: TypeReporter
) -> TensorType:
    size = data.shape[dimension.normalise_axis(attrs.axis, len(data.shape))]
    vector = TensorType((size,), data.dtype)
    for ty, name in zip(types, ("gamma", "beta", "moving_mean", "moving_var"), strict=False):
        settle(reporter, ty, vector, name)
    return vector


def _batch_norm(
    attrs: BatchNormAttrs,
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
) -> tuple[Array, ...]:
    return batch_norm_into(attrs, None, data, gamma, beta, moving_mean, moving_var)


def batch_norm_into(
    attrs: BatchNormAttrs,
    out: Array | None,
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
) -> tuple[Array, ...]:
    """Evaluate ``nn.batch_norm`` with its first result in ``out``, which may be ``data``."""
    mean, variance = (align(each, attrs.axis, data.ndim) for each in (moving_mean, moving_var))
    scale, shift = _factors(attrs, gamma, beta, data.ndim)
    normal = normalise_channels(data, mean, variance, scale, shift, attrs.epsilon, out)
    return normal, moving_mean, moving_var


def _instance_norm(attrs: InstanceNormAttrs, data: Array, gamma: Array, beta: Array) -> Array:
    axis = normalise_axis(attrs.axis, data.ndim)
    axes = tuple(a for a in range(data.ndim) if a not in (0, axis))
    return _norm(attrs, data, axes, gamma, beta)


def _layer_norm(attrs: LayerNormAttrs, data: Array, gamma: Array, beta: Array) -> Array:
    return _norm(attrs, data, (normalise_axis(attrs.axis, data.ndim),), gamma, beta)


def _group_norm(attrs: GroupNormAttrs, data: Array, gamma: Array, beta: Array) -> Array:
    axis, groups = normalise_axis(attrs.axis, data.ndim), attrs.num_groups
    sizes = data.shape
    if groups < 1 or sizes[axis] % groups:
        raise EvaluationError(f"axis {axis} of size {sizes[axis]} has no {groups} equal groups")
    parts = (groups, sizes[axis] // groups)
    grouped = data.reshape((*sizes[:axis], *parts, *sizes[axis + 1 :]))
    axes = tuple(a for a in range(grouped.ndim) if a not in (0, axis))
    return _norm(attrs, grouped, axes, gamma, beta, sizes)


def _norm(
    attrs: ScalingAttrs,
    data: Array,
    axes: tuple[int, ...],
    gamma: Array,
    beta: Array,
    shape: tuple[int, ...] | None = None,
) -> Array:
    """Return ``data`` normalised along ``axes`` and then, in ``shape``, scaled along the axis."""
    normal, _, _ = standardise(widen(data), axes, attrs.epsilon)
    normal = normal if shape is None else normal.reshape(shape)
    return narrow(scale_and_shift(normal, *_factors(attrs, gamma, beta, normal.ndim)), data)


def _factors(
    attrs: ScalingAttrs, gamma: Array, beta: Array, rank: int
) -> tuple[Array | None, Array | None]:
    """Return what to scale by and what to add, along the axis and if asked for."""
    return (
        align(gamma, attrs.axis, rank) if attrs.scale else None,
        align(beta, attrs.axis, rank) if attrs.center else None,
    )


def _l2_normalize(attrs: L2NormalizeAttrs, data: Array) -> Array:
    wide = widen(data)
    given = range(data.ndim) if attrs.axis is None else attrs.axis
    axes = tuple({normalise_axis(axis, data.ndim) for axis in given})
    squares = np.square(wide).sum(axis=axes, keepdims=True, dtype=wide.dtype)
    lengths = np.sqrt(np.maximum(squares, number_of(attrs.eps, wide.dtype)))
    return (wide / lengths).astype(data.dtype, copy=False)


def _lrn(attrs: LRNAttrs, data: Array) -> Array:
    if attrs.size < 1 or attrs.size % 2 == 0:
        raise EvaluationError(f"a window of {attrs.size} neighbours has no middle; make size odd")
    axis = normalise_axis(attrs.axis, data.ndim)
    return normalise_locally(
        data, axis, attrs.size, alpha=attrs.alpha, beta=attrs.beta, bias=attrs.bias
    )


register_op(
    "nn.batch_norm",
    description="""
    Normalise by mean and variance of the batch, or by those that moved along.
    data (..., c, ...); gamma (c,); beta (c,); moving_mean (c,); moving_var (c,) -> a tuple: the
        result (..., c, ...), the new mean (c,), the new variance (c,)
    The call can be indexed and iterated: ``normalised, mean, var = nn.batch_norm(...)``.
    """,
    relation=_batch_norm_relation,
    evaluate=_batch_norm,
    outputs=3,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
    in_place=((3, 1), (4, 2)),
    overwritable=(0,),
    result_memory=ResultMemory(into=batch_norm_into),
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=of_axis(others=2),
)
register_op(
    "nn.instance_norm",
    description="""
    Normalise each channel of each image.
    data (n, ..., c, ...); gamma (c,); beta (c,) -> (n, ..., c, ...)
    """,
    relation=_norm_relation,
    evaluate=_instance_norm,
    infer_layout=of_axis(fixed=0),
)
register_op(
    "nn.layer_norm",
    description="""
    Normalise along one axis.
    data (..., c, ...); gamma (c,); beta (c,) -> (..., c, ...)
    """,
    relation=_norm_relation,
    evaluate=_layer_norm,
    mixed_precision=MixedPrecision.NEVER,
    infer_layout=of_axis(),
)
register_op(
    "nn.group_norm",
    signature="data, gamma, beta, num_groups, axis=1, epsilon=1e-05, center=True, scale=True",
    description="""
    Normalise groups of channels.
    data (n, ..., c, ...); gamma (c,); beta (c,) -> (n, ..., c, ...)
    """,
    relation=_norm_relation,
    evaluate=_group_norm,
    infer_layout=of_axis(fixed=0),
)
register_op(
    "nn.lrn",
    signature="data, size=5, axis=1, bias=2, alpha=1e-05, beta=0.75",
    description="""
    Normalise by the squares of neighbouring channels.
    data (n, c, h, w) -> (n, c, h, w)
    """,
    rule=identity,
    evaluate=_lrn,
    infer_layout=of_axis(),
)
register_op(
    "nn.l2_normalize",
    description="""
    Divide by the root of the sum of squares along axes.
    data (...) -> (...)
    """,
    rule=identity,
    evaluate=_l2_normalize,
    mixed_precision=MixedPrecision.NEVER,
    infer_layout=of_axes(),
)
