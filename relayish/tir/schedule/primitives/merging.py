"""Merging: several outermost blocks become one."""

from __future__ import annotations

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.stmt import Block, ScheduleBlockRealize
from relayish.tir.schedule.primitives.queries import get_all_blocks
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import State
from relayish.tir.schedule.steps import Steps


class MergingSteps(Steps):
    """Methods that merge parts of a function."""

    def merge_exprs(self) -> None:
        """Put what several outermost blocks called ``root`` hold into the first of them, in order.

        So loops of one can go into those of another. Nothing happens where there is one only.

        Raises:
            ScheduleError: If something else stands between them.

        Source:
            CINN ``IRSchedule::MergeExprs``, of what several functions were lowered to.
        """
        self.apply("merge_exprs")


@primitive("merge_exprs")
def merge_exprs(state: State) -> None:
    """Put one root where several are."""
    body = state.func.body
    stmts = body.stmts if isinstance(body, Block) else (body,)
    known = set(get_all_blocks(state))
    roots = [
        each
        for each in stmts
        if isinstance(each, ScheduleBlockRealize) and state.ref(each) not in known
    ]
    if len(roots) < 2:
        return
    others = [each for each in stmts if each not in roots]
    if others:
        raise ScheduleError(
            f"{one_line(others[0])} stands beside {len(roots)} blocks called root; expected "
            f"nothing else in the body of function {state.func.name}"
        )
    held: list[Stmt] = []
    for each in roots:
        inner = each.schedule_block.body
        held += inner.stmts if isinstance(inner, Block) else [inner]
    first = roots[0].schedule_block
    merged = first.with_fields(
        body=Block(tuple(held)),
        read_buffers=(),
        write_buffers=(),
    )
    image = roots[0].with_fields(schedule_block=merged)
    state.replace(state.body, Block((image,)), images={roots[0]: image})
