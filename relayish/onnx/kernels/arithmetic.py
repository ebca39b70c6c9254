"""Arithmetic on elements: of two tensors, which are broadcast, or of any number of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Final

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.power import power as power_of
from relayish.numeric.precision import (
    is_fractional,
    is_integral,
    refuse_zeros,
    truncate_quotient,
    widen,
)
from relayish.onnx.kernels.legacy_broadcast import align_second
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import (
    Value,
    broadcast_shape,
    check_same,
    on_broadcast,
    without_warnings,
)

Binary = Callable[[Array, Array], Value]


def _divide(a: Array, b: Array) -> Value:
    """Return quotients; those of integers are rounded towards zero."""
    if not is_integral(a.dtype):
        return np.true_divide(a, b)
    return truncate_quotient(a, refuse_zeros(b))


def _declare(name: str, versions: tuple[int, ...], function: Binary) -> None:
    """Register ``function`` for an operator: versions 1 and 6 align the second tensor by hand."""

    @without_warnings
    def legacy(a: Array, b: Array, *, axis: int | None = None, broadcast: int = 0) -> Array:
        return np.asarray(function(a, align_second(a, b, axis, broadcast)))

    @without_warnings
    def broadcasting(a: Array, b: Array) -> Array:
        return on_broadcast(function, a, b)

    kernel(name, since=(1, 6))(legacy)
    kernel(name, since=versions)(broadcasting)


_BINARY: Final[dict[str, Binary]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _divide,
}

for _name, _function in _BINARY.items():
    _declare(_name, (7, 13, 14), _function)


def _power(x: Array, y: Array) -> Value:
    """Return powers, of the type of ``x``; a small whole exponent is a few products."""
    if is_fractional(x.dtype):
        if y.size == 1 and x.ndim >= y.ndim:
            exponent = y.reshape(())
            if exponent == 2:
                return np.multiply(x, x)
            if exponent == 3:
                wide = widen(x)
                return (wide * wide * wide).astype(x.dtype)
        return power_of(widen(x), widen(y)).astype(x.dtype)
    if is_fractional(y.dtype):
        return power_of(x.astype(np.float64), y.astype(np.float64)).astype(x.dtype)
    return power_of(x, y)


@kernel("Pow", since=(1,))
@without_warnings
def power_aligned(x: Array, y: Array, *, axis: int | None = None, broadcast: int = 0) -> Array:
    """Return powers of elements, of the type of ``x``."""
    return np.asarray(_power(x, align_second(x, y, axis, broadcast)))


@kernel("Pow", since=(7, 12, 13, 15))
@without_warnings
def power(x: Array, y: Array) -> Array:
    """Return powers of elements, of the type of ``x``."""
    return on_broadcast(_power, x, y)


@kernel("Mod", since=(10, 13))
@without_warnings
def modulo_of_integers(a: Array, b: Array, *, fmod: int = 0) -> Array:
    """Return remainders; those of floating point numbers have the sign of ``a``."""
    if not fmod and is_fractional(a.dtype):
        raise EvaluationError(
            f"Mod of {a.dtype} has fmod 0; before version 28 expected 1 for floating point numbers"
        )
    return _modulo(a, b, fmod)


@kernel("Mod", since=(28,))
@without_warnings
def modulo(a: Array, b: Array, *, fmod: int = 0) -> Array:
    """Return remainders: of quotients that are rounded down, or towards zero where ``fmod``."""
    return _modulo(a, b, fmod)


def _modulo(a: Array, b: Array, fmod: int) -> Array:
    divisor = refuse_zeros(b) if is_integral(a.dtype) else b
    return on_broadcast(np.fmod if fmod else np.remainder, a, divisor)


def _sum(arrays: tuple[Array, ...]) -> Array:
    total = reduce(np.add, map(widen, arrays))
    return total.astype(arrays[0].dtype)


def _mean(arrays: tuple[Array, ...]) -> Value:
    total = reduce(np.add, map(widen, arrays))
    return np.true_divide(total, total.dtype.type(len(arrays))).astype(arrays[0].dtype)


def _minimum(arrays: tuple[Array, ...]) -> Array:
    return reduce(np.minimum, arrays)


def _maximum(arrays: tuple[Array, ...]) -> Array:
    return reduce(np.maximum, arrays)


_VARIADIC: Final = {
    "Sum": ((8, 13), _sum),
    "Mean": ((8, 13), _mean),
    "Min": ((8, 12, 13), _minimum),
    "Max": ((8, 12, 13), _maximum),
}


def _declare_variadic(
    name: str, versions: tuple[int, ...], function: Callable[[tuple[Array, ...]], Value]
) -> None:
    @without_warnings
    def of_one_shape(*arrays: Array) -> Array:
        _check_any(name, arrays)
        for array in arrays[1:]:
            check_same(arrays[0], array, f"inputs of {name}")
        return np.asarray(function(arrays))

    @without_warnings
    def broadcasting(*arrays: Array) -> Array:
        _check_any(name, arrays)
        broadcast_shape(*arrays)
        return np.asarray(function(arrays))

    kernel(name, since=(1, 6))(of_one_shape)
    kernel(name, since=versions)(broadcasting)


def _check_any(name: str, arrays: tuple[Array, ...]) -> None:
    if not arrays:
        raise EvaluationError(f"{name} has no input; expected one or more")


for _name, (_versions, _of_all) in _VARIADIC.items():
    _declare_variadic(_name, _versions, _of_all)
