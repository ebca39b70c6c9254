"""Handlers that write calls and returns of core as C."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from relayish.codegen.c.core.context import CoreCtx
from relayish.codegen.c.core.declarations import base_of, element_of, value_type
from relayish.codegen.c.core.memory import Accesses
from relayish.codegen.c.names import identifier
from relayish.codegen.c.text import CText, apply
from relayish.codegen.c.types import C_TYPES
from relayish.core.ir import stmt as stmts
from relayish.core.ir.definition import FuncDecl, FuncEntry
from relayish.core.ir.family import Expr
from relayish.core.ir.memory import pointee_of
from relayish.core.ir.symbol import Preg
from relayish.core.ir.type import Type
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, EvaluationError, TypeConfusionError, UnsupportedError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node

AnyCall: TypeAlias = stmts.Call | stmts.Icall

_ARITY_1: Final = (
    "acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp2 expm1 fabs floor lgamma "
    "log log10 log1p log2 rint round sin sinh sqrt tan tanh tgamma trunc"
)
_ARITY_2: Final = "atan2 copysign fdim fmax fmin fmod hypot pow remainder"
LIBM: Final = {
    f"{name}{suffix}": (Type(held),) * (arity + 1)
    for arity, names in ((1, _ARITY_1), (2, _ARITY_2))
    for name in names.split()
    for suffix, held in (("", "float64"), ("f", "float32"))
}
"""Functions of C's library of mathematics, with the types that they take and give."""


class Calls(Accesses):
    """Writes calls, of functions of the program and of others, and returns."""

    def handle_call(self, visitor: Dispatch, node: stmts.Call) -> None:
        ctx: CoreCtx = visitor.context
        name = ctx.program.resolve(node.entry.name)
        args = self._args(visitor, node.args)
        self._call(ctx, name, node.entry.type, args, node)

    def handle_icall(self, visitor: Dispatch, node: stmts.Icall) -> None:
        """Write a call by an address: of each function of the type that has one."""
        ctx: CoreCtx = visitor.context
        held, program = pointee_of(node.address), ctx.program
        address = ctx.text(visitor, node.address)
        function = ctx.helper("function", "piece")
        at = ctx.declare("int32_t", "function", f"{function}(&self->machine, {address.text})")
        ctx.fail_if(
            f"{at.text} < 0", EvaluationError, "what is called is no address of a function", node
        )
        fitting = {
            number: name
            for name, number in program.addressed.items()
            if program.is_foreign(name) or program.definitions[name].type == held
        }
        if len(fitting) < len(program.addressed):
            tests = [f"{at.text} != {number}" for number in fitting]
            ctx.fail_if(
                " && ".join(tests) or "true",
                TypeConfusionError,
                f"a function of another type is called by an address of {held}",
                node,
            )
        args = self._args(visitor, node.args)
        with ctx.braces(f"switch ({at.text})", node):
            for number, name in fitting.items():
                with ctx.braces(f"case {number}:", node):
                    self._call(ctx, name, held, args, node)
                    ctx.line("break;")

    @staticmethod
    def _args(visitor: Dispatch, args: Sequence[Expr]) -> list[CText]:
        return [visitor.context.text(visitor, arg) for arg in args]

    def _call(
        self, ctx: CoreCtx, name: str, held: Type, args: Sequence[CText], node: AnyCall
    ) -> None:
        """Write the call of a function, and put what it returns where it is wanted."""
        definition = ctx.program.definitions.get(name)
        if isinstance(definition, FuncEntry):
            self._call_own(ctx, name, held, args, node)
            return
        if isinstance(definition, FuncDecl) and self._is_of_library(ctx, name, held):
            self._give(ctx, node.result, apply(name, *args), held.result)
            return
        if isinstance(definition, FuncDecl) and not ctx.program.hosted:
            self._call_library(ctx, name, held, args, node)
            return
        if isinstance(definition, FuncDecl) and name not in ctx.program.externs:
            ctx.fail_if(
                "true",
                UnsupportedError,
                f"function {name} is declared only, and nothing was given that runs for it; give a "
                f"function of Python: externs={{{name!r}: ...}}",
                node,
            )
            return
        if not ctx.program.hosted:
            raise CodegenError(
                f"{quote(node)} calls {name!r} of another language, which only core.build can do; "
                f"lower it, or declare it as a function of C"
            )
        self._call_outside(ctx, name, held, args, node)

    @staticmethod
    def _is_of_library(ctx: CoreCtx, name: str, held: Type) -> bool:
        return name not in ctx.program.externs and LIBM.get(name) == (*held.params, held.result)

    def _call_own(
        self, ctx: CoreCtx, name: str, held: Type, args: Sequence[CText], node: AnyCall
    ) -> None:
        given = ["self", *[arg.text for arg in args]]
        target, result = self._target(ctx, node.result, held.result)
        call = f"{ctx.program.names[name]}({', '.join([*given, *target])})"
        ctx.pass_on(call)
        if result is not None and node.result is not None:
            self._give(ctx, node.result, result, held.result)

    @staticmethod
    def _target(ctx: CoreCtx, result: Preg | None, held: Type) -> tuple[list[str], CText | None]:
        """Return where a function is to put what it returns, and what is to be stored after it."""
        if held.is_void:
            return [], None
        if not held.is_scalar:
            if result is not None:
                place = ctx.place(result)
                return [place.data(), place.marks()], None
            name, size = ctx.names.fresh("ignored"), ctx.size_of(held)
            ctx.line(f"uint8_t {name}[{size}];")
            return [name, "NULL"], None
        name = ctx.names.fresh("ignored" if result is None else "returned")
        ctx.line(f"{value_type(held)} {name};")
        return [f"&{name}"], CText(name)

    @staticmethod
    def _give(ctx: CoreCtx, result: Preg | None, value: CText, held: Type) -> None:
        if result is not None:
            ctx.store(result, value, held)
        else:
            ctx.line(f"(void){value.at(14)};")

    def _call_outside(
        self, ctx: CoreCtx, name: str, held: Type, args: Sequence[CText], node: AnyCall
    ) -> None:
        """Write the call of a function that whoever runs the program has."""
        number = ctx.program.ask(node, name, held)
        result, marks, found = "NULL", "NULL", None
        if not held.result.is_void:
            hint, size = ctx.names.fresh("returned"), ctx.size_of(held.result)
            ctx.line(f"uint8_t {hint}[{size}];")
            result, found = hint, CText(f"(struct value){{{hint}, NULL}}")
            if not held.result.is_scalar:
                marks = ctx.names.fresh("returned_held")
                ctx.line(f"uint8_t {marks}[{size}];")
                found = CText(f"(struct value){{{hint}, {marks}}}")
            else:
                found = apply(ctx.helper("peek", element_of(held.result)), CText(hint))
        given = [ctx.in_memory(arg, each) for arg, each in zip(args, held.params, strict=True)]
        ask(ctx, number, given, result, marks)
        if found is not None and node.result is not None:
            self._give(ctx, node.result, found, held.result)

    def _call_library(
        self, ctx: CoreCtx, name: str, held: Type, args: Sequence[CText], node: AnyCall
    ) -> None:
        """Write the call of a function of C that is defined elsewhere, by C's own conventions."""
        program = ctx.program
        program.externals[name] = _prototype(ctx, name, held, node)
        given = []
        for arg, each in zip(args, held.params, strict=True):
            if each.is_pointer:
                pointer = ctx.helper("pointer", "piece")
                given.append(apply(pointer, CText("&self->machine"), arg))
            elif each.is_scalar:
                given.append(arg)
            else:
                copy = ctx.names.fresh("given")
                ctx.line(f"{program.types.declare(each, copy)};")
                put = ctx.helper("put", "piece")
                ctx.line(f"{put}(&{copy}, NULL, {arg.text}, {ctx.size_of(each)});")
                given.append(CText(copy))
        made = apply(name, *given)
        if held.result.is_void:
            ctx.line(f"{made.text};")
        elif held.result.is_scalar:
            self._give(ctx, node.result, made, held.result)
        else:
            copy = ctx.names.fresh("returned")
            ctx.line(f"const {program.types.declare(held.result, copy)} = {made.text};")
            value = CText(f"(struct value){{(const uint8_t *)&{copy}, NULL}}")
            self._give(ctx, node.result, value, held.result)

    # Returns

    def handle_ret(self, visitor: Dispatch, node: stmts.Ret) -> None:  # noqa: ARG002
        ctx: CoreCtx = visitor.context
        ctx.line(ctx.leave("0"))

    def handle_retv(self, visitor: Dispatch, node: stmts.Retv) -> None:
        ctx: CoreCtx = visitor.context
        value, held = ctx.text(visitor, node.value), node.value.type
        if held.is_scalar:
            ctx.line(f"*result = {value.text};")
        else:
            put = ctx.helper("put", "piece")
            ctx.line(f"{put}(result, result_held, {value.text}, {ctx.size_of(held)});")
        ctx.line(ctx.leave("0"))


def _prototype(ctx: CoreCtx, name: str, held: Type, node: Node) -> str:
    """Return the declaration of a function of C that is defined elsewhere."""
    types = ctx.program.types
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) is None or identifier(name) == f"{name}_":
        raise CodegenError(
            f"{quote(node)} calls {name!r}, which is no name that a function of C has; declare it "
            f"by the name that it has in C"
        )

    def spell(given: Type, what: str) -> str:
        if given.is_pointer and what != "the result":
            pointee, _ = base_of(given.pointee)
            is_told = pointee.is_struct or (pointee.is_scalar and not pointee.is_pointer)
            return f"{types.memory_type(pointee) if is_told else 'void'} *"
        known = C_TYPES.get(str(given))
        is_packed = known is not None and known.is_packed
        if given.is_pointer or given.is_array or is_packed:
            raise CodegenError(
                f"{quote(node)} calls {name!r}, and {what} is of type {given}, which functions of "
                f"C do not have so; expected numbers, structures, and addresses as arguments"
            )
        if given.is_void:
            return "void"
        return types.memory_type(given) if given.is_struct else value_type(given)

    params = [spell(each, f"argument {at}") for at, each in enumerate(held.params)]
    return f"{spell(held.result, 'the result')} {name}({', '.join(params) or 'void'});"


def ask(
    ctx: CoreCtx, number: int, given: Sequence[str], result: str = "NULL", marks: str = "NULL"
) -> None:
    """Write what asks something of whoever runs the program, which may fail."""
    values = "NULL"
    if given:
        values = ctx.names.fresh("given")
        listed = ", ".join([f"&{each}" for each in given])
        ctx.line(f"const void *const {values}[] = {{{listed}}};")
    machine = "self->machine"
    call = f"{machine}.call({machine}.context, {number}, {values}, {result}, {marks})"
    ctx.line(f"if ({call}) {ctx.leave('-1')}")
