"""Primitives of neighbours: one loop for two that stand side by side, and several for one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from relayish.errors import ScheduleError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.effect import Effect
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.accesses import Access
from relayish.tir.analysis.dependence.dependences import dependences
from relayish.tir.analysis.dependence.finder import Wanted
from relayish.tir.analysis.dependence.iteration_pairs import Direction
from relayish.tir.analysis.facts.effects import effect_of
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.expr import Call
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.stmt import Block, For, IfThenElse, ScheduleBlock, ScheduleBlockRealize
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.schedule.conflicts import show_conflict
from relayish.tir.schedule.handles import LoopRV
from relayish.tir.schedule.legality import check_fixed_bounds, check_kinds
from relayish.tir.schedule.nests import loop_at, require_plain, wrap
from relayish.tir.schedule.registry import primitive
from relayish.tir.schedule.state import Ref, State
from relayish.tir.schedule.steps import Steps
from relayish.tir.substitution import replace
from relayish.tir.verifier.dependences import quote


class NeighbourSteps(Steps):
    """Methods that make one loop of neighbours, or neighbours of one."""

    def compute_with(self, loop: LoopRV, other: LoopRV) -> LoopRV:
        """Let each iteration of a loop also do what the same iteration of its neighbour does.

        Args:
            loop: A serial, parallel or unrolled loop.
            other: The loop right behind it, which runs as often, and is of the same kind.

        Returns:
            The loop for both, which is ``loop``; ``other`` is gone.

        Raises:
            ScheduleError: If something stands between them, they do not run equally often, or an
                iteration of ``other`` has to wait for a later one of ``loop``: which accesses.

        Source:
            Halide ``compute_with``; Kennedy and McKinley, "Maximizing loop parallelism and
            improving data locality via loop fusion and distribution".
        """
        found: LoopRV = self.apply("compute_with", loop, other)
        return found

    def fission(self, loop: LoopRV) -> list[LoopRV]:
        """Give each statement of a loop a loop of its own.

        Args:
            loop: A serial, parallel or unrolled loop of stores, loops, branches and blocks.

        Returns:
            The loops, in order; ``loop`` is the first of them.

        Raises:
            ScheduleError: If a statement has to wait for one behind it, of an iteration before:
                which accesses.

        Source:
            Allen and Kennedy's loop distribution, Exo ``fission``.
        """
        found: list[LoopRV] = self.apply("fission", loop)
        return found


@primitive("compute_with")
def compute_with(state: State, loop: Ref, other: Ref) -> Ref:
    """Put one loop where two are, side by side."""
    first, second = loop_at(loop), loop_at(other)
    for each in (first, second):
        require_plain(each, "compute_with")
        _require_plain_body(each)
    parent = loop.parent
    stmts = _siblings(loop)
    at = stmts.index(first)
    if parent is None or parent is not other.parent or stmts[at + 1 : at + 2] != (second,):
        raise ScheduleError(
            f"{quote(second)} does not stand right behind {quote(first)}; expected neighbours"
        )
    context = state.context(loop)
    for each in (first, second):
        check_fixed_bounds(each, context)
    if first.for_type != second.for_type or not _run_equally_often(first, second):
        raise ScheduleError(
            f"{quote(first)} and {quote(second)} differ in how often they run, or in kind; "
            f"expected loops of the same bounds"
        )
    body = replace(second.body, {second.loop_var: first.loop_var})
    image = first.with_fields(body=Block((*_held(first.body), *_held(body))))
    early, late = set(PROGRAM.pre_order(first.body)), set(PROGRAM.pre_order(body))

    def is_turned(source: Access, sink: Access) -> bool:
        """Whether an access would come before one that it comes after."""
        return source.node in late and sink.node in early

    check_turned(
        image,
        loop,
        is_turned,
        lambda source, sink, context: (
            f"{quote(second)} cannot run with {quote(first)}: "
            f"{show_conflict(source, sink, context, first=image, is_turned=True)}; compute more of "
            f"that before, as compute_at does"
        ),
    )
    check_kinds(image, 1, context)
    assert isinstance(parent.stmt, Block)
    state.replace(parent, parent.stmt.with_fields(stmts=(*stmts[:at], image, *stmts[at + 2 :])))
    return state.ref(image)


@primitive("fission")
def fission(state: State, loop: Ref) -> list[Ref]:
    """Put several loops side by side where one is."""
    stmt = loop_at(loop)
    require_plain(stmt, "fission")
    _require_plain_body(stmt)
    stmts = _held(stmt.body)
    if len(stmts) < 2:
        return [loop]
    context = state.context(loop)
    check_fixed_bounds(stmt, context)
    first: dict[Node, int] = {}  # nodes may stand in several statements
    last: dict[Node, int] = {}
    for number, each in enumerate(stmts):
        for node in PROGRAM.pre_order(each):
            first.setdefault(node, number)
            last[node] = number

    def is_turned(source: Access, sink: Access) -> bool:
        """Whether an access would come after one that it comes before."""
        return last[source.node] > first[sink.node]

    check_turned(
        stmt,
        loop,
        is_turned,
        lambda source, sink, context: (
            f"{quote(stmt)} cannot be one loop for each of its {len(stmts)} statements: "
            f"{show_conflict(source, sink, context, first=stmt)}, which stands behind it"
        ),
    )
    var = stmt.loop_var
    parts = [stmt.with_fields(body=Block((stmts[0],)))]
    for each in stmts[1:]:
        own = Var(var.name, var.type)
        held = replace(each, {var: own})
        parts.append(stmt.with_fields(loop_var=own, body=Block((held,))))
    parent = loop.parent
    if parent is None or not isinstance(parent.stmt, Block):
        state.replace(loop, Block(tuple(parts)))
    else:
        around = parent.stmt.stmts
        at = around.index(stmt)
        image = parent.stmt.with_fields(stmts=(*around[:at], *parts, *around[at + 1 :]))
        state.replace(parent, image)
    return [state.ref(each) for each in parts]


def check_turned(
    loop: For, place: Ref, is_turned: Wanted, message: Callable[[Access, Access, Context], str]
) -> None:
    """Raise if a loop carries a dependence that would be turned round.

    Args:
        loop: The loop.
        place: Where it stands, or is to stand.
        is_turned: Whether a dependence of the second access on the first would be.
        message: What is said of a source and a sink, by what is known outside.

    Raises:
        ScheduleError: If so.
    """
    around = place.loops()
    level = len(around)
    root = wrap([loop_at(each) for each in around], loop)
    context = place.state.context(around[0] if around else place)
    for each in dependences(root, context, wanted=is_turned):
        outer, own = each.direction[:level], each.direction[level : level + 1]
        is_carried = all(one & Direction.EQUAL for one in outer) and own != (Direction.EQUAL,)
        if is_carried and is_turned(each.source, each.sink):
            raise ScheduleError(message(each.source, each.sink, context))


_PLAIN: Final = (For, Store, Block, IfThenElse, ScheduleBlock, ScheduleBlockRealize)


def _require_plain_body(loop: For) -> None:
    """Raise if a loop holds something that has to be run in its place, whatever memory it uses.

    Raises:
        ScheduleError: Naming it.
    """
    for each in PROGRAM.pre_order(loop.body):
        if isinstance(each, Call) and effect_of(each) & ~Effect.READS:
            raise ScheduleError(f"{quote(each)} has effects; expected stores, loops and branches")
        if isinstance(each, Stmt) and not isinstance(each, (*_PLAIN, Call)):
            raise ScheduleError(f"found {one_line(each)}; expected stores, loops and branches")


def _siblings(ref: Ref) -> tuple[Stmt, ...]:
    """Return the statements of the block in which one stands; itself if it stands in none."""
    around = None if ref.parent is None else ref.parent.stmt
    return around.stmts if isinstance(around, Block) else (ref.stmt,)


def _held(body: Stmt) -> tuple[Stmt, ...]:
    return body.stmts if isinstance(body, Block) else (body,)


def _run_equally_often(one: For, other: For) -> bool:
    return (
        one.loop_var.type == other.loop_var.type
        and structural_equal(one.min, other.min)
        and structural_equal(one.extent, other.extent)
    )
