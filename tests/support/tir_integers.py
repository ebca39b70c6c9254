"""Random integer expressions of the loop IR, and their values by Python's integers."""

from __future__ import annotations

from relayish import tir
from relayish.dataflow.lattice.interval import truncated_quotient, truncated_remainder
from relayish.tir.analysis.values.interval import wrap_integer

WIDTHS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


class Fault(Exception):
    """What is evaluated is an error."""


def random_expr(rng, variables, dtype, depth=4):
    """Return an expression of ``dtype`` over ``variables``, all of that type or converted to it."""
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.6:
            var = rng.choice(variables)
            return var if var.type == tir.as_type(dtype) else tir.Cast(dtype, var)
        low, high = tir.ir.operators.integer_range(tir.as_type(dtype))
        value = rng.choice([0, 1, 2, 3, 4, 7, 8, high, low, high // 2])
        if low < 0 and rng.random() < 0.3:
            value = min(high, -value)
        return tir.const(value, dtype)

    def below(ty=dtype):
        return random_expr(rng, variables, ty, depth - 1)

    match rng.randrange(15):
        case 0 | 1 | 2:
            return tir.Add(below(), below())
        case 3 | 4:
            return tir.Sub(below(), below())
        case 5 | 6:
            return tir.Mul(below(), below())
        case 7:
            return tir.Div(below(), below())
        case 8:
            return tir.Mod(below(), below())
        case 9:
            return tir.Min(below(), below())
        case 10:
            return tir.Max(below(), below())
        case 11:
            return tir.Minus(below())
        case 12:
            return tir.Select(random_condition(rng, variables, depth - 1), below(), below())
        case 13:
            if rng.random() < 0.2:
                return tir.Cast(dtype, random_condition(rng, variables, depth - 1))
            return tir.Cast(dtype, below(rng.choice(WIDTHS)))
    if rng.random() < 0.7:
        return tir.Sum((below(), below(), below()))
    return tir.Product((below(), below()))


def random_condition(rng, variables, depth=3):
    """Return a truth value over ``variables``."""
    if depth > 1 and rng.random() < 0.4:
        match rng.randrange(3):
            case 0:
                kind = tir.And
            case 1:
                kind = tir.Or
            case _:
                return tir.Not(random_condition(rng, variables, depth - 1))
        return kind(
            random_condition(rng, variables, depth - 1), random_condition(rng, variables, depth - 1)
        )
    dtype = str(rng.choice(variables).type) if rng.random() < 0.8 else rng.choice(WIDTHS)
    kind = rng.choice((tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE))
    return kind(
        random_expr(rng, variables, dtype, max(0, depth - 1)),
        random_expr(rng, variables, dtype, max(0, depth - 1)),
    )


def evaluate(expr, values):
    """Return the value of ``expr``, a scalar, where variables have ``values``.

    Raises:
        Fault: If it divides by zero.
    """
    ty = expr.type
    match expr:
        case tir.Var():
            return values[expr]
        case tir.IntImm() | tir.UIntImm():
            return expr.value
        case tir.Not():
            return 1 - evaluate(expr.v, values)
        case tir.Minus():
            return wrap_integer(-evaluate(expr.v, values), ty)
        case tir.Cast():
            value = evaluate(expr.v, values)
            return int(value != 0) if ty.is_bool else wrap_integer(value, ty)
        case tir.Select():
            arms = evaluate(expr.true_value, values), evaluate(expr.false_value, values)
            return arms[0] if evaluate(expr.condition, values) else arms[1]
        case tir.Sum():
            return wrap_integer(sum(evaluate(each, values) for each in expr.operands), ty)
        case tir.Product():
            found = 1
            for each in expr.operands:
                found *= evaluate(each, values)
            return wrap_integer(found, ty)
    a, b = evaluate(expr.a, values), evaluate(expr.b, values)
    match expr:
        case tir.Add():
            return wrap_integer(a + b, ty)
        case tir.Sub():
            return wrap_integer(a - b, ty)
        case tir.Mul():
            return wrap_integer(a * b, ty)
        case tir.Div() | tir.Mod() if not b:
            raise Fault
        case tir.Div():
            return wrap_integer(truncated_quotient(a, b), ty)
        case tir.Mod():
            return wrap_integer(truncated_remainder(a, b), ty)
        case tir.Min() | tir.And():
            return min(a, b)
        case tir.Max() | tir.Or():
            return max(a, b)
        case tir.EQ():
            return int(a == b)
        case tir.NE():
            return int(a != b)
        case tir.LT():
            return int(a < b)
        case tir.LE():
            return int(a <= b)
        case tir.GT():
            return int(a > b)
        case tir.GE():
            return int(a >= b)
    raise NotImplementedError(type(expr))
