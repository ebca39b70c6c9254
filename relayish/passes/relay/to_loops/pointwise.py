"""Operators that compute each element of those at its place, as formulas."""

from __future__ import annotations

import math as python_math
from collections.abc import Callable

from numpy import float32, result_type

from relayish.domain import Handler
from relayish.ir.values.dtype import numpy_dtype
from relayish.numeric.precision import is_whole
from relayish.op.types.dimension import normalise_axis
from relayish.passes.relay.to_loops.context import Site
from relayish.passes.relay.to_loops.elements import Elements, Index, broadcast, converted
from relayish.passes.relay.to_loops.formulas import computes, elementwise, literal, pointwise, zero
from relayish.tir import math
from relayish.tir.builders.expr import select
from relayish.tir.externs import find_extern
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import Call
from relayish.tir.ir.operators import Cast, Expr, const
from relayish.tir.ir.type import BOOL, FLOAT32, INT32, INT64, as_type


def extern(name: str) -> Callable[..., Expr]:
    """Return the formula that calls a function of numbers."""
    return lambda *x: Call(x[0].type, name, x)


def of_truth(name: str) -> Callable[[Expr], Expr]:
    """Return the formula that asks a question of a number."""
    return lambda x: Call(BOOL, name, (Cast(INT32, x) if x.type.is_bool else x,))


def _rounding(name: str) -> Callable[[Expr], Expr]:
    return lambda x: Call(x.type, name, (x,)) if x.type.is_float else x


def _in_wide_type(formula: Callable[[Expr], Expr]) -> Callable[[Expr], Expr]:
    """Return a formula that is computed in a type in which rounding once is enough."""

    def wide(x: Expr) -> Expr:
        if not x.type.is_float:
            return formula(Cast(as_type("float32" if x.type.bits < 32 else "float64"), x))
        return formula(Cast(FLOAT32, x) if x.type.bits < 32 else x)

    return wide


def greater_of(a: Expr, b: Expr) -> Expr:
    """Return the larger of two numbers; what is no number stays none.

    What is asked besides is asked of the second, which often is the same for many elements:
    compilers of C make no vectors of several such choices else.
    """
    if not a.type.is_float:
        return ops.Max(a, b)
    return select(ops.Or(a <= b, ops.NE(b, b)), b, a)


def smaller_of(a: Expr, b: Expr) -> Expr:
    """Return the smaller of two numbers; what is no number stays none, as of :func:`greater_of`."""
    if not a.type.is_float:
        return ops.Min(a, b)
    return select(ops.Or(a >= b, ops.NE(b, b)), b, a)


def half_even(x: Expr) -> Expr:
    """Return the nearest whole number of a float, of two the even one."""
    low = math.floor(x)
    rest, half, one = x - low, const(0.5, x.type), const(1.0, x.type)
    is_odd = ops.NE(ops.Mod(low, const(2.0, x.type)), const(0.0, x.type))
    above = ops.Or(rest > half, ops.And(ops.EQ(rest, half), is_odd))
    return select(above, low + one, low)


def _sign(x: Expr) -> Expr:
    if x.type.is_bool:
        return x
    none = zero(str(x.type))
    return Cast(x.type, x > none) - Cast(x.type, x < none)


def floor_quotient(a: Expr, b: Expr) -> Expr:
    """Return a quotient, rounded down."""
    if a.type.is_float:
        return math.floor(a / b)
    quotient = ops.Div(a, b)
    if a.type.is_uint:
        return quotient
    rest = ops.Mod(a, b)
    none = zero(str(a.type))
    apart = ops.And(ops.NE(rest, none), ops.NE(rest < none, b < none))
    return quotient - Cast(a.type, apart)


def floor_rest(a: Expr, b: Expr) -> Expr:
    """Return what a quotient leaves that is rounded down."""
    if a.type.is_float:
        return a - math.floor(a / b) * b
    rest = ops.Mod(a, b)
    if a.type.is_uint:
        return rest
    none = zero(str(a.type))
    apart = ops.And(ops.NE(rest, none), ops.NE(rest < none, b < none))
    return rest + select(apart, b, none)


def _cut_quotient(a: Expr, b: Expr) -> Expr:
    return math.trunc(a / b) if a.type.is_float else ops.Div(a, b)


def _cut_rest(a: Expr, b: Expr) -> Expr:
    return a - math.trunc(a / b) * b if a.type.is_float else ops.Mod(a, b)


def _of_truths(formula: Callable[..., Expr]) -> Callable[..., Expr]:
    """Return a formula for truth values; of a number, it is whether that is another than 0."""
    return lambda *x: formula(*[converted(each, "bool") for each in x])


def _within_width(a: Expr, b: Expr) -> Expr:
    """Return whether a number has as many bits as it is shifted by."""
    if ops.integer_range(b.type)[1] < a.type.bits:  # none is as great
        return const(True) if a.type.is_uint else b >= zero(str(b.type))
    below = b < const(a.type.bits, b.type)
    return below if a.type.is_uint else ops.And(b >= zero(str(b.type)), below)


def _shift_left(a: Expr, b: Expr) -> Expr:
    """Return a number whose bits are shifted; if by more than there are, 0."""
    inside, none = _within_width(a, b), zero(str(b.type))
    return select(inside, extern("left_shift")(a, select(inside, b, none)), zero(str(a.type)))


def _shift_right(a: Expr, b: Expr) -> Expr:
    """Return a number whose bits are shifted; if by more than there are, its sign is left."""
    inside, last = _within_width(a, b), const(a.type.bits - 1, b.type)
    shifted = extern("right_shift")(a, select(inside, b, last))
    return select(inside, shifted, zero(str(a.type))) if a.type.is_uint else shifted


def numbers(formula: Callable[..., Expr]) -> Callable[..., Expr]:
    """Return a formula for numbers; truth values are counted, and asked whether any is there."""

    def either(*x: Expr) -> Expr:
        if x[0].type.is_bool:
            return Cast(BOOL, formula(*[Cast(INT32, each) for each in x]))
        return formula(*x)

    return either


def _low_bits(value: int) -> int:
    """Return the integer of 64 bits that has the low bits of ``value``."""
    return (value + 2**63) % 2**64 - 2**63


def _shifted_down(product: Expr, by: Expr) -> Expr:
    """Return an integer of 64 bits shifted to the right, halves rounded up."""
    one = const(1, "int64")
    return _shift_right(product + _shift_left(one, by - one), by)


class Pointwise(Handler, domain="relay"):
    """Writes what computes elements of those at their place."""

    handle_exp = elementwise(extern("exp"))
    handle_fast_exp = elementwise(extern("exp"))
    handle_log = elementwise(extern("log"))
    handle_log2 = elementwise(extern("log2"))
    handle_log10 = elementwise(extern("log10"))
    handle_sqrt = elementwise(extern("sqrt"))
    handle_sin = elementwise(extern("sin"))
    handle_cos = elementwise(extern("cos"))
    handle_tan = elementwise(extern("tan"))
    handle_asin = elementwise(extern("asin"))
    handle_acos = elementwise(extern("acos"))
    handle_atan = elementwise(extern("atan"))
    handle_sinh = elementwise(extern("sinh"))
    handle_cosh = elementwise(extern("cosh"))
    handle_tanh = elementwise(extern("tanh"))
    handle_fast_tanh = elementwise(extern("tanh"))
    handle_asinh = elementwise(extern("asinh"))
    handle_acosh = elementwise(extern("acosh"))
    handle_atanh = elementwise(extern("atanh"))
    handle_erf = elementwise(extern("erf"))
    handle_fast_erf = elementwise(extern("erf"))
    handle_sigmoid = elementwise(_in_wide_type(extern("sigmoid")))
    handle_rsqrt = elementwise(_in_wide_type(extern("rsqrt")))
    handle_ceil = elementwise(_rounding("ceil"))
    handle_floor = elementwise(_rounding("floor"))
    handle_trunc = elementwise(_rounding("trunc"))
    handle_round = elementwise(_rounding("round"))
    handle_isnan = elementwise(of_truth("isnan"))
    handle_isinf = elementwise(of_truth("isinf"))
    handle_isfinite = elementwise(of_truth("isfinite"))
    handle_abs = elementwise(numbers(extern("abs")))
    handle_negative = elementwise(ops.Minus)
    handle_sign = elementwise(_sign)
    handle_copy = handle_device_copy = elementwise(lambda x: x)
    handle_logical_not = elementwise(lambda x: ops.Not(converted(x, "bool")))
    handle_bitwise_not = elementwise(
        lambda x: ops.Not(x) if x.type.is_bool else extern("bitwise_not")(x)
    )

    handle_add = elementwise(numbers(ops.Add))
    handle_subtract = elementwise(ops.Sub)
    handle_multiply = elementwise(numbers(ops.Mul))
    handle_divide = elementwise(numbers(ops.Div))
    handle_floor_divide = elementwise(numbers(floor_quotient))
    handle_trunc_divide = elementwise(numbers(_cut_quotient))
    handle_mod = elementwise(numbers(ops.Mod))
    handle_floor_mod = elementwise(numbers(floor_rest))
    handle_trunc_mod = elementwise(numbers(_cut_rest))
    handle_power = elementwise(numbers(extern("pow")))
    handle_maximum = elementwise(numbers(greater_of))
    handle_minimum = elementwise(numbers(smaller_of))
    handle_left_shift = elementwise(numbers(_shift_left))
    handle_right_shift = elementwise(numbers(_shift_right))
    handle_bitwise_and = elementwise(
        lambda a, b: ops.And(a, b) if a.type.is_bool else extern("bitwise_and")(a, b)
    )
    handle_bitwise_or = elementwise(
        lambda a, b: ops.Or(a, b) if a.type.is_bool else extern("bitwise_or")(a, b)
    )
    handle_bitwise_xor = elementwise(
        lambda a, b: ops.NE(a, b) if a.type.is_bool else extern("bitwise_xor")(a, b)
    )
    handle_logical_and = elementwise(_of_truths(ops.And))
    handle_logical_or = elementwise(_of_truths(ops.Or))
    handle_logical_xor = elementwise(_of_truths(ops.NE))
    handle_equal = elementwise(ops.EQ)
    handle_not_equal = elementwise(ops.NE)
    handle_less = elementwise(ops.LT)
    handle_less_equal = elementwise(ops.LE)
    handle_greater = elementwise(ops.GT)
    handle_greater_equal = elementwise(ops.GE)
    handle_where = elementwise(lambda c, a, b: select(converted(c, "bool"), a, b))

    @computes
    def handle_zeros(self, site: Site) -> Elements:
        return filled(site, 0)

    @computes
    def handle_ones(self, site: Site) -> Elements:
        return filled(site, 1)

    handle_zeros_like, handle_ones_like = handle_zeros, handle_ones

    @computes
    def handle_full(self, site: Site) -> Elements:
        return pointwise(site, lambda value: value)

    @computes
    def handle_full_like(self, site: Site) -> Elements:
        value = site.args[1]
        return Elements(site.shape, site.result.dtype, lambda _: value.at(()))

    @computes
    def handle_relay_op_annotation_simulated_quantize(self, site: Site) -> Elements:
        """Divide, clip and round, and multiply again; or do nothing at all."""
        attrs = site.attrs
        if attrs.kind and (not attrs.sign or attrs.rounding != "round"):
            raise site.refuse(f"it rounds by {attrs.rounding!r}, with sign={attrs.sign}")

        def rounded(x: Expr, scale: Expr, low: Expr, high: Expr) -> Expr:
            if not attrs.kind:
                return x
            wide = [converted(each, work) for each in (x, scale, low, high)]
            cut = greater_of(smaller_of(wide[0] / wide[1], wide[3]), wide[2])
            return extern("round")(cut) * wide[1]

        work = str(result_type(numpy_dtype(site.args[0].dtype), float32))
        return pointwise(site, rounded)

    @computes
    def handle_cast(self, site: Site) -> Elements:
        return pointwise(site, lambda x: x)

    @computes
    def handle_reinterpret(self, site: Site) -> Elements:
        held, like = as_type(site.args[0].dtype), literal(1, site.result.dtype)
        extern = find_extern("reinterpret")
        if extern is None or extern.type_rule((held, like.type)) is None:
            raise site.refuse(f"elements of {held} have not as many bits as those of {like.type}")
        return pointwise(site, lambda x: Call(like.type, "reinterpret", (x, like)))

    @computes
    def handle_cast_like(self, site: Site) -> Elements:
        data = site.args[0]
        return Elements(
            data.shape, site.result.dtype, lambda i: converted(data.at(i), site.result.dtype)
        )

    @computes
    def handle_clip(self, site: Site) -> Elements:
        low, high = site.attrs.a_min, site.attrs.a_max
        dtype = site.result.dtype
        if dtype == "bool":
            raise site.refuse("it orders truth values")
        if is_whole(numpy_dtype(dtype)):
            if python_math.isnan(low) or python_math.isnan(high):
                raise site.refuse(f"integers are not clipped between {low} and {high}")
            least, most = ops.integer_range(const(0, dtype).type)
            low, high = (int(min(max(bound, least), most)) for bound in (low, high))
            if low > high:
                raise site.refuse("the bounds are the wrong way round")
        bounds = const(low, dtype), const(high, dtype)
        return pointwise(site, lambda x: smaller_of(greater_of(x, bounds[0]), bounds[1]))

    @computes
    def handle_fixed_point_multiply(self, site: Site) -> Elements:
        up, down = max(site.attrs.shift, 0), max(-site.attrs.shift, 0)
        if 31 + down > 63:
            return filled(site, 0)
        factor = const(_low_bits(site.attrs.multiplier << up), "int64")
        total = const(31 + down, "int64")
        return pointwise(site, lambda x: _shifted_down(Cast(INT64, x) * factor, total))

    @computes
    def handle_fixed_point_multiply_per_axis(self, site: Site) -> Elements:
        """Multiply by factors that vary along axes, as :meth:`handle_fixed_point_multiply` does."""
        data, factors, ups, downs = site.args
        attrs, dtype = site.attrs, site.result.dtype
        axes = [normalise_axis(axis, len(data.shape)) for axis in attrs.axes]

        def at(index: Index) -> Expr:
            place = tuple([index[axis] for axis in axes])
            product: Expr = Cast(INT64, data.at(index))
            if attrs.is_lshift_required:
                product = _shift_left(product, Cast(INT64, ups.at(place)))
            product = product * Cast(INT64, factors.at(place))
            total: Expr = const(31, "int64")
            if attrs.is_rshift_required:
                total = total + Cast(INT64, downs.at(place))
            found = _shifted_down(product, ops.Min(total, const(63, "int64")))
            none = const(0, "int64")
            return converted(select(total > const(63, "int64"), none, found), dtype)

        return Elements(site.shape, dtype, at)

    @computes
    def handle_broadcast_to(self, site: Site) -> Elements:
        return broadcast(site.args[0], site.shape)

    handle_broadcast_to_like = handle_broadcast_to


def filled(site: Site, value: float) -> Elements:
    """Return elements that are all one number."""
    dtype = site.result.dtype
    number = literal(value, dtype)

    def at(_: Index) -> Expr:
        return number

    return Elements(site.shape, dtype, at, is_plain=True)
