"""Vectorisation: several iterations of a loop at once, and the rest one by one.

Before::

    vectorize[16] for (i, 0, 500)
    {
      A[i] = (B[i] + 1)
    }

After::

    serial for (i_outer, 0, 31)
    {
      A[Ramp((i_outer * 16),1,16)] = (B[Ramp((i_outer * 16),1,16)] + Broadcast(1,16))
    }
    serial for (i, 496, 4)
    {
      A[i] = (B[i] + 1)
    }
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from relayish.errors import PassError
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.invariance import (
    is_invariant,
    literal_value,
    unstable_variables,
)
from relayish.passes.loops.structure.remove_schedule_block import inline_realize
from relayish.passes.loops.structure.vector_arithmetic import binary
from relayish.passes.loops.structure.vector_body import vector_body
from relayish.tir.analysis import Context, loop_carried
from relayish.tir.analysis.dependence.dependences import is_kept_in_order
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import NO_VECTORIZE, ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Add, Expr, Mul, const, integer_range
from relayish.tir.ir.stmt import Block, For, Let, PolyFor, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import LOOPS, copy_with_fresh_variables, substitute


@register_pass("VectorizeLoops", opt_level=0, idempotent=True)
def vectorize_loops(func: LoweredFunc, *, factor: int | None = None) -> LoweredFunc:
    """Vectorisation: run several iterations of a loop at once, and the rest one by one.

    Vectorised are loops that are marked ``VECTORIZED``, with as many lanes as they say, where no
    iteration depends on another in a way that would be seen: what is read in a later iteration of
    one vector is not written after it in the body of an earlier one. Branches on the variable are
    selections where both values can be computed without harm. A loop that has to stay serial loses
    its mark; :func:`vectorize_obstacles` says why.

    Args:
        func: A function.
        factor: The number of lanes of loops that do not say theirs.

    Returns:
        ``func`` itself when no loop is marked.

    Complexity:
        Linear in the size of the function, and quadratic in the accesses of each vectorised loop.

    Source:
        CINN ``VectorizeLoops``; the number of iterations need not be a multiple of the lanes.
    """
    image = substitute(func, _vectorize(func, factor)[0])
    return func if image is func else sort_regions(image)


def vectorize_obstacles(func: LoweredFunc, factor: int | None = None) -> Mapping[For, str]:
    """Return the marked loops of ``func`` that stay serial, and what stands in the way of each."""
    return _vectorize(func, factor)[1]


def _vectorize(func: LoweredFunc, factor: int | None) -> tuple[dict[Node, Node], dict[For, str]]:
    images: dict[Node, Node] = {}
    obstacles: dict[For, str] = {}
    order = STATEMENTS.post_order(func)
    marked = [node for node in order if isinstance(node, For) and _is_marked(node)]
    if not marked:
        return images, obstacles
    vectorizer = _Vectorizer(func, factor)
    outer = _with_loop_inside(order)
    for loop in marked:
        try:
            images[loop] = vectorizer.vectorize(loop, is_innermost=loop not in outer)
        except PassError as error:
            obstacles[loop] = str(error)
            images[loop] = _serial(loop)
    return images, obstacles


def _is_marked(loop: For) -> bool:
    return bool(loop.for_type & ForType.VECTORIZED)


def _with_loop_inside(order: list[Node]) -> set[Node]:
    """Return the statements that hold a marked loop."""
    found: set[Node] = set()
    for node in order:
        for child in STATEMENTS.children(node):
            if child in found or (isinstance(child, For) and _is_marked(child)):
                found.add(node)
                break
    return found


def _serial(loop: For, **changes: Any) -> For:  # Any: fields of a loop
    kind = loop.for_type & ~ForType.VECTORIZED
    return loop.with_fields(for_type=kind, vectorize_info=NO_VECTORIZE, **changes)


class _Vectorizer:
    def __init__(self, func: LoweredFunc, factor: int | None) -> None:
        self._factor = factor
        self._unstable = unstable_variables(func)
        self._ranges = LoopRanges(LOOPS.post_order(func))

    def vectorize(self, loop: For, *, is_innermost: bool) -> Stmt:
        """Return what takes the place of ``loop``.

        Raises:
            PassError: Saying what stands in the way.
        """
        if not is_innermost:
            raise PassError("a loop in it is marked as well")
        var, ty = loop.loop_var, loop.loop_var.type
        lanes = loop.vectorize_info.factor if loop.vectorize_info.is_valid else self._factor
        if lanes is None or lanes < 2:
            raise PassError("it does not say how many lanes, two or more, its vectors have")
        if lanes > integer_range(ty)[1]:
            raise PassError(f"{lanes} lanes are more than {ty} counts")
        self._check_order(loop, lanes)
        lets: list[Stmt] = []
        start = self._once(loop.min, f"{var.name}_start", lets)
        extent = self._once(loop.extent, f"{var.name}_extent", lets)
        count = literal_value(extent)
        if count is not None:
            rounds: Expr = const(max(0, count) // lanes, ty)
            rest: Expr = const(max(0, count) % lanes, ty)
        else:
            rounds, rest = extent / lanes, extent % lanes
        step = const(lanes, ty)
        parts: list[Stmt] = []
        if literal_value(rounds) != 0:
            parts.append(self._rounds(loop, start, rounds, lanes))
        if literal_value(rest) != 0:
            first = binary(Add, start, binary(Mul, rounds, step))
            again = Var(var.name, ty)
            body = loop.body
            if parts:
                body = copy_with_fresh_variables(body, {var: again})
            parts.append(
                _serial(loop, loop_var=again if parts else var, min=first, extent=rest, body=body)
            )
        stmts = (*lets, *parts)
        return stmts[0] if len(stmts) == 1 else Block(stmts)

    def _rounds(self, loop: For, start: Expr, rounds: Expr, lanes: int) -> Stmt:
        """Return the part that runs ``lanes`` iterations at once."""
        var, ty = loop.loop_var, loop.loop_var.type
        body = copy_with_fresh_variables(self._without_schedule_blocks(loop.body))
        unstable = unstable_variables(body).union(self._unstable)
        if literal_value(rounds) == 1:
            return vector_body(body, var, start, lanes, unstable)
        counter = Var(f"{var.name}_outer", ty)
        first = binary(Add, start, binary(Mul, counter, const(lanes, ty)))
        made = vector_body(body, var, first, lanes, unstable)
        block = made if isinstance(made, Block) else Block((made,))
        return _serial(loop, loop_var=counter, min=const(0, ty), extent=rounds, body=block)

    def _once(self, expr: Expr, name: str, lets: list[Stmt]) -> Expr:
        """Return ``expr``, or a variable that is declared to hold it where it may change."""
        if is_invariant(expr, self._unstable):
            return expr
        variable = Var(name, expr.type)
        lets.append(Let(variable, expr))
        return variable

    def _without_schedule_blocks(self, body: Stmt) -> Stmt:
        images: dict[Node, Node] = {}
        for node in LOOPS.pre_order(body):
            if isinstance(node, ScheduleBlockRealize):
                images[node] = inline_realize(node, images, self._unstable)
        return substitute(body, images)

    def _check_order(self, loop: For, lanes: int) -> None:
        """Raise unless the accesses of several iterations may be made one after the other.

        Each access is made for all lanes before the next one. So what an iteration does first may
        not have to wait for what one of the ``lanes - 1`` before it does later on.
        """
        has_loops = any(
            isinstance(node, (For, PolyFor)) for node in STATEMENTS.pre_order(loop.body)
        )
        context = self._context_of(loop)
        for source, sink in loop_carried(loop, context, max_distance=lanes - 1):
            if has_loops or not is_kept_in_order(source, sink):
                raise PassError(
                    f"{one_line(sink.node)} has to wait for {one_line(source.node)} of an earlier "
                    f"iteration"
                )

    def _context_of(self, loop: For) -> Context:
        """Return what is known of the variables in ``loop``, which are few among all."""
        known = self._ranges.intervals
        named = {node: known[node] for node in LOOPS.pre_order(loop) if node in known}
        return Context(self._unstable).with_ranges(
            {node: interval for node, interval in named.items() if isinstance(node, Var)}
        )
