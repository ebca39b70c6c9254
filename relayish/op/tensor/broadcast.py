"""Arithmetic and logic on two tensors whose shapes broadcast, as numpy's do."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final, Unpack

import numpy as np

from relayish.errors import EvaluationError
from relayish.numeric.power import power
from relayish.numeric.precision import is_whole, refuse_zeros, truncate_quotient
from relayish.op.declaration.properties import MixedPrecision, OpPattern, ResultMemory
from relayish.op.declaration.record import Record
from relayish.op.declaration.registry import register_op
from relayish.op.types.type_rules import broadcast
from relayish.op.values.evaluation import Array, Parameters, apply_into

Function = Callable[[Array, Array], Array]
Evaluation = Callable[[Parameters, Array, Array], Array]


def _divide(lhs: Array, rhs: Array) -> Array:
    return truncate_quotient(lhs, refuse_zeros(rhs)) if is_whole(lhs.dtype) else lhs / rhs


def _floor_divide(lhs: Array, rhs: Array) -> Array:
    return lhs // refuse_zeros(rhs) if is_whole(lhs.dtype) else np.floor(lhs / rhs)


def _trunc_divide(lhs: Array, rhs: Array) -> Array:
    return truncate_quotient(lhs, refuse_zeros(rhs)) if is_whole(lhs.dtype) else np.trunc(lhs / rhs)


def _mod(lhs: Array, rhs: Array) -> Array:
    return np.fmod(lhs, refuse_zeros(rhs) if is_whole(lhs.dtype) else rhs)


def _floor_mod(lhs: Array, rhs: Array) -> Array:
    if is_whole(lhs.dtype):
        return np.mod(lhs, refuse_zeros(rhs))
    return lhs - np.floor(lhs / rhs) * rhs


def _trunc_mod(lhs: Array, rhs: Array) -> Array:
    if is_whole(lhs.dtype):
        return np.fmod(lhs, refuse_zeros(rhs))
    return lhs - np.trunc(lhs / rhs) * rhs


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


_SAME: Final = "lhs (...); rhs (...) of the same element type -> (...), broadcast of both"
_OF_BOOLEANS: Final = "lhs (...) bool; rhs (...) bool -> (...) bool, broadcast of both"


def _declare(
    name: str, summary: str, function: Function, shapes: str = _SAME, **told: Unpack[Record]
) -> None:
    """Declare an operation on pairs of elements."""
    record: Record = {
        "description": f"{summary}\n{shapes}",
        "pattern": OpPattern.BROADCAST,
        "rule": broadcast,
        "evaluate": _keep_dtype(name, function),
        **told,
    }
    register_op(name, arguments=("lhs", "rhs"), **record)


def _declare_arithmetic(name: str, summary: str, ufunc: np.ufunc, **told: Unpack[Record]) -> None:
    """Declare an operation that ``ufunc`` writes into memory there is."""
    record: Record = {
        "result_memory": ResultMemory(into=apply_into(ufunc)),
        "mixed_precision": MixedPrecision.FOLLOW,
        **told,
    }
    _declare(name, summary, ufunc, **record)


# add, subtract and multiply are what folding does most: nothing stands before the arithmetic.
_declare_arithmetic(
    "add",
    "Add two tensors element by element, with broadcasting.",
    np.add,
    evaluate=lambda _, lhs, rhs: lhs + rhs,
    commutative=True,
)
_declare_arithmetic(
    "subtract",
    "Subtract two tensors element by element, with broadcasting.",
    np.subtract,
    evaluate=_subtract,
)
_declare_arithmetic(
    "multiply",
    "Multiply two tensors element by element, with broadcasting.",
    np.multiply,
    evaluate=lambda _, lhs, rhs: lhs * rhs,
    commutative=True,
)
_declare_arithmetic(
    "divide",
    "Divide two tensors element by element, with broadcasting; integers are cut off towards zero.",
    np.divide,
    evaluate=_keep_dtype("divide", _divide),
)
_declare(
    "floor_divide", "Divide element by element and round down, with broadcasting.", _floor_divide
)
_declare(
    "trunc_divide",
    "Divide element by element and cut off towards zero, with broadcasting.",
    _trunc_divide,
)
_declare("mod", "Take what is left of a division cut off towards zero, with broadcasting.", _mod)
_declare(
    "floor_mod",
    "Take what is left of a division rounded down; it has the sign of the divisor.",
    _floor_mod,
)
_declare(
    "trunc_mod",
    "Take what is left of a division cut off towards zero; it has the sign of the dividend.",
    _trunc_mod,
)
_declare(
    "power",
    "Raise the elements of one tensor to the power of those of another, with broadcasting.",
    power,
    mixed_precision=MixedPrecision.NEVER,
)
_declare_arithmetic(
    "maximum", "Take the larger of two elements, with broadcasting.", np.maximum, commutative=True
)
_declare_arithmetic(
    "minimum", "Take the smaller of two elements, with broadcasting.", np.minimum, commutative=True
)
_declare(
    "left_shift",
    "Shift the bits of one tensor to the left by the elements of another, with broadcasting.",
    operator.lshift,
)
_declare(
    "right_shift",
    "Shift the bits of one tensor to the right by the elements of another, with broadcasting.",
    operator.rshift,
)
_declare(
    "bitwise_and",
    "Combine the bits of two tensors of integers by and, with broadcasting.",
    operator.and_,
    commutative=True,
)
_declare(
    "bitwise_or",
    "Combine the bits of two tensors of integers by or, with broadcasting.",
    operator.or_,
    commutative=True,
)
_declare(
    "bitwise_xor",
    "Combine the bits of two tensors of integers by exclusive or, with broadcasting.",
    operator.xor,
    commutative=True,
)
_declare(
    "logical_and",
    "Say where both of two tensors of booleans hold, with broadcasting.",
    np.logical_and,
    shapes=_OF_BOOLEANS,
    commutative=True,
)
_declare(
    "logical_or",
    "Say where at least one of two tensors of booleans holds, with broadcasting.",
    np.logical_or,
    shapes=_OF_BOOLEANS,
    commutative=True,
)
_declare(
    "logical_xor",
    "Say where exactly one of two tensors of booleans holds, with broadcasting.",
    np.logical_xor,
    shapes=_OF_BOOLEANS,
    commutative=True,
)
