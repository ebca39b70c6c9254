"""Activations of neural networks."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, TupleType, Type
from relayish.numeric.axes import align
from relayish.numeric.elementary import scale_negative
from relayish.numeric.precision import is_whole, narrow
from relayish.numeric.softmax import log_softmax, softmax
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.registry import register_op
from relayish.op.declaration.relation import TypeReporter
from relayish.op.layouts.rules import Answer, Layouts, Types, keep_layout, of_axis
from relayish.op.nn.arguments import settle, tensor_so_far
from relayish.op.types.dimension import normalise_axis
from relayish.op.types.type_rules import identity, tensor
from relayish.op.values.evaluation import Array, Parameters, number_of


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


def _prelu_relation(
    attrs: PReluAttrs, types: tuple[Type, ...], reporter: TypeReporter
) -> Type | None:
    """The slope is a vector as long as the axis of the data."""
    data = tensor_so_far(types[0], "data")
    if data is None:
        return None
    size = data.shape[normalise_axis(attrs.axis, len(data.shape))]
    settle(reporter, types[1], TensorType((size,), data.dtype), "alpha")
    return data


def _softmax_type(attrs: SoftmaxAttrs, data: Type) -> TensorType:
    """Return the type of ``data``, which must have the axis."""
    found = tensor(data, "data")
    normalise_axis(attrs.axis, len(found.shape))
    return found


def _dropout_type(_: DropoutAttrs, data: Type) -> TupleType:
    """Return the types of the data and of the mask of what is left of it; they are the same."""
    found = tensor(data, "data")
    return TupleType((found, found))


def _dropout(_: DropoutAttrs, data: Array) -> tuple[Array, Array]:
    """Return the data and a mask that keeps all of it: programs are run to infer, not to train."""
    return data, np.ones_like(data)


def _relu(_: Parameters, data: Array) -> Array:
    return np.maximum(data, data.dtype.type(0)).astype(data.dtype, copy=False)  # int4 is widened


def _leaky_relu(attrs: LeakyReluAttrs, data: Array) -> Array:
    return narrow(scale_negative(data, number_of(attrs.alpha, data.dtype), zero=True), data)


def _prelu(attrs: PReluAttrs, data: Array, alpha: Array) -> Array:
    return narrow(scale_negative(data, align(alpha, attrs.axis, data.ndim), zero=True), data)


def _softmax(attrs: SoftmaxAttrs, data: Array) -> Array:
    return softmax(_check_floats(data), attrs.axis)


def _log_softmax(attrs: SoftmaxAttrs, data: Array) -> Array:
    return log_softmax(_check_floats(data), attrs.axis)


def _check_floats(data: Array) -> Array:
    if is_whole(data.dtype):
        raise EvaluationError(f"softmax of {data.dtype} has no value; cast the data to a float")
    return data


def _relu_into(_: Parameters, out: Array, data: Array) -> Array:
    return np.maximum(data, data.dtype.type(0), out=out)


def _dropout_layouts(
    attrs: DropoutAttrs, new: Layouts | None, old: Layouts, types: Types
) -> Answer:
    found = keep_layout(attrs, new, old, types)
    return None if found is None else found._replace(outputs=[*found.outputs, *found.outputs])


def _declare_softmax(
    name: str,
    summary: str,
    evaluate: Callable[..., Array],
    result_memory: ResultMemory | None = None,
    mixed_precision: MixedPrecision | None = None,
) -> None:
    """Declare a function of the exponentials along an axis."""
    register_op(
        name,
        arguments=("data",),
        description=f"{summary}\ndata (...) -> (...)",
        rule=_softmax_type,
        evaluate=evaluate,
        pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
        result_memory=result_memory,
        mixed_precision=mixed_precision,
        infer_layout=of_axis(),
    )


register_op(
    "nn.relu",
    description="""
    Replace negative elements by zero.
    data (...) -> (...)
    """,
    rule=identity,
    evaluate=_relu,
    pattern=OpPattern.ELEMWISE,
    result_memory=ResultMemory(into=_relu_into),
    mixed_precision=MixedPrecision.FOLLOW,
)
register_op(
    "nn.leaky_relu",
    signature="data, alpha=0.01",
    description="""
    Scale negative elements down.
    data (...); alpha the factor of negative elements -> (...)
    """,
    rule=identity,
    evaluate=_leaky_relu,
    pattern=OpPattern.ELEMWISE,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=keep_layout,
)
register_op(
    "nn.prelu",
    description="""
    Scale negative elements by a factor for each channel.
    data (..., c, ...); alpha (c,) -> (..., c, ...)
    """,
    relation=_prelu_relation,
    evaluate=_prelu,
    pattern=OpPattern.BROADCAST,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=of_axis(),
)
_declare_softmax(
    "nn.softmax",
    "Take exponentials divided by their sum along an axis.",
    _softmax,
    result_memory=ResultMemory(),
    mixed_precision=MixedPrecision.NEVER,
)
_declare_softmax(
    "nn.fast_softmax",
    "Take exponentials, approximated, divided by their sum along an axis.",
    _softmax,
)
_declare_softmax(
    "nn.log_softmax",
    "Take the logarithm of the softmax along an axis.",
    _log_softmax,
    result_memory=ResultMemory(),
)
register_op(
    "nn.dropout",
    description="""
    Drop elements while training; what is left is scaled.
    data (...) -> (...)
    """,
    rule=_dropout_type,
    evaluate=_dropout,
    outputs=2,
    stateful=True,
    mixed_precision=MixedPrecision.FOLLOW,
    infer_layout=_dropout_layouts,
)
