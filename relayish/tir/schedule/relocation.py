"""Relocation: blocks leave the nest they are in, and run in a loop of another one.

The program after is made first, and compared with the one before.
"""

from __future__ import annotations

import functools
from collections.abc import Container, Iterable, Mapping, Sequence

from relayish.errors import ScheduleError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, collect_variables, free_variables
from relayish.tir.analysis.dependence.accesses import (
    Access,
    Location,
    arounds,
    collect_accesses,
)
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.analysis.values.context import Context
from relayish.tir.builders.lower import REDUCE_INIT
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.stmt import Block, For, PolyFor, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Buffer, Load, Store, Tensor, Var
from relayish.tir.schedule.expressions import is_fixed
from relayish.tir.schedule.holding import differing, held, with_held
from relayish.tir.schedule.instances import Box, Span, covers, domain, runs_once
from relayish.tir.schedule.legality import check_at_once
from relayish.tir.schedule.order import Move, Programs, check_moves
from relayish.tir.schedule.overwritten import Readers
from relayish.tir.schedule.paths import path_to, without_last
from relayish.tir.schedule.questions import may_meet
from relayish.tir.schedule.reduction_steps import is_idempotent
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.uses import accesses_to
from relayish.tir.schedule.views import Part, has_shape, part_of
from relayish.tir.substitution import LOOPS
from relayish.tir.verifier.dependences import AT_ONCE, quote


class Relocation:
    """A block on its way into a loop, with the one that sets its first values if that is near.

    Attributes:
        what: The primitive, and of which block.
        block: The place of the block.
        loop: That of the loop.
        region: That of the innermost statement around both.
        first: That of the block that sets the first values of a reduction, in the same nest.
        path: The statements from ``region`` to the block, both included.
        written: The buffers that these blocks store to.
        read: The others that they load.

    Raises:
        ScheduleError: If one is within the other, or something but loops decides what the block
            does.
    """

    def __init__(self, state: State, block: Ref, loop: Ref, what: str) -> None:
        self.what = what
        self.block, self.loop, self._state = block, loop, state
        if not isinstance(loop.stmt, For):
            raise ScheduleError(
                f"{what}: found {one_line(loop.stmt)}; expected a loop, as get_loops returns it"
            )
        above = [*block.ancestors()]
        if loop in above or block in loop.ancestors():
            raise ScheduleError(
                f"{what}: the block and loop {loop.stmt.loop_var.name} stand within one another; "
                f"expected a loop of another nest"
            )
        self.region = next(each for each in loop.ancestors() if each in above)
        if not isinstance(self.region.stmt, Block):
            raise ScheduleError(
                f"{what}: the block and loop {loop.stmt.loop_var.name} are never run together; "
                f"expected two that stand one after the other"
            )
        self.path = path_to(self.region, block)
        self.first = self._find_first()
        self._check_closed()
        stores = [s for each in self.blocks for s in _of(block_of(each), Store)]
        loads = [s for each in self.blocks for s in _of(block_of(each), Load)]
        self.written = _buffers(stores)
        self.read = [each for each in _buffers(loads) if each not in self.written]

    @property
    def blocks(self) -> list[Ref]:
        """The places of the blocks that move, in order."""
        return [self.block] if self.first is None else [self.first, self.block]

    @property
    def is_before(self) -> bool:
        """Whether the block comes before the loop as the program is."""
        stmts = held(self.region.stmt)
        return stmts.index(self.path[1]) < stmts.index(path_to(self.region, self.loop)[1])

    @property
    def inner_loops(self) -> list[For | PolyFor]:
        """The loops from the region down to the one that the block comes in, that included."""
        return [s for s in path_to(self.region, self.loop) if isinstance(s, (For, PolyFor))]

    def first_use(self) -> int:
        """Return the number of the first statement of the loop that loads what the block stores."""
        for at, stmt in enumerate(self._loop.body.stmts):
            if any(each in self.written for each in _buffers(_of(stmt, Load))):
                return at
        raise ScheduleError(
            f"{self.what}: loop {self._loop.loop_var.name} loads nothing that the block stores; "
            f"expected a loop around what needs it"
        )

    def last_source(self) -> int:
        """Return the number of the statement after the last that stores what the block loads."""
        stmts = self._loop.body.stmts
        for at in range(len(stmts), 0, -1):
            if any(each in self.read for each in _buffers(_of(stmts[at - 1], Store))):
                return at
        raise ScheduleError(
            f"{self.what}: loop {self._loop.loop_var.name} stores nothing that the block loads; "
            f"expected a loop around what it needs"
        )

    def put(self, at: int, nest: Stmt) -> None:
        """Say what takes the place of the blocks: a statement of that number in the loop."""
        rest = self._without_blocks()
        stmts = self._loop.body.stmts
        made = nest.stmts if isinstance(nest, Block) else (nest,)
        body = self._loop.body.with_fields(stmts=(*stmts[:at], *made, *stmts[at:]))
        before: Stmt = self._loop
        after: Stmt = self._loop.with_fields(body=body)
        for outer in path_to(self.region, self.loop)[-2:0:-1]:
            before, after = outer, with_held(outer, before, after)
        self.after = with_held(rest, before, after)

    def check_order(self, loops: Mapping[Var, Var]) -> None:
        """Raise unless the program after does the same, if it runs the same instances.

        Args:
            loops: The variables of loops that are left, with those of the loops instead.
        """
        programs, context = self._programs()
        moved, others = self._split(programs, loops)
        readers = functools.partial(self._readers, programs)
        check_moves(moved, others, context, self.what, steps=programs.steps, readers=readers)

    def check(self, *, may_repeat: bool) -> None:
        """Raise unless the program after does the same.

        Args:
            may_repeat: Whether the block may be run several times for the same values, and for
                those not that nothing needs.

        Raises:
            ScheduleError: What is in the way, and what to do.
        """
        programs, context = self._programs()
        moved, others = self._split(programs, {})
        readers = functools.partial(self._readers, programs)
        names = {block_of(each).name: each for each in self.blocks}
        stored = {name: self._stored(name, moved) for name in names}
        boxes = {name: self._box(ref, stored[name].access, context) for name, ref in names.items()}
        if all(
            runs_once(each, block_of(ref).iter_vars, context)
            for name, ref in names.items()
            for each in (stored[name].access, stored[name].image)
        ):
            check_moves(moved, others, context, self.what, steps=programs.steps, readers=readers)
        else:
            steps = {each: step for each, step in programs.steps.items() if is_idempotent(step)}
            self._check_repeated(moved, steps, context, may_repeat=may_repeat)
            used = [each for each in others if not self._is_use(each.image)]
            within = len(self.inner_loops)
            check_moves(
                moved, used, context, self.what, within=within, steps=steps, readers=readers
            )
        parts = self._needed_parts(moved) if may_repeat else None
        for name, ref in names.items():
            block, image = block_of(ref), stored[name].image
            needed = [boxes[name]]
            if parts is not None:
                needed = [_narrowed(block, boxes[name], each) for each in parts]
            if not all(covers(image, block.iter_vars, each, context) for each in needed):
                raise ScheduleError(
                    f"{self.what}: it is not known that block {name} would still be run for all "
                    f"values of its variables, as it has to be; expected a loop whose iterations "
                    f"need all that is computed"
                )

    def apply(self) -> None:
        """Make the program after the current one.

        Raises:
            ScheduleError: If iterations that run at once would depend on one another.
        """
        self._state.replace(self.region, self.after)
        moved = {*PROGRAM.pre_order([each.stmt for each in self.blocks])}
        for ref in (self.loop, *self.loop.ancestors()):
            if ref is self.region:
                return
            if isinstance(ref.stmt, For) and ref.stmt.for_type & AT_ONCE:
                check_at_once(ref.stmt, self._state.context(ref), moved)

    @property
    def _loop(self) -> For:
        stmt = self.loop.stmt
        assert isinstance(stmt, For)
        return stmt

    def _programs(self) -> tuple[Programs, Context]:
        """Return what differs before and after, and what is known where that begins.

        What stands before the blocks and the loop, or after both, keeps its place.
        """
        changed = differing(self.region.stmt, self.after)
        if changed is None or not changed[0]:
            return Programs(self.region.stmt, self.after), self._state.context(self.region)
        before, after = [Block(tuple(each)) for each in changed]
        return Programs(before, after), self._state.context_of(self.region, before.stmts[0])

    def _readers(self, programs: Programs, location: Location | None) -> Readers:
        """Return what may read a location, where that is memory of the function's own."""
        state, region = self._state, self.region
        last = self.loop if self.is_before else self.block
        is_left = location not in state.func.temp_bufs or any(
            isinstance(each.stmt, (For, PolyFor)) for each in region.ancestors()
        )
        later: dict[Stmt, None] = {}
        for ref in state.using(location) if isinstance(location, Buffer) else ():
            scope = state.scope_of([ref, last])
            if scope is region and not state.comes_before(ref, last):
                later[path_to(region, ref)[1]] = None
            is_left |= scope is not region and region not in scope.ancestors()
        found = [programs.before.all, *[collect_accesses(each).all for each in later]]
        reads = [
            [e for e in part if e.reads and (location is None or e.location in (None, location))]
            for part in found
        ]
        return Readers(reads[0], [e for part in reads[1:] for e in part], is_left)

    def _split(self, programs: Programs, loops: Mapping[Var, Var]) -> tuple[list[Move], list[Move]]:
        """Return the accesses that move, and the others."""
        inside = {
            each.name
            for ref in self.blocks
            for each in PROGRAM.pre_order(ref.stmt)
            if isinstance(each, ScheduleBlock)
        }
        moved: list[Move] = []
        others: list[Move] = []
        for move in programs.moves(loops):
            (moved if move.block in inside else others).append(move)
        return moved, others

    def _find_first(self) -> Ref | None:
        """Return the place of the block that sets the first values in the same nest."""
        wanted = block_of(self.block).name + REDUCE_INIT
        for ref in self._state.blocks(self.path[1]):
            if block_of(ref).name == wanted and _variables_of_first(ref, self.block) is not None:
                return ref
        return None

    def _stored(self, name: str, moved: Iterable[Move]) -> Move:
        """Return what a block stores first."""
        for move in moved:
            if move.access.writes and move.block == name:
                return move
        raise ScheduleError(
            f"{self.what}: block {name} stores nothing itself; expected a block that does, and "
            f"holds no other that does it"
        )

    def _box(self, ref: Ref, access: Access, context: Context) -> Box:
        """Return between which bounds the variables of a block have all values."""
        box = domain(ref, self.region)
        if box is None or not covers(access, block_of(ref).iter_vars, box, context):
            raise ScheduleError(
                f"{self.what}: it is not known for which values of its variables block "
                f"{block_of(ref).name} is run; expected a nest in which each has its values "
                f"whatever the others are"
            )
        return box

    def _check_closed(self) -> None:
        context = self._state.context(self.block)
        bound = collect_variables(self.path[1], LOOPS)[1]
        for ref in self.blocks:
            for var in free_variables(block_of(ref)):
                if var in bound:
                    raise ScheduleError(
                        f"{self.what}: block {block_of(ref).name} depends on {one_line(var)}, "
                        f"which is no variable of its own; expected one that depends on these only"
                    )
            stmt = ref.stmt
            assert isinstance(stmt, ScheduleBlockRealize)
            if not all(is_fixed(each, context) for each in stmt.iter_values):
                raise ScheduleError(
                    f"{self.what}: {one_line(stmt)} computes what its variables are from memory, "
                    f"or may fail at it; expected sums of loops"
                )

    def _without_blocks(self) -> Stmt:
        if self.first is None:
            return without_last(self.path)
        rest = without_last(path_to(self.region, self.first))
        nest = held(rest)[held(self.region.stmt).index(self.path[1])]  # both stand in it
        return without_last([rest, *_path_in(nest, self.block.stmt)])

    def _check_repeated(
        self,
        moved: Sequence[Move],
        harmless: Container[Node],
        context: Context,
        *,
        may_repeat: bool,
    ) -> None:
        """Raise unless the blocks do the same each time they are run.

        Args:
            moved: What they access.
            harmless: What may be read that was written, since doing so again changes nothing.
            context: What is known outside.
            may_repeat: Whether they may be run repeatedly at all.
        """
        if not may_repeat or not self.is_before:
            raise ScheduleError(
                f"{self.what}: the block would be run several times for the same values of its "
                f"variables; expected a loop that it is run once in"
            )
        own = block_of(self.block)
        steps = _of(own, Store)
        for move in moved:
            access = move.access
            if access.location is not None and not (
                access.reads and access.location in self.written
            ):
                continue
            load = access.node
            if load in harmless:
                continue
            if self.first is not None and any(_same_element(load, each) for each in steps):
                continue  # what the first values are set for, each time
            if not any(e.access.writes and may_meet(access, e.access, context) for e in moved):
                continue
            raise ScheduleError(
                f"{self.what}: the block would be run several times, and does not do the same each "
                f"time, since it reads what it writes: {quote(load)}; expected a loop that it is "
                f"run once in, or that the first values are set in its nest"
            )

    def _is_use(self, access: Access) -> bool:
        """Return whether something in the loop reads what is computed for it in each iteration."""
        if access.writes or access.location not in self.written:
            return False
        var = self._loop.loop_var
        around = [each.loop for each in arounds(access.place)]
        return any(isinstance(each, For) and each.loop_var is var for each in around)

    def _needed_parts(self, moved: Iterable[Move]) -> list[Part] | None:
        """Return what something but the loop may need of what the block stores; ``None``: all."""
        func = self._state.func
        if len(self.written) != 1 or self.written[0] not in func.temp_bufs:
            return None
        stores = [store for ref in self.blocks for store in _of(block_of(ref), Store)]
        for access in [each.access for each in moved if each.access.reads]:
            is_own = access.location is None or access.location in self.written
            if is_own and not any(_same_element(access.node, each) for each in stores):
                return None
        state, first, [buffer] = self._state, self.blocks[0], self.written
        own = {self.loop, *self.blocks}
        found: list[Part] = []
        for ref in state.using(buffer):
            uses = accesses_to(ref.stmt, buffer)
            loads = [each for each in uses if isinstance(each, Load)]
            if not own.isdisjoint([ref, *ref.ancestors()]) or all(
                isinstance(each, Store) for each in uses
            ):
                continue
            scope = state.scope_of([ref, first])
            if not scope.loops() and state.comes_before(ref, first):
                continue
            if scope is ref or not all(
                isinstance(each, (Load, Store))
                and isinstance(each.tensor, Tensor)
                and has_shape(each, buffer.shape)
                for each in uses
            ):
                return None
            root = path_to(scope, ref)[1]
            found.append(part_of(loads, root, state.context_of(scope, root)))
        return found


def block_of(ref: Ref) -> ScheduleBlock:
    """Return the block at a place."""
    stmt = ref.stmt
    assert isinstance(stmt, ScheduleBlockRealize)
    return stmt.schedule_block


def _narrowed(block: ScheduleBlock, box: Box, part: Part) -> Box:
    """Return for which values of its variables a block stores a part of what it does."""
    stores = _of(block, Store)
    spans = dict(zip(block.iter_vars, box, strict=True))
    for index, first, size in zip(stores[0].indices, part.first, part.shape, strict=True):
        form = linear_form(index)
        [*variables] = form.terms.items()
        if len(stores) == 1 and len(variables) == 1 and variables[0][1] == 1:
            var = variables[0][0]
            if isinstance(var, Var) and var in spans:
                low = linear_form(first).shifted(-form.constant)
                high = low.plus(linear_form(size)).shifted(-1)
                known = spans[var]
                spans[var] = Span((*known.lower, low), (*known.upper, high))
    return [spans[var] for var in block.iter_vars]


def _variables_of_first(first: Ref, block: Ref) -> dict[Var, Var] | None:
    """Return which variable of a reduction each is of the block that sets its first values."""
    stores = [[*_of(block_of(each), Store)] for each in (first, block)]
    if [len(each) for each in stores] != [1, 1]:
        return None
    [[one], [other]] = stores
    found: dict[Var, Var] = {}
    for u, v in zip(one.indices, other.indices, strict=False):
        if not isinstance(u, Var) or not isinstance(v, Var):
            return None
        found[u] = v
    same = _buffers([one]) == _buffers([other]) and len(one.indices) == len(other.indices)
    return found if same and found.keys() == set(block_of(first).iter_vars) else None


def variables_of_first(move: Relocation) -> dict[Var, Var]:
    """Return which variable of a reduction each is of the block that sets its first values."""
    found = None if move.first is None else _variables_of_first(move.first, move.block)
    return found or {}


def _path_in(root: Stmt, last: Stmt) -> list[Stmt]:
    """Return the statements from ``root`` to one inside, both included."""
    pending = [[root]]
    while pending:
        path = pending.pop()
        if path[-1] is last:
            return path
        pending += [[*path, each] for each in held(path[-1])]
    raise AssertionError


def _of(root: Node, kind: type[Load | Store]) -> list[Load | Store]:
    return [each for each in PROGRAM.pre_order(root) if isinstance(each, kind)]


def _buffers(accesses: Iterable[Load | Store]) -> list[Buffer]:
    found: dict[Buffer, None] = {}
    for each in accesses:
        if isinstance(each.tensor, Tensor) and isinstance(each.tensor.buffer, Buffer):
            found[each.tensor.buffer] = None
    return list(found)


def _same_element(load: Node, store: Load | Store) -> bool:
    if not isinstance(load, Load) or _buffers([load]) != _buffers([store]):
        return False
    pairs = zip(load.indices, store.indices, strict=False)
    return all(structural_equal(*each) for each in pairs)
