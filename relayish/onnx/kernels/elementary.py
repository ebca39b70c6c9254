"""Elementary functions of each element: rounding, powers, exponentials, circular functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from relayish.numeric.error_function import erf
from relayish.numeric.precision import widen
from relayish.onnx.kernels.registry import Array, kernel
from relayish.onnx.kernels.values import Value, without_warnings

Unary = Callable[[Array], Value]


def _reciprocal(x: Array) -> Value:
    return np.true_divide(x.dtype.type(1), x)


_FUNCTIONS: Final[dict[str, tuple[tuple[int, ...], Unary]]] = {
    "Abs": ((1, 6, 13), np.abs),
    "Neg": ((1, 6, 13), np.negative),
    "Sign": ((9, 13), np.sign),
    "Floor": ((1, 6, 13), np.floor),
    "Ceil": ((1, 6, 13), np.ceil),
    "Round": ((11, 22), np.rint),
    "Reciprocal": ((1, 6, 13), _reciprocal),
    "Sqrt": ((1, 6, 13), np.sqrt),
    "Exp": ((1, 6, 13), np.exp),
    "Log": ((1, 6, 13), np.log),
    "Erf": ((9, 13), erf),
    "Sin": ((7, 22), np.sin),
    "Cos": ((7, 22), np.cos),
    "Tan": ((7, 22), np.tan),
    "Asin": ((7, 22), np.arcsin),
    "Acos": ((7, 22), np.arccos),
    "Atan": ((7, 22), np.arctan),
    "Sinh": ((9, 22), np.sinh),
    "Cosh": ((9, 22), np.cosh),
    "Tanh": ((1, 6, 13), np.tanh),
    "Asinh": ((9, 22), np.arcsinh),
    "Acosh": ((9, 22), np.arccosh),
    "Atanh": ((9, 22), np.arctanh),
}


def _declare(name: str, versions: tuple[int, ...], function: Unary) -> None:
    @without_warnings
    def of_elements(x: Array) -> Array:
        return np.asarray(function(x))

    kernel(name, since=versions)(of_elements)


for _name, (_versions, _function) in _FUNCTIONS.items():
    _declare(_name, _versions, _function)


@kernel("IsNaN", since=(9, 13, 20))
def is_nan(x: Array) -> Array:
    """Return whether each element is no number."""
    return np.asarray(np.isnan(x))


@kernel("IsInf", since=(10, 20))
def is_inf(x: Array, *, detect_negative: int = 1, detect_positive: int = 1) -> Array:
    """Return whether each element is an infinity, of a sign that is asked for."""
    wide = widen(x)
    infinite = np.isinf(wide)
    if not detect_negative:
        infinite = infinite & (wide > 0)
    if not detect_positive:
        infinite = infinite & (wide < 0)
    return np.asarray(infinite)
