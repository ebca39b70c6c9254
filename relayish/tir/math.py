"""Mathematical functions: calls by name, and what CINN expands into other nodes.

``from relayish import tir``: ``tir.math.exp(x)``. The names of calls are CINN's; how they are
evaluated is registered with the calls.
"""
# ruff: noqa: A001 - functions carry the names they have in mathematics

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.errors import OperatorError
from relayish.ir.kinds.one_line import one_line
from relayish.tir.builders.expr import logic_and, maximum, minimum, not_equal, select
from relayish.tir.builders.tensor import call_extern
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.type import bool_like

_SCALAR_ONLY: Final[Mapping[str, object]] = {"vectorizable": False}


def exp(e: ops.Operand) -> Call:
    """Return the call of the exponential function."""
    return _of_float("exp", e)


def erf(e: ops.Operand) -> Call:
    """Return the call of the error function."""
    return _of_float("erf", e, _SCALAR_ONLY)


def sqrt(e: ops.Operand) -> Call:
    """Return the call of the square root."""
    return _of_float("sqrt", e)


def rsqrt(e: ops.Operand) -> Call:
    """Return the call of the reciprocal of the square root."""
    return _of_float("rsqrt", e)


def cbrt(e: ops.Operand) -> Call:
    """Return the call of the cube root."""
    return _of_float("cbrt", e)


def log(e: ops.Operand) -> Call:
    """Return the call of the natural logarithm."""
    return _of_float("log", e)


def log2(e: ops.Operand) -> Call:
    """Return the call of the logarithm to base 2."""
    return _of_float("log2", e)


def log10(e: ops.Operand) -> Call:
    """Return the call of the logarithm to base 10."""
    return _of_float("log10", e)


def floor(e: ops.Operand) -> Call:
    """Return the call of the greatest whole number that is not above ``e``."""
    return _of_float("floor", e)


def ceil(e: ops.Operand) -> Call:
    """Return the call of the least whole number that is not below ``e``."""
    return _of_float("ceil", e)


def round(e: ops.Operand) -> Call:
    """Return the call of the nearest whole number."""
    return _of_float("round", e)


def trunc(e: ops.Operand) -> Call:
    """Return the call of the whole part, towards zero."""
    return _of_float("trunc", e)


def sin(e: ops.Operand) -> Call:
    """Return the call of the sine."""
    return _of_float("sin", e)


def cos(e: ops.Operand) -> Call:
    """Return the call of the cosine."""
    return _of_float("cos", e)


def tan(e: ops.Operand) -> Call:
    """Return the call of the tangent."""
    return _of_float("tan", e)


def sinh(e: ops.Operand) -> Call:
    """Return the call of the hyperbolic sine."""
    return _of_float("sinh", e)


def cosh(e: ops.Operand) -> Call:
    """Return the call of the hyperbolic cosine."""
    return _of_float("cosh", e)


def tanh(e: ops.Operand) -> Call:
    """Return the call of the hyperbolic tangent."""
    return _of_float("tanh", e)


def asin(e: ops.Operand) -> Call:
    """Return the call of the inverse sine."""
    return _of_float("asin", e, _SCALAR_ONLY)


def acos(e: ops.Operand) -> Call:
    """Return the call of the inverse cosine."""
    return _of_float("acos", e, _SCALAR_ONLY)


def atan(e: ops.Operand) -> Call:
    """Return the call of the inverse tangent."""
    return _of_float("atan", e, _SCALAR_ONLY)


def asinh(e: ops.Operand) -> Call:
    """Return the call of the inverse hyperbolic sine."""
    return _of_float("asinh", e, _SCALAR_ONLY)


def acosh(e: ops.Operand) -> Call:
    """Return the call of the inverse hyperbolic cosine."""
    return _of_float("acosh", e, _SCALAR_ONLY)


def atanh(e: ops.Operand) -> Call:
    """Return the call of the inverse hyperbolic tangent."""
    return _of_float("atanh", e, _SCALAR_ONLY)


def pow(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call of ``a`` to the power of ``b``, of one type."""
    return _of_two("pow", a, b)


def remainder(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call of ``mod``, the remainder of ``a`` divided by ``b``, of one type."""
    return _of_two("mod", a, b)


def logical_right_shift(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call that shifts ``a`` to the right by ``b`` bits, zeros coming in."""
    return _of_integers("logical_right_shift", a, b)


def left_shift(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call that shifts ``a`` to the left by ``b`` bits."""
    return _of_integers("left_shift", a, b, _SCALAR_ONLY)


def right_shift(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call that shifts ``a`` to the right by ``b`` bits, the sign coming in."""
    return _of_integers("right_shift", a, b, _SCALAR_ONLY)


def bitwise_and(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call of *and* of the bits of two integers."""
    return _of_integers("bitwise_and", a, b, _SCALAR_ONLY)


def bitwise_or(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call of *or* of the bits of two integers."""
    return _of_integers("bitwise_or", a, b, _SCALAR_ONLY)


def bitwise_xor(a: ops.Operand, b: ops.Operand) -> Call:
    """Return the call of *exclusive or* of the bits of two integers."""
    return _of_integers("bitwise_xor", a, b, _SCALAR_ONLY)


def bitwise_not(e: ops.Operand) -> Call:
    """Return the call of *not* of the bits of an integer."""
    return _of_integer("bitwise_not", e, _SCALAR_ONLY)


def clz(e: ops.Operand) -> Call:
    """Return the call that counts the zeros before the highest one among the bits."""
    return _of_integer("clz", e)


def popc(e: ops.Operand) -> Call:
    """Return the call that counts the ones among the bits."""
    return _of_integer("popc", e)


def isnan(e: ops.Operand) -> Expr:
    """Return whether ``e`` is no number; of integers, false."""
    return _classify("isnan", e)


def isinf(e: ops.Operand) -> Expr:
    """Return whether ``e`` is infinite; of integers, false."""
    return _classify("isinf", e)


def isfinite(e: ops.Operand) -> Expr:
    """Return whether ``e`` is a number, and not infinite."""
    return logic_and(~isinf(e), ~isnan(e))


def sigmoid(e: ops.Operand) -> Expr:
    """Return ``1 / (1 + exp(-e))``."""
    return 1 / (1 + exp(-ops.as_expr(e)))


def sign(e: ops.Operand) -> Expr:
    """Return 1, 0 or -1 as ``e`` is greater than, equal to or less than 0; ``e`` for a NaN."""
    x = ops.as_expr(e)
    positive = select(x > 0, ops.const(1, x.type), x)
    return positive if _is_unsigned(x) else select(x < 0, ops.const(-1, x.type), positive)


def abs(e: ops.Operand) -> Expr:
    """Return the absolute value of ``e``; of the least integer of its type, that integer."""
    x = ops.as_expr(e)
    if _is_unsigned(x):
        return x
    if isinstance(x, ops.IntImm) and x.value > 0:
        return x
    return select(x > 0, x, -x)


def relu(e: ops.Operand, threshold: float = 0.0) -> Expr:
    """Return ``e``, at least ``threshold``."""
    return maximum(e, _as_type_of(e, threshold))


def relu6(e: ops.Operand, threshold: float = 0.0) -> Expr:
    """Return ``e``, at least ``threshold`` and at most 6."""
    return minimum(relu(e, threshold), _as_type_of(e, 6))


def leaky_relu(e: ops.Operand, alpha: float) -> Expr:
    """Return ``e`` where it is positive, else ``e * alpha``."""
    x = ops.as_expr(e)
    return select(x > 0, x, x * alpha)


def negative(e: ops.Operand) -> Expr:
    """Return ``-e``."""
    return -ops.as_expr(e)


def identity(e: ops.Operand) -> Expr:
    """Return ``e``."""
    return ops.as_expr(e)


def logical_not(e: ops.Operand) -> Expr:
    """Return whether ``e`` does not hold."""
    return ~ops.as_expr(e)


def floor_divide(a: ops.Operand, b: ops.Operand) -> Expr:
    """Return ``a / b`` rounded down: of floats by ``floor``, of integers from the quotient.

    ``a`` and ``b`` stand in it several times; sharing keeps what they are made of one node.
    """
    quotient = ops.binary(ops.Div, a, b)
    found = quotient.type
    if found.is_float:
        return floor(quotient)
    if _is_unsigned(quotient):
        return quotient
    left, right = ops.as_expr(a, found), ops.as_expr(b, found)
    rest = ops.binary(ops.Mod, left, right)
    rounded_up = logic_and(not_equal(rest, 0), not_equal(rest < 0, right < 0))
    return select(rounded_up, ops.binary(ops.Sub, quotient, 1), quotient)


def _of_float(name: str, e: ops.Operand, attrs: Mapping[str, object] | None = None) -> Call:
    x = ops.as_expr(float(e) if isinstance(e, int) else e)
    if not x.type.is_float:
        raise OperatorError(
            f"{name} is given {one_line(x)} of type {x.type}; expected floats: cast it"
        )
    return call_extern(name, [x], attrs=attrs)


def _of_integer(name: str, e: ops.Operand, attrs: Mapping[str, object] | None = None) -> Call:
    x = ops.as_expr(e)
    _check_integer(name, x)
    return call_extern(name, [x], attrs=attrs)


def _of_integers(
    name: str, a: ops.Operand, b: ops.Operand, attrs: Mapping[str, object] | None = None
) -> Call:
    made = _of_two(name, a, b, attrs)
    _check_integer(name, made.read_args[0])
    return made


def _of_two(
    name: str, a: ops.Operand, b: ops.Operand, attrs: Mapping[str, object] | None = None
) -> Call:
    left = a if isinstance(a, Expr) else ops.as_expr(a, b.type if isinstance(b, Expr) else None)
    right = ops.as_expr(b, left.type)
    if left.type != right.type:
        raise OperatorError(
            f"{name} is given {one_line(left)} of type {left.type} and {one_line(right)} of type "
            f"{right.type}; both must have one type: cast one, or broadcast it"
        )
    return call_extern(name, [left, right], attrs=attrs)


def _check_integer(name: str, x: Expr) -> None:
    if not x.type.is_integer:
        raise OperatorError(f"{name} is given {one_line(x)} of type {x.type}; expected integers")


def _classify(name: str, e: ops.Operand) -> Expr:
    x = ops.as_expr(e)
    truth = bool_like(x.type)
    if not x.type.is_float:
        return ops.const(False, truth)
    return call_extern(name, [x], truth, _SCALAR_ONLY)


def _is_unsigned(x: Expr) -> bool:
    return x.type.is_uint


def _as_type_of(e: ops.Operand, number: float) -> Expr:
    return ops.const(number, ops.as_expr(e).type)
