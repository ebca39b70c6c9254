"""Primitives of reductions: a nest of its own for the first values, partial results."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.errors import ScheduleError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.builders.lower import REDUCE_INIT
from relayish.tir.ir.family import Stmt
from relayish.tir.schedule.conflicts import show_conflict
from relayish.tir.schedule.handles import BlockRV, LoopRV
from relayish.tir.schedule.paths import copied_out, path_to, put_beside, questions, without_last
from relayish.tir.schedule.primitives.queries import block_name
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps


class ReductionSteps(Steps):
    """Methods that take reductions apart."""

    def decompose_reduction(self, block: BlockRV, loop: LoopRV) -> BlockRV:
        """Make a nest of its own, before a loop, of what sets a reduction to its first values.

        Args:
            block: The block that reduces, ``B``; ``B__reduce_init`` stands in a loop around it.
            loop: That loop, or one around it.

        Returns:
            The block ``B__reduce_init``, in loops that are copies of those around it.

        Raises:
            ScheduleError: If what is reduced would be set after something else in the loop has
                used it: which accesses.

        Source:
            TVM ``decompose_reduction``.
        """
        found: BlockRV = self.apply("decompose_reduction", block, loop)
        return found


@primitive("decompose_reduction")
def decompose_reduction(state: State, block: Ref, loop: Ref) -> Ref:
    """Put a nest that sets the first values before a loop."""
    first = _first_of(state, block)
    if loop not in block.loops():
        raise ScheduleError(
            f"{one_line(loop.stmt)} is not around {one_line(block.stmt)}; expected one of its "
            f"loops, as get_loops returns them"
        )
    if loop not in first.loops():
        raise ScheduleError(
            f"{one_line(first.stmt)} stands outside of {one_line(loop.stmt)} already"
        )
    path = path_to(loop, first)
    rest = without_last(path)
    _check_comes_first(state, loop, path, rest)
    made = copied_out(loop, path, first.stmt)
    image = next(each for each in PROGRAM.pre_order(made) if isinstance(each, type(first.stmt)))
    put_beside(state, loop, rest, made, images={first.stmt: image}, after=False)
    return state.ref(image)


def _first_of(state: State, block: Ref) -> Ref:
    """Return the place of the block that sets to its first value what ``block`` reduces."""
    wanted = block_name(block) + REDUCE_INIT
    found = state.named(wanted)
    if len(found) != 1:
        raise ScheduleError(
            f"{len(found)} blocks of {state.func.name} are called {wanted!r}; expected one, which "
            f"sets to its first value what {block_name(block)} reduces"
        )
    return found[0]


def _check_comes_first(state: State, loop: Ref, path: Sequence[Stmt], rest: Stmt) -> None:
    """Raise if what is last on a path cannot be done before all else that a loop does.

    Nodes that stand in several of the parts count as each.
    """
    own = set(PROGRAM.pre_order(path[-1]))
    others = set(PROGRAM.pre_order(rest))
    asked = set(PROGRAM.pre_order(list(questions(path))))
    context = state.context(loop)

    def is_wanted(one: Access, other: Access) -> bool:
        source, sink = one.node, other.node
        is_first = source in others and (sink in own or sink in asked)
        return is_first or (source in asked and sink in own)

    for each in dependences(loop.stmt, context, wanted=is_wanted):
        if is_wanted(each.source, each.sink):
            raise ScheduleError(
                f"{one_line(path[-1])} cannot stand before {one_line(loop.stmt)}: "
                f"{show_conflict(each.source, each.sink, context)}; take a loop further in, or "
                f"give what is accessed in between memory of its own, as cache_write does"
            )
