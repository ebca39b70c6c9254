"""Handlers that write expressions of the loop IR as C: an element each, of vectors one lane."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from relayish.codegen.c.arithmetic import narrowed, negative, of_floats, of_integers
from relayish.codegen.c.loops.context import LoopsCtx
from relayish.codegen.c.text import CText, apply, cast, choose, infix, prefix
from relayish.codegen.c.types import c_literal, c_type
from relayish.dataflow.lattice import interval as arithmetic
from relayish.dataflow.lattice.interval import Interval
from relayish.domain import Handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, DivisionByZeroError, InexactError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.ir import operators as ops
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.type import Type

_SIGNS: Final[Mapping[type[Node], str]] = {
    ops.EQ: "==",
    ops.NE: "!=",
    ops.LT: "<",
    ops.LE: "<=",
    ops.GT: ">",
    ops.GE: ">=",
    ops.And: "&",
    ops.Or: "|",
}
_NAMES: Final[Mapping[type[Node], str]] = {
    ops.Add: "add",
    ops.Sub: "sub",
    ops.Mul: "mul",
    ops.Div: "div",
    ops.FracOp: "div",
    ops.Mod: "mod",
    ops.Min: "min",
    ops.Max: "max",
}
_EXACT: Final[Mapping[type[Node], Callable[[Interval, Interval], object]]] = {
    ops.Add: arithmetic.add,
    ops.Sub: arithmetic.sub,
    ops.Mul: arithmetic.mul,
}


def number(ctx: LoopsCtx, kind: type[Node], a: CText, b: CText, node: Expr, x: Expr) -> CText:
    """Return the text of an operator of numbers of the type of ``x``.

    Args:
        ctx: The context.
        kind: The class of the operator.
        a: Its first operand.
        b: Its second operand.
        node: What is computed, for errors.
        x: An operand, whose type all have.
    """
    given = x.type
    if kind in (ops.Min, ops.Max):
        return apply(ctx.helper(_NAMES[kind], given.element), a, b)
    if given.is_float:
        return of_floats(ctx, _NAMES[kind], a, b, given)
    fits = not (given.is_uint and given.bits >= 32) and _fits(ctx, kind, node)
    return of_integers(ctx, _NAMES[kind], a, b, given, fits=fits)


def _fits(ctx: LoopsCtx, kind: type[Node], node: Expr) -> bool:
    """Return whether an operator of integers is known not to leave the range of its type."""
    if not isinstance(node, ops.BinaryOpNode):
        return False
    a, b = ctx.interval(node.a), ctx.interval(node.b)
    whole = type_range(node.type)
    if kind in (ops.Div, ops.FracOp, ops.Mod):
        return not (a.holds(whole.low) and b.holds(-1))
    exact = _EXACT[kind](a, b)
    return isinstance(exact, Interval) and whole.covers(exact)


def convert(ctx: LoopsCtx, v: CText, node: ops.Cast) -> CText:
    """Return a value as one of another type; a check may stand before it."""
    source, target = node.v.type, node.dtype
    if source.element == target.element:
        return v
    if target.is_bool:
        return infix("!=", v, CText(c_literal(0, source)))
    if target.is_float:
        return _to_float(ctx, v, source, target)
    if source.is_float:
        return _truncated(ctx, v, node)
    if type_range(target).covers(type_range(source)) and target.bits <= 32 and not target.is_uint:
        return v  # C's promotions keep it
    return narrowed(ctx, target, v)


def _to_float(ctx: LoopsCtx, v: CText, source: Type, target: Type) -> CText:
    held = c_type(target)
    if not held.is_packed:
        widens = source.is_float and source.bits <= target.bits
        return v if widens and target.bits == 32 else cast(held.value, v)
    if source.is_float and source.bits == 64:
        v = apply(ctx.helper("odd", "float32"), v)
    elif source.is_integer and source.bits > 16:
        wide = cast("double", v)
        if source.bits == 64:
            wide = apply(ctx.helper("odd", source.element), v)
        v = apply(ctx.helper("odd", "float32"), wide)
    return apply(ctx.helper("round", target.element), v)


def _truncated(ctx: LoopsCtx, v: CText, node: ops.Cast) -> CText:
    target = node.dtype
    whole, found = type_range(target), ctx.float_interval(node.v)
    if found.nan or found.low <= whole.low - 1 or found.high >= whole.high + 1:
        v = ctx.hold(node.v, v, "x")
        low = f"{v.text} > {whole.low - 1}.0" if target.bits < 64 else f"{v.text} >= INT64_MIN"
        if target.is_uint:
            low = f"{v.text} > -1.0"
        high = f"{v.text} < {float(whole.high + 1)!r}"
        ctx.fail_if(
            f"!({low} && {high})",
            InexactError,
            f"a number is out of range of {target}, which is {whole.low} to {whole.high}; guard "
            f"the cast, or clamp the value",
            node,
        )
    return cast(c_type(target).value, v)


class Expressions(Handler, domain="tir"):
    """Writes arithmetic, comparisons, choices and conversions."""

    def any_operator(self, visitor: Dispatch, node: Node) -> CText:  # noqa: ARG002
        """Refuse what has no method.

        Raises:
            CodegenError: Always.
        """
        raise CodegenError(
            f"{quote(node)} is a {type(node).__name__}, which nothing writes as C; a handler for "
            f"the task 'c' can"
        )

    def handle_int_imm(self, visitor: Dispatch, node: ops.IntImm) -> CText:  # noqa: ARG002
        return _literal(node.value, node.type)

    def handle_uint_imm(self, visitor: Dispatch, node: ops.UIntImm) -> CText:  # noqa: ARG002
        return _literal(node.value, node.type)

    def handle_float_imm(self, visitor: Dispatch, node: ops.FloatImm) -> CText:  # noqa: ARG002
        return _literal(node.value, node.type)

    def handle_var(self, visitor: Dispatch, node: Var) -> CText:
        ctx: LoopsCtx = visitor.context
        name = ctx.variable(node)
        return CText(f"{name.text}[{ctx.lane}]") if node.type.is_vector else name

    def handle_binary_op(self, visitor: Dispatch, node: ops.BinaryOpNode) -> CText:
        ctx: LoopsCtx = visitor.context
        a, b = ctx.text(visitor, node.a), ctx.text(visitor, node.b)
        kind = type(node)
        if kind in (ops.Div, ops.FracOp, ops.Mod) and node.type.is_integer:
            a, b = self._divisible(ctx, node, a, b)
        return number(ctx, kind, a, b, node, node.a)

    @staticmethod
    def _divisible(
        ctx: LoopsCtx, node: ops.BinaryOpNode, a: CText, b: CText
    ) -> tuple[CText, CText]:
        """Write the check that a quotient of integers is one, where it may be none."""
        if ctx.interval(node.b).holds(0):
            a, b = ctx.hold(node.a, a, "a"), ctx.hold(node.b, b, "b")
            ctx.fail_if(f"{b.text} == 0", DivisionByZeroError, "an integer is divided by 0", node)
            if b.text == "0":  # what follows is not reached, and compilers warn of it
                b = CText("1")
        if isinstance(node, ops.FracOp) and ops.integer_of(node.b) not in (1, -1):
            a, b = ctx.hold(node.a, a, "a"), ctx.hold(node.b, b, "b")
            rest = number(ctx, ops.Mod, a, b, ops.Mod(node.a, node.b), node.a)
            ctx.fail_if(
                infix("!=", rest, CText("0")).text,
                InexactError,
                "an integer is no multiple of its divisor, and FracOp of integers is exact; use "
                "Div to round",
                node,
            )
        return a, b

    def handle_comparison(self, visitor: Dispatch, node: ops.ComparisonNode) -> CText:
        ctx: LoopsCtx = visitor.context
        return infix(_SIGNS[type(node)], ctx.text(visitor, node.a), ctx.text(visitor, node.b))

    def handle_predicate(self, visitor: Dispatch, node: ops.PredicateNode) -> CText:
        ctx: LoopsCtx = visitor.context
        return infix(_SIGNS[type(node)], ctx.text(visitor, node.a), ctx.text(visitor, node.b))

    def handle_minus(self, visitor: Dispatch, node: ops.Minus) -> CText:
        ctx: LoopsCtx = visitor.context
        v, given = ctx.text(visitor, node.v), node.type
        if given.is_float:
            return negative(ctx, given, v)
        if given.is_uint and given.bits >= 32:
            return prefix("-", v)
        inside = ctx.interval(node.v).low > type_range(given).low
        if given.bits < 32:
            return narrowed(ctx, given, prefix("-", v))
        return prefix("-", v) if inside else apply(ctx.helper("neg", given.element), v)

    def handle_not(self, visitor: Dispatch, node: ops.Not) -> CText:
        return prefix("!", visitor.context.text(visitor, node.v))

    def handle_nary_op(self, visitor: Dispatch, node: ops.NaryOpNode) -> CText:
        ctx: LoopsCtx = visitor.context
        kind: type[Node] = ops.Add if isinstance(node, ops.Sum) else ops.Mul
        if not node.operands:
            return _literal(0 if kind is ops.Add else 1, node.type)
        made = ctx.text(visitor, node.operands[0])
        for operand in node.operands[1:]:
            value = ctx.text(visitor, operand)
            made = number(ctx, kind, made, value, node, operand)
            if made.depth > 8:
                made = ctx.hold(node, made, "sum")
        return made

    def handle_select(self, visitor: Dispatch, node: ops.Select) -> CText:
        ctx: LoopsCtx = visitor.context
        parts = (node.condition, node.true_value, node.false_value)
        return choose(*[ctx.text(visitor, part) for part in parts])

    def handle_cast(self, visitor: Dispatch, node: ops.Cast) -> CText:
        ctx: LoopsCtx = visitor.context
        return convert(ctx, ctx.text(visitor, node.v), node)

    def handle_ramp(self, visitor: Dispatch, node: ops.Ramp) -> CText:
        ctx: LoopsCtx = visitor.context
        base, stride = ctx.text(visitor, node.base), ctx.text(visitor, node.stride)
        if node.lanes == 1:
            return base
        assert ctx.lane is not None
        given = node.base.type
        lane = CText(ctx.lane)
        if given.element != "int32":
            lane = narrowed(ctx, given, lane)
        steps = lane
        if ops.integer_of(node.stride) != 1:
            steps = _wrapping(ctx, "mul", lane, stride, node)
        return _wrapping(ctx, "add", base, steps, node)

    def handle_broadcast(self, visitor: Dispatch, node: ops.Broadcast) -> CText:
        made: CText = visitor.context.text(visitor, node.value)
        return made


def _wrapping(ctx: LoopsCtx, does: str, a: CText, b: CText, node: ops.Ramp) -> CText:
    """Return what a lane of a ramp is; it wraps around as integers do."""
    given = node.base.type
    if given.is_float:
        return of_floats(ctx, does, a, b, given)
    base, stride = ctx.interval(node.base), ctx.interval(node.stride)
    steps = arithmetic.mul(Interval(0, node.lanes - 1), stride)
    whole = type_range(given)
    exact = arithmetic.add(base, steps)
    fits = whole.covers(exact) and whole.covers(steps)
    return of_integers(ctx, does, a, b, given, fits=fits)


def _literal(value: float, given: Type) -> CText:
    text = c_literal(value, given)
    return CText(text, 14 if text.startswith("-") else 16)
