"""Handlers that write expressions of core as C: literals, operators, comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from relayish.codegen.c.arithmetic import of_floats, of_integers
from relayish.codegen.c.core.context import CoreCtx
from relayish.codegen.c.core.declarations import loop_type, value_type
from relayish.codegen.c.core.facts import range_of
from relayish.codegen.c.text import CText, apply, cast, infix, prefix
from relayish.core.ir import expr as ops
from relayish.core.ir.type import Type
from relayish.dataflow.lattice import interval
from relayish.dataflow.lattice.interval import Interval
from relayish.domain.dispatch import Dispatch
from relayish.domain.handler import Handler
from relayish.errors import CodegenError, DivisionByZeroError, EvaluationError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node

_ARITHMETIC: Final[Mapping[type[Node], str]] = {
    ops.Add: "add",
    ops.Sub: "sub",
    ops.Mul: "mul",
    ops.Div: "div",
    ops.Mod: "mod",
}
_SIGNS: Final[Mapping[type[Node], str]] = {
    ops.Band: "&",
    ops.Bor: "|",
    ops.Bxor: "^",
    ops.Land: "&",
    ops.Lor: "|",
    ops.Eq: "==",
    ops.Ne: "!=",
    ops.Lt: "<",
    ops.Le: "<=",
    ops.Gt: ">",
    ops.Ge: ">=",
}
_EXACT: Final[Mapping[str, Callable[[Interval, Interval], object]]] = {
    "add": interval.add,
    "sub": interval.sub,
    "mul": interval.mul,
}
_SHIFTS: Final[Mapping[type[Node], str]] = {ops.Shl: "shl", ops.Ashr: "ashr", ops.Lshr: "lshr"}


def refuse(node: Node) -> CodegenError:
    """Return the error for a kind that nothing writes as C."""
    return CodegenError(
        f"{quote(node)} is a {type(node).__name__}, which nothing writes as C; a handler for the "
        f"task 'c' can"
    )


class Expressions(Handler, domain="core"):
    """Writes literals, arithmetic, bit and logic operators, shifts and comparisons."""

    def any_operator(self, visitor: Dispatch, node: Node) -> CText:  # noqa: ARG002
        """Refuse what has no method.

        Raises:
            CodegenError: Always.
        """
        raise refuse(node)

    def handle_intconst(self, visitor: Dispatch, node: ops.Intconst) -> CText:
        ctx: CoreCtx = visitor.context
        return ctx.literal(bool(node.value) if node.rtype.is_bool else node.value, node.rtype)

    def handle_zero(self, visitor: Dispatch, node: ops.Zero) -> CText:
        ctx: CoreCtx = visitor.context
        if not node.rtype.is_scalar:
            return CText("(struct value){NULL, NULL}")
        return ctx.literal(_number(0, node.rtype), node.rtype)

    def handle_one(self, visitor: Dispatch, node: ops.One) -> CText:
        ctx: CoreCtx = visitor.context
        return ctx.literal(_number(1, node.rtype), node.rtype)

    def handle_ldc(self, visitor: Dispatch, node: ops.Ldc) -> CText:
        ctx: CoreCtx = visitor.context
        if node.type.is_scalar:
            return ctx.literal(node.constant.data, node.type)
        name = ctx.program.constant(node.constant)
        return CText(f"(struct value){{(const uint8_t *){name}, NULL}}")

    def handle_ldca(self, visitor: Dispatch, node: ops.Ldca) -> CText:
        ctx: CoreCtx = visitor.context
        name = ctx.program.constant(node.constant)
        at = ctx.program.constant_with_address(node.constant)
        cell = f"self->constants[{at}]"
        return self.address_once(ctx, node, cell, name, f"sizeof {name}", "CONSTANT_PIECE")

    @staticmethod
    def address_once(ctx: CoreCtx, node: Node, cell: str, data: str, size: str, kind: str) -> CText:
        """Return the address of what has one from the first question on."""
        once = ctx.helper("once", "piece")
        call = f"{once}(&self->machine, &{cell}, {data}, {size}, {kind})"
        made = ctx.declare("uint64_t", "address", call)
        ctx.fail_if(
            infix("==", made, CText("0")).text, EvaluationError, "there are no more addresses", node
        )
        return made

    def handle_void(self, visitor: Dispatch, node: ops.Void) -> CText:  # noqa: ARG002
        return CText("0")

    # Operators

    def handle_binary_op(self, visitor: Dispatch, node: ops.BinaryOp) -> CText:
        ctx: CoreCtx = visitor.context
        does = _ARITHMETIC.get(type(node))
        if does is None:
            raise refuse(node)
        a, b = ctx.text(visitor, node.a), ctx.text(visitor, node.b)
        given = loop_type(node.a.type)
        if given.is_float:
            return of_floats(ctx, does, a, b, given)
        if does in ("div", "mod"):
            a, b = self._divisible(ctx, node, a, b)
        return of_integers(ctx, does, a, b, given, fits=self._fits(ctx, does, node))

    @staticmethod
    def _divisible(ctx: CoreCtx, node: ops.BinaryOp, a: CText, b: CText) -> tuple[CText, CText]:
        """Write the check that a divisor is not 0, unless that is known."""
        if not ctx.interval(node.b).holds(0):
            return a, b
        a, b = ctx.hold(node.a, a, "a"), ctx.hold(node.b, b, "b")
        ctx.fail_if(f"{b.text} == 0", DivisionByZeroError, "an integer is divided by zero", node)
        return a, CText("1") if b.text in ("0", "0u") else b  # what follows is not reached

    @staticmethod
    def _fits(ctx: CoreCtx, does: str, node: ops.BinaryOp) -> bool:
        """Return whether it is known that an operator does not leave the range of its type."""
        a, b, whole = ctx.interval(node.a), ctx.interval(node.b), range_of(node.type)
        exact = _EXACT.get(does)
        if exact is None:
            return not (a.holds(whole.low) and b.holds(-1))
        found = exact(a, b)
        return isinstance(found, Interval) and whole.covers(found)

    def handle_bit_op(self, visitor: Dispatch, node: ops.BitOp) -> CText:
        ctx: CoreCtx = visitor.context
        made = self._signed(ctx, visitor, node)
        if node.type.is_bool or node.type.bits >= 32:
            return made
        return cast(value_type(node.type), made)

    def handle_logic_op(self, visitor: Dispatch, node: ops.LogicOp) -> CText:
        return self._signed(visitor.context, visitor, node)

    def handle_comparison(self, visitor: Dispatch, node: ops.Comparison) -> CText:
        return self._signed(visitor.context, visitor, node)

    @staticmethod
    def _signed(ctx: CoreCtx, visitor: Dispatch, node: ops.BinaryOp) -> CText:
        sign = _SIGNS.get(type(node))
        if sign is None:
            raise refuse(node)
        return infix(sign, ctx.text(visitor, node.a), ctx.text(visitor, node.b))

    def handle_shift_op(self, visitor: Dispatch, node: ops.ShiftOp) -> CText:
        ctx: CoreCtx = visitor.context
        does = _SHIFTS.get(type(node))
        if does is None:
            raise refuse(node)
        a, b = ctx.text(visitor, node.a), ctx.text(visitor, node.b)
        held, by = node.a.type, node.b.type
        if not Interval(0, held.bits - 1).covers(ctx.interval(node.b)):
            a, b = ctx.hold(node.a, a, "a"), ctx.hold(node.b, b, "by")
            below = f"{b.text} < 0 || " if by.is_int else ""
            ctx.fail_if(
                f"{below}{b.text} >= {held.bits}",
                EvaluationError,
                f"a number of type {held} is shifted by less than 0 or by {held.bits} or more "
                f"places",
                node,
            )
        return apply(ctx.helper(does, str(held)), a, cast(value_type(held), b))

    def handle_bnot(self, visitor: Dispatch, node: ops.Bnot) -> CText:
        a, held = visitor.context.text(visitor, node.a), node.type
        if held.bits >= 32:
            return prefix("~", a)
        # of comparisons with it, written in place, compilers warn: C makes it wider before
        return apply(visitor.context.helper("not", str(held)), a)

    def handle_lnot(self, visitor: Dispatch, node: ops.Lnot) -> CText:
        return prefix("!", visitor.context.text(visitor, node.a))


def _number(value: int, held: Type) -> int | float | bool:
    if held.is_float:
        return float(value)
    return bool(value) if held.is_bool else value
