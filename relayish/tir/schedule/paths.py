"""Paths: the statements from a place down to one inside, copied around others, or emptied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.scopes.scoping import collect_variables, free_variables
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.operators import Expr, Not
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.schedule.holding import held, with_held, with_held_instead
from relayish.tir.schedule.state import Ref, State
from relayish.tir.substitution import LOOPS, copy_with_fresh_variables


def path_to(outer: Ref, inner: Ref) -> list[Stmt]:
    """Return the statements from ``outer``, around ``inner`` or itself, to that, both included."""
    found: list[Stmt] = []
    for ref in (inner, *inner.ancestors()):
        found.append(ref.stmt)
        if ref is outer:
            return found[::-1]
    raise ScheduleError(
        f"{one_line(inner.stmt)} is not within {one_line(outer.stmt)}; expected a loop around it"
    )


def around(path: Sequence[Stmt], stmt: Stmt) -> Stmt:
    """Return the loops and conditions of a path around a statement, in the place of its last.

    Raises:
        ScheduleError: If something else is on the path that decides whether the last is run.
    """
    for outer, inner in zip(path[-2::-1], path[:0:-1], strict=True):
        match outer:
            case Block():
                pass
            case For():
                stmt = outer.with_fields(body=as_block(stmt))
            case IfThenElse():
                holds = inner is outer.true_case
                condition = outer.condition if holds else Not(outer.condition)
                stmt = IfThenElse(condition, as_block(stmt))
            case _:
                raise ScheduleError(
                    f"{one_line(outer)} stands between {one_line(path[0])} and "
                    f"{one_line(path[-1])}; expected nothing but loops and conditions"
                )
    return stmt


def copied_out(outer: Ref, path: Sequence[Stmt], stmt: Stmt) -> Stmt:
    """Return :func:`around`, with variables of its own, that may stand before the path.

    Args:
        outer: The place of the first of the path.
        path: From there down.
        stmt: What takes the place of its last.

    Raises:
        ScheduleError: If it depends on something that is declared within ``outer``.
    """
    made = copy_with_fresh_variables(around(path, stmt))
    _, bound = collect_variables(outer.stmt, LOOPS)
    missing = [each for each in free_variables(made) if each in bound]
    if missing:
        raise ScheduleError(
            f"{one_line(stmt)} depends on {one_line(missing[0])}, which is declared in "
            f"{one_line(outer.stmt)}; expected one that depends on loops only"
        )
    return made


def questions(path: Sequence[Stmt]) -> Iterator[Expr]:
    """Yield what decides how often the last of a path is run: bounds and conditions."""
    for stmt in path[:-1]:
        if isinstance(stmt, For):
            yield stmt.min
            yield stmt.extent
        elif isinstance(stmt, IfThenElse):
            yield stmt.condition


def without_last(path: Sequence[Stmt]) -> Stmt:
    """Return the first of a path without the last, and without what is left empty by that."""
    gone = True
    stmt: Stmt = Block(())
    for outer, inner in zip(path[-2::-1], path[:0:-1], strict=True):
        if not gone:
            stmt = with_held(outer, inner, stmt)
        elif isinstance(outer, Block):
            stmt = outer.with_fields(
                stmts=tuple([each for each in outer.stmts if each is not inner])
            )
        elif isinstance(outer, IfThenElse) and inner is outer.false_case:
            stmt = outer.with_fields(false_case=None)
        else:
            stmt = with_held(outer, inner, Block(()))
        gone = not any(each is not inner and _does_something(each) for each in held(stmt))
    return stmt


def _does_something(stmt: Stmt) -> bool:
    return not isinstance(stmt, Block) or any(_does_something(each) for each in stmt.stmts)


def put_beside(
    state: State, ref: Ref, stmt: Stmt, other: Stmt, *, images: dict[Stmt, Stmt], after: bool
) -> None:
    """Put a statement where another is, and one before or after it.

    Args:
        state: What is changed.
        ref: The place of the other.
        stmt: What stands there from now on.
        other: What stands before it.
        images: As :meth:`State.replace` takes them.
        after: Whether ``other`` stands after ``stmt`` instead.
    """
    pair = (stmt, other) if after else (other, stmt)
    parent = ref.parent
    if parent is None or not isinstance(parent.stmt, Block):
        state.replace(ref, Block(pair), images)
        return
    state.replace(parent, with_held_instead(parent.stmt, ref.stmt, *pair), images)
