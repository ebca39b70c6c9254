"""The functions of mathematics that calls name, as CINN's libraries for hosts have them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import ml_dtypes
import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.power import power
from relayish.numeric.precision import is_integral
from relayish.tir.externs import register_extern, same_integers, same_numbers, truth_of_number
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.type import Type

Value: TypeAlias = Any  # a numpy scalar or array, of any element type

_erf: Final = np.vectorize(math.erf, otypes=[np.float64])


def erf(x: Value) -> Value:
    """Return the error function of ``x``, computed in double precision."""
    return np.asarray(_erf(np.asarray(x, np.float64))).astype(x.dtype)[()]


def rsqrt(x: Value) -> Value:
    """Return ``1 / sqrt(x)``, each rounded."""
    return x.dtype.type(1) / np.sqrt(x)


def sigmoid(x: Value) -> Value:
    """Return ``1 / (1 + exp(-x))``."""
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))


def exp10(x: Value) -> Value:
    """Return the power of ten."""
    return np.power(x.dtype.type(10), x)


def round_half_away(x: Value) -> Value:
    """Return the nearest integer, of two the one away from zero, as C's ``round`` does."""
    wide = np.asarray(x, np.float64)
    whole = np.trunc(wide)
    away = np.abs(wide - whole) >= 0.5
    return np.where(away, whole + np.copysign(1.0, wide), whole).astype(x.dtype)[()]


def remainder(x: Value, y: Value) -> Value:
    """Return what the nearest integral quotient leaves, as C's ``remainder``; of integers ``%``."""
    if is_integral(x.dtype):
        return modulo(x, y)
    wide = np.vectorize(_remainder, otypes=[np.float64])
    return np.asarray(wide(np.asarray(x, np.float64), np.asarray(y, np.float64))).astype(x.dtype)[
        ()
    ]


def _remainder(x: float, y: float) -> float:
    try:
        return math.remainder(x, y)
    except ValueError:
        return math.nan


def modulo(x: Value, y: Value) -> Value:
    """Return C's ``%``, of floats ``fmod``."""
    _refuse_zero(x, y)
    return np.fmod(x, y)


def _refuse_zero(x: Value, y: Value) -> None:
    if is_integral(x.dtype) and not np.all(y):
        raise EvaluationError("an integer is divided by zero")


def _bits(x: Value) -> int:
    return int(ml_dtypes.iinfo(x.dtype).bits)  # type: ignore[no-untyped-call]


def _unsigned(x: Value) -> Value:
    if x.dtype.kind == "V":  # of fewer than 8 bits
        return (x.astype(np.int64) & (1 << _bits(x)) - 1).astype(np.uint8)
    return x.astype(np.dtype(f"uint{_bits(x)}"))


def popc(x: Value) -> Value:
    """Return how many bits are ones."""
    return _ones(_unsigned(x)).astype(x.dtype)


def _ones(x: Value) -> Value:
    if hasattr(np, "bitwise_count"):  # from numpy 2 on
        return np.bitwise_count(x)
    octets = np.ascontiguousarray(x).view(np.uint8).reshape(*np.shape(x), -1)
    return np.unpackbits(octets, axis=-1).sum(axis=-1, dtype=np.uint8)


def clz(x: Value) -> Value:
    """Return how many zeros lead; all of them for zero."""
    rest, width = _unsigned(x), _bits(x)
    smeared = rest
    step = 1
    while step < width:
        smeared = smeared | (smeared >> smeared.dtype.type(step))
        step *= 2
    return (width - _ones(smeared).astype(np.int64)).astype(x.dtype)


def _shifted(shift: Callable[[Value, Value], Value]) -> Callable[[Value, Value], Value]:
    def checked(x: Value, y: Value) -> Value:
        if np.any((y < 0) | (y >= _bits(x))):
            raise EvaluationError(
                f"a number of {_bits(x)} bits is shifted by less than 0 or by its width or more, "
                f"which means nothing"
            )
        return shift(x, y)

    return checked


left_shift: Final = _shifted(np.left_shift)
right_shift: Final = _shifted(np.right_shift)
logical_right_shift: Final = _shifted(
    lambda x, y: np.right_shift(_unsigned(x), _unsigned(y)).astype(x.dtype)
)


def _of_floats(test: Callable[[Value], Value], otherwise: bool) -> Callable[[Value], Value]:
    """Return a test of floats that is the same for all integers."""

    def tested(x: Value) -> Value:
        if is_integral(x.dtype):
            return np.full(np.shape(x), otherwise)[()]
        return test(x)

    return tested


def floor_division(x: Value, y: Value) -> Value:
    """Return the quotient rounded towards minus infinity, as polyhedral code divides."""
    _refuse_zero(x, y)
    return np.floor_divide(x, y)


def ceiling_division(x: Value, y: Value) -> Value:
    """Return the quotient rounded towards infinity."""
    _refuse_zero(x, y)
    return np.floor_divide(x, y) + (np.remainder(x, y) != 0).astype(x.dtype)


def reinterpret(x: Value, like: Value) -> Value:
    """Return what the bits of ``x`` mean in the element type of ``like``."""
    bits = np.asarray(x, order="C")
    return (bits.view(np.uint8) != 0 if like.dtype == bool else bits.view(like.dtype))[()]


def _of_same_width(given: Sequence[Type]) -> Type | None:
    """Return the type of the second argument, if its elements are as wide as those of the first."""
    held, made = given
    return made if held.is_numeric and made.is_numeric and _width(held) == _width(made) else None


def _width(given: Type) -> int:
    return 8 if given.is_bool else given.bits


_UNARY: Final[dict[str, Callable[..., Value]]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "cbrt": np.cbrt,
    "ceil": np.ceil,
    "cos": np.cos,
    "cosh": np.cosh,
    "erf": erf,
    "exp": np.exp,
    "exp10": exp10,
    "exp2": np.exp2,
    "fabs": np.abs,
    "floor": np.floor,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "round": round_half_away,
    "rsqrt": rsqrt,
    "sigmoid": sigmoid,
    "sin": np.sin,
    "sinh": np.sinh,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
    "trunc": np.trunc,
}

_BINARY: Final[dict[str, Callable[..., Value]]] = {
    "mod": modulo,
    "pow": lambda x, y: power(x, y)[()],
    "remainder": remainder,
}
_OF_BITS: Final[dict[str, Callable[..., Value]]] = {
    "bitwise_and": np.bitwise_and,
    "bitwise_not": np.bitwise_not,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "clz": clz,
    "left_shift": left_shift,
    "logical_right_shift": logical_right_shift,
    "popc": popc,
    "right_shift": right_shift,
}
_POLYHEDRAL: Final[dict[str, Callable[..., Value]]] = {
    "ceild": ceiling_division,
    "floord": floor_division,
    "pdiv_q": floor_division,
    "pdiv_r": modulo,
}

for _name, _evaluate in _UNARY.items():
    register_extern(_name, _evaluate)
for _name, _evaluate in _BINARY.items():
    register_extern(_name, _evaluate, arity=2, type_rule=same_numbers)
for _name, _evaluate in _OF_BITS.items():
    _arity = 1 if _name in ("bitwise_not", "clz", "popc") else 2
    register_extern(_name, _evaluate, arity=_arity, type_rule=same_integers)
for _name, _evaluate in _POLYHEDRAL.items():
    register_extern(_name, _evaluate, arity=2, type_rule=same_integers, call_type=CallType.ISL)
register_extern("abs", np.abs, type_rule=same_numbers)
register_extern("reinterpret", reinterpret, arity=2, type_rule=_of_same_width)
register_extern("fma", lambda x, y, z: x * y + z, arity=3, operations=2)
register_extern("isnan", _of_floats(np.isnan, False), type_rule=truth_of_number)
register_extern("isinf", _of_floats(np.isinf, False), type_rule=truth_of_number)
register_extern("isfinite", _of_floats(np.isfinite, True), type_rule=truth_of_number)
