"""Races: what threads do to the same memory, where nothing makes one of them wait for the other.

A nest means what it does in serial order. So whatever depends on something before is done by the
same thread, or behind a barrier by another one of its block; never by one of another block.
Memory that is shared by a block has a copy for each block, and what is local one for each thread:
between copies there is no dependence, and what is read of one was stored to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, TypeAlias

from relayish.codegen.cuda.memory import KernelMemory
from relayish.codegen.cuda.nests import LOCAL, Event, Nest, axis_of, is_threads, memory_of
from relayish.errors import CodegenError
from relayish.ir.kinds.one_line import quote
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import operands
from relayish.tir.analysis.dependence.accesses import Access, arounds
from relayish.tir.analysis.dependence.dependence import Dependence
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.analysis.regions.reached import nodes_reached
from relayish.tir.analysis.values.context import Context
from relayish.tir.externs import is_barrier
from relayish.tir.interpreter.access import constant
from relayish.tir.ir import stmt as stmts
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import MemoryType
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Buffer, Store, Var

Loop: TypeAlias = stmts.For | stmts.PolyFor


def check_races(nest: Nest, known: Context, memory: KernelMemory) -> None:
    """Raise where threads of a nest may disturb one another.

    Args:
        nest: The nest.
        known: What is known of variables around it.
        memory: The memory that it accesses.

    Raises:
        CodegenError: Naming what waits for what, and what to do.

    Complexity:
        As :func:`~relayish.tir.analysis.dependences`; for each of these, linear in the nest.
    """
    if all(constant(loop.extent) == 1 for loops in nest.loops.values() for loop in loops):
        return  # one thread runs all of it
    finder = _Races(nest, memory)
    for each in dependences(nest.root, known):
        finder.check(each)


def check_scalars(nest: Nest) -> None:
    """Raise where an iteration of a thread leaves a scalar to others, or to the host.

    Raises:
        CodegenError: Naming the store, and what to do.

    Complexity:
        Linear in the nest.
    """
    declared = {stmt.symbol: around for stmt, around in nest.events if isinstance(stmt, stmts.Let)}
    for stmt, around in nest.events:
        if not isinstance(stmt, Store) or not isinstance(stmt.tensor, Var):
            continue
        own = declared.get(stmt.tensor, ())
        inside = {outer for outer, _ in own}
        axes = {axis_of(outer) for outer, _ in around if outer not in inside}
        if stmt.tensor not in declared or axes - {""}:
            raise CodegenError(
                f"{quote(stmt)} stores to a variable that is declared outside of a loop that is "
                f"bound to {', '.join(sorted(axes - {''}))}, and each thread has its own; declare "
                f"it inside, or use memory"
            )


class _Races:
    """Tells of dependences whether they are kept."""

    def __init__(self, nest: Nest, memory: KernelMemory) -> None:
        self._nest: Final = nest
        self._memory: Final = memory
        self._barriers: Final = [at for at, (stmt, _) in enumerate(nest.events) if is_barrier(stmt)]
        self._at: Final[dict[Node, list[int]]] = {}
        self._by_all: Final[set[Node]] = set()
        for at, (stmt, _) in enumerate(nest.events):
            is_first = isinstance(stmt, Store) and memory_of(stmt) not in {None, *LOCAL}
            for node in _evaluated(stmt):
                if at not in self._at.setdefault(node, [])[-1:]:
                    self._at[node].append(at)
                if not is_first:
                    self._by_all.add(node)

    def check(self, found: Dependence) -> None:
        place, own = found.source.location, self._memory.apart
        if isinstance(place, Var):
            return
        memory = place.memory_type if isinstance(place, Buffer) and place in own else None
        if memory in LOCAL:
            return
        for carrier in self._carriers(found):
            axis = "" if carrier is None else axis_of(carrier)
            if axis and not is_threads(axis) and memory is MemoryType.GPU_SHARED:
                continue
            if carrier is not None and axis:
                raise self._error(
                    found,
                    f"in another iteration of the loop over {_name(carrier)}, which is bound to "
                    f"{axis}; bind another loop, or give each iteration elements of its own",
                )
            if self._is_one_thread(found, carrier):
                continue
            if not self._is_ordered(found, carrier):
                where = "between them"
                if carrier is not None:
                    where = f"in the loop over {_name(carrier)}, behind the first or before the "
                    where += "second of them"
                raise self._error(
                    found,
                    f"by another thread, and nothing makes it; call schedule.sync_threads "
                    f"to put a barrier {where}",
                )

    def _error(self, found: Dependence, why: str) -> CodegenError:
        verb = "has to wait" if found.is_exact else "may have to wait"
        first, second = quote(found.source.node), quote(found.sink.node)
        return CodegenError(f"{second} {verb} for {first}, {why}")

    @staticmethod
    def _carriers(found: Dependence) -> Iterator[Loop | None]:
        """Yield the loops by whose iterations both may differ first; ``None``: they need not."""
        for loop, direction in zip(found.loops, found.direction, strict=True):
            if direction & ~Direction.EQUAL:
                yield loop
            if not direction & Direction.EQUAL:
                return
        yield None

    def _is_one_thread(self, found: Dependence, carrier: Loop | None) -> bool:
        """Return whether one thread makes both accesses."""
        own = self._memory.telling(found.source, found.sink)
        begin = len(found.loops) if carrier is None else found.loops.index(carrier)
        for axis in self._nest.thread_axes:
            if axis in own:
                continue
            first = self._thread(found.source, axis)
            if first != self._thread(found.sink, axis) or first == "all":
                return False
            if first == "first":
                continue
            at = next((at for at, loop in enumerate(found.loops) if loop is first), -1)
            if at < 0 or (at > begin and found.direction[at] != Direction.EQUAL):
                return False
        return True

    def _thread(self, access: Access, axis: str) -> stmts.For | str:
        """Return the loop that tells which thread of an axis makes an access, or which do."""
        for around in arounds(access.place):
            if isinstance(around.loop, stmts.For) and axis_of(around.loop) == axis:
                return around.loop
        return "all" if access.node in self._by_all else "first"

    def _is_ordered(self, found: Dependence, carrier: Loop | None) -> bool:
        """Return whether a barrier stands between two accesses, wherever they are made."""
        sources = self._at.get(found.source.node, [])
        sinks = self._at.get(found.sink.node, [])
        if not sources or not sinks:
            return False
        return all(
            self._has_barrier(source, sink, carrier)
            for source in sources
            for sink in sinks
            if carrier is not None or source < sink
        )

    def _has_barrier(self, source: int, sink: int, carrier: Loop | None) -> bool:
        events = self._nest.events
        before, behind = set(events[source].around), set(events[sink].around)
        if carrier is None:
            return any(
                source < at < sink and self._is_sure(events[at], before | behind)
                for at in self._barriers
            )
        for at in self._barriers:
            if not any(outer is carrier for outer, _ in events[at].around):
                continue
            if at > source and self._is_sure(events[at], before):
                return True
            if at < sink and self._is_sure(events[at], behind):
                return True
        return False

    @staticmethod
    def _is_sure(barrier: Event, around: set[tuple[Stmt, int]]) -> bool:
        """Return whether threads come by a barrier that pass what ``around`` is around."""
        for each in barrier.around:
            stmt, _ = each
            if isinstance(stmt, (stmts.IfThenElse, stmts.PolyFor)) and each not in around:
                return False
            is_loop = isinstance(stmt, stmts.For) and each not in around
            if is_loop and (constant(stmt.extent) or 0) < 1:
                return False
        return True


def _evaluated(stmt: Stmt) -> Iterator[Node]:
    """Yield what a statement evaluates itself, and itself."""
    yield stmt
    held: Sequence[Node] = operands(stmt)
    if isinstance(stmt, stmts.ScheduleBlockRealize):
        held = stmt.iter_values
    elif isinstance(stmt, stmts.PolyFor):
        held = (stmt.init, stmt.condition, stmt.inc)
    for each in held:
        if isinstance(each, Expr):
            yield from nodes_reached(each)


def _name(loop: Loop) -> str:
    return loop.loop_var.name if isinstance(loop, stmts.For) else loop.iterator.name
