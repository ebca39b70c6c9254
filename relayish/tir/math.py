"""Mathematical functions: calls by name, and what CINN expands into other nodes.

``from relayish import tir``: ``tir.math.exp(x)``. The names of calls are CINN's; how they are
evaluated is registered with the calls.
"""
# ruff: noqa: A001 - functions carry the names they have in mathematics

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.errors import OperatorError
from relayish.ir.one_line import one_line
from relayish.tir.builders.expr import (
    logic_and,
    maximum,
    minimum,
    not_equal,
    select,
)
from relayish.tir.builders.tensor import call_extern
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import (
    Div,
    Expr,
    IntImm,
    Mod,
    Operand,
    Sub,
    as_expr,
    binary,
    const,
)
from relayish.tir.ir.type import bool_like

_SCALAR_ONLY: Final[Mapping[str, object]] = {"vectorizable": False}


def exp(e: Operand) -> Call:
    """Return the call of the exponential function."""
    return _of_float("exp", e)


def erf(e: Operand) -> Call:
    """Return the call of the error function."""
    return _of_float("erf", e, _SCALAR_ONLY)


def sqrt(e: Operand) -> Call:
    """Return the call of the square root."""
    return _of_float("sqrt", e)


def rsqrt(e: Operand) -> Call:
    """Return the call of the reciprocal of the square root."""
    return _of_float("rsqrt", e)


def cbrt(e: Operand) -> Call:
    """Return the call of the cube root."""
    return _of_float("cbrt", e)


def log(e: Operand) -> Call:
    """Return the call of the natural logarithm."""
    return _of_float("log", e)


def log2(e: Operand) -> Call:
    """Return the call of the logarithm to base 2."""
    return _of_float("log2", e)


def log10(e: Operand) -> Call:
    """Return the call of the logarithm to base 10."""
    return _of_float("log10", e)


def floor(e: Operand) -> Call:
    """Return the call of the greatest whole number that is not above ``e``."""
    return _of_float("floor", e)


def ceil(e: Operand) -> Call:
    """Return the call of the least whole number that is not below ``e``."""
    return _of_float("ceil", e)


def round(e: Operand) -> Call:
    """Return the call of the nearest whole number."""
    return _of_float("round", e)


def trunc(e: Operand) -> Call:
    """Return the call of the whole part, towards zero."""
    return _of_float("trunc", e)


def sin(e: Operand) -> Call:
    """Return the call of the sine."""
    return _of_float("sin", e)


def cos(e: Operand) -> Call:
    """Return the call of the cosine."""
    return _of_float("cos", e)


def tan(e: Operand) -> Call:
    """Return the call of the tangent."""
    return _of_float("tan", e)


def sinh(e: Operand) -> Call:
    """Return the call of the hyperbolic sine."""
    return _of_float("sinh", e)


def cosh(e: Operand) -> Call:
    """Return the call of the hyperbolic cosine."""
    return _of_float("cosh", e)


def tanh(e: Operand) -> Call:
    """Return the call of the hyperbolic tangent."""
    return _of_float("tanh", e)


def asin(e: Operand) -> Call:
    """Return the call of the inverse sine."""
    return _of_float("asin", e, _SCALAR_ONLY)


def acos(e: Operand) -> Call:
    """Return the call of the inverse cosine."""
    return _of_float("acos", e, _SCALAR_ONLY)


def atan(e: Operand) -> Call:
    """Return the call of the inverse tangent."""
    return _of_float("atan", e, _SCALAR_ONLY)


def asinh(e: Operand) -> Call:
    """Return the call of the inverse hyperbolic sine."""
    return _of_float("asinh", e, _SCALAR_ONLY)


def acosh(e: Operand) -> Call:
    """Return the call of the inverse hyperbolic cosine."""
    return _of_float("acosh", e, _SCALAR_ONLY)


def atanh(e: Operand) -> Call:
    """Return the call of the inverse hyperbolic tangent."""
    return _of_float("atanh", e, _SCALAR_ONLY)


def pow(a: Operand, b: Operand) -> Call:
    """Return the call of ``a`` to the power of ``b``, of one type."""
    return _of_two("pow", a, b)


def remainder(a: Operand, b: Operand) -> Call:
    """Return the call of ``mod``, the remainder of ``a`` divided by ``b``, of one type."""
    return _of_two("mod", a, b)


def logical_right_shift(a: Operand, b: Operand) -> Call:
    """Return the call that shifts ``a`` to the right by ``b`` bits, zeros coming in."""
    return _of_integers("logical_right_shift", a, b)


def left_shift(a: Operand, b: Operand) -> Call:
    """Return the call that shifts ``a`` to the left by ``b`` bits."""
    return _of_integers("left_shift", a, b, _SCALAR_ONLY)


def right_shift(a: Operand, b: Operand) -> Call:
    """Return the call that shifts ``a`` to the right by ``b`` bits, the sign coming in."""
    return _of_integers("right_shift", a, b, _SCALAR_ONLY)


def bitwise_and(a: Operand, b: Operand) -> Call:
    """Return the call of *and* of the bits of two integers."""
    return _of_integers("bitwise_and", a, b, _SCALAR_ONLY)


def bitwise_or(a: Operand, b: Operand) -> Call:
    """Return the call of *or* of the bits of two integers."""
    return _of_integers("bitwise_or", a, b, _SCALAR_ONLY)


def bitwise_xor(a: Operand, b: Operand) -> Call:
    """Return the call of *exclusive or* of the bits of two integers."""
    return _of_integers("bitwise_xor", a, b, _SCALAR_ONLY)


def bitwise_not(e: Operand) -> Call:
    """Return the call of *not* of the bits of an integer."""
    return _of_integer("bitwise_not", e, _SCALAR_ONLY)


def clz(e: Operand) -> Call:
    """Return the call that counts the zeros before the highest one among the bits."""
    return _of_integer("clz", e)


def popc(e: Operand) -> Call:
    """Return the call that counts the ones among the bits."""
    return _of_integer("popc", e)


def isnan(e: Operand) -> Expr:
    """Return whether ``e`` is no number; of integers, false."""
    return _classify("isnan", e)


def isinf(e: Operand) -> Expr:
    """Return whether ``e`` is infinite; of integers, false."""
    return _classify("isinf", e)


def isfinite(e: Operand) -> Expr:
    """Return whether ``e`` is a number, and not infinite."""
    return logic_and(~isinf(e), ~isnan(e))


def sigmoid(e: Operand) -> Expr:
    """Return ``1 / (1 + exp(-e))``."""
    return 1 / (1 + exp(-as_expr(e)))


def sign(e: Operand) -> Expr:
    """Return 1, 0 or -1 as ``e`` is greater than, equal to or less than 0; ``e`` for a NaN."""
    x = as_expr(e)
    positive = select(x > 0, const(1, x.type), x)
    return positive if _is_unsigned(x) else select(x < 0, const(-1, x.type), positive)


def abs(e: Operand) -> Expr:
    """Return the absolute value of ``e``; of the least integer of its type, that integer."""
    x = as_expr(e)
    if _is_unsigned(x):
        return x
    if isinstance(x, IntImm) and x.value > 0:
        return x
    return select(x > 0, x, -x)


def relu(e: Operand, threshold: float = 0.0) -> Expr:
    """Return ``e``, at least ``threshold``."""
    return maximum(e, _as_type_of(e, threshold))


def relu6(e: Operand, threshold: float = 0.0) -> Expr:
    """Return ``e``, at least ``threshold`` and at most 6."""
    return minimum(relu(e, threshold), _as_type_of(e, 6))


def leaky_relu(e: Operand, alpha: float) -> Expr:
    """Return ``e`` where it is positive, else ``e * alpha``."""
    x = as_expr(e)
    return select(x > 0, x, x * alpha)


def negative(e: Operand) -> Expr:
    """Return ``-e``."""
    return -as_expr(e)


def identity(e: Operand) -> Expr:
    """Return ``e``."""
    return as_expr(e)


def logical_not(e: Operand) -> Expr:
    """Return whether ``e`` does not hold."""
    return ~as_expr(e)


def floor_divide(a: Operand, b: Operand) -> Expr:
    """Return ``a / b`` rounded down: of floats by ``floor``, of integers from the quotient.

    ``a`` and ``b`` stand in it several times; sharing keeps what they are made of one node.
    """
    quotient = binary(Div, a, b)
    found = quotient.type
    if found.is_float:
        return floor(quotient)
    if _is_unsigned(quotient):
        return quotient
    left, right = as_expr(a, found), as_expr(b, found)
    rest = binary(Mod, left, right)
    rounded_up = logic_and(not_equal(rest, 0), not_equal(rest < 0, right < 0))
    return select(rounded_up, binary(Sub, quotient, 1), quotient)


def _of_float(name: str, e: Operand, attrs: Mapping[str, object] | None = None) -> Call:
    x = as_expr(float(e) if isinstance(e, int) else e)
    if not x.type.is_float:
        raise OperatorError(
            f"{name} is given {one_line(x)} of type {x.type}; expected floats: cast it"
        )
    return call_extern(name, [x], attrs=attrs)


def _of_integer(name: str, e: Operand, attrs: Mapping[str, object] | None = None) -> Call:
    x = as_expr(e)
    _check_integer(name, x)
    return call_extern(name, [x], attrs=attrs)


def _of_integers(
    name: str, a: Operand, b: Operand, attrs: Mapping[str, object] | None = None
) -> Call:
    made = _of_two(name, a, b, attrs)
    _check_integer(name, made.read_args[0])
    return made


def _of_two(name: str, a: Operand, b: Operand, attrs: Mapping[str, object] | None = None) -> Call:
    left = a if isinstance(a, Expr) else as_expr(a, b.type if isinstance(b, Expr) else None)
    right = as_expr(b, left.type)
    if left.type != right.type:
        raise OperatorError(
            f"{name} is given {one_line(left)} of type {left.type} and {one_line(right)} of type "
            f"{right.type}; both must have one type: cast one, or broadcast it"
        )
    return call_extern(name, [left, right], attrs=attrs)


def _check_integer(name: str, x: Expr) -> None:
    if not x.type.is_integer:
        raise OperatorError(f"{name} is given {one_line(x)} of type {x.type}; expected integers")


def _classify(name: str, e: Operand) -> Expr:
    x = as_expr(e)
    truth = bool_like(x.type)
    if not x.type.is_float:
        return const(False, truth)
    return call_extern(name, [x], truth, _SCALAR_ONLY)


def _is_unsigned(x: Expr) -> bool:
    return x.type.is_uint


def _as_type_of(e: Operand, number: float) -> Expr:
    return const(number, as_expr(e).type)
