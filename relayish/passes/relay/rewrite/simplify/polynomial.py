"""Sums of squares and products of two operands, as products of sums.

``a*x*x + b*x*y + c*y*y`` is ``a * (x + p*y) * (x + q*y)`` where ``p`` and ``q`` are real.
"""

from __future__ import annotations

import math
from typing import Final, TypeAlias

import numpy as np

from relayish.dataflow_pattern import Found, RuleSet, rule, wildcard
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.values.dtype import numpy_dtype
from relayish.ir.values.value import as_value
from relayish.op.builders.call import relay_call
from relayish.passes.relay.rewrite.simplify.common import is_relay_op, same_type, splat, static_type

_FACTORS: Final = 4

_Number: TypeAlias = int | float
_ADD, _MULTIPLY = is_relay_op("add"), is_relay_op("multiply")
_terms = [_MULTIPLY(wildcard(), wildcard()) for _ in range(3)]


@rule(_ADD(_ADD(_terms[0], _terms[1]), _terms[2]))
def binomial(call: Call, found: Found) -> Expr:
    """Write a polynomial of the second degree in two operands as a product.

    Of whole numbers, where the factors are made of whole numbers as well.
    """
    ty = static_type(found, call)
    kind = "" if ty is None else numpy_dtype(ty.dtype).kind
    form = _form([found[term] for term in _terms])
    if ty is None or form is None or kind not in "iuf":
        return call
    (a, b, c), x, y = form
    if c == 1 and a > 1:  # then no factor stands before the product
        (a, x), (c, y) = (c, y), (a, x)
    roots = _solve_whole(a, b, c) if kind in "iu" else _solve_real(a, b, c)
    numbers = [] if roots is None else [_convert_to_dtype(each, ty.dtype) for each in (a, *roots)]
    factors = [each for each in numbers if each is not None]
    if len(factors) < 3:
        return call
    scale, p, q = factors
    first = relay_call("add", x, _times(y, p))
    second = first if p == q else relay_call("add", x, _times(y, q))
    out = relay_call("multiply", first, second)
    if scale != 1:
        out = relay_call("multiply", Constant(as_value(scale)), out)
    return out.with_fields(span=call.span) if same_type(found, out, call) else call


def _times(expr: Expr, factor: np.generic) -> Expr:
    return expr if factor == 1 else relay_call("multiply", expr, Constant(as_value(factor)))


def _convert_to_dtype(number: _Number, dtype: str) -> np.generic | None:
    """Return a number of ``dtype``, if it is none too large, and another than zero."""
    kind = numpy_dtype(dtype)
    if kind.kind in "iu":
        whole = np.iinfo(kind.name)
        return kind.type(number) if number and whole.min <= number <= whole.max else None
    limits = np.finfo(kind.name)
    if not float(limits.tiny) <= abs(number) <= float(limits.max):
        return None
    return kind.type(number)


_Form: TypeAlias = "tuple[tuple[_Number, _Number, _Number], Expr, Expr]"


def _form(terms: list[Expr]) -> _Form | None:
    """Return coefficients, ``x`` and ``y`` of a polynomial of three terms."""
    squares: list[tuple[_Number, Expr]] = []
    mixed: list[tuple[_Number, Expr, Expr]] = []
    for term in terms:
        monomial = _monomial(term)
        if monomial is None:
            return None
        factor, x, y = monomial
        if x is y:
            squares.append((factor, x))
        else:
            mixed.append((factor, x, y))
    if len(squares) != 2 or len(mixed) != 1:
        return None
    ((a, x), (c, y)), ((b, *both),) = squares, mixed
    if (both[0] is x and both[1] is y) or (both[0] is y and both[1] is x):
        return (a, b, c), x, y
    return None


def _monomial(term: Expr) -> tuple[_Number, Expr, Expr] | None:
    """Return the coefficient and the two other factors of a product."""
    coefficient: _Number = 1
    factors: list[Expr] = []
    stack = [term]
    while stack:
        each = stack.pop()
        if type(each) is Call and each.op is _MULTIPLY.expr:
            left, right = each.args
            if left is right:
                factors += (left, left)
            else:
                stack += (right, left)
        elif type(each) is Constant:
            value = splat(each)
            if value is None or value.dtype.kind not in "iuf":
                return None
            coefficient *= value.item()
        else:
            factors.append(each)
        if len(stack) + len(factors) > _FACTORS:
            return None
    if len(factors) != 2 or not coefficient:
        return None
    return coefficient, factors[0], factors[1]


def _solve_whole(a: _Number, b: _Number, c: _Number) -> tuple[int, int] | None:
    a, b, c = int(a), int(b), int(c)
    discriminant = b * b - 4 * a * c
    if discriminant < 0:
        return None
    root = math.isqrt(discriminant)
    if root * root != discriminant or (b + root) % (2 * a) or (b - root) % (2 * a):
        return None
    return (b + root) // (2 * a), (b - root) // (2 * a)


def _solve_real(a: float, b: float, c: float) -> tuple[float, float] | None:
    discriminant = b * b - 4 * a * c
    if not 0 <= discriminant < math.inf:
        return None
    larger = (b + math.copysign(math.sqrt(discriminant), b)) / 2  # where nothing is cancelled
    roots = larger / a, c / larger
    return roots if b > 0 else roots[::-1]


POLYNOMIAL: Final = RuleSet([binomial])
