"""Scaling of integers by real numbers, in plain operators, as :mod:`.fixed_point` computes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Constant, Expr
from relayish.ir.relay.type import TensorType, Type
from relayish.ir.values.value import as_value
from relayish.op.builders.builder import op
from relayish.op.declaration.rewriting import QNN_CANONICALIZE, register_legalize
from relayish.op.qnn.configuration import current_requantize_config
from relayish.op.qnn.fixed_point import LARGEST_SHIFT, fixed_point
from relayish.op.types.dimension import normalise_axis
from relayish.passes.relay.quantisation.canonical.numbers import (
    REAL,
    WIDE,
    as_dtype,
    as_integers,
    number,
    quotient,
)
from relayish.passes.relay.quantisation.canonical.running_scales import multiplied_when_run
from relayish.passes.relay.quantisation.integer_rules.parameters import array_of

_REALS: Final = ("float32", "float64")


class NotConstantError(Exception):
    """Something is no constant that has to be, so that there is no canonical form."""


class Parameter(NamedTuple):
    """A scale or a zero point, and the type it has."""

    expr: Expr
    ty: Type


def canonical(
    name: str,
) -> Callable[[Callable[[Any, Any, Any], Expr]], Callable[[Any, Any, Any], Expr | None]]:
    """Let the decorated function be the canonical form of an operator, where it has one.

    Any: the attributes of the operator, its arguments, and their types with that of the result.
    """

    def declare(
        form: Callable[[Any, Any, Any], Expr],
    ) -> Callable[[Any, Any, Any], Expr | None]:
        def legalize(attrs: Any, inputs: Any, types: Any) -> Expr | None:  # Any: as above
            try:
                return form(attrs, inputs, types)
            except (NotConstantError, EvaluationError):
                return None

        register_legalize(name, legalize, table=QNN_CANONICALIZE)
        return legalize

    return declare


def rank_of(ty: Type) -> int:
    """Return how many axes a tensor has."""
    assert isinstance(ty, TensorType)
    return len(ty.shape)


def along(parameter: Parameter, axis: int, rank: int) -> Expr:
    """Return a scale or zero point so that it broadcasts along ``axis`` of a tensor of ``rank``."""
    value = array_of(parameter.expr)
    if value is not None:
        return Constant(as_value(spread(value, axis, rank)))
    assert isinstance(parameter.ty, TensorType)
    shape = parameter.ty.shape
    if not shape:
        return parameter.expr
    if shape == (1,):
        one: Expr = op.reshape(parameter.expr, newshape=())
        return one
    behind = rank - normalise_axis(axis, rank) - 1
    found: Expr = parameter.expr
    if behind:
        found = op.expand_dims(found, axis=1, num_newaxis=behind)
    return found


def spread(value: Any, axis: int, rank: int) -> Any:  # Any: arrays of numbers
    """Return one number, or numbers along ``axis`` of a tensor of ``rank`` axes."""
    if value.size == 1:
        return value.reshape(())[()]
    shape = [1] * rank
    shape[normalise_axis(axis, rank)] = -1
    return value.reshape(shape)


def is_zero(expr: Expr) -> bool:
    """Return whether a zero point is known to be 0."""
    value = array_of(expr)
    return value is not None and not np.any(value)


def centred(data: Expr, zero_point: Parameter, axis: int, rank: int, dtype: str = WIDE) -> Expr:
    """Return integers of ``dtype`` without their zero point."""
    wide: Expr = op.cast(data, dtype)
    if is_zero(zero_point.expr):
        return wide
    found: Expr = op.subtract(wide, as_dtype(along(zero_point, axis, rank), dtype))
    return found


def shifted(data: Expr, zero_point: Expr) -> Expr:
    """Return int64 with a zero point, a scalar, added."""
    if is_zero(zero_point):
        return data
    found: Expr = op.add(data, as_dtype(zero_point, WIDE))
    return found


def saturated(data: Expr, dtype: str) -> Expr:
    """Return whole numbers in the element type ``dtype``, those beyond its range at its ends."""
    if dtype == WIDE:
        return data
    limits = np.iinfo(dtype)
    clipped = op.clip(data, a_min=float(limits.min), a_max=float(limits.max))
    found: Expr = op.cast(clipped, dtype)
    return found


def rescaled(
    data: Expr,
    ratio: Any,
    *,
    rounding: str = "None",
    compute_dtype: str = "None",
) -> Expr:
    """Return int64 multiplied by ``ratio`` and rounded.

    Args:
        data: int64.
        ratio: float64, broadcasts to it. Any: an array of numbers, or an expression.
        rounding: ``TONEAREST``, where halves go away from zero, or ``UPWARD``; ``None`` is what
            :func:`~relayish.op.qnn.configuration.requantize_config` says.
        compute_dtype: ``float32`` or ``float64``; integers are multiplied by integers in ``int64``.
    """
    rounding, compute_dtype = current_requantize_config().choose(rounding, compute_dtype)
    is_known = not isinstance(ratio, Expr)
    if is_known and np.all(ratio == 1):
        return data
    upward = rounding != "TONEAREST"
    if compute_dtype not in _REALS:
        return multiplied(data, ratio, upward=upward)
    factor = number(ratio, compute_dtype) if is_known else op.cast(ratio, compute_dtype)
    real = op.multiply(op.cast(data, compute_dtype), factor)
    half = number(0.5, compute_dtype)
    whole = op.floor(op.add(real, half)) if upward else op.round(real)
    found: Expr = as_integers(whole)
    if is_known:
        return found
    kept: Expr = op.where(op.all(op.equal(ratio, number(1, REAL))), data, found)
    return kept


def multiplied(data: Expr, factor: Any, *, upward: bool = True) -> Expr:
    """Return int64 multiplied by ``factor`` in 31 bits, and shifted.

    Any: an array of numbers, or an expression.
    """
    if isinstance(factor, Expr):
        return multiplied_when_run(data, factor, upward=upward)
    multiplier, right = fixed_point(np.asarray(factor, np.float64))
    product = op.multiply(data, number(multiplier, WIDE))
    shift = np.clip(right, 1, LARGEST_SHIFT)
    half: Expr = number(np.int64(1) << (shift - 1), WIDE)
    if not upward:
        half = op.subtract(half, op.cast(op.less(product, number(0, WIDE)), WIDE))
    found: Expr = op.right_shift(op.add(product, half), number(shift, WIDE))
    if np.any(right > LARGEST_SHIFT):
        found = op.multiply(found, number(right <= LARGEST_SHIFT, WIDE))
    if np.all(right > 0):
        return found
    power = np.ldexp(1.0, np.maximum(-right, 0).astype(np.int32))
    grown = as_integers(op.multiply(op.cast(product, "float64"), number(power, "float64")))
    if np.all(right <= 0):
        return grown
    chosen: Expr = op.where(number(right > 0, "bool"), found, grown)
    return chosen


def requantized(
    data: Expr,
    rank: int,
    scale: Parameter,
    zero_point: Parameter,
    to: tuple[Expr, Expr],
    axis: int,
    *,
    rounding: str = "None",
    compute_dtype: str = "None",
) -> Expr:
    """Return integers as they stand at another scale and zero point, in int64 and unclipped."""
    moved = rescaled(
        centred(data, zero_point, axis, rank),
        quotient(along(scale, axis, rank), to[0]),
        rounding=rounding,
        compute_dtype=compute_dtype,
    )
    return shifted(moved, to[1])
