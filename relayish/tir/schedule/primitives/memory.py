"""Primitives of memory: where it is, how much there is, and when threads wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependence import DependenceKind
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.analysis.regions.filled import stores_before_it_reads
from relayish.tir.analysis.regions.regions import accesses, buffer_of
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import CallType, ForType, MemoryType
from relayish.tir.ir.stmt import Alloc, Block, For, Free, IfThenElse, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Store, Tensor, Var
from relayish.tir.ir.type import VOID
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.holding import with_field
from relayish.tir.schedule.paths import put_beside
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.schedule.uses import accesses_to
from relayish.tir.schedule.views import (
    declare_around,
    declares,
    memory_type_of,
    part_of,
    redirect,
    uses_of,
)
from relayish.tir.substitution import replace


class MemorySteps(Steps):
    """Methods that say where memory is."""

    def set_buffer(self, block: BlockRV, memory_type: str, fixed: bool = False) -> None:
        """Say where the memory is that a block stores to, and let it be no more than needed.

        Args:
            block: A block that stores to a temporary of the function.
            memory_type: As ``cache_read`` takes it.
            fixed: Whether each iteration of the innermost loop around all uses, of which no
                iteration reads what another one stored, is to have memory of its own, and only as
                much as it uses. Then such loops can be parallel.

        Raises:
            ScheduleError: If it stores to several buffers, or to an argument; with ``fixed``, if
                iterations of all loops around read what others stored.

        Source:
            CINN ``IRSchedule::SetBuffer``, TVM ``set_scope``.
        """
        self.apply("set_buffer", block, memory_type, fixed)

    def sync_threads(self, stmt_handle: LoopRV | BlockRV, after: bool = True) -> None:
        """Let the threads of a block of the device wait for each other.

        Args:
            stmt_handle: The loop or block beside which they do.
            after: Whether after it; else before.

        Raises:
            ScheduleError: If a condition around it holds for some threads only, of which the others
                would be waited for without end.

        Source:
            CINN ``IRSchedule::SyncThreads``.
        """
        self.apply("sync_threads", stmt_handle, after)


@primitive("set_buffer")
def set_buffer(state: State, block: Ref, memory_type: str, fixed: bool = False) -> None:
    """Put other memory in the place of a temporary."""
    kind = memory_type_of(memory_type)
    buffer = _stored_by(state, block)
    scope = scope_of(state, buffer)
    if fixed:
        give_own_memory(state, buffer, kind)
        return
    image = buffer.with_fields(memory_type=kind)
    rewrite_uses(state, scope, buffer, lambda stmt: replace(stmt, {buffer: image}))
    set_temporary(state, buffer, image)


def give_own_memory(state: State, buffer: Buffer, kind: MemoryType) -> None:
    """Let each iteration of a loop have a temporary of its own, no greater than it needs.

    Raises:
        ScheduleError: If iterations of all loops around its uses read what others stored.
    """
    scope = scope_of(state, buffer)
    bodies = [each for each in (scope, *scope.ancestors()) if _is_body(each, kind)]
    for body in bodies:
        stmt = body.stmt
        assert isinstance(stmt, Block)
        uses = uses_of(stmt, buffer)
        part = part_of(uses, stmt, state.context(body), may_be_outside=True)
        image = buffer.with_fields(shape=part.shape, memory_type=kind)
        tensors: dict[Tensor, Tensor] = {}
        for each in uses:
            assert isinstance(each.tensor, Tensor)
            tensors[each.tensor] = each.tensor.with_fields(shape=part.shape, buffer=image)
        made = redirect(stmt, uses, tensors, part.indices)
        if stores_before_it_reads(made, image) or not _reads_from_others(state, body, buffer):
            alloc = Alloc(image, part.shape)
            state.replace(body, made.with_fields(stmts=(alloc, *made.stmts)))
            set_temporary(state, buffer, image)
            declare_around(state, body)
            return
    if not bodies:
        raise ScheduleError(
            f"no loop is around all uses of {buffer.name}, so there are no iterations that could "
            f"have memory of their own; expected one, as compute_at makes it"
        )
    raise ScheduleError(
        f"{buffer.name} cannot be of each iteration alone: an iteration of "
        f"{', '.join([one_line(each.parent.stmt) for each in bodies if each.parent])} reads what "
        f"another one stored; expected one that stores all that it reads, as compute_at makes it"
    )


def _is_body(ref: Ref, kind: MemoryType) -> bool:
    """Return whether a place is that of the body of a loop whose iterations may have memory.

    Lanes of a vector have none, and what threads share is not in their loops.
    """
    if not isinstance(ref.stmt, Block) or ref.parent is None or ref.parent not in ref.loops():
        return False
    none = ForType.VECTORIZED
    if kind is MemoryType.GPU_SHARED:
        none |= ForType.GPU_THREAD
    loops = [each.stmt for each in ref.loops()]
    return not any(isinstance(each, For) and each.for_type & none for each in loops)


def _reads_from_others(state: State, body: Ref, buffer: Buffer) -> bool:
    """Return whether an iteration of the loop of a body may read what another one stored."""
    loops = [each.stmt for each in body.loops()]
    outermost = body.loops()[0]
    for each in dependences(outermost.stmt, state.context(outermost)):
        if each.kind is DependenceKind.FLOW and each.sink.location is buffer:
            pairs = zip(each.loops, each.direction, strict=True)
            if any(loop in loops and way != Direction.EQUAL for loop, way in pairs):
                return True
    return False


def _stored_by(state: State, block: Ref) -> Buffer:
    """Return the temporary that a block stores to."""
    stmt = block.stmt
    assert isinstance(stmt, ScheduleBlockRealize)
    stores = [each for each in accesses(stmt.schedule_block.body) if isinstance(each, Store)]
    buffers = dict.fromkeys([buffer_of(each) for each in stores])
    if len(buffers) != 1:
        names = ", ".join([each.name for each in buffers])
        raise ScheduleError(
            f"{one_line(stmt)} stores to {len(buffers)} buffers ({names or 'none'}); expected one"
        )
    [buffer] = buffers
    require_temporary(state, buffer, "cache_write makes one")
    return buffer


def require_own(state: State, buffer: Buffer, advice: str) -> None:
    """Raise unless a buffer is memory of the function's own."""
    if buffer not in state.func.temp_bufs:
        raise ScheduleError(
            f"{buffer.name} is an argument of {state.func.name}, whose memory the caller gives; "
            f"expected a temporary; {advice}"
        )


def require_temporary(state: State, buffer: Buffer, advice: str) -> None:
    """Raise unless a buffer is memory of the function's own, while all of it runs."""
    require_own(state, buffer, advice)
    uses = [each for ref in state.using(buffer) for each in accesses_to(ref.stmt, buffer)]
    for each in uses:
        if isinstance(each, (Alloc, Free)) and each.destination is buffer:
            raise ScheduleError(
                f"{one_line(each)} gives {buffer.name} its memory already; expected a temporary "
                f"that has memory while the function runs"
            )


def scope_of(state: State, buffer: Buffer) -> Ref:
    """Return the innermost place that holds all uses of a buffer."""
    scope = state.scope_of([each for each in state.using(buffer) if buffer in each.keys])
    for ref in [*scope.ancestors()][::-1]:
        if isinstance(ref.stmt, ScheduleBlockRealize) and declares(ref.stmt.schedule_block):
            return ref
    return scope


def rewrite_uses(state: State, scope: Ref, buffer: Buffer, rewrite: Callable[[Stmt], Stmt]) -> None:
    """Rewrite what uses a buffer, all of it at once, whatever stands in between.

    Args:
        state: What is changed.
        scope: What holds all uses, as :func:`scope_of` tells.
        buffer: The buffer.
        rewrite: Makes of a statement what stands there instead; of a block, one as long.
    """
    stmt = scope.stmt
    if not isinstance(stmt, Block):
        state.replace(scope, rewrite(stmt))
        return
    parts = state.parts_using(scope, buffer)
    made = rewrite(Block(tuple(parts)))
    assert isinstance(made, Block)
    stmts = [*stmt.stmts]
    for part, image in zip(parts, made.stmts, strict=True):
        stmts[stmt.stmts.index(part)] = image
    state.replace(scope, with_field(stmt, "stmts", tuple(stmts)))


def set_temporary(state: State, buffer: Buffer, image: Buffer) -> None:
    """Let a function have another temporary in the place of one."""
    func = state.func
    bufs = tuple([image if each is buffer else each for each in func.temp_bufs])
    state.set_func(func.with_fields(temp_bufs=bufs))


_SYNC_THREADS: Final = "cuda_sync_threads"
"""The intrinsic that lets threads wait for each other."""


@primitive("sync_threads")
def sync_threads(state: State, stmt_handle: Ref, after: bool = True) -> None:
    """Put a statement beside another at which threads wait."""
    threads: Mapping[Var, For] = {
        each.stmt.loop_var: each.stmt
        for each in stmt_handle.ancestors()
        if isinstance(each.stmt, For) and each.stmt.for_type & ForType.GPU_THREAD
    }
    for each in stmt_handle.ancestors():
        if isinstance(each.stmt, IfThenElse):
            found = [n for n in PROGRAM.pre_order(each.stmt.condition) if n in threads]
            if found:
                raise ScheduleError(
                    f"{one_line(each.stmt)} around {one_line(stmt_handle.stmt)} holds for some "
                    f"threads only: it depends on {one_line(found[0])}; expected a place that all "
                    f"threads come to"
                )
    wait = Call(VOID, _SYNC_THREADS, call_type=CallType.INTRINSIC)
    put_beside(state, stmt_handle, stmt_handle.stmt, wait, images={}, after=after)
