"""Primitives that let blocks read copies, and write memory that is copied afterwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.dependence.dependence import Dependence, DependenceKind
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.regions.filled import fills_whole
from relayish.tir.analysis.regions.regions import accesses, buffer_of
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import Alloc, Block, For, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor
from relayish.tir.schedule.conflicts import show_conflict
from relayish.tir.schedule.definedness import (
    is_stored_before,
    is_used_before,
    stores_all,
)
from relayish.tir.schedule.handles import BlockRV
from relayish.tir.schedule.holding import held, with_field
from relayish.tir.schedule.paths import path_to, put_beside, questions
from relayish.tir.schedule.primitives.queries import block_name
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.schedule.views import (
    copy_nest,
    declare_around,
    has_shape,
    like,
    memory_type_of,
    part_of,
    redirect,
    uses_of,
)
from relayish.tir.verifier.dependences import AT_ONCE


class CachingSteps(Steps):
    """Methods that put memory between blocks and what they read and write."""

    def cache_read(self, block: BlockRV, read_buffer_index: int, memory_type: str) -> BlockRV:
        """Let a block read a copy of a buffer, which a block before its loops makes.

        The copy has the part that the block reads. It stands before the outermost of the loops
        around in which nothing writes what the block reads afterwards, and can be moved further in
        by ``compute_at``.

        Args:
            block: A block that reads.
            read_buffer_index: The number of the buffer among those that the block reads, in order
                of its text; those that it writes as well come last.
            memory_type: ``"global"``, ``"shared"``, ``"local"``, ``"stack"`` or another of
                ``MemoryType``.

        Returns:
            The block that copies: ``A_local_temp_buffer`` of ``A``.

        Raises:
            ScheduleError: If there is no such buffer, or some element of the part may not have been
                stored to where the copy is made.

        Source:
            CINN ``IRSchedule::CacheRead``, TVM ``cache_read``.
        """
        found: BlockRV = self.apply("cache_read", block, read_buffer_index, memory_type)
        return found

    def cache_write(self, block: BlockRV, write_buffer_index: int, memory_type: str) -> BlockRV:
        """Let a block write memory of its own, which a block after its loops copies.

        Everything from the first use of the buffer on to the end of these loops uses the new
        memory. Where it is not known that each element of the part is stored to before it is read,
        the part is copied there first. As CINN has it, the blocks that compute are called as their
        new memory, ``B_local_temp_buffer``, and the one that copies is called ``B``.

        Args:
            block: A block that writes.
            write_buffer_index: The number of the buffer among those that the block writes.
            memory_type: As :meth:`cache_read` takes it.

        Returns:
            The block that computes, which is the one given.

        Raises:
            ScheduleError: If there is no such buffer, or some element that would be copied may not
                have been stored to.

        Source:
            CINN ``IRSchedule::CacheWrite``, TVM ``cache_write``.
        """
        found: BlockRV = self.apply("cache_write", block, write_buffer_index, memory_type)
        return found


@primitive("cache_read")
def cache_read(state: State, block: Ref, read_buffer_index: int, memory_type: str) -> Ref:
    """Put a copy before the loops of a block."""
    kind = memory_type_of(memory_type)
    body = _block(block)
    buffer = nth_buffer(block, read_buffer_index, Load)
    loads = [each for each in _of(body, buffer) if isinstance(each, Load)]
    tensor = loads[0].tensor
    assert isinstance(tensor, Tensor)
    loads = [each for each in loads if has_shape(each, tensor.shape)]
    if not loads:
        raise ScheduleError(
            f"{one_line(body)} reads {tensor.name} by another number of indices than it has"
        )
    place = place_without_writes(state, block, loads)
    context = state.context(place)
    part = part_of(loads, place.stmt, context)
    if buffer in state.func.temp_bufs and not is_stored_before(place, buffer, part):
        raise ScheduleError(
            f"it is not known that each element of {buffer.name} is stored to before "
            f"{one_line(place.stmt)}, where it would be copied; expected a nest before it that "
            f"stores all that is copied"
        )
    name = state.fresh_name(f"{tensor.name}_{memory_type}_temp_buffer")
    cache = like(tensor, name, part.shape, kind)
    tensors = {each.tensor: cache for each in loads if isinstance(each.tensor, Tensor)}
    image = redirect(block.stmt, loads, tensors, part.indices)
    state.replace(block, image)
    state.make_buffer(_buffer(cache))
    copy = copy_nest(name, cache, tensor, part, into=True)
    for outer in place.loops():
        if isinstance(outer.stmt, For) and outer.stmt.for_type & ForType.VECTORIZED:
            raise ScheduleError(
                f"the copy would stand in {one_line(outer.stmt)}, whose iterations are lanes of "
                f"vectors and have no memory of their own; cache_read before vectorize"
            )
    made: list[Stmt] = [copy]
    if any(isinstance(each.stmt, For) and each.stmt.for_type & AT_ONCE for each in place.loops()):
        made.insert(0, Alloc(_buffer(cache), part.shape))
    for each in made:
        put_beside(state, place, place.stmt, each, images={}, after=False)
    found = state.ref(_realize_in(copy))
    declare_around(state, found)
    return found


def place_without_writes(
    state: State,
    inner: Ref,
    loads: Sequence[Load],
    blocks: Callable[[Dependence], bool] | None = None,
) -> Ref:
    """Return what is furthest out around a place in which nothing writes what loads read later.

    Bounds and conditions on the way count as loads, where they are.

    Args:
        state: The schedule.
        inner: The place.
        loads: What is read in it.
        blocks: Which dependences there must not be either.
    """
    blocker: Dependence | None = None
    for place in nests_around(inner):
        asked = {*loads, *PROGRAM.pre_order(list(questions(path_to(place, inner))))}

        def is_wanted(source: Access, sink: Access, asked: set[Node] = asked) -> bool:
            return blocks is not None or (source.writes and sink.node in asked)

        blocker = next(
            (
                each
                for each in dependences(place.stmt, state.context(place), wanted=is_wanted)
                if (blocks is not None and blocks(each))
                or (each.kind is DependenceKind.FLOW and each.sink.node in asked)
            ),
            None,
        )
        if blocker is None:
            return place
    assert blocker is not None
    conflict = show_conflict(blocker.source, blocker.sink, state.context(place))
    raise ScheduleError(
        f"{one_line(inner.stmt)} reads what it has written itself: {conflict}; expected reads of "
        f"what is there before it"
    )


def nests_around(block: Ref) -> list[Ref]:
    """Return what is around a block and stands in the same block as it, the outermost first."""
    found = [block]
    for ref in block.ancestors():
        if isinstance(ref.stmt, ScheduleBlockRealize):
            break
        if not isinstance(ref.stmt, Block):
            found.append(ref)
    return found[::-1]


@primitive("cache_write")
def cache_write(state: State, block: Ref, write_buffer_index: int, memory_type: str) -> Ref:
    """Put a copy after the loops of a block."""
    kind = memory_type_of(memory_type)
    buffer = nth_buffer(block, write_buffer_index, Store)
    nest = nests_around(block)[0]
    stmts = _first_to_last(nest, buffer)
    scope = Block(tuple(stmts))
    uses = uses_of(scope, buffer)
    tensor = next(each.tensor for each in _of(_block(block), buffer) if isinstance(each, Store))
    assert isinstance(tensor, Tensor)
    part = part_of(uses, scope, state.context(nest))
    base = state.fresh_name(f"{tensor.name}_{memory_type}_temp_buffer")
    cache = like(tensor, base, part.shape, kind)
    names: dict[str, str] = {}
    tensors: dict[Tensor, Tensor] = {}
    for each in [tensor, *[each.tensor for each in uses]]:
        assert isinstance(each, Tensor)
        if each not in tensors:
            rest = each.name.removeprefix(tensor.name)
            names[each.name] = base if each is tensor else state.fresh_name(base + rest)
            tensors[each] = cache.with_fields(name=names[each.name])
    nodes = PROGRAM.pre_order(scope)
    renamed = {
        each: each.with_fields(name=names[each.name])
        for each in nodes
        if isinstance(each, ScheduleBlock) and each.name in names
    }
    is_named = block_name(block) in names
    image = redirect(scope, uses, tensors, part.indices, renamed)
    first: list[Stmt] = []
    if not _is_filled(state, nest, buffer, image, _buffer(cache)):
        start = state.ref(stmts[0]) if held(stmts[0]) else nest
        if buffer in state.func.temp_bufs and not is_stored_before(start, buffer, part):
            raise ScheduleError(
                f"it is not known that {one_line(nest.stmt)} stores each element of the part of "
                f"{buffer.name} that it uses, before it reads one, nor that something before it "
                f"does; expected that, so that all of the part can be copied"
            )
        first = [copy_nest(state.fresh_name(base + "_first"), cache, tensor, part, into=True)]
    copy = copy_nest(
        tensor.name if is_named else state.fresh_name(tensor.name), tensor, cache, part, into=False
    )
    state.make_buffer(_buffer(cache))
    _put(state, nest, stmts, [*first, *image.stmts, copy], _paired(scope, image))
    declare_around(state, block)
    return block


def _is_filled(state: State, nest: Ref, buffer: Buffer, image: Block, cache: Buffer) -> bool:
    """Return whether statements fill memory, of which they read nothing before it is stored.

    Of a temporary that nothing has used before, nothing can be read that is not stored.
    """
    if fills_whole(image, cache):
        return True
    if buffer not in state.func.temp_bufs or nest.loops() or is_used_before(nest.parent, buffer):
        return False
    return stores_all(image, cache)


def _first_to_last(nest: Ref, buffer: Buffer) -> list[Stmt]:
    """Return the statements from the first that uses a buffer to a nest beside them."""
    if nest.parent is None or not isinstance(nest.parent.stmt, Block):
        return [nest.stmt]
    stmts = nest.parent.stmt.stmts
    stmts = stmts[: stmts.index(nest.stmt) + 1]
    first = nest.state.parts_using(nest.parent, buffer)[0]
    return list(stmts[stmts.index(first) :])


def _put(
    state: State, nest: Ref, stmts: Sequence[Stmt], made: Sequence[Stmt], images: dict[Stmt, Stmt]
) -> None:
    """Put statements where others are, the last of which is a nest."""
    parent = nest.parent
    if parent is None or not isinstance(parent.stmt, Block):
        state.replace(nest, Block(tuple(made)), images)
        return
    before = parent.stmt.stmts
    at = before.index(stmts[0])
    after = (*before[:at], *made, *before[at + len(stmts) :])
    state.replace(parent, with_field(parent.stmt, "stmts", after), images)


def _paired(before: Stmt, after: Stmt) -> dict[Stmt, Stmt]:
    """Return what each realized block of a statement is in its image."""
    old, new = [
        [each for each in PROGRAM.pre_order(root) if isinstance(each, ScheduleBlockRealize)]
        for root in (before, after)
    ]
    return {one: other for one, other in zip(old, new, strict=True) if one is not other}


def _block(block: Ref) -> ScheduleBlock:
    stmt = block.stmt
    assert isinstance(stmt, ScheduleBlockRealize)
    return stmt.schedule_block


def _of(root: Node, buffer: Buffer) -> list[Load | Store]:
    """Return the accesses to a buffer, in order of the text."""
    found = [each for each in accesses(root) if not isinstance(each, ScheduleBlockRealize)]
    return [each for each in found if buffer_of(each) is buffer]


def nth_buffer(block: Ref, number: int, kind: type[Load | Store]) -> Buffer:
    """Return a buffer that a block loads from, or stores to, by its number."""
    buffers = buffers_of(block, kind)
    if not 0 <= number < len(buffers):
        does = "reads" if kind is Load else "writes"
        known = ", ".join([f"{at}: {each.name}" for at, each in enumerate(buffers)])
        raise ScheduleError(
            f"{one_line(block.stmt)} {does} {len(buffers)} buffers ({known or 'none'}); found "
            f"number {number}"
        )
    return buffers[number]


def buffers_of(block: Ref, kind: type[Load | Store]) -> list[Buffer]:
    """Return the buffers that a block loads from, or stores to, as they are numbered."""
    found = [each for each in accesses(_block(block).body) if isinstance(each, (Load, Store))]
    written = {buffer_of(each) for each in found if isinstance(each, Store)}
    buffers = dict.fromkeys([buffer_of(each) for each in found if isinstance(each, kind)])
    return sorted(buffers, key=written.__contains__) if kind is Load else list(buffers)


def _buffer(tensor: Tensor) -> Buffer:
    assert isinstance(tensor.buffer, Buffer)
    return tensor.buffer


def _realize_in(nest: Stmt) -> Stmt:
    return next(e for e in PROGRAM.pre_order(nest) if isinstance(e, ScheduleBlockRealize))
