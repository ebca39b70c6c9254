"""Functions that calls name, as C: a text of the arguments, where C has them or a helper does.

The table is open: ``C_EXTERNS.register((CallType.EXTERN, "gelu"), rule)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from relayish.codegen.c.arithmetic import narrowed, negative, of_floats, rounded
from relayish.codegen.c.loops.context import LoopsCtx
from relayish.codegen.c.text import CText, apply, cast, infix
from relayish.codegen.c.types import c_literal, c_type
from relayish.errors import DivisionByZeroError, EvaluationError
from relayish.ir.registration.claimed_table import ClaimedTable
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.type import Type

CRule: TypeAlias = Callable[[LoopsCtx, Expr, Sequence[CText], Type], CText]
"""``rule(ctx, call, args, given)``: the value of a call whose first argument is of type ``given``;
arguments are names or numbers, lines may be written before."""

C_EXTERNS: Final[ClaimedTable[tuple[CallType, str], CRule]] = ClaimedTable(
    lambda key: f"the {key[0].value} function {key[1]!r} in C"
)
"""By the kind of call and the name."""


def _library(name: str) -> CRule:
    """Return the rule for a function of C's library of mathematics."""

    def rule(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
        return _of_library(ctx, name, args, given)

    return rule


def _of_library(ctx: LoopsCtx, name: str, args: Sequence[CText], given: Type) -> CText:
    made = apply(name if given.bits == 64 else f"{name}f", *args)
    return rounded(ctx, given, made)


def _one(given: Type) -> CText:
    return CText("1.0" if given.bits == 64 else "1.0f")


def _rsqrt(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
    root = _of_library(ctx, "sqrt", args, given)
    return rounded(ctx, given, infix("/", _one(given), root))


def _sigmoid(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
    power = _of_library(ctx, "exp", [negative(ctx, given, args[0])], given)
    below = rounded(ctx, given, infix("+", _one(given), power))
    return rounded(ctx, given, infix("/", _one(given), below))


def _erf(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
    made = apply("erf", args[0])
    if given.element == "float32":
        return cast("float", made)
    if given.bits == 64:
        return made
    return apply(ctx.helper("round", given.element), apply(ctx.helper("odd", "float32"), made))


def _exp10(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
    ten = CText(c_literal(10.0, given))
    return _of_library(ctx, "pow", [ten, args[0]], given)


def _fma(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
    product = of_floats(ctx, "mul", args[0], args[1], given)
    return rounded(ctx, given, infix("+", product, args[2]))


def _abs(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:
    if given.is_float:
        return apply("fabs" if given.bits == 64 else "fabsf", args[0])
    if given.is_uint:
        return args[0]
    return _helper("abs")(ctx, call, args, given)


def _tested(name: str, otherwise: str) -> CRule:
    def rule(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
        return apply(name, args[0]) if given.is_float else CText(otherwise)

    return rule


def _helper(does: str) -> CRule:
    """Return the rule for a function that is a helper."""

    def rule(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
        return apply(ctx.helper(does, given.element), *args)

    return rule


def _bitwise(sign: str) -> CRule:
    def rule(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:  # noqa: ARG001
        made = infix(sign, *args) if len(args) == 2 else CText(f"{sign}{args[0].at(14)}", 14)
        if given.is_bool:
            return CText(f"!{args[0].at(14)}", 14) if len(args) == 1 else made
        return narrowed(ctx, given, made) if given.bits < 32 else made

    return rule


def _shift(does: str) -> CRule:
    def rule(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:
        by = args[1].text
        ctx.fail_if(
            f"{by} < 0 || {by} >= {given.bits}" if given.is_int else f"{by} >= {given.bits}",
            EvaluationError,
            f"a number of {given.bits} bits is shifted by less than 0 or by its width or more, "
            f"which means nothing",
            call,
        )
        return apply(ctx.helper(does, given.element), *args)

    return rule


def _dividing(does: str) -> CRule:
    def rule(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:
        if given.is_float:
            return rounded(ctx, given, apply("fmod" if given.bits == 64 else "fmodf", *args))
        ctx.fail_if(
            f"{args[1].text} == 0", DivisionByZeroError, "an integer is divided by zero", call
        )
        if given.is_uint and does == "mod":
            return cast(c_type(given).value, infix("%", *args))
        return apply(ctx.helper(does, given.element), *args)

    return rule


def _remainder(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:
    if given.is_float:
        made = apply("remainder", *args)
        return cast("float", made) if given.bits < 64 else made
    return _dividing("mod")(ctx, call, args, given)


def _power(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:
    if given.is_float:
        return _of_library(ctx, "pow", args, given)
    if given.is_int:
        base, by = args
        ctx.fail_if(
            f"{base.text} == 0 && {by.text} < 0",
            DivisionByZeroError,
            "0 is raised to a negative power; expected exponents of 0 or more where the base is 0",
            call,
        )
    return apply(ctx.helper("power", given.element), *args)


def _reinterpret(ctx: LoopsCtx, call: Expr, args: Sequence[CText], given: Type) -> CText:
    bits = _as_bits(ctx, args[0], given)
    made = call.type
    held = c_type(made)
    if held.is_packed:
        return apply(ctx.helper("load", made.element), bits)
    if made.is_float:
        ctx.helper("bits", made.element)
        return apply(f"{held.value}_of_bits", bits)
    return infix("!=", bits, CText("0")) if made.is_bool else cast(held.value, bits)


def _as_bits(ctx: LoopsCtx, value: CText, given: Type) -> CText:
    """Return an element as the integer without a sign that memory has for it."""
    held = c_type(given)
    if held.is_packed:
        return apply(ctx.helper("store", given.element), value)
    if given.is_float:
        ctx.helper("bits", given.element)
        return apply(f"bits_of_{held.value}", value)
    return cast(f"uint{8 * given.numpy.itemsize}_t", value)


_LIBRARY: Final = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh exp exp2 fabs floor log log10 log2 round "
    "sin sinh sqrt tan tanh trunc"
)
for _name in _LIBRARY.split():
    C_EXTERNS.register((CallType.EXTERN, _name), _library(_name))
for _name, _rule in {
    "abs": _abs,
    "erf": _erf,
    "exp10": _exp10,
    "fma": _fma,
    "rsqrt": _rsqrt,
    "sigmoid": _sigmoid,
    "pow": _power,
    "reinterpret": _reinterpret,
    "remainder": _remainder,
    "mod": _dividing("mod"),
    "isnan": _tested("isnan", "false"),
    "isinf": _tested("isinf", "false"),
    "isfinite": _tested("isfinite", "true"),
    "bitwise_and": _bitwise("&"),
    "bitwise_or": _bitwise("|"),
    "bitwise_xor": _bitwise("^"),
    "bitwise_not": _bitwise("~"),
    "clz": _helper("clz"),
    "popc": _helper("popc"),
    "left_shift": _shift("shl"),
    "right_shift": _shift("shr"),
    "logical_right_shift": _shift("lshr"),
}.items():
    C_EXTERNS.register((CallType.EXTERN, _name), _rule)
for _name, _does in {
    "floord": "floordiv",
    "ceild": "ceildiv",
    "pdiv_q": "floordiv",
    "pdiv_r": "mod",
}.items():
    C_EXTERNS.register((CallType.ISL, _name), _dividing(_does))
