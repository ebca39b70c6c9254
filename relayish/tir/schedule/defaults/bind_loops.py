"""The schedule ``bind_loops``: loops whose iterations are free become blocks and threads.

Before::

    serial for (i, 0, 64) { serial for (j, 0, 1000) { B[i, j] = (A[i, j] + 1) } }

After::

    thread_bind[blockIdx.y] for (i, 0, 64)
      thread_bind[blockIdx.x] for (j_0, 0, 4)
        thread_bind[threadIdx.x] for (j_1, 0, 256)
          if (((j_0 * 256) + j_1) < 1000) { B[i, ...] = (A[i, ...] + 1) }
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependences import parallel_loops
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.expr import Call
from relayish.tir.ir.flags import CallType
from relayish.tir.ir.stmt import For
from relayish.tir.ir.tensor import Load, Store, Tensor
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule
from relayish.tir.schedule.state import Ref

_MOST: Final = 65535
"""So many blocks there are along each axis but the first."""

_BLOCKS: Final = ("blockIdx.x", "blockIdx.y", "blockIdx.z")


@register_schedule("bind_loops", targets=("cuda",))
def bind_loops(schedule: Schedule, *, threads: int = 256) -> None:
    """Bind nests to a device; a function of which something is bound stays as it is.

    Of a nest, parallel loops that stand directly in one another are bound: the innermost to
    threads, those around it to blocks. Loops that are not parallel, or call functions, stay around
    the nests inside.

    Args:
        schedule: Of any function.
        threads: How many run the iterations of a long loop together.

    Source:
        TVM ``DefaultGPUSchedule``, CINN ``Bind``.
    """
    handles = {each.ref: each for each in schedule.get_loops()}
    if any(each.stmt.bind_info.is_valid for each in handles.values()):
        return
    for nest in list(_nests(schedule, parallel_loops(schedule.func))):
        with schedule.attempt():
            _bind(schedule, [handles[each] for each in nest], threads)


def _nests(schedule: Schedule, parallel: Collection[Node]) -> Iterator[Sequence[Ref]]:
    """Yield the loops of each nest that are bound, outermost first."""
    pending = [schedule.state.body]
    while pending:
        ref = pending.pop()
        inside = [*PROGRAM.pre_order(ref.stmt)]
        if not any(map(stores_memory, inside)):
            continue
        if ref.stmt in parallel and not any(map(is_for_host, inside)):
            nest = [schedule.state.ref(each) for each in _chain(ref.stmt, parallel)]
            if nest:
                yield nest
        else:
            pending += schedule.state.held(ref)


def is_for_host(node: Node) -> bool:
    """Return whether this calls a function of the module, which the host does."""
    return isinstance(node, Call) and node.call_type is CallType.CINN


def stores_memory(node: Node) -> bool:
    """Return whether this stores to memory, other than by a function that it calls."""
    if isinstance(node, Store):
        return isinstance(node.tensor, Tensor)
    return isinstance(node, Call) and not is_for_host(node) and bool(node.write_args)


def _chain(stmt: Node, parallel: Collection[Node]) -> Iterator[For]:
    """Yield the parallel loops that stand directly in one another, outermost first."""
    counters: set[Node] = set()
    while isinstance(stmt, For) and stmt in parallel:
        used = [*PROGRAM.pre_order(stmt.min), *PROGRAM.pre_order(stmt.extent)]
        if any(each in counters or isinstance(each, Load) for each in used):
            return
        yield stmt
        counters.add(stmt.loop_var)
        stmt = only(stmt.body)


def _bind(schedule: Schedule, nest: Sequence[LoopRV], threads: int) -> None:
    """Bind the last loop of a nest to threads, and as many as can be around it to blocks."""
    *outer, last = nest
    free = list(_BLOCKS)
    count = constant(last.stmt.extent)
    if count is None or count > threads:
        is_first_long = bool(outer) and (constant(outer[0].stmt.extent) or 0) > _MOST
        axis = free.pop(1 if is_first_long else 0)
        blocks, last = schedule.split(last, [-1, threads])
        schedule.bind(blocks, axis)
    schedule.bind(last, "threadIdx.x")
    for loop, axis in zip(outer, free, strict=False):
        if axis != _BLOCKS[0] and (constant(loop.stmt.extent) or 0) > _MOST:
            return  # blocks stand directly in one another
        schedule.bind(loop, axis)
