"""Operators of numbers as C: integers wrap around, floats are rounded to their type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from relayish.codegen.c.context import CCtx
from relayish.codegen.c.text import CText, apply, cast, infix, prefix
from relayish.codegen.c.types import c_type
from relayish.tir.ir.type import Type

SIGNS: Final[Mapping[str, str]] = {"add": "+", "sub": "-", "mul": "*", "div": "/", "mod": "%"}
"""The operator of C for what a helper does."""


def of_floats(ctx: CCtx, does: str, a: CText, b: CText, given: Type) -> CText:
    """Return an operator of numbers with a point, rounded once."""
    if does == "mul" and ctx.source.dialect.contracts and not c_type(given).is_packed:
        return apply(ctx.helper("product", given.element), a, b)
    if does == "mod":
        return rounded(ctx, given, apply("fmod" if given.bits == 64 else "fmodf", a, b))
    return rounded(ctx, given, infix(SIGNS[does], a, b))


def of_integers(ctx: CCtx, does: str, a: CText, b: CText, given: Type, *, fits: bool) -> CText:
    """Return an operator of integers, which wraps around unless it is known that it ``fits``."""
    if fits or (given.is_uint and given.bits >= 32):
        return infix(SIGNS[does], a, b)
    if given.bits >= 32 or (does == "mul" and given.bits == 16 and given.is_uint):
        return apply(ctx.helper(does, given.element), a, b)
    return narrowed(ctx, given, infix(SIGNS[does], a, b))


def narrowed(ctx: CCtx, given: Type, made: CText) -> CText:
    """Return what is left of an integer in a type of fewer than 32 bits, as it wraps around."""
    if given.is_narrow:
        return apply(ctx.helper("wrap", given.element), made)
    return cast(c_type(given).value, made)


def negative(ctx: CCtx, given: Type, a: CText) -> CText:
    """Return a number with a point with the other sign; some types have no minus, or one zero."""
    made = prefix("-", a)
    return rounded(ctx, given, made) if given.bits < 16 else made


def rounded(ctx: CCtx, given: Type, made: CText) -> CText:
    """Return a number with a point, rounded to its type where C computes in a wider one."""
    if not c_type(given).is_packed:
        return made
    return apply(ctx.helper("round", given.element), made)
