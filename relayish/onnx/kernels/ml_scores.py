"""Scores of classifiers and regressors: what is done to them, and the labels they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.error_function import erf
from relayish.onnx.kernels.registry import Array

ML: Final = "ai.onnx.ml"
"""The domain of operators of classical machine learning."""


def transform_scores(scores: Array, post_transform: str) -> Array:
    """Return scores (rows, classes) after a transformation.

    Raises:
        EvaluationError: If there is no such transformation.
    """
    transform = _TRANSFORMS.get(post_transform)
    if transform is None:
        raise EvaluationError(
            f"post_transform is {post_transform!r}; expected one of {', '.join(_TRANSFORMS)}"
        )
    return transform(scores)


def _logistic(scores: Array) -> Array:
    half = np.asarray(0.5, scores.dtype)
    return np.asarray(np.tanh(scores * half) * half + half)


def _softmax(scores: Array) -> Array:
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    total: Array = exponentials / exponentials.sum(axis=1, keepdims=True)
    return total


def _softmax_zero(scores: Array) -> Array:
    """Return the softmax of what is not 0, of about which it leaves as it is."""
    highest = scores.max(axis=1, keepdims=True, initial=-np.inf)
    exponentials = np.where(
        np.abs(scores) > 1e-7, np.exp(scores - highest), scores * np.exp(-highest)
    )
    total = exponentials.sum(axis=1, keepdims=True)
    return np.asarray(exponentials / np.where(total == 0, 1, total))


def _probit(scores: Array) -> Array:
    """Return quantiles of the normal distribution: a first guess, improved by Halley's steps."""
    chances = scores.astype(np.float64)
    centered = 2 * chances - 1
    logarithm = np.log(np.maximum(1 - centered**2, 1e-300))
    middle = 2 / (np.pi * 0.147) + logarithm / 2
    guess = np.sign(centered) * np.sqrt(np.sqrt(middle**2 - logarithm / 0.147) - middle)
    quantiles = guess * np.sqrt(2)
    for _ in range(3):
        density = np.exp(-(quantiles**2) / 2) / np.sqrt(2 * np.pi)
        error = (0.5 * (1 + erf(quantiles / np.sqrt(2))) - chances) / np.maximum(density, 1e-300)
        quantiles = quantiles - error / (1 + quantiles * error / 2)
    ends = np.where(chances <= 0, -np.inf, np.where(chances >= 1, np.inf, quantiles))
    return np.where((chances < 0) | (chances > 1), np.nan, ends).astype(scores.dtype)


_TRANSFORMS: Final[dict[str, Callable[[Array], Array]]] = {
    "NONE": lambda scores: scores,
    "SOFTMAX": _softmax,
    "LOGISTIC": _logistic,
    "SOFTMAX_ZERO": _softmax_zero,
    "PROBIT": _probit,
}
POST_TRANSFORMS: Final = tuple(_TRANSFORMS)
"""Their names, by the numbers that they have where numbers are given."""


def read_labels(texts: tuple[str, ...] | None, numbers: tuple[int, ...] | None) -> Array:
    """Return the labels of classes: texts as objects, numbers as int64.

    Raises:
        EvaluationError: If there are neither.
    """
    if texts:
        return np.array(texts, object)
    if numbers:
        return np.array(numbers, np.int64)
    raise EvaluationError("no labels of classes are given; expected texts or integers")


def split_binary(scores: Array, post_transform: str, *, positive: bool) -> Array:
    """Return scores of two classes, of which only that of the second is known (rows, 1).

    Args:
        scores: Those of the second class.
        post_transform: What is done to them.
        positive: Whether scores are probabilities, or at least those of a sum of positive weights.
    """
    if post_transform == "PROBIT":
        quantiles = transform_scores(scores, post_transform)
        return np.concatenate([-quantiles, quantiles], axis=1)
    if positive:
        return np.concatenate([1 - scores, scores], axis=1)
    both = np.concatenate([-scores, scores], axis=1)
    return _logistic(both) if post_transform == "LOGISTIC" else both
