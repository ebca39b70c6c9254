"""Handlers that write calls, reductions and primitives of the loop IR as C."""

from __future__ import annotations

from relayish.codegen.c.call_backs import CALL_BACK, Layout
from relayish.codegen.c.loops.access import Accesses
from relayish.codegen.c.loops.context import LoopsCtx, Memory
from relayish.codegen.c.loops.expressions import number
from relayish.codegen.c.loops.externs import C_EXTERNS
from relayish.codegen.c.text import CText, infix
from relayish.codegen.c.types import c_type
from relayish.domain.dispatch import Dispatch
from relayish.errors import (
    CodegenError,
    DivisionByZeroError,
    LifetimeError,
    TypeConfusionError,
    UnsupportedError,
)
from relayish.ir.kinds.one_line import quote
from relayish.tir.externs import find_extern, is_barrier
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.calls import MOST_EXPANSIONS, find_builtin
from relayish.tir.ir import operators as ops
from relayish.tir.ir.expr import REDUCE_OPERATORS, Call, PrimitiveNode, Reduce
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.intrinsic import BufferCreate, BuiltinIntrin
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Tensor, Var
from relayish.tir.primitives import expand_primitive


class Calls(Accesses):
    """Writes calls, reductions and primitives."""

    _expansions = 0

    def handle_call(self, visitor: Dispatch, node: Call) -> CText:
        if node.call_type is CallType.CINN:
            return self._call_function(visitor, node)
        if is_barrier(node):
            return self.wait(visitor, node)
        if node.write_args or any(isinstance(arg, (Tensor, Buffer)) for arg in node.read_args):
            return self._call_back(visitor, node)
        return self._value(visitor, node, node.call_type, node.name, node.read_args)

    def wait(self, visitor: Dispatch, node: Call) -> CText:  # noqa: ARG002
        """Write a barrier: nothing, where one iteration runs after the other."""
        return CText("0")

    def _value(
        self,
        visitor: Dispatch,
        node: Call | BuiltinIntrin,
        call_type: CallType,
        name: str,
        given: tuple[Expr, ...],
    ) -> CText:
        ctx: LoopsCtx = visitor.context
        rule = C_EXTERNS.get((call_type, name))
        if rule is None or not given:
            known = "" if find_extern(name, call_type) is None else ", though Python has it,"
            raise CodegenError(
                f"nothing says how C computes the {call_type.value} function {name!r}{known} in "
                f"{quote(node)}; call C_EXTERNS.register((CallType.{call_type.name}, {name!r}), "
                f"rule) of relayish.codegen.c"
            )
        args = [ctx.hold(arg, ctx.text(visitor, arg), "x") for arg in given]
        made = rule(ctx, node, args, given[0].type)
        extern = find_extern(name, call_type)
        is_plain = extern is not None and extern.is_pure and made.depth <= 2
        return made if is_plain else ctx.hold(node, made)

    def handle_builtin_intrin(self, visitor: Dispatch, node: BuiltinIntrin) -> CText:
        found = find_builtin(node.name)
        if found is None:
            raise CodegenError(f"{quote(node)} names an intrinsic that nobody registered")
        return self._value(visitor, node, found.call_type, found.name, node.args)

    def handle_buffer_create(self, visitor: Dispatch, node: BufferCreate) -> CText:  # noqa: ARG002
        return CText("0")

    def _call_back(self, visitor: Dispatch, node: Call) -> CText:
        """Write the call of a function of Python that is given memory."""
        ctx: LoopsCtx = visitor.context
        if find_extern(node.name) is None or node.call_type is not CallType.EXTERN:
            raise CodegenError(
                f"{quote(node)} gives memory to the function {node.name!r}, of which nothing is "
                f"known; write it as a function of the module, or call tir.register_extern"
            )
        pointers, layouts, sizes = [], [], []
        for arg in (*node.read_args, *node.write_args):
            buffer = arg.buffer if isinstance(arg, Tensor) else arg
            memory = ctx.memory(buffer, node)
            assert isinstance(buffer, Buffer)
            assert isinstance(arg, (Tensor, Buffer))
            shape = tuple([constant(size) for size in arg.shape])
            is_plain = not buffer.strides and buffer.elem_offset is None
            if not is_plain or memory.held or memory.may_be_missing:
                raise CodegenError(
                    f"{quote(node)} gives {buffer.name} to Python; expected memory without gaps, "
                    f"all of which holds something"
                )
            pointers.append(f"(void *){memory.name}")
            layouts.append(str(Layout(arg.dtype, shape, arg in node.write_args)))
            open_sizes = [size for size in arg.shape if constant(size) is None]
            sizes += [self.size(visitor, size).text for size in open_sizes]
        ctx.source.calls_back = True
        ctx.fail_if(f"!{CALL_BACK}", UnsupportedError, "Python is called, and is not there", node)
        with ctx.braces("", node):
            given, status = ctx.names.fresh("given"), ctx.names.fresh("called")
            ctx.line(f"void *const {given}[] = {{{', '.join(pointers)}}};")
            told = ctx.names.fresh("sizes") if sizes else "NULL"
            if sizes:
                ctx.line(f"const int64_t {told}[] = {{{', '.join(sizes)}}};")
            args = f'"{node.name}", "{";".join(layouts)}", {told}, {given}'
            ctx.line(f"const int32_t {status} = {CALL_BACK}({args});")
            ctx.line(f"if ({status}) {ctx.leave(status)}")
        return CText("0")

    def _call_function(self, visitor: Dispatch, node: Call) -> CText:
        """Write the call of a function of the module, which may end this one with its status."""
        ctx: LoopsCtx = visitor.context
        callee = ctx.functions.get(node.name)
        if callee is None:
            raise CodegenError(
                f"{quote(node)}: the module has no function {node.name!r} of the loop IR; put it "
                f"into the module that is written"
            )
        given_args = (*node.read_args, *node.write_args)
        scalars = {
            param: ctx.hold(arg, ctx.text(visitor, arg), param.name)
            for param, arg in zip(callee.func.args, given_args, strict=True)
            if isinstance(param, Var)
        }
        given = dict(zip(callee.func.args, given_args, strict=True))
        args, masks = [], []
        for param in callee.params:
            if isinstance(param, Var):
                args.append(scalars[param].text)
                continue
            arg = given.get(param, param)
            memory = ctx.memory(arg.buffer if isinstance(arg, Tensor) else arg, node)
            args.append(memory.name)
            assert isinstance(param, Buffer)
            if memory.may_be_missing:
                ctx.fail_if(
                    f"!{memory.name}",
                    LifetimeError,
                    f"memory for {param.name} is given while there is none; call {node.name!r} "
                    f"while it is allocated",
                    node,
                )
            with ctx.bound(tuple(scalars), tuple(scalars.values())), ctx.anew():
                self._check_size(visitor, node, param, memory)
            if param in callee.tracked:
                masks.append(memory.held or "NULL")
        status = ctx.names.fresh("called")
        given_text = ", ".join([*args, *masks, *([ctx.left] if callee.is_counted else [])])
        with ctx.braces("", node):
            ctx.line(f"const int32_t {status} = {callee.name}({given_text});")
            ctx.line(f"if ({status}) {ctx.leave(status)}")
        return CText("0")

    def _check_size(self, visitor: Dispatch, node: Call, param: Buffer, memory: Memory) -> None:
        """Write the check that memory has as many elements as a function takes."""
        ctx: LoopsCtx = visitor.context
        count = self.count(visitor, param)
        if count.text != memory.size.text:
            ctx.fail_if(
                infix("!=", count, memory.size).text,
                TypeConfusionError,
                f"buffer {param.name} is given memory of another size",
                node,
            )

    def handle_reduce(self, visitor: Dispatch, node: Reduce) -> CText:
        ctx: LoopsCtx = visitor.context
        init = ctx.text(visitor, node.init)
        held = c_type(node.type).value
        total = CText(ctx.names.fresh("total"))
        ctx.line(f"{held} {total.text} = {init.text};")
        self._accumulate(visitor, node, total, 0)
        return total

    def _accumulate(self, visitor: Dispatch, node: Reduce, total: CText, at: int) -> None:
        ctx: LoopsCtx = visitor.context
        if at == len(node.reduce_axis):
            value = ctx.text(visitor, node.body)
            kind = REDUCE_OPERATORS[node.reduce_type]
            if issubclass(kind, ops.PredicateNode):
                made = infix("&" if kind is ops.And else "|", total, value)
            else:
                if kind is ops.Div and node.type.is_integer:
                    value = self._nonzero(ctx, node, value)
                made = number(ctx, kind, total, value, node, node.body)
            ctx.line(f"{total.text} = {made.text};")
            return
        axis = node.reduce_axis[at]
        if axis.upper_bound is None:
            raise CodegenError(
                f"axis {axis.name} of {quote(node)} has no upper bound, so nobody knows where the "
                f"reduction ends; if a schedule block binds it, leave it out"
            )
        held = c_type(axis.dtype).value
        low = CText("0") if axis.lower_bound is None else ctx.text(visitor, axis.lower_bound)
        high = ctx.text(visitor, axis.upper_bound)
        if not high.is_name:
            high = ctx.declare(held, "end", high.text)
        name = ctx.names.fresh(axis.name)
        head = f"for ({held} {name} = {low.text}; {name} < {high.text}; ++{name})"
        with (
            ctx.braces(head, node),
            ctx.bound((axis,), (CText(name),)),
            ctx.anew(),
        ):
            self._accumulate(visitor, node, total, at + 1)

    @staticmethod
    def _nonzero(ctx: LoopsCtx, node: Reduce, value: CText) -> CText:
        value = ctx.hold(node.body, value, "x")
        ctx.fail_if(f"{value.text} == 0", DivisionByZeroError, "an integer is divided by 0", node)
        return value

    def handle_primitive_node(self, visitor: Dispatch, node: PrimitiveNode) -> CText | None:
        if self._expansions >= MOST_EXPANSIONS:
            raise CodegenError(
                f"the primitive {node.name!r} expands to primitives without end, "
                f"{MOST_EXPANSIONS} deep"
            )
        ctx: LoopsCtx = visitor.context
        self._expansions += 1
        try:
            made = expand_primitive(node)
            ctx.doubt(made)
            if isinstance(made, Expr):
                with ctx.anew(made):
                    return ctx.text(visitor, made)
            ctx.run(visitor, made)
            return None
        finally:
            self._expansions -= 1
