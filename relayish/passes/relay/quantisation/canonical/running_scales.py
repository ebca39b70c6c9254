"""Scaling by real numbers that are known when it runs: the same integers, found by operators."""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.op.builders.builder import op
from relayish.op.qnn.fixed_point import FRACTION_BITS, LARGEST_SHIFT
from relayish.passes.relay.quantisation.canonical.numbers import REAL, WIDE, as_integers, number


def multiplied_when_run(data: Expr, factor: Expr, *, upward: bool) -> Expr:
    """Return int64 multiplied by ``factor`` in 31 bits, and shifted.

    Args:
        data: int64.
        factor: float64, finite; broadcasts to it.
        upward: Whether halves go up; else they go away from zero.
    """
    multiplier, right = _fixed_point(factor)
    one, most = number(1, WIDE), number(LARGEST_SHIFT, WIDE)
    product = op.multiply(data, multiplier)
    shift = op.minimum(op.maximum(right, one), most)
    half = op.left_shift(one, op.subtract(shift, one))
    if not upward:
        half = op.subtract(half, op.cast(op.less(product, number(0, WIDE)), WIDE))
    shifted = op.right_shift(op.add(product, half), shift)
    shifted = op.where(op.greater(right, most), number(0, WIDE), shifted)
    left = op.cast(op.maximum(op.negative(right), number(0, WIDE)), REAL)
    grown = op.multiply(op.cast(product, REAL), op.power(number(2, REAL), left))
    found: Expr = op.where(op.greater(right, number(0, WIDE)), shifted, as_integers(grown))
    return found


def _fixed_point(factor: Expr) -> tuple[Expr, Expr]:
    """Return ``factor`` as integers of 31 bits, and how far products of them are shifted.

    The logarithm may err by one next to powers of two, which what it leaves tells.
    """
    one, two = number(1, REAL), number(2, REAL)
    size = op.abs(factor)
    size = op.where(op.equal(size, number(0, REAL)), one, size)
    guess = op.floor(op.log2(size))
    left = op.multiply(size, op.power(two, op.negative(guess)))
    above = op.cast(op.greater_equal(left, two), REAL)
    below = op.cast(op.less(left, one), REAL)
    exponent = op.add(op.subtract(op.add(guess, above), below), one)
    fraction = op.multiply(factor, op.power(two, op.negative(exponent)))
    in_bits = op.round(op.multiply(fraction, number(1 << FRACTION_BITS, REAL)))
    right = op.subtract(number(FRACTION_BITS, WIDE), op.cast(exponent, WIDE))
    return op.cast(in_bits, WIDE), right
