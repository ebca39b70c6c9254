"""The state of a schedule: the function as it is, and a place for each statement that holds others.

A place, :class:`Ref`, stays the same while its statement is replaced by what becomes of it, so
replacing a statement costs what is new and the way up from it, whatever stands beside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Any, Final, NamedTuple

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.name_supply import NameSupply
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.scopes import (
    assigned_variables,
    assume,
    bind,
    enter_block,
    enter_loop,
)
from relayish.tir.analysis.values.context import Context
from relayish.tir.bind_once import bind_once
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import (
    Block,
    For,
    IfThenElse,
    Let,
    PolyFor,
    ScheduleBlock,
    ScheduleBlockRealize,
)
from relayish.tir.ir.tensor import Buffer, Tensor
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import copy_with_fresh_variables


class Ref:
    """The place of a statement that holds others: what stands there, and in what.

    Attributes:
        stmt: The statement as it is now; of one that is gone, as it was last.
        parent: The place of the statement that holds it; ``None``: it is the body.
        gone: In which step it went; ``""`` while it stands.
        state: What it is a place of.
    """

    __slots__ = ("gone", "parent", "state", "stmt")

    def __init__(self, state: State, stmt: Stmt, parent: Ref | None) -> None:
        self.state = state
        self.stmt = stmt
        self.parent = parent
        self.gone = "the step before it was made"

    def current(self) -> Stmt:
        """Return the statement.

        Raises:
            ScheduleError: If it is gone.
        """
        if self.gone:
            raise ScheduleError(
                f"{one_line(self.stmt)} is gone since {self.gone}; ask for what took its place, "
                f"by get_loops or get_block"
            )
        return self.stmt

    def ancestors(self) -> Iterator[Ref]:
        """Yield the places around it, the innermost first."""
        found = self.parent
        while found is not None:
            yield found
            found = found.parent

    def loops(self) -> list[Ref]:
        """Return the places of the loops around it, the outermost first."""
        return [each for each in self.ancestors() if isinstance(each.stmt, For)][::-1]


class _Before(NamedTuple):
    """What a place was before a change."""

    ref: Ref
    stmt: Stmt
    parent: Ref | None
    gone: str


class State:
    """A function that is scheduled.

    Statements that stand in several places become nodes of their own, and loops that share a
    variable get one each, before anything else.

    Attributes:
        func: As it is now.
        step: The step that is taken, as ``"step 3, split"``, which messages name.
    """

    random: Random

    def __init__(self, func: LoweredFunc) -> None:
        self.func = bind_once(_with_own_statements(func))
        self.step = "the beginning"
        self._refs: dict[Node, Ref] = {}
        self._log: list[_Before] = []
        self._assigned = assigned_variables(self.func)
        for stmt, outer in self._partition(self.func.body)[0]:
            self._refs[stmt] = Ref(self, stmt, None if outer is None else self._refs[outer])
            self._refs[stmt].gone = ""
        tensors = [each for each in PROGRAM.pre_order(self.func) if isinstance(each, _NAMED)]
        self._names = NameSupply(taken={each.name for each in tensors})

    @property
    def body(self) -> Ref:
        """The place of the body."""
        return self._refs[self.func.body]

    def ref(self, stmt: Stmt) -> Ref:
        """Return the place of a statement that stands in the function as it is now."""
        return self._refs[stmt]

    def refs(self, root: Stmt) -> list[Ref]:
        """Return the places in a statement, its own included, in order of the program."""
        return [
            self._refs[each]
            for each in STATEMENTS.pre_order(root)
            if isinstance(each, Stmt) and each in self._refs
        ]

    def held(self, ref: Ref) -> list[Ref]:
        """Return the places right inside of one, in order of the program."""
        return [self._refs[each] for each in held(ref.stmt) if each in self._refs]

    def blocks(self, root: Stmt | None = None) -> list[Ref]:
        """Return the places of all schedule blocks in a statement, in order of the program."""
        found = self.refs(self.func.body if root is None else root)
        return [each for each in found if isinstance(each.stmt, ScheduleBlockRealize)]

    def fresh_name(self, hint: str) -> str:
        """Return a name that no tensor, buffer or block has."""
        return self._names.fresh_name(hint)

    def context(self, ref: Ref) -> Context:
        """Return what is known where the statement of a place is run.

        Complexity:
            Linear in the depth, and in how many statements stand before those around it.
        """
        path = [ref, *ref.ancestors()][::-1]
        found = Context(self._assigned)
        for outer, inner in pairwise(path):
            found = _inside(outer.stmt, inner.stmt, found)
        return found

    def inner_context(self, ref: Ref) -> Context:
        """Return what is known in the body of a loop, or of a block."""
        stmt = ref.stmt
        outer = self.context(ref)
        if isinstance(stmt, ScheduleBlockRealize):
            return enter_block(outer, stmt)
        assert isinstance(stmt, (For, PolyFor))
        return enter_loop(outer, stmt)

    def replace(self, ref: Ref, stmt: Stmt, images: Mapping[Stmt, Stmt] | None = None) -> None:
        """Put a statement where another is; places follow what becomes of what stood there.

        A loop is followed by its variable, a block by its name, and what ``images`` says. Others
        are gone, unless they are the same nodes.

        Args:
            ref: Where.
            stmt: What stands there from now on. What it shares with the rest of the function stood
                in what it replaces.
            images: Of statements that were there, loops and blocks, what each has become.

        Complexity:
            Linear in what is new and in what is replaced, and in the depth.
        """
        before, parent = ref.stmt, ref.parent
        if stmt is before:
            return
        new, kept = self._partition(stmt)
        old = self._without(before, kept)
        follow = _Followed([each.stmt for each in old], images or {})
        for each in old:
            del self._refs[each.stmt]
        left = {each.stmt: each for each in old}
        for made, outer in new:
            origin = follow.of(made)
            if origin is None and made is stmt and type(made) is type(before) is Block:
                origin = before
            known = None if origin is None else left.pop(origin, None)
            found = Ref(self, made, None) if known is None else known
            self._set(found, made, parent if outer is None else self._refs[outer])
        for same, outer in kept.items():
            above = parent if outer is None else self._refs[outer]
            self._set(self._refs[same], same, above)
        for lost in left.values():
            self._set(lost, lost.stmt, lost.parent, gone=self.step)
        self._replace_above(parent, before, stmt)

    def set_func(self, func: LoweredFunc) -> None:
        """Say more of the function, whose body stays: its memory, its attributes."""
        assert func.body is self.func.body
        self.func = func

    def make_buffer(self, buffer: Buffer) -> None:
        """Give the function memory of its own."""
        self.func = self.func.with_fields(temp_bufs=(*self.func.temp_bufs, buffer))

    def mark(self) -> tuple[int, LoweredFunc]:
        """Return what :meth:`undo` takes to come back to here."""
        return len(self._log), self.func

    def undo(self, mark: tuple[int, LoweredFunc]) -> None:
        """Come back to what was."""
        count, self.func = mark
        while len(self._log) > count:
            ref, stmt, parent, gone = self._log.pop()
            if self._refs.get(ref.stmt) is ref:
                del self._refs[ref.stmt]
            ref.stmt, ref.parent, ref.gone = stmt, parent, gone
            if not gone:
                self._refs[stmt] = ref

    def _partition(
        self, root: Stmt
    ) -> tuple[list[tuple[Stmt, Stmt | None]], dict[Stmt, Stmt | None]]:
        """Return what is new in a statement, and the outermost that is not, each with its parent.

        The parent of ``root`` is ``None``; parents come first.
        """
        new: list[tuple[Stmt, Stmt | None]] = []
        kept: dict[Stmt, Stmt | None] = {}
        pending: list[tuple[Stmt, Stmt | None]] = [(root, None)]
        while pending:
            stmt, outer = pending.pop()
            if stmt in self._refs:
                kept[stmt] = outer
                continue
            inner = held(stmt)
            if inner or isinstance(stmt, _HOLDING):
                new.append((stmt, outer))
                pending += [(each, stmt) for each in reversed(inner)]
        return new, kept

    def _without(self, root: Stmt, kept: Container[Stmt]) -> list[Ref]:
        """Return the places in a statement, but for those that are kept, and what is in these."""
        found: list[Ref] = []
        pending = [root]
        while pending:
            stmt = pending.pop()
            if stmt in self._refs and stmt not in kept:
                found.append(self._refs[stmt])
                pending += held(stmt)[::-1]
        return found

    def _replace_above(self, ref: Ref | None, before: Stmt, after: Stmt) -> None:
        while ref is not None:
            stmt = ref.stmt
            image = with_held(stmt, before, after)
            del self._refs[stmt]
            self._set(ref, image, ref.parent)
            before, after, ref = stmt, image, ref.parent
        self.func = self.func.with_fields(body=after)

    def _set(self, ref: Ref, stmt: Stmt, parent: Ref | None, gone: str = "") -> None:
        self._log.append(_Before(ref, ref.stmt, ref.parent, ref.gone))
        ref.stmt, ref.parent, ref.gone = stmt, parent, gone
        if not gone:
            self._refs[stmt] = ref


class _Followed:
    """What the statements that were have become: loops by their variables, blocks by their names.

    Args:
        old: Those that were.
        images: What is said of some.
    """

    def __init__(self, old: Iterable[Stmt], images: Mapping[Stmt, Stmt]) -> None:
        self._known: dict[object, Stmt] = {image: stmt for stmt, image in images.items()}
        said = images.keys()
        for stmt in old:
            if stmt not in said:
                key = _key(stmt)
                if key is not None:
                    self._known.setdefault(key, stmt)

    def of(self, stmt: Stmt) -> Stmt | None:
        """Return what a statement was; ``None`` where it is new."""
        return self._known.get(stmt) or self._known.get(_key(stmt))


def _key(stmt: Stmt) -> object:
    """Return by what a statement is known again; ``None``: by nothing."""
    if isinstance(stmt, For):
        return stmt.loop_var
    if isinstance(stmt, ScheduleBlockRealize):
        return stmt.schedule_block.name
    return None


def held(stmt: Stmt) -> Sequence[Stmt]:
    """Return the statements right inside of one; of what realizes a block, the body of that."""
    if isinstance(stmt, Block):
        return stmt.stmts
    found: Sequence[Any] = STATEMENTS.children(_block_of(stmt))  # Any: statements, as it follows
    return found


def with_held(stmt: Stmt, before: Stmt, after: Stmt) -> Stmt:
    """Return a statement with another in the place of one that it holds."""
    if isinstance(stmt, Block):
        at = stmt.stmts.index(before)
        return stmt.with_fields(stmts=(*stmt.stmts[:at], after, *stmt.stmts[at + 1 :]))
    holder = _block_of(stmt)
    images: dict[Node, Node] = {before: after}
    image = STATEMENTS.rebuild[type(holder)](holder, images.get)
    if holder is stmt:
        assert isinstance(image, Stmt)
        return image
    return stmt.with_fields(schedule_block=image)


def _block_of(stmt: Stmt) -> Stmt:
    return stmt.schedule_block if isinstance(stmt, ScheduleBlockRealize) else stmt


def _inside(outer: Stmt, inner: Stmt, context: Context) -> Context:
    """Return what is known where ``inner`` runs, which ``outer`` holds."""
    match outer:
        case For() | PolyFor():
            return enter_loop(context, outer)
        case IfThenElse():
            return assume(context, outer.condition, outer.true_case is inner)
        case ScheduleBlockRealize():
            return enter_block(context, outer)
        case Block():
            for each in outer.stmts[: outer.stmts.index(inner)]:
                if isinstance(each, Let) and each.body is not None:
                    context = bind(context, each.symbol, each.body)
    return context


_HOLDING: Final = (Block, For, PolyFor, IfThenElse, ScheduleBlockRealize)
_NAMED: Final = (Tensor, Buffer, ScheduleBlock)
_MOST_STATEMENTS: Final = 1_000_000
"""How many places statements may stand in."""


def _with_own_statements(func: LoweredFunc) -> LoweredFunc:
    """Return a function in which no statement that holds others stands in several places.

    Raises:
        ScheduleError: If there are too many places.
    """
    order = [each for each in STATEMENTS.post_order(func.body) if isinstance(each, Stmt)]
    uses = Counter([child for each in order for child in held(each)])
    if not any(uses[each] > 1 for each in order if held(each)):
        return func
    sizes: dict[Stmt, int] = {}
    images: dict[Stmt, Stmt] = {}
    used: set[Stmt] = set()
    for stmt in order:
        if isinstance(stmt, ScheduleBlock):
            continue  # a part of what realizes it
        sizes[stmt] = 1 + sum([sizes[each] for each in held(stmt)])
        if sizes[stmt] > _MOST_STATEMENTS:
            raise ScheduleError(
                f"{one_line(stmt)} holds statements in more than {_MOST_STATEMENTS} places, since "
                f"some stand in many; expected a function of fewer, of which a schedule can have "
                f"handles"
            )
        image = stmt
        for at, each in enumerate(held(stmt)):
            if each in used:
                image = _with_held_at(image, at, copy_with_fresh_variables(images[each]))
            elif images[each] is not each:
                image = _with_held_at(image, at, images[each])
            if held(each):
                used.add(each)
        images[stmt] = image
    return func.with_fields(body=images[func.body])


def _with_held_at(stmt: Stmt, at: int, image: Stmt) -> Stmt:
    """Return a statement with another in the place of that number."""
    if isinstance(stmt, Block):
        return stmt.with_fields(stmts=(*stmt.stmts[:at], image, *stmt.stmts[at + 1 :]))
    if isinstance(stmt, IfThenElse):
        return stmt.with_fields(true_case=image) if at == 0 else stmt.with_fields(false_case=image)
    return with_held(stmt, held(stmt)[at], image)
