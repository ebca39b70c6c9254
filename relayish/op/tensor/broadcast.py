"""Arithmetic and logic on two tensors whose shapes broadcast, as numpy's do."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np

from relayish.errors import EvaluationError
from relayish.op.declaration.properties import OpPattern
from relayish.op.declaration.registry import register_op
from relayish.op.types.type_rules import broadcast
from relayish.op.values.evaluation import Array, Parameters, is_integral

Function = Callable[[Array, Array], Array]
Evaluation = Callable[[Parameters, Array, Array], Array]


def _nonzero(divisor: Array) -> Array:
    if not np.all(divisor):
        raise EvaluationError("an integer is divided by zero")
    return divisor


def _truncate_quotient(lhs: Array, rhs: Array) -> Array:
    """Return the integer quotient, rounded towards zero."""
    quotient = lhs // _nonzero(rhs)  # rounded down
    inexact = (quotient * rhs != lhs) & ((lhs < 0) != (rhs < 0))
    return quotient + inexact.astype(quotient.dtype)


def _divide(lhs: Array, rhs: Array) -> Array:
    return _truncate_quotient(lhs, rhs) if is_integral(lhs) else lhs / rhs


def _floor_divide(lhs: Array, rhs: Array) -> Array:
    return lhs // _nonzero(rhs) if is_integral(lhs) else np.floor(lhs / rhs)


def _trunc_divide(lhs: Array, rhs: Array) -> Array:
    return _truncate_quotient(lhs, rhs) if is_integral(lhs) else np.trunc(lhs / rhs)


def _mod(lhs: Array, rhs: Array) -> Array:
    return np.fmod(lhs, _nonzero(rhs) if is_integral(lhs) else rhs)


def _floor_mod(lhs: Array, rhs: Array) -> Array:
    if is_integral(lhs):
        return np.mod(lhs, _nonzero(rhs))
    return lhs - np.floor(lhs / rhs) * rhs


def _trunc_mod(lhs: Array, rhs: Array) -> Array:
    if is_integral(lhs):
        return np.fmod(lhs, _nonzero(rhs))
    return lhs - np.trunc(lhs / rhs) * rhs


def _power(lhs: Array, rhs: Array) -> Array:
    if is_integral(lhs) and np.any(rhs < 0):
        raise EvaluationError("an integer is raised to a negative power")
    return np.power(lhs, rhs)


def _keep_dtype(name: str, function: Function) -> Evaluation:
    """Return the evaluation of an operation whose result has the elements of its operands.

    What numpy gives another type, as for booleans and the narrowest integers, is taken back.
    """

    def evaluation(_: Parameters, lhs: Array, rhs: Array) -> Array:
        try:
            result = function(lhs, rhs)
        except TypeError as error:
            raise _make_error(name, lhs, rhs) from error
        kept = result.dtype == lhs.dtype or lhs.dtype != rhs.dtype
        return result if kept else result.astype(lhs.dtype)

    return evaluation


def _make_error(name: str, lhs: Array, rhs: Array) -> EvaluationError:
    return EvaluationError(
        f"{name} of {lhs.dtype} and {rhs.dtype} is not defined; cast them to another type"
    )


def _subtract(_: Parameters, lhs: Array, rhs: Array) -> Array:
    try:
        return lhs - rhs
    except TypeError as error:  # numpy leaves it open for booleans
        raise _make_error("subtract", lhs, rhs) from error


_KEEPING: dict[str, Function] = {
    "divide": _divide,
    "floor_divide": _floor_divide,
    "trunc_divide": _trunc_divide,
    "mod": _mod,
    "floor_mod": _floor_mod,
    "trunc_mod": _trunc_mod,
    "power": _power,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "left_shift": operator.lshift,
    "right_shift": operator.rshift,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "logical_and": np.logical_and,
    "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}
# add, subtract and multiply are what folding does most: nothing stands before the arithmetic.
_BINARY: dict[str, Evaluation] = {
    "add": lambda _, lhs, rhs: lhs + rhs,
    "subtract": _subtract,
    "multiply": lambda _, lhs, rhs: lhs * rhs,
    **{name: _keep_dtype(name, function) for name, function in _KEEPING.items()},
}
_COMMUTATIVE = frozenset(
    _BINARY.keys()
    - {"subtract", "divide", "floor_divide", "trunc_divide", "mod", "floor_mod", "trunc_mod"}
    - {"power", "left_shift", "right_shift"}
)

for _name, _evaluation in _BINARY.items():
    register_op(
        _name,
        arguments=("lhs", "rhs"),
        pattern=OpPattern.BROADCAST,
        rule=broadcast,
        evaluate=_evaluation,
        commutative=_name in _COMMUTATIVE,
    )
