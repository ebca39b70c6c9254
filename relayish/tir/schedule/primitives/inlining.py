"""Primitives of inlining: what a block stores is computed where it is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from relayish.errors import ScheduleError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.effect import Effect
from relayish.ir.kinds.one_line import one_line
from relayish.ir.scopes.renaming import replace_nodes
from relayish.ir.scopes.scoping import PROGRAM, collect_variables, free_variables
from relayish.tir.analysis.dependence.accesses import Access, collect_accesses
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import (
    Block,
    For,
    IfThenElse,
    PolyFor,
    ScheduleBlockRealize,
)
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.elements import inverse_of, is_element, is_of, with_regions, with_values
from relayish.tir.schedule.handles import BlockRV
from relayish.tir.schedule.holding import with_field
from relayish.tir.schedule.instances import covers, domain, guards_of, runs_once
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.order import Move, check_moves
from relayish.tir.schedule.paths import path_to, without_last
from relayish.tir.schedule.primitives.queries import block_name
from relayish.tir.schedule.questions import Question
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.relocation import block_of
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.schedule.uses import accesses_to
from relayish.tir.substitution import replace
from relayish.tir.verifier.dependences import quote


class InliningSteps(Steps):
    """Methods that compute elements where they are used."""

    def compute_inline(self, block: BlockRV) -> None:
        """Compute the elements that a block stores where they are loaded, each time anew.

        The block, and the buffer, are gone then.

        Args:
            block: One that consists of a store ``T[i, j] = e`` to memory of the function's own,
                with a variable of its own, plus or minus a number, as each index.

        Raises:
            ScheduleError: If the buffer is an argument, the block a reduction, or what it reads may
                be changed between: which accesses, in which iterations.

        Source:
            CINN ``IRSchedule::ComputeInline``, TVM ``compute_inline``.
        """
        self.apply("compute_inline", block)

    def reverse_compute_inline(self, block: BlockRV) -> None:
        """Compute what a block makes of each element right where that element is computed.

        The block, and the buffer between, are gone then.

        Args:
            block: One that consists of a store, whose value is made of one element ``T[i, j]`` of
                memory of the function's own, with its variables as indices; a block stores that.

        Raises:
            ScheduleError: If something else uses that buffer, or the order of accesses would be
                another: which accesses, in which iterations.

        Source:
            CINN ``IRSchedule::ReverseComputeInline``, TVM ``reverse_compute_inline``.
        """
        self.apply("reverse_compute_inline", block)


@primitive("compute_inline")
def compute_inline(state: State, block: Ref) -> None:
    """Put what a block stores where it is loaded."""
    what = f"compute_inline of {block_name(block)}"
    store, buffer = _only_store(block, what)
    variables = block_of(block).iter_vars
    if inverse_of(store.indices, store.indices, variables) is None:
        raise ScheduleError(
            f"{what}: {one_line(store)} does not store an element of its own for each of the "
            f"variables of the block; expected each of them, plus or minus a number, as one index"
        )
    used = _Used(state, block, store, buffer, what)
    loads: list[tuple[Access, Load]] = []
    for access in used.of_buffer:
        load = access.node
        if not isinstance(load, Load) or not is_element(load, store):
            raise ScheduleError(
                f"{what}: {quote(access.node)} is no load of an element of {buffer.name}; "
                f"expected nothing else to use that buffer"
            )
        loads.append((access, load))
    others = [Move.unmoved(each) for each in used.others if each.writes]
    moved = [
        Move(read, access, tuple(zip(store.indices, load.indices, strict=True)))
        for read in used.own
        for access, load in loads
        if read.location != buffer
    ]
    for access, load in loads:
        _check_computed_before(block, used, access, load, what)
    check_moves(moved, others, used.context, what)
    image = without_last(path_to(used.region, block))
    used.put(
        image,
        lambda stmt: with_values(
            stmt, buffer, lambda each: inverse_of(store.indices, each, variables), store.value
        ),
    )
    _drop(state, buffer)


@primitive("reverse_compute_inline")
def reverse_compute_inline(state: State, block: Ref) -> None:
    """Put what a block stores where what it is made of is stored."""
    what = f"reverse_compute_inline of {block_name(block)}"
    target, _ = _only_store(block, what)
    producer, store, load = _producer(state, block, target, what)
    variables = block_of(block).iter_vars
    found = inverse_of(load.indices, store.indices, variables)
    if found is None or not is_element(load, store):
        raise ScheduleError(
            f"{what}: {one_line(load)} does not tell which of its variables the block has; "
            f"expected each of them, plus or minus a number, as one index"
        )
    assert isinstance(store.tensor, Tensor)
    buffer = store.tensor.buffer
    assert isinstance(buffer, Buffer)
    used = _Used(state, producer, store, buffer, what)
    of_block = {each.position for each in used.accesses_in(block)}
    others = [Move.unmoved(each) for each in used.others if each.position not in of_block]
    others += [Move.unmoved(each) for each in used.own if each.location != buffer]
    same = tuple(zip(load.indices, store.indices, strict=True))
    own = [each for each in used.accesses_in(block) if each.location != buffer]
    check_moves([Move(each, used.stored, same) for each in own], others, used.context, what)
    guards = _check_same_instances(used, block, found, what)
    value = with_values(target.value, buffer, lambda _: {}, store.value)
    made: Stmt = replace(target.with_fields(value=value), found)
    for guard in guards:
        made = IfThenElse(guard, Block((made,)))
    held = block_of(producer)
    body = made if not isinstance(held.body, Block) else Block((made,))
    image = with_regions(held, held.with_fields(body=body))
    realize = producer.stmt.with_fields(schedule_block=image)
    gone = without_last(path_to(used.region, block))
    used.put(gone, lambda stmt: replace_nodes(stmt, {producer.stmt: realize}))
    _drop(state, buffer)


class _Used:
    """How a buffer is used that one block writes.

    Attributes:
        region: The place of the innermost statement around all that uses the buffer.
        context: What is known there.
        own: The accesses of the block.
        stored: The one of these that writes.
        of_buffer: Those to the buffer that are not the block's.
        others: All others there, and those.
    """

    def __init__(self, state: State, block: Ref, store: Store, buffer: Buffer, what: str) -> None:
        if buffer not in state.func.temp_bufs:
            raise ScheduleError(
                f"{what}: {buffer.name} is {_role(state, buffer)}; expected memory of the "
                f"function's own, which nothing else needs"
            )
        self.buffer, self._state = buffer, state
        users = state.using(buffer)
        self.region = region = state.body if len(users) == 1 else state.scope_of(users)
        self.context = state.context(region)
        around = region.stmt
        self._span: tuple[int, int] | None = None
        if isinstance(around, Block) and len(users) > 1:
            start, stop = self._span = state.span(region, state.parts_using(region, buffer))
            self.context = state.context_of(region, around.stmts[start])
            around = Block(around.stmts[start:stop])
        self._found = collect_accesses(around)
        self.own = self.accesses_in(block)
        [self.stored] = [each for each in self.own if each.writes]
        positions = {each.position for each in self.own}
        self.others = [each for each in self._found.all if each.position not in positions]
        self.of_buffer = _of(buffer, self.others)
        if any(each.reads for each in _of(buffer, self.own)):
            raise ScheduleError(
                f"{what}: {one_line(store)} is made of what was stored before, as reductions are; "
                f"expected a value that depends on nothing of {buffer.name}"
            )
        variables = collect_variables(around, PROGRAM)[1]
        inner = [
            each
            for each in free_variables(block_of(block))
            if each in variables and not isinstance(each, Buffer)
        ]
        if inner:
            raise ScheduleError(
                f"{what}: block {block_name(block)} depends on {one_line(inner[0])}, which is no "
                f"variable of its own; expected a block that depends on nothing else within "
                f"{one_line(region.stmt)}"
            )

    def put(self, image: Stmt, rewrite: Callable[[Stmt], Stmt]) -> None:
        """Put a statement in the place of the region, rewritten from the first use to the last.

        Args:
            image: The region without a block.
            rewrite: Makes of statements what stands there instead.
        """
        before = self.region.stmt
        if self._span is None or not isinstance(image, Block) or not isinstance(before, Block):
            self._state.replace(self.region, rewrite(image))
            return
        start, stop = self._span
        stop += len(image.stmts) - len(before.stmts)
        made = as_block(rewrite(Block(image.stmts[start:stop])))
        stmts = (*image.stmts[:start], *made.stmts, *image.stmts[stop:])
        self._state.replace(self.region, with_field(image, "stmts", stmts))

    def accesses_in(self, block: Ref) -> list[Access]:
        """Return the accesses that are made in a block."""
        stmt = block_of(block)
        ends = [(start, stop) for each, start, stop in self._found.blocks if each is stmt]
        return [each for start, stop in ends for each in self._found.all[start:stop]]


def _check_computed_before(block: Ref, used: _Used, access: Access, load: Load, what: str) -> None:
    """Raise if an element may be loaded that the block has not stored then, since it is run."""
    question = Question(used.context)
    loaded, stored = question.execute(access), question.execute(used.stored)
    question.demand_same_element(loaded, stored)
    question.demand_before(loaded, stored)
    found = question.answer(loaded, stored)
    if found is not None:
        raise ScheduleError(
            f"{what}: {quote(access.node)} at {found.iterations[0]} loads what is stored later, "
            f"at {found.iterations[1]}; expected that what is loaded is computed before"
        )
    around = (used.region, *used.region.ancestors())
    if not any(isinstance(each.stmt, (For, PolyFor)) for each in around):
        return  # it could not be loaded otherwise
    variables = block_of(block).iter_vars
    box = domain(block, used.region)
    store = used.stored.node
    assert isinstance(store, Store)
    values = inverse_of(store.indices, load.indices, variables)
    assert values is not None
    if box is None or not covers(used.stored, variables, box, used.context):
        raise ScheduleError(
            f"{what}: it is not known that the block stores all that {quote(access.node)} loads "
            f"in each iteration of the loops around; expected a block without conditions"
        )
    exprs = [values[var] for var in variables]
    if guards_of(access, exprs, box, used.context):
        raise ScheduleError(
            f"{what}: {quote(access.node)} loads what the block does not store in the same "
            f"iteration of the loops around; expected that it stores all that is loaded"
        )


def _check_same_instances(
    used: _Used, block: Ref, values: Mapping[Var, Expr], what: str
) -> list[Expr]:
    """Return conditions under which an element is made use of, by a block that is run for no other.

    Raises:
        ScheduleError: If not each combination of its variables would be run once.
    """
    variables = block_of(block).iter_vars
    [consumed] = [each for each in used.accesses_in(block) if each.writes]
    box = domain(block, used.region)
    exprs = [values[var] for var in variables]
    reason = ""
    if not runs_once(used.stored, exprs, used.context):
        reason = "elements may be stored several times"
    elif not runs_once(consumed, variables, used.context):
        reason = f"block {block_name(block)} may be run several times for one element"
    elif box is None or not covers(consumed, variables, box, used.context):
        reason = f"it is not known for which values of its variables block {block_name(block)} runs"
    elif not covers(used.stored, exprs, box, used.context):
        reason = f"block {block_name(block)} is run for more elements than are stored"
    if reason:
        raise ScheduleError(
            f"{what}: {reason}; expected that each element is stored once, and used once"
        )
    assert box is not None
    return guards_of(used.stored, exprs, box, used.context)


def _producer(state: State, block: Ref, target: Store, what: str) -> tuple[Ref, Store, Load]:
    """Return the block that stores what another is made of, and where that is loaded."""
    loads = [each for each in PROGRAM.pre_order(target) if isinstance(each, Load)]
    for load in loads:
        buffer = load.tensor.buffer if isinstance(load.tensor, Tensor) else None
        if not isinstance(buffer, Buffer) or buffer not in state.func.temp_bufs:
            continue
        users = state.using(buffer)
        uses = [each for ref in users for each in accesses_to(ref.stmt, buffer)]
        same = [each for each in loads if is_of(each, buffer)]
        stores = [each for each in uses if isinstance(each, Store)]
        if len(stores) != 1 or any(each not in same for each in uses if each is not stores[0]):
            continue
        if any(not _have_same_indices(each, load) for each in same):
            continue
        for ref in users:
            is_block = isinstance(ref.stmt, ScheduleBlockRealize) and ref is not block
            body = only(block_of(ref).body) if is_block else None
            if body is stores[0]:
                assert isinstance(body, Store)
                return ref, body, load
    raise ScheduleError(
        f"{what}: {one_line(target)} is made of no element that one block stores, and no other "
        f"uses; expected such a one, in memory of the function's own"
    )


def _only_store(block: Ref, what: str) -> tuple[Store, Buffer]:
    """Return the store to a buffer that a block consists of."""
    store = only(block_of(block).body)
    if isinstance(store, Store) and isinstance(store.tensor, Tensor):
        buffer = store.tensor.buffer
        effects = [
            each
            for each in PROGRAM.pre_order([store.value, *store.indices])
            if effect_of(each) & ~Effect.READS
        ]
        if effects:
            raise ScheduleError(
                f"{what}: {one_line(effects[0])} does more than to compute a value; expected "
                f"values that may be computed more often, and elsewhere"
            )
        if isinstance(buffer, Buffer) and store.value.type.is_scalar:
            return store, buffer
    raise ScheduleError(
        f"{what}: block {block_name(block)} consists of {one_line(store)}; expected a store of one "
        f"element to a tensor that has a buffer"
    )


def _drop(state: State, buffer: Buffer) -> None:
    """Take memory from the function that nothing uses."""
    left = tuple([each for each in state.func.temp_bufs if each is not buffer])
    state.set_func(state.func.with_fields(temp_bufs=left))


def _of(buffer: Buffer, accesses: Iterable[Access]) -> list[Access]:
    """Return those of accesses that may be to a buffer."""
    return [each for each in accesses if each.location is None or each.location is buffer]


def _have_same_indices(one: Load, other: Load) -> bool:
    pairs = zip(one.indices, other.indices, strict=False)
    return all(structural_equal(*each) for each in pairs)


def _role(state: State, buffer: Buffer) -> str:
    return "an argument" if buffer in state.func.args else "allocated by a statement"
