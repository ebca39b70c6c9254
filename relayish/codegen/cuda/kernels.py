"""Handlers that write what a kernel runs: bound loops are indices, and faults end a thread."""

from __future__ import annotations

from contextlib import nullcontext
from types import MappingProxyType
from typing import Final

from relayish.codegen.c.arithmetic import of_integers
from relayish.codegen.c.context import Source
from relayish.codegen.c.loops.context import LoopsCtx, Memory
from relayish.codegen.c.loops.statements import LoopsToC
from relayish.codegen.c.text import CText, cast
from relayish.codegen.c.types import c_type
from relayish.codegen.cuda.memory import Held, KernelMemory, declared
from relayish.codegen.cuda.nests import LOCAL, Nest, axis_of, is_threads, memory_of
from relayish.dataflow.lattice.interval import add
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.tir.analysis.facts.scopes import enter_loop
from relayish.tir.analysis.linear.bounds import interval_of
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var


class KernelCtx(LoopsCtx):
    """The context of writing a kernel: what it uses of the function around is its parameters.

    Args:
        source: What all functions share.
        outer: The function that launches it.
        nest: What it runs.

    Attributes:
        nest: The same.
        own: The memory it has itself.
        params: The declarations of parameters, and what is given for them.
        most: How many iterations loops have, by their axes, of which this is known here alone.
        bound_loops: The bound loops around what is written, by their axes.
    """

    def __init__(self, source: Source, outer: LoopsCtx, nest: Nest) -> None:
        super().__init__(source)
        self.nest = nest
        self.own = KernelMemory(nest)
        self.params: list[tuple[str, str]] = []
        self.most: dict[str, int] = {}
        self.bound_loops: dict[str, stmts.For] = {}
        self.known, self.outside = outer.known, outer.outside
        self._outer = outer
        self._stored = {
            stmt.tensor.buffer
            for stmt, _ in nest.events
            if isinstance(stmt, Store) and isinstance(stmt.tensor, Tensor)
        }

    def variable(self, var: Var) -> CText:
        """Return what a variable is called; one of the function around becomes a parameter."""
        if not self.is_bound(var):
            given = self._outer.variable(var)
            name = self._param(c_type(var.dtype).value, var.name, given.text)
            self.bind(var, CText(name))
        return super().variable(var)

    def memory(self, buffer: object, node: Load | Store | Node) -> Memory:
        """Return the memory of a buffer; that of the function around becomes a parameter."""
        if isinstance(buffer, Buffer) and buffer not in self.memories:
            found = self._outer.memory(buffer, node)
            hint = buffer.name.removeprefix("_")
            const, pointer = "" if buffer in self._stored else "const ", self._outer.pointer
            element = c_type(buffer.dtype).storage
            name = self._param(f"{const}{element} {pointer}", hint, found.name)
            mask = None
            if found.held is not None:
                mask = self._param(f"{const}uint8_t {pointer}", f"{hint}_held", found.held)
            size = found.size
            if not size.text.isdigit():
                size = CText(self._param("int64_t", f"{hint}_size", size.text))
            made = Memory(name, mask, size, is_given=found.is_given)
            made.may_be_missing = found.may_be_missing
            self.memories[buffer] = made
        return super().memory(buffer, node)

    def _param(self, kind: str, hint: str, given: str) -> str:
        name = self.names.fresh(hint, scope=0)
        self.params.append((f"{kind}{'' if kind.endswith((' ', '*')) else ' '}{name}", given))
        return name

    def declare_own(self, held: Held) -> str | None:
        """Declare memory of the kernel's own; return the marks of what is shared."""
        hint = held.buffer.name.removeprefix("_")
        name = self.names.fresh(hint)
        mask = None if held.is_full else self.names.fresh(f"{hint}_held")
        for line in declared(held, name, mask):
            self.line(line)
        made = Memory(name, mask, CText(str(held.length)), is_given=False)
        made.dropped = held.dropped
        self.memories[held.buffer] = made
        return mask if held.is_shared else None

    def leave(self, status: str) -> str:
        """Return the statement that ends a thread with a status."""
        self.helper("failed", "int32")
        return f"{{ failed_int32({status}); return; }}"


class LoopsInKernel(LoopsToC, domain="tir"):
    """Writes what the threads of a kernel run, each its own iterations."""

    pragmas = MappingProxyType({})
    hints = MappingProxyType({"unroll": "unroll"})

    def run_nest(self, visitor: Dispatch) -> None:
        """Write the body of a kernel."""
        ctx: KernelCtx = visitor.context
        whole = [held for held in ctx.own.apart.values() if held.scope is None]
        masks = [(ctx.declare_own(held), held.length) for held in whole]
        shared = [(mask, count) for mask, count in masks if mask is not None]
        if shared:
            self._clear(ctx, shared)
        ctx.run(visitor, ctx.nest.root)

    @staticmethod
    def _clear(ctx: KernelCtx, masks: list[tuple[str, int]]) -> None:
        """Write that no element of shared memory holds anything."""
        at = ctx.names.fresh("at")
        first = "(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x"
        step = "blockDim.x * blockDim.y * blockDim.z"
        for mask, count in masks:
            ctx.line(f"for (uint32_t {at} = {first}; {at} < {count}; {at} += {step}) {{")
            ctx.line(f"  {mask}[{at}] = 0;")
            ctx.line("}")
        ctx.line("__syncthreads();")

    def handle_for(self, visitor: Dispatch, node: stmts.For) -> None:
        ctx: KernelCtx = visitor.context
        axis = axis_of(node)
        if not axis:
            super().handle_for(visitor, node)
            return
        low, extent = ctx.text(visitor, node.min), ctx.text(visitor, node.extent)
        inner = enter_loop(ctx.known, node)
        may_be_none = is_threads(axis) and interval_of(node.extent, ctx.known).low < 1
        if not ctx.nest.is_outside(node.extent):
            self._note_most(ctx, node, axis)
        given = node.loop_var.dtype
        whole = type_range(given)
        ends = add(interval_of(node.min, ctx.known), interval_of(node.extent, ctx.known))
        fits = ends.low >= whole.low and ends.high <= whole.high + 1
        index = cast(c_type(given).value, CText(axis))
        value = index
        if constant(node.min) != 0:
            value = of_integers(ctx, "add", low, index, given, fits=fits)
        is_guarded = may_be_none or ctx.nest.is_guarded(node)
        head = f"if ((int64_t){axis} < {extent.at(12)})" if is_guarded else ""
        is_plain = not head and not is_threads(axis)
        with nullcontext() if is_plain else ctx.braces(head, node):
            name = ctx.declare(c_type(given).value, node.loop_var.name, value.text)
            for held in ctx.own.apart.values():
                if held.scope is node:
                    ctx.declare_own(held)
            ctx.bound_loops[axis] = node
            with ctx.bound((node.loop_var,), (name,)), ctx.knowing(inner):
                ctx.run(visitor, node.body)
            del ctx.bound_loops[axis]

    @staticmethod
    def _note_most(ctx: KernelCtx, node: stmts.For, axis: str) -> None:
        """Note how often a loop runs at most, which is not known before the nest is run."""
        high = interval_of(node.extent, ctx.known).high
        if high > MOST_THREADS if is_threads(axis) else high > MOST_BLOCKS:
            raise CodegenError(
                f"nobody knows before a kernel is run how often the loop over {node.loop_var.name} "
                f"runs, {quote(node.extent)} times, and it is bound to {axis}; give it an extent "
                f"that is known, and guard what is in it"
            )
        ctx.most[axis] = max(ctx.most.get(axis, 1), int(high))

    def handle_store(self, visitor: Dispatch, node: Store) -> None:
        ctx: KernelCtx = visitor.context
        apart = [axis for axis in ctx.nest.thread_axes if axis not in ctx.bound_loops]
        if not apart or memory_of(node) in {None, *LOCAL}:
            super().handle_store(visitor, node)
            return
        with ctx.braces(f"if ({' && '.join([f'{axis} == 0' for axis in sorted(apart)])})", node):
            super().handle_store(visitor, node)

    def wait(self, visitor: Dispatch, node: Call) -> CText:  # noqa: ARG002 - all threads come by
        visitor.context.line("__syncthreads();")
        return CText("0")

    def handle_alloc(self, visitor: Dispatch, node: stmts.Alloc) -> None:  # noqa: ARG002
        raise _no_memory(node)

    def handle_free(self, visitor: Dispatch, node: stmts.Free) -> None:  # noqa: ARG002
        raise _no_memory(node)

    def _call_back(self, visitor: Dispatch, node: Call) -> CText:  # noqa: ARG002
        raise CodegenError(
            f"{quote(node)} gives memory to the function {node.name!r} of Python, which no device "
            f"runs; leave the loop around it unbound, or write it as loops"
        )

    def _call_function(self, visitor: Dispatch, node: Call) -> CText:  # noqa: ARG002
        raise CodegenError(
            f"{quote(node)} calls a function of the module in a kernel; call it outside of loops "
            f"that are bound, or put its body in its place"
        )


def _no_memory(node: stmts.Alloc | stmts.Free) -> CodegenError:
    return CodegenError(
        f"{quote(node)} stands in a kernel, which asks for no memory; leave it out, so the buffer "
        f"is there all the time, or put it outside of the loops that are bound"
    )


MOST_THREADS: Final = 1024
"""So many threads a block has."""

MOST_BLOCKS: Final = 2**31 - 1
"""So many blocks there are along an axis."""
