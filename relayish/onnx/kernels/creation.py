"""Tensors made of attributes, sizes and numbers: constants, ranges, unit matrices."""

from __future__ import annotations

import math
from typing import Any, Final, Protocol

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.arguments import get_scalar
from relayish.numeric.precision import is_integral, widen
from relayish.onnx.element_types import find_numpy_dtype
from relayish.onnx.kernels.casting import cast_to
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import Value, check_rank, numbers_of, without_warnings

_FLOAT: Final = 1


class Sparse(Protocol):
    """What a sparse tensor is given as: a map with ``values``, ``indices`` and ``dims``."""

    def get(self, name: str, /) -> Any:  # Any: two arrays, and a tuple of numbers
        """Return a part."""


@kernel("Constant", since=(1, 9))
def constant_tensor(*, value: Array) -> Array:
    """Return the tensor of the attribute."""
    return value


@kernel("Constant", since=(11,))
def constant_tensor_or_sparse(
    *, value: Array | None = None, sparse_value: Sparse | Array | None = None
) -> Array:
    """Return the tensor of the attribute, a sparse one with all its elements."""
    return constant(value=value, sparse_value=sparse_value)


@kernel("Constant", since=(12, 13, 19, 21, 23, 24, 25))
def constant(
    *,
    value: Array | None = None,
    sparse_value: Sparse | Array | None = None,
    value_float: float | None = None,
    value_floats: tuple[float, ...] | None = None,
    value_int: int | None = None,
    value_ints: tuple[int, ...] | None = None,
    value_string: str | None = None,
    value_strings: tuple[str, ...] | None = None,
) -> Array:
    """Return the tensor of the one attribute that is given, a sparse one with all its elements."""
    found = [] if value is None else [value]
    if sparse_value is not None:
        found.append(sparse_value if isinstance(sparse_value, np.ndarray) else _dense(sparse_value))
    for number, dtype in (
        (value_float, np.float32),
        (value_floats, np.float32),
        (value_int, np.int64),
        (value_ints, np.int64),
        (value_string, np.object_),
        (value_strings, np.object_),
    ):
        if number is not None:
            found.append(np.array(number, dtype))
    if len(found) != 1:
        raise EvaluationError(f"Constant has {len(found)} values; expected one attribute with one")
    return found[0]


def _dense(sparse: Sparse) -> Array:
    """Return a tensor of which some elements are told, by rows of places or by their number."""
    values, places, sizes = (sparse.get(part) for part in ("values", "indices", "dims"))
    result = np.zeros(sizes, values.dtype)
    if places.ndim == 1:
        places = np.stack(np.unravel_index(places, sizes), axis=-1)
    if places.shape != (len(values), len(sizes)):
        raise EvaluationError(
            f"a sparse tensor of shape {tuple(sizes)} has {len(values)} elements and places of "
            f"shape {places.shape}; expected a row of {len(sizes)} for each"
        )
    result[tuple(places.T)] = values
    return result


@kernel("ConstantOfShape", since=(9, 20, 21, 23, 24, 25))
def constant_of_shape(shape: Array, *, value: Array | None = None) -> Array:
    """Return a tensor of the shape given, each element of which is ``value``, 0.0 if none is."""
    sizes = numbers_of(shape, "input of ConstantOfShape")
    if min(sizes, default=0) < 0:
        raise EvaluationError(f"shape {list(sizes)} of ConstantOfShape; expected 0 or more")
    if value is None:
        return np.zeros(sizes, np.float32)
    get_scalar(value, "value of ConstantOfShape")
    return np.full(sizes, value.reshape(()), value.dtype)


@kernel("Range", since=(11,))
def value_range(start: Array, limit: Array, delta: Array) -> Array:
    """Return ``start``, and so on by steps of ``delta``, to before ``limit``."""
    return value_range_of_precision(start, limit, delta)


@kernel("Range", since=(27,))
@without_warnings
def value_range_of_precision(
    start: Array, limit: Array, delta: Array, *, stash_type: int = _FLOAT
) -> Array:
    """Return ``start``, and so on by steps of ``delta``, to before ``limit``.

    Narrow floating point numbers are computed in ``float32`` where ``stash_type`` is 1.
    """
    first, last, step = (
        get_scalar(data, f"{what} of Range")
        for data, what in ((start, "start"), (limit, "limit"), (delta, "delta"))
    )
    if not step:
        raise EvaluationError("delta of Range is 0; expected another step")
    if is_integral(start.dtype):
        count = max(-((first - last) // step), 0)
        places = np.arange(count, dtype=np.int64)
        return np.asarray(first + step * places).astype(start.dtype)
    share = (last - first) / step
    if not math.isfinite(share):
        raise EvaluationError(
            f"Range from {first} to {last} by {step} has no end; expected finite numbers"
        )
    dtype = widen(start).dtype if stash_type == _FLOAT else start.dtype
    numbers = np.arange(max(math.ceil(share), 0)).astype(dtype)
    wide = (start.astype(dtype).reshape(()), delta.astype(dtype).reshape(()))
    return np.asarray(wide[0] + numbers * wide[1]).astype(start.dtype)


@kernel("EyeLike", since=(9, 22))
def eye_like(data: Array, *, dtype: int | None = None, k: int = 0) -> Array:
    """Return a matrix of the same shape with ones on the ``k``-th diagonal."""
    check_rank(data, 2, "input of EyeLike")
    of_type = data.dtype if dtype is None else find_numpy_dtype(dtype)
    return cast_to(np.eye(data.shape[0], data.shape[1], k, np.bool_), of_type)


def random_generator(
    seed: float | None, generator: np.random.Generator | None
) -> np.random.Generator:
    """Return what numbers are drawn from: one of its own where a seed is given."""
    if seed is not None:
        return np.random.default_rng(int(np.float32(seed).view(np.uint32)))
    return np.random.default_rng() if generator is None else generator


def _draw_normal(
    shape: tuple[int, ...], mean: float, scale: float, source: np.random.Generator
) -> Value:
    return mean + scale * source.standard_normal(shape)


def _draw_uniform(
    shape: tuple[int, ...], low: float, high: float, source: np.random.Generator
) -> Value:
    return low + (high - low) * source.random(shape)


@kernel("RandomNormal", since=(1, 22))
def random_normal(
    *,
    shape: tuple[int, ...],
    dtype: int = _FLOAT,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Return numbers drawn from a normal distribution."""
    drawn = _draw_normal(shape, mean, scale, random_generator(seed, generator))
    return cast_to(np.asarray(drawn), find_numpy_dtype(dtype))


@kernel("RandomNormalLike", since=(1, 22))
def random_normal_like(
    data: Array,
    *,
    dtype: int | None = None,
    mean: float = 0.0,
    scale: float = 1.0,
    seed: float | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Return numbers drawn from a normal distribution, as many as there are elements."""
    drawn = _draw_normal(data.shape, mean, scale, random_generator(seed, generator))
    return cast_to(np.asarray(drawn), data.dtype if dtype is None else find_numpy_dtype(dtype))


@kernel("RandomUniform", since=(1, 22))
def random_uniform(
    *,
    shape: tuple[int, ...],
    dtype: int = _FLOAT,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Return numbers drawn evenly from ``low`` to ``high``."""
    drawn = _draw_uniform(shape, low, high, random_generator(seed, generator))
    return cast_to(np.asarray(drawn), find_numpy_dtype(dtype))


@kernel("RandomUniformLike", since=(1, 22))
def random_uniform_like(
    data: Array,
    *,
    dtype: int | None = None,
    high: float = 1.0,
    low: float = 0.0,
    seed: float | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Return numbers drawn evenly from ``low`` to ``high``, as many as there are elements."""
    drawn = _draw_uniform(data.shape, low, high, random_generator(seed, generator))
    return cast_to(np.asarray(drawn), data.dtype if dtype is None else find_numpy_dtype(dtype))


@kernel("Bernoulli", since=(15, 22))
def bernoulli(
    data: Array,
    *,
    dtype: int | None = None,
    seed: float | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Return 1 with the probability that each element is, and 0 otherwise."""
    drawn = random_generator(seed, generator).random(data.shape) < widen(data)
    return cast_to(np.asarray(drawn), data.dtype if dtype is None else find_numpy_dtype(dtype))


@kernel("Multinomial", since=(7, 22))
@without_warnings
def multinomial(
    data: Array,
    *,
    dtype: int = 6,
    sample_size: int = 1,
    seed: float | None = None,
    generator: np.random.Generator | None = None,
) -> Array:
    """Return classes drawn for each row of logarithms of unnormalised probabilities."""
    check_rank(data, 2, "input of Multinomial")
    wide = data.astype(np.float64)
    if not wide.shape[1]:
        raise EvaluationError(f"Multinomial of shape {data.shape}; expected a class or more")
    shares = np.cumsum(np.exp(wide - wide.max(axis=1, keepdims=True)), axis=1)
    drawn = random_generator(seed, generator).random((len(wide), sample_size)) * shares[:, -1:]
    classes = [
        np.searchsorted(row, numbers, side="right")
        for row, numbers in zip(shares, drawn, strict=True)
    ]
    return np.array(classes, find_numpy_dtype(dtype)).reshape(len(wide), sample_size)
