"""Handlers that write statements of the loop IR as C: loops, branches, declarations, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from types import MappingProxyType
from typing import ClassVar, Final

from relayish.codegen.c.arithmetic import narrowed
from relayish.codegen.c.loops.calls import Calls
from relayish.codegen.c.loops.context import LoopsCtx, Memory
from relayish.codegen.c.names import comment
from relayish.codegen.c.text import CText, apply, infix
from relayish.codegen.c.types import c_type
from relayish.dataflow.lattice.interval import add
from relayish.domain import register_handler
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, LifetimeError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependences import is_parallel
from relayish.tir.analysis.facts.scopes import assume, enter_block, enter_loop
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.flags import ForType, LLVMForLoopMeta, UnrollMode
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Store, Var

_MOST_UNROLLED: Final = 1024
"""Of so many iterations at most all are unrolled: of thousands, gcc takes minutes."""


def _hints_of(loop: stmts.For) -> list[str]:
    """Return what a compiler is told of a loop that is marked, or for which that is written down.

    What is written down comes before the mark.
    """
    given = loop.metadata or LLVMForLoopMeta()
    said = [] if given.vectorization else ["novector"]
    if given.unroll_mode is UnrollMode.NEVER:
        return [*said, "unroll 1"]
    extent = constant(loop.extent)
    is_full = given.unroll_mode is UnrollMode.FULL or loop.for_type is ForType.UNROLLED
    is_short = extent is not None and 0 < extent <= _MOST_UNROLLED
    return [*said, f"unroll {extent}"] if is_full and is_short else said


@register_handler("c")
class LoopsToC(Calls, domain="tir"):
    """Writes the loop IR as C.

    What programs mean is kept: integers wrap around, faults end the function with a status, nothing
    is reassociated. A check stands wherever it is not known that it holds.
    """

    pragmas: ClassVar[Mapping[ForType, str]] = MappingProxyType(
        {ForType.PARALLEL: "parallel for", ForType.VECTORIZED: "simd"}
    )
    """What OpenMP is told of a loop, if nothing in it fails and no iteration needs another."""

    hints: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"unroll": "GCC unroll", "novector": "GCC novector"}
    )
    """How a compiler is told what is written down of a loop; it is told nothing else."""

    has_stack: ClassVar[bool] = True
    """Whether small temporaries are arrays of the function."""

    def is_apart(self, buffer: Buffer) -> bool:  # noqa: ARG002 - dialects say so
        """Return whether whatever uses a temporary has memory of its own for it."""
        return False

    def handle_block(self, visitor: Dispatch, node: stmts.Block) -> None:
        ctx: LoopsCtx = visitor.context
        outer = ctx.known
        opened: list[Memory] = []
        for at, stmt in enumerate(node.stmts):
            ctx.run(visitor, stmt)
            if isinstance(stmt, stmts.Let):
                self._settle(ctx, stmt, node.stmts[at + 1 : at + 2])
            elif isinstance(stmt, stmts.Alloc) and stmt.body is None:
                opened.append(ctx.memory(stmt.destination, stmt))
        for memory in reversed(opened):
            if not memory.is_scoped:
                self._release(ctx, memory)
        ctx.known = outer

    @staticmethod
    def _settle(ctx: LoopsCtx, let: stmts.Let, following: Sequence[Node]) -> None:
        """Know what a variable is; note whether it is set, unless the next statement sets it."""
        var = let.symbol
        if let.body is not None:
            ctx.define(var, let.body)
            return
        ctx.known = ctx.known.without((var,))
        for stmt in following:
            if not isinstance(stmt, Store) or stmt.tensor is not var:
                break
            if var not in PROGRAM.pre_order(stmt.value):
                return
        flag = ctx.unset[var] = ctx.names.fresh(f"{var.name}_is_set")
        ctx.line(f"bool {flag} = false;")

    def handle_let(self, visitor: Dispatch, node: stmts.Let) -> None:
        ctx: LoopsCtx = visitor.context
        var = node.symbol
        held, lanes = c_type(var.dtype).value, var.dtype.lanes
        ctx.unset.pop(var, None)
        if lanes > 1:
            name = ctx.names.fresh(var.name)
            ctx.line(f"{held} {name}[{lanes}] = {{0}};")
            if node.body is not None:
                with self.each_lane(ctx, node, lanes):
                    value = ctx.text(visitor, node.body)
                    ctx.line(f"{name}[{ctx.lane}] = {value.text};")
            ctx.bind(var, CText(name))
            return
        value = CText("0") if node.body is None else ctx.text(visitor, node.body)
        name = ctx.names.fresh(var.name)
        ctx.line(f"{held} {name} = {value.text};")
        ctx.bind(var, CText(name))
        if node.body is not None:
            ctx.check_value(var, node.body, node)

    def handle_if_then_else(self, visitor: Dispatch, node: stmts.IfThenElse) -> None:
        ctx: LoopsCtx = visitor.context
        condition = ctx.text(visitor, node.condition)
        tail = "}" if node.false_case is None else "} else {"
        with (
            ctx.braces(f"if ({condition.text})", node, tail),
            ctx.knowing(assume(ctx.known, node.condition)),
        ):
            ctx.run(visitor, node.true_case)
        if node.false_case is not None:
            with (
                ctx.braces("", node),
                ctx.knowing(assume(ctx.known, node.condition, holds=False)),
            ):
                ctx.lines.pop()  # the brace stands behind the else
                ctx.run(visitor, node.false_case)

    def handle_for(self, visitor: Dispatch, node: stmts.For) -> None:
        ctx: LoopsCtx = visitor.context
        var = node.loop_var
        held = c_type(var.dtype).value
        low, extent = ctx.text(visitor, node.min), ctx.text(visitor, node.extent)
        inner = enter_loop(ctx.known, node)
        end = self._end_of(ctx, node, low, extent)
        before = len(ctx.lines)
        faults = len(ctx.source.faults)
        ctx.names.enter()
        name = ctx.names.fresh(var.name)
        if end is None:
            rest = ctx.names.fresh(f"{name}_left")
            head = f"{held} {name} = {low.text}, {rest} = {extent.text}; {rest} > 0; --{rest}"
            following = self._advanced(ctx, var, CText(name), CText("1"))
            head = f"{head}, {name} = {following.text}"
        else:
            head = f"{held} {name} = {low.text}; {name} < {end}; ++{name}"
        with (
            ctx.braces(f"for ({head})", node),
            ctx.bound((var,), (CText(name),)),
            ctx.knowing(inner),
        ):
            ctx.run(visitor, node.body)
        ctx.names.leave()
        told = [each for each in _hints_of(node) if each.split()[0] in self.hints]
        for each in told:
            word, *times = each.split()
            hint = " ".join([self.hints[word], *times])
            ctx.lines[before] = f"#pragma {hint}\n{ctx.lines[before]}"
        pragma = next((text for kind, text in self.pragmas.items() if node.for_type & kind), None)
        if pragma is None or end is None or told or faults < len(ctx.source.faults):
            return
        if is_parallel(node):
            ctx.lines[before] = f"#pragma omp {pragma}\n{ctx.lines[before]}"

    @staticmethod
    def _advanced(ctx: LoopsCtx, var: Var, now: CText, step: CText) -> CText:
        """Return the next value of a variable of a loop, which wraps around."""
        given = var.dtype
        if given.bits >= 32 and not given.is_uint:
            return apply(ctx.helper("add", given.element), now, step)
        following = infix("+", now, step)
        return following if given.bits >= 32 else narrowed(ctx, given, following)

    @staticmethod
    def _end_of(ctx: LoopsCtx, node: stmts.For, low: CText, extent: CText) -> str | None:
        """Return where a loop ends, as text; ``None`` where its variable may wrap around."""
        first, count = constant(node.min), constant(node.extent)
        whole = type_range(node.loop_var.dtype)
        if first is not None and count is not None:
            return str(first + count) if first + count <= whole.high else None
        starts, lengths = interval_of(node.min, ctx.known), interval_of(node.extent, ctx.known)
        ends = add(starts, lengths)
        if ends.low < whole.low or ends.high > whole.high:
            return None
        end = extent if first == 0 else infix("+", low, extent)
        if end.text.isdigit() or (end is extent and LoopsToC._is_fixed(ctx, node.extent)):
            return end.text
        return ctx.declare(ctx.value_type(node.extent), "end", end.text).text

    def handle_poly_for(self, visitor: Dispatch, node: stmts.PolyFor) -> None:
        ctx: LoopsCtx = visitor.context
        var = node.iterator
        first = ctx.text(visitor, node.init)
        inner = enter_loop(ctx.known, node)
        around = ctx.known.without((var,))
        with ctx.braces("", node):
            name = ctx.names.fresh(var.name)
            ctx.line(f"{c_type(var.dtype).value} {name} = {first.text};")
            with ctx.braces("for (;;)", node), ctx.bound((var,), (CText(name),)):
                with ctx.knowing(around), ctx.anew(node.condition):
                    condition = ctx.text(visitor, node.condition)
                    ctx.line(f"if (!{condition.at(14)}) break;")
                with ctx.knowing(inner):
                    with ctx.braces("", node):
                        ctx.run(visitor, node.body)
                    with ctx.anew(node.inc):
                        step = ctx.text(visitor, node.inc)
                    following = self._advanced(ctx, var, CText(name), step)
                    ctx.line(f"{name} = {following.text};")

    def handle_schedule_block_realize(
        self, visitor: Dispatch, node: stmts.ScheduleBlockRealize
    ) -> None:
        ctx: LoopsCtx = visitor.context
        block = node.schedule_block
        values = [ctx.text(visitor, value) for value in node.iter_values]
        inner = enter_block(ctx.known, node)
        fixed = [self._is_fixed(ctx, value) for value in node.iter_values]
        if block.name != "root":
            ctx.line(comment(block.name))
        with nullcontext() if all(fixed) else ctx.braces("", node):
            held = [
                value if stays else ctx.declare(c_type(var.dtype).value, var.name, value.text)
                for var, value, stays in zip(block.iter_vars, values, fixed, strict=True)
            ]
            with ctx.bound(block.iter_vars, held):
                for var, value in zip(block.iter_vars, node.iter_values, strict=True):
                    ctx.check_value(var, value, node)
                with ctx.knowing(inner):
                    ctx.run(visitor, block.body)

    @staticmethod
    def _is_fixed(ctx: LoopsCtx, expr: Expr) -> bool:
        """Return whether an expression is a number, or a variable that nothing stores to."""
        if isinstance(expr, Var):
            return expr not in ctx.known.assigned
        return constant(expr) is not None

    def handle_schedule_block(self, visitor: Dispatch, node: stmts.ScheduleBlock) -> None:
        visitor.context.run(visitor, node.body)

    # Memory

    def handle_alloc(self, visitor: Dispatch, node: stmts.Alloc) -> None:
        ctx: LoopsCtx = visitor.context
        buffer = node.destination
        memory = ctx.memory(buffer, node)
        assert isinstance(buffer, Buffer)
        if memory.is_given:
            raise CodegenError(f"{quote(node)} allocates what the function is given")
        if memory.is_scoped:
            ctx.line(f"{c_type(buffer.dtype).storage} {memory.name}[{memory.size.text}];")
            return
        condition = None
        if node.condition is not None:
            condition = ctx.text(visitor, node.condition)
        extents = [self.size(visitor, extent) for extent in node.extents]
        shape = [self.size(visitor, size) for size in buffer.shape]
        with ctx.braces("" if condition is None else f"if ({condition.text})", node):
            if memory.may_be_missing:
                ctx.fail_if(
                    memory.name,
                    LifetimeError,
                    f"{buffer.name} is allocated already; free it first, or allocate another",
                    node,
                )
            for extent, size in zip(extents, shape, strict=False):
                if extent.text != size.text:
                    ctx.fail_if(
                        infix("!=", extent, size).text,
                        LifetimeError,
                        f"{buffer.name} is allocated with extents that are not its shape",
                        node,
                    )
            allocate(ctx, memory, buffer, self.count(visitor, buffer), node)
        if node.body is None:
            return
        with ctx.braces("", node):
            ctx.run(visitor, node.body)
        self._release(ctx, memory)

    def handle_free(self, visitor: Dispatch, node: stmts.Free) -> None:
        ctx: LoopsCtx = visitor.context
        memory = ctx.memory(node.destination, node)
        ctx.fail_if(
            f"!{memory.name}",
            LifetimeError,
            f"{quote(node)} frees what has no memory; allocate it before, once",
            node,
        )
        self._release(ctx, memory)

    @staticmethod
    def _release(ctx: LoopsCtx, memory: Memory) -> None:
        for name in (memory.name, memory.held):
            if name is not None:
                ctx.line(f"{ctx.source.dialect.memory}free({name});")
                ctx.line(f"{name} = NULL;")


def allocate(ctx: LoopsCtx, memory: Memory, buffer: Buffer, count: CText, node: Node) -> None:
    """Write lines that give a buffer memory."""
    element = c_type(buffer.dtype).storage
    names = [(memory.name, element)]
    if memory.held is not None:
        names.append((memory.held, "uint8_t"))
    if not memory.size.text.isdigit():
        ctx.line(f"{memory.size.text} = {count.text};")
    for name, held in names:
        size = count.text if count.text.isdigit() else f"(size_t){count.at(14)}"
        if count.text == "0" or not count.text.isdigit():
            size = "1" if count.text == "0" else f"({count.text} > 0 ? {size} : 1)"
        if name == memory.held:
            ctx.line(f"{name} = {ctx.source.dialect.memory}calloc({size}, sizeof({held}));")
        else:
            ctx.line(f"{name} = {ctx.source.dialect.memory}malloc({size} * sizeof({held}));")
        ctx.fail_if(f"!{name}", LifetimeError, f"there is no memory for {buffer.name}", node)
