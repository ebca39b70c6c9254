"""Batch normalisation, and dropout: what a network does otherwise while it is trained."""

from __future__ import annotations

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.normalization import centre, normalise_channels
from relayish.numeric.precision import narrow, widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.spatial import check_spatial


@kernel("BatchNormalization", since=(14, 15))
def batch_normalization(
    x: Array,
    scale: Array,
    b: Array,
    input_mean: Array,
    input_var: Array,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
) -> tuple[Array, ...]:
    """Normalise channels by the statistics given, or in training by those of the batch."""
    if not training_mode:
        return (_normalize(x, scale, b, input_mean, input_var, epsilon),)
    mean, variance = _batch_statistics(x, (0, *range(2, x.ndim)))
    return (
        _normalize(x, scale, b, mean, variance, epsilon),
        _move(input_mean, mean, momentum),
        _move(input_var, variance, momentum),
    )


@kernel("BatchNormalization", since=(1, 6, 7, 9), removed={"is_test": 7, "spatial": 9})
def batch_normalization_by_outputs(
    x: Array,
    scale: Array,
    b: Array,
    mean: Array,
    var: Array,
    *,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    is_test: int = 0,
    spatial: int = 1,
    num_outputs: int = 1,
) -> tuple[Array, ...]:
    """Normalise by the statistics given; where more than one output is wanted, by the batch's.

    Without ``spatial`` every element of an instance has statistics of its own.
    """
    check_spatial("the input", x, least=2)
    if is_test or num_outputs == 1:
        return (_normalize(x, scale, b, mean, var, epsilon),)
    found, variance = _batch_statistics(x, (0, *range(2, x.ndim)) if spatial else (0,))
    return (
        _normalize(x, scale, b, found, variance, epsilon),
        _move(mean, found, momentum),
        _move(var, variance, momentum),
        found.astype(mean.dtype, copy=False),
        variance.astype(var.dtype, copy=False),
    )


def _batch_statistics(x: Array, axes: tuple[int, ...]) -> tuple[Array, Array]:
    check_spatial("the input", x, least=2)
    _, mean, variance = centre(widen(x), axes)
    return mean.squeeze(axes), variance.squeeze(axes)


def _move(old: Array, new: Array, momentum: float) -> Array:
    """Return the running statistics, moved towards those of the batch."""
    return narrow(widen(old) * momentum + new * (1 - momentum), old)


def _normalize(
    x: Array, scale: Array, b: Array, mean: Array, variance: Array, epsilon: float
) -> Array:
    check_spatial("the input", x, least=2)
    mean, variance, scale, b = (_spread(each, x) for each in (mean, variance, scale, b))
    return normalise_channels(x, mean, variance, scale, b, epsilon, at_once=True)


def _spread(statistics: Array, x: Array) -> Array:
    if statistics.shape == x.shape[1:]:
        return statistics
    if statistics.shape != (x.shape[1],):
        raise EvaluationError(
            f"scale, bias, mean and variance have together shape {statistics.shape}, the input has "
            f"{x.shape}; expected ({x.shape[1]},), one for each channel"
        )
    return statistics.reshape(-1, *(1,) * (x.ndim - 2))


@kernel("Dropout", since=(12, 13, 22))
def dropout(
    data: Array,
    ratio: Array | None = None,
    training_mode: Array | None = None,
    *,
    seed: int | None = None,
    generator: np.random.Generator | None = None,
) -> tuple[Array, Array]:
    """Return ``data`` itself, or in training zeros in ``ratio`` of its places and more elsewhere.

    A ``seed`` draws what numpy draws of it, as the tests of ONNX do.
    """
    rate = 0.5 if ratio is None else float(ratio.item())
    if training_mode is None or not training_mode.item():
        return data, np.ones(data.shape, np.bool_)
    return _drop(data, rate, seed, generator)


@kernel("Dropout", since=(10,))
def dropout_nothing(data: Array, *, ratio: float = 0.5) -> tuple[Array, Array]:  # noqa: ARG001 - used in training alone
    """Return ``data`` itself, and a mask that is true everywhere."""
    return data, np.ones(data.shape, np.bool_)


@kernel("Dropout", since=(1, 6, 7), removed={"is_test": 7})
def dropout_by_attribute(
    data: Array,
    *,
    ratio: float = 0.5,  # noqa: ARG001 - as above
    is_test: int = 0,  # noqa: ARG001 - models of that age do not say it, and are run for inference
) -> tuple[Array, Array]:
    """Return ``data`` itself, and a mask of ones that has its element type."""
    return data, np.ones_like(data)


def _drop(
    data: Array, rate: float, seed: int | None, generator: np.random.Generator | None
) -> tuple[Array, Array]:
    if not 0 <= rate < 1:
        raise EvaluationError(f"the ratio of a dropout is {rate}; expected 0 or more, and below 1")
    if rate == 0:
        return data, np.ones(data.shape, np.bool_)
    if seed is not None:
        drawn = np.random.RandomState(seed).uniform(0, 1, data.shape)
    else:
        drawn = (generator or np.random.default_rng()).uniform(0, 1, data.shape)
    mask = drawn >= rate
    wide = widen(data)
    kept = wide * mask * 1 / (1 - rate)
    return kept.astype(data.dtype, copy=False), mask
