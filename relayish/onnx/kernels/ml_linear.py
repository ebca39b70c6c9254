"""Linear classifiers and regressors, and machines of support vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from relayish.errors import EvaluationError
from relayish.onnx.kernels.ml_scores import ML, read_labels, split_binary, transform_scores
from relayish.onnx.kernels.registry import Array, kernel


def _rows(x: Array) -> Array:
    """Return features as a matrix of rows, in single precision."""
    if x.ndim not in (1, 2):
        raise EvaluationError(f"features have shape {x.shape}; expected (rows, features)")
    return x.astype(np.float32, copy=False).reshape(-1 if x.size else x.shape[0], x.shape[-1])


def _matrix(numbers: Sequence[float], rows: int, columns: int, what: str) -> Array:
    if len(numbers) != rows * columns:
        raise EvaluationError(
            f"{what} has {len(numbers)} numbers; expected {rows} times {columns}, one for each "
            "feature of each score"
        )
    return np.array(numbers, np.float32).reshape(rows, columns)


@kernel("LinearRegressor", since=(1,), domain=ML)
def linear_regressor(
    x: Array,
    *,
    coefficients: tuple[float, ...] | None = None,
    intercepts: tuple[float, ...] | None = None,
    post_transform: str = "NONE",
    targets: int = 1,
) -> Array:
    """Return linear functions of features, (rows, targets)."""
    rows = _rows(x)
    weights = _matrix(coefficients or (), targets, rows.shape[1], "coefficients")
    scores = rows @ weights.T
    if intercepts:
        scores = scores + np.array(intercepts, np.float32)
    return transform_scores(scores, post_transform)


@kernel("LinearClassifier", since=(1,), domain=ML)
def linear_classifier(
    x: Array,
    *,
    coefficients: tuple[float, ...],
    classlabels_ints: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    intercepts: tuple[float, ...] | None = None,
    multi_class: int = 0,  # noqa: ARG001 - says how the weights were found
    post_transform: str = "NONE",
) -> tuple[Array, Array]:
    """Return the label of the greatest of linear functions, and the functions (rows, classes)."""
    rows = _rows(x)
    labels = read_labels(classlabels_strings, classlabels_ints)
    count = len(coefficients) // max(rows.shape[1], 1)
    weights = _matrix(coefficients, count, rows.shape[1], "coefficients")
    scores = rows @ weights.T
    if intercepts:
        scores = scores + np.array(intercepts, np.float32)
    if count == 1 and len(labels) <= 2:
        positive = scores[:, 0] > 0
        chosen = labels[positive.astype(np.int64)] if len(labels) == 2 else labels[[0] * len(rows)]
        if len(labels) == 2:
            logistic = post_transform == "LOGISTIC"
            return chosen, split_binary(scores, post_transform, positive=not logistic)
        return chosen, transform_scores(scores, post_transform)
    if count != len(labels):
        raise EvaluationError(
            f"there are {len(labels)} labels and {count} scores; expected one score for each label"
        )
    return labels[scores.argmax(axis=1)], transform_scores(scores, post_transform)


def _kernel_values(
    rows: Array, vectors: Array, kind: str, parameters: tuple[float, ...] | None
) -> Array:
    """Return the kernel of each row and each support vector, (rows, vectors)."""
    gamma, constant, degree = parameters or (0.0, 0.0, 0.0)
    if kind == "RBF":
        squares = np.square(rows[:, None] - vectors[None]).sum(axis=2)
        values: Array = np.exp(-np.float32(gamma) * squares)
        return values
    products = rows @ vectors.T
    if kind == "LINEAR":
        return products
    affine = np.float32(gamma) * products + np.float32(constant)
    if kind == "POLY":
        return np.asarray(affine ** np.float32(degree))
    if kind == "SIGMOID":
        return np.asarray(np.tanh(affine))
    raise EvaluationError(f"kernel_type is {kind!r}; expected LINEAR, POLY, RBF or SIGMOID")


@kernel("SVMRegressor", since=(1,), domain=ML)
def svm_regressor(
    x: Array,
    *,
    coefficients: tuple[float, ...] | None = None,
    kernel_params: tuple[float, ...] | None = None,
    kernel_type: str = "LINEAR",
    n_supports: int = 0,
    one_class: int = 0,
    post_transform: str = "NONE",
    rho: tuple[float, ...] | None = None,
    support_vectors: tuple[float, ...] | None = None,
) -> Array:
    """Return a sum of kernels of features and support vectors, (rows, 1)."""
    rows = _rows(x)
    weights = np.array(coefficients or (), np.float32)
    if n_supports:
        vectors = _matrix(support_vectors or (), n_supports, rows.shape[1], "support_vectors")
        values = _kernel_values(rows, vectors, kernel_type, kernel_params)
    else:
        values = rows
    if weights.shape != (values.shape[1],):
        raise EvaluationError(f"there are {len(weights)} coefficients; expected {values.shape[1]}")
    scores = (values @ weights)[:, None] + np.float32((rho or (0.0,))[0])
    if one_class:
        return np.where(scores > 0, np.float32(1), np.float32(-1))
    return transform_scores(scores, post_transform)


@kernel("SVMClassifier", since=(1,), domain=ML)
def svm_classifier(
    x: Array,
    *,
    classlabels_ints: tuple[int, ...] | None = None,
    classlabels_strings: tuple[str, ...] | None = None,
    coefficients: tuple[float, ...] | None = None,
    kernel_params: tuple[float, ...] | None = None,
    kernel_type: str = "LINEAR",
    post_transform: str = "NONE",
    prob_a: tuple[float, ...] | None = None,
    prob_b: tuple[float, ...] | None = None,
    rho: tuple[float, ...] | None = None,
    support_vectors: tuple[float, ...] | None = None,
    vectors_per_class: tuple[int, ...] | None = None,
) -> tuple[Array, Array]:
    """Return the label that wins most comparisons of two classes, and scores or probabilities."""
    rows = _rows(x)
    labels = read_labels(classlabels_strings, classlabels_ints)
    if not vectors_per_class:
        return _classify_linearly(rows, labels, coefficients, rho, post_transform)
    count = len(vectors_per_class)
    vectors = _matrix(
        support_vectors or (), sum(vectors_per_class), rows.shape[1], "support_vectors"
    )
    weights = _matrix(coefficients or (), count - 1, len(vectors), "coefficients")
    values = _kernel_values(rows, vectors, kernel_type, kernel_params)
    decisions, votes = _compare_classes(values, weights, vectors_per_class, rho or ())
    best = votes.argmax(axis=1)
    if prob_a and prob_b:
        exponents = decisions * np.array(prob_a, np.float32) + np.array(prob_b, np.float32)
        pairs = np.clip(1 / (1 + np.exp(exponents)), 1e-7, 1 - 1e-7)
        chances = _couple(pairs.astype(np.float64), count).astype(np.float32)
        return labels[best], transform_scores(chances, post_transform)
    if decisions.shape[1] == 1 and len(labels) == 2:
        return labels[best], split_binary(decisions, post_transform, positive=False)
    return labels[best], transform_scores(decisions, post_transform)


def _classify_linearly(
    rows: Array,
    labels: Array,
    coefficients: tuple[float, ...] | None,
    rho: tuple[float, ...] | None,
    post_transform: str,
) -> tuple[Array, Array]:
    weights = _matrix(coefficients or (), len(labels), rows.shape[1], "coefficients")
    scores = rows @ weights.T + np.float32((rho or (0.0,))[0])
    return labels[scores.argmax(axis=1)], transform_scores(scores, post_transform)


def _compare_classes(
    values: Array, weights: Array, sizes: tuple[int, ...], rho: tuple[float, ...]
) -> tuple[Array, Array]:
    """Return the decision between each two classes (rows, pairs), and votes (rows, classes)."""
    ends = np.cumsum((0, *sizes))
    parts = [slice(ends[n], ends[n + 1]) for n in range(len(sizes))]
    votes = np.zeros((len(values), len(sizes)), np.int64)
    decisions: list[Array] = []
    for first in range(len(sizes)):
        for second in range(first + 1, len(sizes)):
            mine, theirs = parts[first], parts[second]
            decision = values[:, mine] @ weights[second - 1, mine]
            decision = decision + values[:, theirs] @ weights[first, theirs]
            if len(decisions) < len(rho):
                decision = decision + np.float32(rho[len(decisions)])
            decisions.append(decision)
            votes[:, first] += decision > 0
            votes[:, second] += decision <= 0
    return np.stack(decisions, axis=1), votes


def _couple(pairs: Array, count: int) -> Array:
    """Return probabilities (rows, classes) from those of each two classes.

    They minimise the sum of squares of ``r[j, i] * p[i] - r[i, j] * p[j]``, found by Gauss-Seidel
    steps (Wu, Lin and Weng, 2004), which end for each row where they change little.
    """
    rows = len(pairs)
    chances = np.zeros((rows, count, count))
    position = 0
    for first in range(count):
        for second in range(first + 1, count):
            chances[:, first, second] = pairs[:, position]
            chances[:, second, first] = 1 - pairs[:, position]
            position += 1
    quadratic = -chances * chances.transpose(0, 2, 1)
    squares = np.square(chances).sum(axis=1)
    quadratic[:, np.arange(count), np.arange(count)] = squares
    found = np.full((rows, count), 1 / count)
    for _ in range(max(100, count)):
        products = np.einsum("nij,nj->ni", quadratic, found)
        total = np.einsum("ni,ni->n", found, products)
        far = np.abs(products - total[:, None]).max(axis=1, keepdims=True) >= 0.005 / count
        if not far.any():
            break
        before = found.copy()
        for at in range(count):
            step = (total - products[:, at]) / quadratic[:, at, at]
            found[:, at] += step
            scale = 1 + step
            total = (total + step * (step * quadratic[:, at, at] + 2 * products[:, at])) / scale**2
            products = (products + step[:, None] * quadratic[:, at]) / scale[:, None]
            found /= scale[:, None]
        found = np.where(far, found, before)
    return found
