"""The schedule ``sink_parallel_loops``: loops that follow memory become innermost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.interpreter.access import constant
from relayish.tir.interpreter.memory import row_major
from relayish.tir.ir.expr import Reduce
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.stmt import Block, For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Load, Store, Tensor, Var
from relayish.tir.plain_loops import without_blocks
from relayish.tir.schedule.nests import only
from relayish.tir.schedule.rules import register_schedule
from relayish.tir.schedule.schedule import Schedule

FARTHEST: Final = 4
"""How far apart elements may be that an innermost loop reads one after the other."""


@register_schedule("sink_parallel_loops", targets=("c",))
def sink_parallel_loops(schedule: Schedule) -> None:
    """Put loops around one statement each, innermost, where that follows memory.

    A loop goes inside the loops that it holds, if what is stored there then follows memory, and
    what is read follows it, too, or is the same.

    Args:
        schedule: Of any function.

    Source:
        CINN ``Reorder``; Allen and Kennedy's loop distribution.
    """
    loops = schedule.get_loops()
    handles = {each.ref: each for each in loops}
    for loop in reversed(loops):
        if not _is_wanted(loop.stmt):
            continue
        with schedule.attempt():
            for part in schedule.fission(loop):
                nest = [part]
                while isinstance(inner := only(nest[-1].stmt.body), For):
                    nest.append(handles[schedule.state.ref(inner)])
                schedule.reorder([*nest[1:], part])


def _is_wanted(loop: For) -> bool:
    """Return whether a loop is better inside of those that it holds."""
    body = loop.body
    stmts = body.stmts if isinstance(body, Block) else (body,)
    nests = [stmt for stmt in stmts if isinstance(stmt, For)]
    if not nests or loop.for_type != ForType.SERIAL or (constant(loop.extent) or 0) < 2:
        return False
    if not all(isinstance(stmt, (For, Store, ScheduleBlockRealize)) for stmt in stmts):
        return False
    return all(_follows_memory(stmt, loop.loop_var) for stmt in nests)


def _follows_memory(nest: For, var: Var) -> bool:
    """Return whether accesses in a nest go through memory as ``var`` counts, or stay in place.

    Where they do as the innermost loop counts already, nothing is to be had.
    """
    inner: Stmt = nest
    while isinstance(inner, For):
        if any(var in PROGRAM.pre_order(bound) for bound in (inner.min, inner.extent)):
            return False
        innermost = inner.loop_var
        inner = only(inner.body)
    if any(isinstance(each, (For, Reduce)) for each in PROGRAM.pre_order(inner)):
        return False
    stored = False
    for access, is_store in _accesses(without_blocks(inner)):
        step = _step(access, var)
        if step is None or not 0 <= step <= (1 if is_store else FARTHEST):
            return False
        if is_store and _step(access, innermost) == 1:
            return False
        stored = stored or (is_store and step == 1)
    return stored


def _accesses(stmt: Stmt) -> Iterator[tuple[Load | Store, bool]]:
    for each in PROGRAM.pre_order(stmt):
        if isinstance(each, Store) or (isinstance(each, Load) and isinstance(each.tensor, Tensor)):
            yield each, isinstance(each, Store)


def _step(access: Load | Store, var: Var) -> int | None:
    """Return how many elements an access goes on where ``var`` does; ``None``: not known."""
    tensor = access.tensor
    if not isinstance(tensor, Tensor) or getattr(tensor.buffer, "strides", True):
        return None
    sizes = [constant(size) for size in tensor.shape]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        return None
    total = 0
    for index, stride in zip(access.indices, row_major(known), strict=True):
        form = linear_form(index)
        for term, coefficient in form.terms.items():
            if term is var:
                total += coefficient * stride
            elif not isinstance(term, Var) and var in PROGRAM.pre_order(term):
                return None
    return total
