"""The state of a schedule: the function as it is, and a place for each statement that holds others.

A place, :class:`Ref`, stays the same while its statement is replaced by what becomes of it, so
replacing a statement costs what is new and the way up from it, whatever stands beside.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import pairwise
from random import Random
from typing import Final, NamedTuple

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
from relayish.tir.schedule.following import Followed
from relayish.tir.schedule.holding import (
    Difference,
    differing,
    held,
    holds_others,
    with_field,
    with_held,
    with_own_statements,
)
from relayish.tir.schedule.uses import NOTHING, Key, Uses, keys_of


class Ref:
    """The place of a statement that holds others: what stands there, and in what.

    Attributes:
        stmt: The statement as it is now; of one that is gone, as it was last.
        parent: The place of the statement that holds it; ``None``: it is the body.
        gone: In which step it went; ``""`` while it stands.
        state: What it is a place of.
        keys: What the statement uses, but for the statements in it that have places of their own.
    """

    __slots__ = ("gone", "keys", "parent", "state", "stmt")

    def __init__(self, state: State, stmt: Stmt, parent: Ref | None) -> None:
        self.state = state
        self.stmt = stmt
        self.parent = parent
        self.gone = "the step before it was made"
        self.keys = NOTHING

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
    keys: frozenset[Key]


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
        self.func = bind_once(with_own_statements(func))
        self.step = "the beginning"
        self._refs: dict[Node, Ref] = {}
        self._log: list[_Before] = []
        self._assigned = assigned_variables(self.func)
        self._uses: Uses[Ref] = Uses()
        self._has_lets = False
        for stmt, outer in self._partition([self.func.body], None)[0]:
            made = Ref(self, stmt, None if outer is None else self._refs[outer])
            self._set(made, stmt, made.parent, keys=keys_of(stmt))
        self._log.clear()
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

    def named(self, name: str) -> list[Ref]:
        """Return the places of the blocks of a name."""
        return self._uses.of(name)

    def using(self, buffer: Buffer) -> list[Ref]:
        """Return the places of the statements that may use a buffer themselves, in no order."""
        return self._uses.of(buffer, None)

    def scope_of(self, places: Sequence[Ref]) -> Ref:
        """Return the innermost place that holds some, or is the only one of them."""
        paths = [[each, *each.ancestors()][::-1] for each in places]
        found = self.body
        for at, ref in enumerate(paths[0] if paths else ()):
            if any(len(path) <= at or path[at] is not ref for path in paths):
                break
            found = ref
        return found

    def comes_before(self, one: Ref, other: Ref) -> bool:
        """Return whether a statement stands before another, and none of them in the other."""
        scope = self.scope_of([one, other])
        if scope is one or scope is other:
            return False
        inner = [next(r for r in (e, *e.ancestors()) if r.parent is scope) for e in (one, other)]
        first, second = [held(scope.stmt).index(each.stmt) for each in inner]
        return first < second

    def parts_using(self, outer: Ref, buffer: Buffer) -> list[Stmt]:
        """Return what a block consists of that may use a buffer, in order."""
        assert isinstance(outer.stmt, Block)
        found: set[Stmt] = set()
        for ref in self.using(buffer):
            if ref is outer:
                found |= {each for each in outer.stmt.stmts if each not in self._refs}
            path = [ref, *ref.ancestors()]
            if outer in path[1:]:
                found.add(path[path.index(outer) - 1].stmt)
        return sorted(found, key=outer.stmt.stmts.index)

    def span(self, outer: Ref, stmts: Sequence[Stmt]) -> tuple[int, int]:
        """Return where statements of a block stand: from the first on, below the second number."""
        assert isinstance(outer.stmt, Block)
        numbers = [outer.stmt.stmts.index(each) for each in stmts]
        return min(numbers), max(numbers) + 1

    def fresh_name(self, hint: str) -> str:
        """Return a name that no tensor, buffer or block has."""
        return self._names.fresh_name(hint)

    def context(self, ref: Ref) -> Context:
        """Return what is known where the statement of a place is run.

        Complexity:
            Linear in the depth, and, where variables are declared, in how many statements stand
            before those around it.
        """
        path = [ref, *ref.ancestors()][::-1]
        found = Context(self._assigned)
        for outer, inner in pairwise(path):
            found = self._inside(outer.stmt, inner.stmt, found)
        return found

    def context_of(self, outer: Ref, stmt: Stmt) -> Context:
        """Return what is known where a statement is run that the one of a place holds."""
        return self._inside(outer.stmt, stmt, self.context(outer))

    def _inside(self, outer: Stmt, inner: Stmt, context: Context) -> Context:
        if isinstance(outer, Block) and not self._has_lets:
            return context
        return _inside(outer, inner, context)

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
            Linear in what is new and in what is replaced, and in the depth. What two blocks have in
            common at their beginnings and ends is neither.
        """
        before, parent = ref.stmt, ref.parent
        if stmt is before:
            return
        changed = None if stmt in self._refs else differing(before, stmt)
        if changed is None:
            new, kept = self._partition([stmt], None)
            old = self._without([before], kept)
        else:
            new, kept = self._partition(changed[1], stmt)
            new.insert(0, (stmt, None))
            old = [ref, *self._without(changed[0], kept)]
        follow = Followed([each.stmt for each in old], images or {})
        for each in old:
            del self._refs[each.stmt]
        left = {each.stmt: each for each in old}
        for made, outer in new:
            origin = follow.of(made)
            if origin is None and made is stmt and type(made) is type(before) is Block:
                origin = before
            known = None if origin is None else left.pop(origin, None)
            found = Ref(self, made, None) if known is None else known
            if changed is None or made is not stmt:
                keys = keys_of(made)
            else:
                keys = _keys_after(ref.keys, changed, stmt)
            self._set(found, made, parent if outer is None else self._refs[outer], keys=keys)
        for same, outer in kept.items():
            above = parent if outer is None else self._refs[outer]
            self._set(self._refs[same], same, above)
        for lost in left.values():
            self._set(lost, lost.stmt, lost.parent, gone=self.step, keys=NOTHING)
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
            ref, stmt, parent, gone, keys = self._log.pop()
            if self._refs.get(ref.stmt) is ref:
                del self._refs[ref.stmt]
            self._uses.change(ref, ref.keys, keys)
            ref.stmt, ref.parent, ref.gone, ref.keys = stmt, parent, gone, keys
            if not gone:
                self._refs[stmt] = ref

    def _partition(
        self, roots: Sequence[Stmt], outer: Stmt | None
    ) -> tuple[list[tuple[Stmt, Stmt | None]], dict[Stmt, Stmt | None]]:
        """Return what is new in statements, and the outermost that is not, each with its parent.

        The parent of ``roots`` is ``outer``; parents come first.
        """
        new: list[tuple[Stmt, Stmt | None]] = []
        kept: dict[Stmt, Stmt | None] = {}
        pending = [(each, outer) for each in reversed(roots)]
        while pending:
            stmt, above = pending.pop()
            if stmt in self._refs:
                kept[stmt] = above
            elif holds_others(stmt):
                new.append((stmt, above))
                pending += [(each, stmt) for each in reversed(held(stmt))]
            else:
                self._has_lets |= isinstance(stmt, Let)
        return new, kept

    def _without(self, roots: Sequence[Stmt], kept: Container[Stmt]) -> list[Ref]:
        """Return the places in statements, but for those that are kept, and what is in these."""
        found: list[Ref] = []
        pending = [*roots]
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
        self.func = with_field(self.func, "body", after)

    def _set(
        self,
        ref: Ref,
        stmt: Stmt,
        parent: Ref | None,
        gone: str = "",
        keys: frozenset[Key] | None = None,
    ) -> None:
        """Say what a place is now; ``keys`` are what they were where they are not given."""
        self._log.append(_Before(ref, ref.stmt, ref.parent, ref.gone, ref.keys))
        if keys is not None:
            self._uses.change(ref, ref.keys, keys)
            ref.keys = keys
        ref.stmt, ref.parent, ref.gone = stmt, parent, gone
        if not gone:
            self._refs[stmt] = ref


def _keys_after(keys: frozenset[Key], changed: Difference, stmt: Stmt) -> frozenset[Key]:
    """Return what a block uses itself when it has some statements more, and others no longer."""
    left_out, put_in = changed
    if not all(map(holds_others, left_out)):
        return keys_of(stmt)
    return keys.union(*[keys_of(each) for each in put_in if not holds_others(each)])


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


_NAMED: Final = (Tensor, Buffer, ScheduleBlock)
