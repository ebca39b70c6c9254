"""Losses: how far scores of classes are from what they should be."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError, OutOfBoundsError
from relayish.numeric.precision import narrow, widen
from relayish.numeric.softmax import log_softmax
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import choice, without_warnings


@kernel("NegativeLogLikelihoodLoss", since=(12, 13, 22))
@without_warnings
def negative_log_likelihood(
    scores: Array,
    target: Array,
    weight: Array | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> Array:
    """Return the negated scores, (N, C, ...), of the classes in ``target``, (N, ...)."""
    wide = widen(scores)
    return narrow(_loss(wide, target, weight, ignore_index, reduction), scores)


@kernel("SoftmaxCrossEntropyLoss", since=(12, 13))
@without_warnings
def softmax_cross_entropy(
    scores: Array,
    labels: Array,
    weights: Array | None = None,
    *,
    ignore_index: int | None = None,
    reduction: str = "mean",
) -> tuple[Array, Array]:
    """Return the loss of scores that are no logarithms yet, and these logarithms."""
    if scores.ndim < 2:
        raise EvaluationError(f"scores have shape {scores.shape}; expected (N, C, ...)")
    logarithms = log_softmax(widen(scores), 1)
    loss = _loss(logarithms, labels, weights, ignore_index, reduction)
    return narrow(loss, scores), narrow(logarithms, scores)


def _loss(
    logarithms: Array,
    target: Array,
    weight: Array | None,
    ignore_index: int | None,
    reduction: str,
) -> Array:
    choice(reduction, ("none", "sum", "mean"), "reduction")
    shape = logarithms.shape
    if len(shape) < 2 or target.shape != (shape[0], *shape[2:]):
        raise EvaluationError(
            f"scores of shape {shape} and classes of shape {target.shape}; expected (N, C, ...) "
            "and (N, ...)"
        )
    count = shape[1]
    if weight is not None and weight.shape != (count,):
        raise EvaluationError(f"weight has shape {weight.shape}; expected {(count,)}")
    ignored = np.zeros(target.shape, np.bool_) if ignore_index is None else target == ignore_index
    wrong = (target < 0) | (target >= count)
    if (wrong & ~ignored).any():
        found = target[wrong & ~ignored].reshape(-1)[0]
        raise OutOfBoundsError(f"the class {found} of {count}; expected 0 to {count - 1}")
    classes = np.where(ignored, 0, target)
    if not count:
        picked = np.zeros(target.shape, logarithms.dtype)
    else:
        picked = np.take_along_axis(logarithms, np.expand_dims(classes, 1), axis=1).squeeze(1)
    ones = np.ones(count, logarithms.dtype) if weight is None else widen(weight)
    shares = np.where(ignored, logarithms.dtype.type(0), ones[classes] if count else 0)
    losses = np.where(ignored, shares, -picked * shares)
    if reduction == "none":
        return np.asarray(losses)
    total = np.sum(losses)
    return np.asarray(total if reduction == "sum" else total / np.sum(shares))
