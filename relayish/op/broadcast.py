"""Arithmetic and logic on two tensors whose shapes broadcast, as numpy's do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.evaluation import Array, Parameters, is_integral
from relayish.op.registry import OpPattern, register_op
from relayish.op.type_rules import broadcast

Evaluation = Callable[[Parameters, Array, Array], Array]


def _nonzero(divisor: Array) -> Array:
    if not np.all(divisor):
        raise EvaluationError("an integer is divided by zero")
    return divisor


def _truncated_quotient(lhs: Array, rhs: Array) -> Array:
    """Return the integer quotient, rounded towards zero."""
    quotient = lhs // _nonzero(rhs)  # rounded down
    inexact = (quotient * rhs != lhs) & ((lhs < 0) != (rhs < 0))
    return quotient + inexact.astype(quotient.dtype)


def _divide(_: Parameters, lhs: Array, rhs: Array) -> Array:
    return _truncated_quotient(lhs, rhs) if is_integral(lhs) else lhs / rhs


def _floor_divide(_: Parameters, lhs: Array, rhs: Array) -> Array:
    return lhs // _nonzero(rhs) if is_integral(lhs) else np.floor(lhs / rhs)


def _trunc_divide(_: Parameters, lhs: Array, rhs: Array) -> Array:
    return _truncated_quotient(lhs, rhs) if is_integral(lhs) else np.trunc(lhs / rhs)


def _mod(_: Parameters, lhs: Array, rhs: Array) -> Array:
    return np.fmod(lhs, _nonzero(rhs) if is_integral(lhs) else rhs)


def _floor_mod(_: Parameters, lhs: Array, rhs: Array) -> Array:
    if is_integral(lhs):
        return np.mod(lhs, _nonzero(rhs))
    return lhs - np.floor(lhs / rhs) * rhs


def _trunc_mod(_: Parameters, lhs: Array, rhs: Array) -> Array:
    if is_integral(lhs):
        return np.fmod(lhs, _nonzero(rhs))
    return lhs - np.trunc(lhs / rhs) * rhs


def _power(_: Parameters, lhs: Array, rhs: Array) -> Array:
    if is_integral(lhs) and np.any(rhs < 0):
        raise EvaluationError("an integer is raised to a negative power")
    return np.power(lhs, rhs)


# add, subtract and multiply are what folding does most: nothing stands before the arithmetic.
_BINARY: dict[str, Evaluation] = {
    "add": lambda _, lhs, rhs: lhs + rhs,
    "subtract": lambda _, lhs, rhs: lhs - rhs,
    "multiply": lambda _, lhs, rhs: lhs * rhs,
    "divide": _divide,
    "floor_divide": _floor_divide,
    "trunc_divide": _trunc_divide,
    "mod": _mod,
    "floor_mod": _floor_mod,
    "trunc_mod": _trunc_mod,
    "power": _power,
    "maximum": lambda _, lhs, rhs: np.maximum(lhs, rhs),
    "minimum": lambda _, lhs, rhs: np.minimum(lhs, rhs),
    "left_shift": lambda _, lhs, rhs: lhs << rhs,
    "right_shift": lambda _, lhs, rhs: lhs >> rhs,
    "bitwise_and": lambda _, lhs, rhs: lhs & rhs,
    "bitwise_or": lambda _, lhs, rhs: lhs | rhs,
    "bitwise_xor": lambda _, lhs, rhs: lhs ^ rhs,
    "logical_and": lambda _, lhs, rhs: np.logical_and(lhs, rhs),
    "logical_or": lambda _, lhs, rhs: np.logical_or(lhs, rhs),
    "logical_xor": lambda _, lhs, rhs: np.logical_xor(lhs, rhs),
}
_COMMUTATIVE = frozenset(
    _BINARY.keys()
    - {"subtract", "divide", "floor_divide", "trunc_divide", "mod", "floor_mod", "trunc_mod"}
    - {"power", "left_shift", "right_shift"}
)

for _name, _evaluation in _BINARY.items():
    register_op(
        _name,
        arguments_=("lhs", "rhs"),
        fuses=OpPattern.BROADCAST,
        types=broadcast,
        evaluates=_evaluation,
        commutes=_name in _COMMUTATIVE,
    )
