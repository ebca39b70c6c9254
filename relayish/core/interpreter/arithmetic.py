"""Arithmetic of core: integers as in C, but that they wrap around; floats as numpy.

Each operation gives a value of its own type: an ``int8`` sum wraps around at 8 bits, where C would
add as ``int`` first. The quotient is rounded towards zero, and the remainder has the sign of what
is divided; the least number divided by -1 wraps around to itself. Shifts by no place of the number
are errors, as divisions of integers by zero are; floats divided by zero follow IEEE 754.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from relayish._support.division import divide, remainder
from relayish.core.interpreter.numbers import IntegerForm, Scalar, form_of
from relayish.core.ir import expr as ops
from relayish.core.ir.family import Expr
from relayish.core.ir.type import Type
from relayish.errors import EvaluationError, UnsupportedError

Operation: TypeAlias = Callable[..., Scalar]


_KNOWN: Final[dict[tuple[type[Any], Type], Operation]] = {}  # Any: kinds


def operation_of(kind: type[Expr], held: Type) -> Operation:
    """Return what an operator does to operands, the first of which is of type ``held``.

    Raises:
        UnsupportedError: If it is not defined for the type.
    """
    known = _KNOWN.get((kind, held))
    if known is not None:
        return known
    form = form_of(held)
    table: dict[Any, Any] = {}  # Any: kinds; makers of operations
    if issubclass(kind, ops.Comparison):
        table = _COMPARISONS if form is not None else {}
    elif held.is_bool:
        table = _OF_TRUTHS
    elif held.is_float:
        table = _OF_FLOATS
    elif isinstance(form, IntegerForm):
        table = _OF_INTEGERS
    make = table.get(kind)
    if make is None:
        raise UnsupportedError(f"{kind.visit_name} has no value for operands of type {held}")
    made: Operation = make(form) if table is _OF_INTEGERS else make
    _KNOWN[kind, held] = made
    return made


def _wrapping(compute: Callable[[int, int], int]) -> Callable[[IntegerForm], Operation]:
    def make(form: IntegerForm) -> Operation:
        low, mask = form.low, form.mask
        return lambda a, b: (compute(a, b) - low & mask) + low

    return make


def _exact(compute: Operation) -> Callable[[IntegerForm], Operation]:
    """Return the maker of what gives a number in range whatever the operands in range are."""
    return lambda _form: compute


def _shift(compute: Callable[[IntegerForm, int, int], int]) -> Callable[[IntegerForm], Operation]:
    def make(form: IntegerForm) -> Operation:
        bits = form.type.bits

        def run(a: int, b: int) -> int:
            if not 0 <= b < bits:
                raise EvaluationError(
                    f"{a} of type {form.type} is shifted by {b} places; expected 0 to {bits - 1}"
                )
            return form.wrap(compute(form, a, b))

        return run

    return make


def _ashr(form: IntegerForm, a: int, b: int) -> int:
    signed = a if a <= form.mask >> 1 else a - form.mask - 1
    return signed >> b


_OF_INTEGERS: Final[dict[Any, Callable[[IntegerForm], Operation]]] = {  # Any: kinds
    ops.Add: _wrapping(operator.add),
    ops.Sub: _wrapping(operator.sub),
    ops.Mul: _wrapping(operator.mul),
    ops.Div: lambda form: lambda a, b: divide(a, b, form.high),
    ops.Mod: _exact(remainder),
    ops.Shl: _shift(lambda _form, a, b: a << b),
    ops.Ashr: _shift(_ashr),
    ops.Lshr: _shift(lambda form, a, b: (a & form.mask) >> b),
    ops.Band: _exact(operator.and_),
    ops.Bor: _exact(operator.or_),
    ops.Bxor: _exact(operator.xor),
    ops.Bnot: lambda form: lambda a: form.wrap(~a),
}

_OF_TRUTHS: Final[dict[Any, Operation]] = {  # Any: kinds
    ops.Band: operator.and_,
    ops.Bor: operator.or_,
    ops.Bxor: operator.xor,
    ops.Land: operator.and_,
    ops.Lor: operator.or_,
    ops.Lnot: operator.not_,
}

_OF_FLOATS: Final[dict[Any, Operation]] = {  # Any: kinds
    ops.Add: operator.add,
    ops.Sub: operator.sub,
    ops.Mul: operator.mul,
    ops.Div: operator.truediv,
}

_COMPARISONS: Final[dict[Any, Operation]] = {  # Any: kinds
    ops.Eq: lambda a, b: bool(a == b),
    ops.Ne: lambda a, b: bool(a != b),
    ops.Lt: lambda a, b: bool(a < b),
    ops.Le: lambda a, b: bool(a <= b),
    ops.Gt: lambda a, b: bool(a > b),
    ops.Ge: lambda a, b: bool(a >= b),
}
