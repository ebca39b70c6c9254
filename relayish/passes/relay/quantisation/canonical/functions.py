"""Canonical forms of functions of single numbers, of the leaky rectifier and of the softmax."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from relayish.interpreter.call import evaluate_call
from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.relay.type import TensorType
from relayish.op.builders.builder import op
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op
from relayish.op.qnn.activations import (
    QUOTIENT_BITS,
    SOFTMAX_BITS,
    SOFTMAX_SCALE,
    TABULATED,
    WIDEST_SCALE,
)
from relayish.passes.relay.quantisation.canonical.conversion import dequantized, quantized
from relayish.passes.relay.quantisation.canonical.numbers import (
    REAL,
    WIDE,
    as_dtype,
    number,
    quotient,
)
from relayish.passes.relay.quantisation.canonical.scaling import (
    NotConstantError,
    Parameter,
    canonical,
    centred,
    multiplied,
    rank_of,
    rescaled,
    saturated,
    shifted,
)
from relayish.passes.relay.quantisation.integer_rules.parameters import array_of


def _tabulate(name: str) -> Callable[[Any, Any, Any], Expr]:
    """Return the form of an operator on bytes: all its results, looked up."""

    def form(attrs: Any, inputs: Any, types: Any) -> Expr:
        data, parameters = inputs[0], [array_of(expr) for expr in inputs[1:]]
        dtype = types[0].dtype
        if any(part is None for part in parameters):
            return _computed(name, [*map(Parameter, inputs, types)], dtype)
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


def _hard_swish(data: Expr) -> Expr:
    bent = op.clip(op.add(data, number(3, "float32")), a_min=0.0, a_max=6.0)
    found: Expr = op.divide(op.multiply(data, bent), number(6, "float32"))
    return found


_PLAIN: Final[dict[str, Callable[[Expr], Expr]]] = {"qnn.hardswish": _hard_swish}
"""What no operator of the same name computes."""


def _computed(name: str, parameters: Sequence[Parameter], dtype: str) -> Expr:
    """Return a function of the numbers that bytes stand for, as a table of it cannot be made."""
    data, scale, zero_point, *to = parameters
    real = dequantized(data, (scale, zero_point), 0)
    function = _PLAIN.get(name) or partial(relay_call, name.removeprefix("qnn."))
    assert isinstance(data.ty, TensorType)
    image = Parameter(function(real), TensorType(data.ty.shape, "float32"))
    return quantized(image, to, 0, dtype)


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
    moved = rescaled(bent, quotient(scale.expr, to_scale.expr))
    return saturated(shifted(moved, to_zero.expr), data.ty.dtype)


@canonical("qnn.softmax")
def softmax(attrs: Any, inputs: Any, types: Any) -> Expr:
    """Take powers of two by shifts, and their fractions by a straight line."""
    data, scale, zero_point, to_scale, to_zero = map(Parameter, inputs, types)
    assert isinstance(data.ty, TensorType)
    if 0 in data.ty.shape:
        return data.expr
    unit = _unit(scale.expr)
    whole = centred(data.expr, zero_point, 0, rank_of(data.ty))
    below = op.subtract(whole, op.max(whole, axis=attrs.axis, keepdims=True))
    half = op.right_shift(below, number(1, WIDE))
    scaled = op.subtract(op.add(below, half), op.right_shift(below, number(4, WIDE)))
    power = op.floor_divide(op.negative(scaled), unit)
    rest = op.add(scaled, op.multiply(power, unit))
    base = op.add(op.right_shift(rest, number(1, WIDE)), unit)
    shift = op.subtract(op.max(power, axis=attrs.axis, keepdims=True), power)
    grown = op.power(number(2, REAL), op.cast(shift, REAL))
    exact = op.multiply(op.cast(base, REAL), grown)
    total = op.sum(exact, axis=attrs.axis, keepdims=True)
    result = op.cast(_quotient(exact, total), WIDE)
    moved = rescaled(result, quotient(number(SOFTMAX_SCALE, "float32"), to_scale.expr))
    return saturated(shifted(moved, to_zero.expr), data.ty.dtype)


def _unit(scale: Expr) -> Expr:
    """Return what stands for 1, nearly, in int64; 0, by which nothing is divided, of no scale."""
    value = array_of(scale)
    if value is None:
        near = op.divide(number(1, "float32"), scale)
        whole = op.cast(op.floor(op.add(op.cast(near, REAL), number(0.5, REAL))), WIDE)
        is_scale = op.logical_and(
            op.greater(scale, number(0, "float32")),
            op.less_equal(scale, number(WIDEST_SCALE, "float32")),
        )
        unit: Expr = op.where(is_scale, whole, number(0, WIDE))
        return unit
    if not 0 < value <= WIDEST_SCALE:
        raise NotConstantError
    return number(math.floor(float(1 / np.float32(value)) + 0.5), WIDE)


def _quotient(exact: Any, total: Any) -> Any:  # Any: expressions
    """Return the quotient of two sums of powers, in as many bits as the result has."""
    one = number(1 << QUOTIENT_BITS, REAL)
    quotient = op.floor(op.divide(one, total))
    step = number(1 << (QUOTIENT_BITS - SOFTMAX_BITS + 1), REAL)
    in_bits = op.floor(op.divide(op.multiply(quotient, exact), step))
    steps = number(1 << (SOFTMAX_BITS - 1), REAL)
    in_full = op.floor(op.multiply(op.divide(exact, total), steps))
    return op.where(op.greater(total, one), in_full, in_bits)
