"""Handlers that write the function of the host: what is around kernels, and their launches."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from relayish.codegen.c.loops.context import LoopsCtx
from relayish.codegen.c.loops.functions import without_unused
from relayish.codegen.c.loops.statements import LoopsToC
from relayish.codegen.c.text import CText, apply, cast
from relayish.codegen.cuda.kernels import MOST_THREADS, KernelCtx, LoopsInKernel
from relayish.codegen.cuda.memory import APART, find_fresh
from relayish.codegen.cuda.nests import Nest, axis_of, is_threads
from relayish.codegen.cuda.races import check_races, check_scalars
from relayish.domain import assemble
from relayish.domain.dispatch import Dispatch
from relayish.errors import CodegenError, EvaluationError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call
from relayish.tir.ir.tensor import Buffer, Load, Store, Var
from relayish.tir.substitution import replace

_MOST: Final = MappingProxyType(
    {
        "blockIdx.x": 2**31 - 1,
        "blockIdx.y": 65535,
        "blockIdx.z": 65535,
        "threadIdx.x": MOST_THREADS,
        "threadIdx.y": MOST_THREADS,
        "threadIdx.z": 64,
    }
)
"""How many there are along an axis at most."""

_WORD: Final = re.compile(r"\w+")


class LoopsOnHost(LoopsToC, domain="tir"):
    """Writes what the host does: it launches a kernel for each nest whose outer loop is bound."""

    pragmas = MappingProxyType({})
    hints = MappingProxyType({"unroll": "unroll"})
    has_stack = False

    def is_apart(self, buffer: Buffer) -> bool:
        return buffer.memory_type in APART

    def handle_for(self, visitor: Dispatch, node: stmts.For) -> None:
        if axis_of(node):
            _launch(visitor, node)
        else:
            super().handle_for(visitor, node)

    def element(self, ctx: LoopsCtx, name: str, at: CText, node: Load) -> CText:
        """Return what the device holds at a place, which is copied to the host."""
        found = ctx.declare("auto", "copied", f"device_read(&{name}[{at.text}])")
        _check_device(ctx, node)
        return found

    def handle_store(self, visitor: Dispatch, node: Store) -> None:
        if isinstance(node.tensor, Var):
            super().handle_store(visitor, node)
            return
        raise CodegenError(
            f"{quote(node)} stores to memory of the device outside of all loops that are bound to "
            f"it; call schedule.bind(loop, 'blockIdx.x') for a loop around it, if need be one that "
            f"runs once"
        )

    def _call_back(self, visitor: Dispatch, node: Call) -> CText:  # noqa: ARG002
        raise CodegenError(
            f"{quote(node)} gives memory of the device to the function {node.name!r} of Python; "
            f"write it as loops"
        )


def _launch(visitor: Dispatch, node: stmts.For) -> None:
    """Write a kernel, and the lines that launch it."""
    ctx: LoopsCtx = visitor.context
    source = ctx.source
    faults = len(source.faults)
    fresh = find_fresh(node)
    nest = Nest(replace(node, dict.fromkeys(fresh, stmts.Block())))
    check_scalars(nest)
    inner = KernelCtx(source, ctx, nest)
    inner.own.require_full(fresh.values())
    writer = LoopsInKernel()
    writer.run_nest(assemble("c", inner, writer))
    can_fail = len(source.faults) > faults
    check_races(nest, ctx.known, inner.own)
    lines = without_unused(inner.lines)
    used = set(_WORD.findall("\n".join(lines)))
    params = [pair for pair in inner.params if _WORD.findall(pair[0])[-1] in used]
    name = _name(ctx, f"{ctx.function}_kernel")
    head = f"static __global__ void {name}({', '.join([each for each, _ in params]) or 'void'})"
    source.kernels.append("\n".join([head, "{", *lines, "}"]))
    sizes = {axis: _size(visitor, inner, axis) for axis in _MOST}
    _check_threads(ctx, nest, sizes)
    open_blocks = [
        f"{size.at(12)} > 0"
        for axis, size in sizes.items()
        if not is_threads(axis) and (size.text == "0" or not size.text.isdigit())
    ]
    with ctx.braces(f"if ({' && '.join(open_blocks)})" if open_blocks else "", node):
        dims = [
            f"dim3({', '.join([sizes[f'{kind}.{at}'].text for at in 'xyz'])})"
            for kind in ("blockIdx", "threadIdx")
        ]
        given = ", ".join([name, *dims, *[each for _, each in params]])
        ctx.line(f"RELAYISH_LAUNCH({given});")
        _check_device(ctx, node)
        if can_fail:
            found = ctx.declare("int32_t", "found", "found_failed_int32()")
            ctx.line(f"if ({found.text}) {ctx.leave(found.text)}")


def _check_device(ctx: LoopsCtx, node: Node) -> None:
    """Write the check that the device did what it was asked for."""
    ctx.fail_if(
        "cudaGetLastError() != cudaSuccess",
        EvaluationError,
        "the device does not run a kernel: there is none, or it has not as much memory or "
        "as many threads as are asked for",
        node,
    )


def _name(ctx: LoopsCtx, hint: str) -> str:
    """Return a name that no kernel has, nor anything in the function that launches it."""
    while True:
        name = ctx.names.fresh(hint)
        if not any(f" {name}(" in kernel for kernel in ctx.source.kernels):
            return name


def _size(visitor: Dispatch, inner: KernelCtx, axis: str) -> CText:
    """Return how many threads, or blocks, there are along an axis."""
    ctx: LoopsCtx = visitor.context
    nest = inner.nest
    extents = [each.extent for each in nest.loops.get(axis, ()) if nest.is_outside(each.extent)]
    known = [size for each in extents if (size := constant(each)) is not None]
    least = 1 if is_threads(axis) or not extents else 0
    most = max([least, inner.most.get(axis, 0), *known])
    if most > _MOST[axis]:
        raise CodegenError(
            f"{most} iterations of the loop over {nest.loops[axis][0].loop_var.name} are bound to "
            f"{axis}, of which there are {_MOST[axis]}; call schedule.split, and bind the inner "
            f"loop"
        )
    texts = [ctx.text(visitor, each) for each in extents if constant(each) is None]
    made = CText(str(most))
    for text in {each.text: each for each in texts}.values():
        wide = cast("int64_t", text)
        alone = made.text == "0"
        made = wide if alone else apply(ctx.helper("max", "int64"), made, wide)
    if made.text.isdigit():
        return made
    return ctx.declare("int64_t", axis.replace("Idx.", "s_"), made.text)


def _check_threads(ctx: LoopsCtx, nest: Nest, sizes: dict[str, CText]) -> None:
    """Refuse more threads than a block has, or write the check that there are not more."""
    threads = {axis: size for axis, size in sizes.items() if is_threads(axis)}
    known = [int(size.text) for size in threads.values() if size.text.isdigit()]
    count = 1
    for each in known:
        count *= each
    if count > MOST_THREADS:
        raise CodegenError(
            f"the loops of {quote(nest.root)} that are bound to threads run {count} iterations, "
            f"and a block has {MOST_THREADS} threads; call schedule.split, and bind fewer"
        )
    tests = [
        f"{size.at(12)} > {_MOST[axis]}"
        for axis, size in sizes.items()
        if not size.text.isdigit() and axis != "blockIdx.x"
    ]
    if len(known) < len(threads):
        tests.append(f"{' * '.join([size.at(13) for size in threads.values()])} > {MOST_THREADS}")
    if tests:
        ctx.fail_if(
            " || ".join(tests),
            EvaluationError,
            f"more iterations are bound to threads than a block has, {MOST_THREADS}, or to blocks "
            f"than there are; split the loops",
            nest.root,
        )
