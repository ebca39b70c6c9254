"""Activations of neural networks."""

from __future__ import annotations

import numpy as np

from relayish.ir.attrs import Attrs, attrs
from relayish.op.evaluation import Array, Parameters, aligned
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.LeakyReluAttrs")
class LeakyReluAttrs(Attrs):
    """Attributes of ``nn.leaky_relu``, ``qnn.leaky_relu``."""

    alpha: float = 0.25


@attrs("relay.attrs.PReluAttrs")
class PReluAttrs(Attrs):
    """Attributes of ``nn.prelu``."""

    axis: int = 1


@attrs("relay.attrs.SoftmaxAttrs")
class SoftmaxAttrs(Attrs):
    """Attributes of ``nn.fast_softmax``, ``nn.log_softmax``, ``nn.softmax`` and others."""

    axis: int = -1


@attrs("relay.attrs.DropoutAttrs")
class DropoutAttrs(Attrs):
    """Attributes of ``nn.dropout``."""

    rate: float = 0.5


def _relu(_: Parameters, data: Array) -> Array:
    return np.maximum(data, data.dtype.type(0))


def _leaky_relu(attrs: LeakyReluAttrs, data: Array) -> Array:
    kind = data.dtype.type
    return np.where(data > 0, data, data * kind(attrs.alpha))


def _prelu(attrs: PReluAttrs, data: Array, alpha: Array) -> Array:
    return np.where(data > 0, data, data * aligned(alpha, attrs.axis, data.ndim))


def _softmax(attrs: SoftmaxAttrs, data: Array) -> Array:
    powers = np.exp(data - data.max(axis=attrs.axis, keepdims=True))
    return powers / powers.sum(axis=attrs.axis, keepdims=True, dtype=data.dtype)


def _log_softmax(attrs: SoftmaxAttrs, data: Array) -> Array:
    shifted = data - data.max(axis=attrs.axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=attrs.axis, keepdims=True, dtype=data.dtype))


register_op("nn.relu", arguments_=("data",), fuses=OpPattern.ELEMWISE, evaluates=_relu)
register_op(
    "nn.leaky_relu",
    arguments_=("data",),
    attrs=LeakyReluAttrs,
    fuses=OpPattern.ELEMWISE,
    evaluates=_leaky_relu,
)
register_op(
    "nn.prelu",
    arguments_=("data", "alpha"),
    attrs=PReluAttrs,
    fuses=OpPattern.BROADCAST,
    evaluates=_prelu,
)
register_op(
    "nn.softmax",
    arguments_=("data",),
    attrs=SoftmaxAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_softmax,
)
register_op(
    "nn.fast_softmax",
    arguments_=("data",),
    attrs=SoftmaxAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_softmax,
)
register_op(
    "nn.log_softmax",
    arguments_=("data",),
    attrs=SoftmaxAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
    evaluates=_log_softmax,
)
register_op("nn.dropout", arguments_=("data",), attrs=DropoutAttrs, has_state=True)
