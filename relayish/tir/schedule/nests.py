"""Nests of loops, as primitives take them apart and put them together."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.tir.builders.stmt import as_block
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import Block, For
from relayish.tir.schedule.state import Ref
from relayish.tir.verifier.loop_kinds import spell


def loop_at(ref: Ref) -> For:
    """Return the loop at a place.

    Raises:
        ScheduleError: If something else stands there.
    """
    stmt = ref.stmt
    if not isinstance(stmt, For):
        raise ScheduleError(f"found {one_line(stmt)}; expected a loop, as get_loops returns it")
    return stmt


def only(stmt: Stmt) -> Stmt:
    """Return the statement that a block consists of, if it is one; else what is given."""
    while isinstance(stmt, Block) and len(stmt.stmts) == 1:
        stmt = stmt.stmts[0]
    return stmt


def chain(stmt: Stmt, count: int) -> list[For]:
    """Return so many loops, each of which holds nothing but the next, the outermost first."""
    found: list[For] = []
    for _ in range(count):
        assert isinstance(stmt, For)
        found.append(stmt)
        stmt = only(stmt.body)
    return found


def wrap(loops: Sequence[For], body: Stmt) -> Stmt:
    """Return loops around a statement, the outermost first."""
    for loop in reversed(loops):
        body = loop.with_fields(body=as_block(body))
    return body


def require_plain(loop: For, what: str) -> None:
    """Raise unless iterations of a loop are run in order, or in any order, on no device.

    Raises:
        ScheduleError: If it is vectorised or bound.
    """
    others = loop.for_type & ~(ForType.PARALLEL | ForType.UNROLLED)
    if others:
        raise ScheduleError(
            f"loop {loop.loop_var.name} is {spell(others)}; expected a serial, parallel or "
            f"unrolled loop: {what} comes before"
        )
