"""Normalisations; evaluated as they are when a model is used, not trained."""

from __future__ import annotations

import numpy as np

from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, aligned, normal_axis
from relayish.op.registry import OpPattern, register_op


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


def _scaled(
    attrs: BatchNormAttrs | InstanceNormAttrs | LayerNormAttrs | GroupNormAttrs,
    normal: Array,
    gamma: Array,
    beta: Array,
) -> Array:
    """Return ``normal`` times ``gamma`` plus ``beta``, each along the axis and if asked for."""
    if attrs.scale:
        normal = normal * aligned(gamma, attrs.axis, normal.ndim)
    if attrs.center:
        normal = normal + aligned(beta, attrs.axis, normal.ndim)
    return normal


def _normal(data: Array, axes: tuple[int, ...], epsilon: float) -> Array:
    mean = data.mean(axis=axes, keepdims=True, dtype=data.dtype)
    variance = np.square(data - mean).mean(axis=axes, keepdims=True, dtype=data.dtype)
    return (data - mean) / np.sqrt(variance + data.dtype.type(epsilon))


def _batch_norm(
    attrs: BatchNormAttrs,
    data: Array,
    gamma: Array,
    beta: Array,
    moving_mean: Array,
    moving_var: Array,
) -> tuple[Array, ...]:
    deviation = np.sqrt(moving_var + moving_var.dtype.type(attrs.epsilon))
    centred = data - aligned(moving_mean, attrs.axis, data.ndim)
    normal = centred / aligned(deviation, attrs.axis, data.ndim)
    return _scaled(attrs, normal, gamma, beta), moving_mean, moving_var


def _instance_norm(attrs: InstanceNormAttrs, data: Array, gamma: Array, beta: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    axes = tuple(a for a in range(data.ndim) if a not in (0, axis))
    return _scaled(attrs, _normal(data, axes, attrs.epsilon), gamma, beta)


def _layer_norm(attrs: LayerNormAttrs, data: Array, gamma: Array, beta: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    return _scaled(attrs, _normal(data, (axis,), attrs.epsilon), gamma, beta)


def _group_norm(attrs: GroupNormAttrs, data: Array, gamma: Array, beta: Array) -> Array:
    axis = normal_axis(attrs.axis, data.ndim)
    sizes = data.shape
    grouped = data.reshape(
        (*sizes[:axis], attrs.num_groups, sizes[axis] // attrs.num_groups, *sizes[axis + 1 :])
    )
    axes = tuple(a for a in range(grouped.ndim) if a not in (0, axis))
    normal = _normal(grouped, axes, attrs.epsilon).reshape(sizes)
    return _scaled(attrs, normal, gamma, beta)


def _l2_normalize(attrs: L2NormalizeAttrs, data: Array) -> Array:
    squares = np.square(data).sum(axis=attrs.axis, keepdims=True, dtype=data.dtype)
    return data / np.sqrt(np.maximum(squares, data.dtype.type(attrs.eps)))


register_op(
    "nn.batch_norm",
    arguments_=("data", "gamma", "beta", "moving_mean", "moving_var"),
    attrs=BatchNormAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_batch_norm,
)
register_op(
    "nn.instance_norm",
    arguments_=("data", "gamma", "beta"),
    attrs=InstanceNormAttrs,
    evaluates=_instance_norm,
)
register_op(
    "nn.layer_norm",
    arguments_=("data", "gamma", "beta"),
    attrs=LayerNormAttrs,
    evaluates=_layer_norm,
)
register_op(
    "nn.group_norm",
    arguments_=("data", "gamma", "beta"),
    attrs=GroupNormAttrs,
    evaluates=_group_norm,
)
register_op("nn.lrn", arguments_=("data",), attrs=LRNAttrs)
register_op(
    "nn.l2_normalize", arguments_=("data",), attrs=L2NormalizeAttrs, evaluates=_l2_normalize
)
