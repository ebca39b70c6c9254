"""Losses."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.attributes.attrs import Attrs, attrs
from relayish.ir.relay.type import TensorType, Type
from relayish.numeric.precision import widen
from relayish.op.declaration.properties import MixedPrecision, OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.nn.arguments import unify_sizes
from relayish.op.types.dimension import show_type
from relayish.op.types.type_rules import tensor, unify_dtype
from relayish.op.values.evaluation import Array, Parameters


@attrs("relay.attrs.NLLLossAttrs")
class NLLLossAttrs(Attrs):
    """Attributes of ``nn.nll_loss``."""

    reduction: str = "mean"
    ignore_index: int  # type: ignore[misc]  # required, given by name


def _cross_entropy_type(_: Parameters, x: Type, y: Type) -> TensorType:
    """Return a scalar for two tensors of one shape ``(batch, classes)``."""
    left, right = tensor(x, "x", 2), tensor(y, "y", 2)
    for one, other, name in zip(left.shape, right.shape, ("rows", "columns"), strict=True):
        unify_sizes(one, other, f"x has {{}} {name}, y has {{}}")
    return TensorType((), unify_dtype(left, right))


def _nll_loss_type(
    attrs: NLLLossAttrs, predictions: Type, targets: Type, weights: Type
) -> TensorType:
    """Relate ``(n, c, d1, …)``, ``(n, d1, …)`` and ``(c,)``.

    The result is a scalar, or without a reduction as large as ``targets``.
    """
    given, wanted = tensor(predictions, "predictions"), tensor(targets, "targets")
    scale = tensor(weights, "weights", 1)
    if len(given.shape) < 2 or len(given.shape) != len(wanted.shape) + 1:
        raise TypeInferenceError(
            f"predictions must have one dimension more than targets, the second; "
            f"found {show_type(given)} and {show_type(wanted)}"
        )
    unify_sizes(given.shape[1], scale.shape[0], "predictions are of {} classes, weights of {}")
    unify_dtype(given, scale)
    if not wanted.dtype.startswith(("int", "uint")):
        raise TypeInferenceError(f"targets must be integers; found {show_type(wanted)}")
    shape = [
        unify_sizes(
            size, other, f"in axis {axis} of targets predictions have size {{}}, targets {{}}"
        )
        for axis, (size, other) in enumerate(
            zip((given.shape[0], *given.shape[2:]), wanted.shape, strict=True)
        )
    ]
    return TensorType(tuple(shape) if attrs.reduction == "none" else (), given.dtype)


def _cross_entropy(_: Parameters, x: Array, y: Array) -> Array:
    return _mean_product(np.log(widen(x)), y, x)


def _cross_entropy_with_logits(_: Parameters, x: Array, y: Array) -> Array:
    return _mean_product(widen(x), y, x)


def _mean_product(logits: Array, y: Array, x: Array) -> Array:
    """Return minus the mean over rows of the sums of products, as Relay defines both losses."""
    total = (logits * widen(y)).sum(dtype=logits.dtype)
    return (-total / logits.dtype.type(len(x))).astype(x.dtype)


def _nll_loss(attrs: NLLLossAttrs, predictions: Array, targets: Array, weights: Array) -> Array:
    counts = targets != attrs.ignore_index
    classes = np.where(counts, targets, 0)
    if classes.size and not 0 <= classes.min() <= classes.max() < len(weights):
        raise EvaluationError(f"a target is not one of {len(weights)} classes")
    kind = widen(predictions).dtype
    chosen = np.take_along_axis(predictions, np.expand_dims(classes, 1), 1).squeeze(1)
    scale = np.where(counts, weights[classes].astype(kind), kind.type(0))
    loss = np.where(counts, -chosen.astype(kind) * scale, kind.type(0))
    match attrs.reduction:
        case "none":
            return loss.astype(predictions.dtype, copy=False)
        case "sum":
            return loss.sum(dtype=kind).astype(predictions.dtype)
        case "mean":
            return (loss.sum(dtype=kind) / scale.sum(dtype=kind)).astype(predictions.dtype)
    raise EvaluationError(f"reduction {attrs.reduction!r} is not mean, sum or none")


register_op(
    "nn.cross_entropy",
    arguments=("x", "y"),
    signature="predictions, targets",
    description="""
    Take the cross entropy of predicted probabilities, the mean over the batch.
    predictions (n, c); targets (n, c) -> ()
    """,
    rule=_cross_entropy_type,
    evaluate=_cross_entropy,
    mixed_precision=MixedPrecision.NEVER,
)
register_op(
    "nn.cross_entropy_with_logits",
    arguments=("x", "y"),
    signature="predictions, targets",
    description="""
    Take the cross entropy of logarithms of probabilities, the mean over the batch.
    predictions (n, c); targets (n, c) -> ()
    """,
    rule=_cross_entropy_type,
    evaluate=_cross_entropy_with_logits,
    mixed_precision=MixedPrecision.NEVER,
)
register_op(
    "nn.nll_loss",
    signature="predictions, targets, weights, reduction='mean', ignore_index=-100",
    description="""
    Take the negative predictions of the right classes, weighted.
    predictions (n, c, ...); targets (n, ...) of integers; weights (c,) -> () or, with reduction
        none, (n, ...)
    """,
    rule=_nll_loss_type,
    evaluate=_nll_loss,
    pattern=OpPattern.OUT_ELEMWISE_FUSABLE,
)
