"""Binding of loops that nobody bound: parallel loops to blocks and threads, nest by nest.

Before::

    serial for (i, 0, 64) { serial for (j, 0, 1000) { B[i, j] = (A[i, j] + 1) } }

After::

    thread_bind[blockIdx.y] for (i, 0, 64)
      thread_bind[blockIdx.x] for (j_outer, 0, 4)
        thread_bind[threadIdx.x] for (j_inner, 0, 256)
          if (((j_outer * 256) + j_inner) < 1000) { B[i, ...] = (A[i, ...] + 1) }
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from relayish.codegen.cuda.nests import axis_of
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependences import parallel_loops
from relayish.tir.builders.stmt import as_block, bind_info_of, for_
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import NO_VECTORIZE, CallType, DeviceAPI, ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import LT, Expr, const
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.substitution import substitute

THREADS: Final = 256
"""So many threads run the iterations of a long loop together."""

_MOST: Final = 65535
"""So many blocks there are along each axis."""

_BLOCKS: Final = ("blockIdx.x", "blockIdx.y", "blockIdx.z")


def bind_loops(func: LoweredFunc) -> LoweredFunc:
    """Return a function whose nests are bound to the device; one that is bound stays as it is.

    Of a nest, parallel loops that stand directly in one another are bound: the innermost to
    threads, those around it to blocks. What has none is run by one thread. Loops that are not
    parallel and have such nests inside stay on the host, which launches a kernel in each turn.

    Complexity:
        As :func:`~relayish.tir.analysis.parallel_loops`.
    """
    if any(axis_of(each) for each in PROGRAM.pre_order(func.body)):
        return func
    binding = _Binding(func)
    return func.with_fields(body=binding.on_host(func.body))


class _Binding:
    def __init__(self, func: LoweredFunc) -> None:
        self._parallel: Final = parallel_loops(func)

    def on_host(self, stmt: Stmt) -> Stmt:
        """Return a statement of the host with its nests bound."""
        if not _needs_device(stmt):
            return stmt
        match stmt:
            case stmts.Block():
                return stmt.with_fields(stmts=tuple([self.on_host(each) for each in stmt.stmts]))
            case stmts.ScheduleBlockRealize() if not stmt.iter_values:
                block = stmt.schedule_block
                made = block.with_fields(body=self.on_host(block.body))
                return stmt.with_fields(schedule_block=made)
            case stmts.For() | stmts.PolyFor() if self._stays(stmt):
                return stmt.with_fields(body=self.on_host(stmt.body))
            case stmts.IfThenElse() if self._stays(stmt):
                other = stmt.false_case
                return stmt.with_fields(
                    true_case=self.on_host(stmt.true_case),
                    false_case=None if other is None else self.on_host(other),
                )
        return self._on_device(stmt)

    def _stays(self, root: Stmt) -> bool:
        """Return whether the host runs a statement, and a device what stands in it."""
        inside = [*PROGRAM.pre_order(root)]
        if any(isinstance(each, Call) and each.call_type is CallType.CINN for each in inside):
            return True
        return root not in self._parallel and any(each in self._parallel for each in inside)

    def _on_device(self, stmt: Stmt) -> Stmt:
        """Return a statement as a nest that is bound."""
        chain = list(self._chain(stmt))
        if not chain:
            return for_("once", 1, stmt, thread=_BLOCKS[0])
        *outer, last = chain
        count = constant(last.extent)
        is_short = count is not None and count <= THREADS
        free = list(_BLOCKS)
        is_first_long = bool(outer) and (constant(outer[0].extent) or 0) > _MOST
        own = "" if is_short else free.pop(1 if is_first_long else 0)
        made: Stmt = _bound(last, last.body, "threadIdx.x") if is_short else _split(last, own)
        axes: list[str] = []
        for loop, axis in zip_longest(outer, free[: len(outer)], fillvalue=""):
            assert isinstance(loop, stmts.For)
            is_few = axis == _BLOCKS[0] or (constant(loop.extent) or 0) <= _MOST
            axes.append(axis if is_few and "" not in axes else "")
        for loop, axis in zip(reversed(outer), reversed(axes), strict=True):
            made = _bound(loop, made, axis) if axis else _serial(loop, made)
        return made

    def _chain(self, stmt: Stmt) -> Iterator[stmts.For]:
        """Yield the parallel loops that stand directly in one another, outermost first."""
        counters: set[Node] = set()
        while isinstance(stmt, stmts.For) and stmt in self._parallel:
            used = [*PROGRAM.pre_order(stmt.min), *PROGRAM.pre_order(stmt.extent)]
            if any(each in counters or isinstance(each, Load) for each in used):
                return
            yield stmt
            counters.add(stmt.loop_var)
            stmt = stmt.body
            while isinstance(stmt, stmts.Block) and len(stmt.stmts) == 1:
                stmt = stmt.stmts[0]


def _bound(loop: stmts.For, body: Stmt, axis: str) -> stmts.For:
    info = bind_info_of(axis)
    return loop.with_fields(
        body=as_block(body),
        for_type=info.for_type,
        bind_info=info,
        device_api=DeviceAPI.GPU,
        vectorize_info=NO_VECTORIZE,
    )


def _serial(loop: stmts.For, body: Stmt) -> stmts.For:
    return loop.with_fields(
        body=as_block(body), for_type=ForType.SERIAL, vectorize_info=NO_VECTORIZE
    )


def _split(loop: stmts.For, axis: str) -> stmts.For:
    """Return a loop as one over blocks, and one over threads that ends with the loop."""
    given = loop.loop_var.dtype
    width = const(THREADS, given)
    outer = Var(f"{loop.loop_var.name}_outer", given)
    inner = Var(f"{loop.loop_var.name}_inner", given)
    at = outer * width + inner
    count = constant(loop.extent)
    is_even = count is not None and count % THREADS == 0
    body = substitute(loop.body, {loop.loop_var: at + loop.min if constant(loop.min) != 0 else at})
    guarded = body if is_even else stmts.IfThenElse(LT(at, loop.extent), as_block(body))
    blocks: Expr = (loop.extent + (width - const(1, given))) / width
    if count is not None:
        blocks = const(-(-count // THREADS), given)
    threads = for_(inner, width, guarded, thread="threadIdx.x")
    return for_(outer, blocks, threads, thread=axis)


def _needs_device(stmt: Stmt) -> bool:
    """Return whether a statement accesses memory other than by functions that it calls."""
    return any(
        (isinstance(each, Store) and isinstance(each.tensor, Tensor))
        or (isinstance(each, Call) and each.call_type is not CallType.CINN and each.write_args)
        for each in PROGRAM.pre_order(stmt)
    )
