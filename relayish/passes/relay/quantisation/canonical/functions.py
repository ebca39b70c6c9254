"""Canonical forms of functions of single numbers, of the leaky rectifier and of the softmax."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from relayish.interpreter.call import evaluate_call
from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.op.declaration.registry import relay_op
from relayish.op.qnn.activations import (
    QUOTIENT_BITS,
    SOFTMAX_BITS,
    SOFTMAX_SCALE,
    TABULATED,
    WIDEST_SCALE,
)
from relayish.passes.relay.quantisation.canonical.scaling import (
    WIDE,
    NotConstantError,
    Parameter,
    as_dtype,
    canonical,
    centred,
    constant,
    multiplied,
    number,
    rank_of,
    rescaled,
    saturated,
    shifted,
)

_REAL: Final = "float64"


def _tabulate(name: str) -> Callable[[Any, Any, Any], Expr]:
    """Return the form of an operator on bytes: all its results, looked up."""

    def form(attrs: Any, inputs: Any, types: Any) -> Expr:
        data, parameters = inputs[0], [constant(expr) for expr in inputs[1:]]
        dtype = types[0].dtype
        limits = np.iinfo(dtype)
        every = np.arange(limits.min, limits.max + 1).astype(dtype)
        with np.errstate(all="ignore"):
            values = [every, *[part[()] for part in parameters]]
            table = Constant(evaluate_call(relay_op(name), attrs, values))
        place = op.cast(data, "int32")
        if limits.min:
            place = op.subtract(place, number(limits.min, "int32"))
        found: Expr = op.take(table, place, axis=0)
        return found

    return form


for _name in TABULATED:
    canonical(f"qnn.{_name}")(_tabulate(f"qnn.{_name}"))


@canonical("qnn.leaky_relu")
def leaky_relu(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Take ``alpha`` of what is below the zero point."""
    data, scale, zero_point, to_scale, to_zero = map(Parameter, inputs, types)
    assert isinstance(data.ty, TensorType)
    whole, zero = op.cast(data.expr, WIDE), as_dtype(zero_point.expr, WIDE)
    part, rest = np.float64(attrs.alpha), np.float64(1 - attrs.alpha)
    below = op.add(multiplied(whole, part), multiplied(zero, rest))
    bent = op.subtract(op.where(op.less(whole, zero), below, whole), zero)
    ratio = constant(scale.expr).astype(_REAL) / constant(to_scale.expr).astype(_REAL)
    return saturated(shifted(rescaled(bent, ratio[()]), to_zero.expr), data.ty.dtype)


@canonical("qnn.softmax")
def softmax(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Take powers of two by shifts, and their fractions by a straight line."""
    data, scale, zero_point, to_scale, to_zero = map(Parameter, inputs, types)
    assert isinstance(data.ty, TensorType)
    unit = _unit(float(constant(scale.expr).item()))
    whole = centred(data.expr, zero_point, 0, rank_of(data.ty))
    below = op.subtract(whole, op.max(whole, axis=attrs.axis, keepdims=True))
    half = op.right_shift(below, number(1, WIDE))
    scaled = op.subtract(op.add(below, half), op.right_shift(below, number(4, WIDE)))
    power = op.floor_divide(op.negative(scaled), number(unit, WIDE))
    rest = op.add(scaled, op.multiply(power, number(unit, WIDE)))
    base = op.add(op.right_shift(rest, number(1, WIDE)), number(unit, WIDE))
    shift = op.subtract(op.max(power, axis=attrs.axis, keepdims=True), power)
    grown = op.power(number(2, _REAL), op.cast(shift, _REAL))
    exact = op.multiply(op.cast(base, _REAL), grown)
    total = op.sum(exact, axis=attrs.axis, keepdims=True)
    result = op.cast(_quotient(exact, total), WIDE)
    ratio = np.float64(SOFTMAX_SCALE) / constant(to_scale.expr).astype(_REAL)
    return saturated(shifted(rescaled(result, ratio[()]), to_zero.expr), data.ty.dtype)


def _unit(scale: float) -> int:
    """Return what stands for 1, nearly."""
    if not 0 < scale <= WIDEST_SCALE:
        raise NotConstantError
    return math.floor(float(1 / np.float32(scale)) + 0.5)


def _quotient(exact: Any, total: Any) -> Any:  # Any: expressions
    """Return the quotient of two sums of powers, in as many bits as the result has."""
    one = number(1 << QUOTIENT_BITS, _REAL)
    quotient = op.floor(op.divide(one, total))
    step = number(1 << (QUOTIENT_BITS - SOFTMAX_BITS + 1), _REAL)
    in_bits = op.floor(op.divide(op.multiply(quotient, exact), step))
    steps = number(1 << (SOFTMAX_BITS - 1), _REAL)
    in_full = op.floor(op.multiply(op.divide(exact, total), steps))
    return op.where(op.greater(total, one), in_full, in_bits)
