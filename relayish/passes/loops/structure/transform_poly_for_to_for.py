"""Conversion of loops with a condition and a step into counted loops.

Before::

    poly_for (i, 0, (i < n), 2)
    {
      A[i] = 0
    }

After::

    serial for (i, 0, ((n + 1) / 2))
    {
      A[(i * 2)] = 0
    }
"""

from __future__ import annotations

from collections.abc import Mapping

from relayish.errors import PassError
from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.invariance import (
    is_invariant,
    literal_value,
    unstable_variables,
)
from relayish.passes.loops.structure.trip_count import trip_count
from relayish.passes.loops.structure.writes import Writes
from relayish.tir.analysis import Interval
from relayish.tir.analysis.facts.loop_ranges import LoopRanges
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Cast, Expr, const
from relayish.tir.ir.stmt import Block, For, Let, PolyFor
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import LOOPS, substitute


@register_pass("TransformPolyForToFor", opt_level=0, idempotent=True)
def transform_poly_for_to_for(func: LoweredFunc) -> LoweredFunc:
    """Conversion of loops with a condition and a step into counted loops.

    The condition compares the variable with bounds that the loop does not change, or is a
    conjunction of such comparisons, and the step is a constant. Other loops stay as they are;
    :func:`poly_for_obstacles` says why.

    A loop by steps of one keeps its variable. In others that is computed from the count of
    iterations, which is 64 bits wide where it might not fit otherwise.

    Returns:
        ``func`` itself when no loop is converted.

    Complexity:
        Linear in the number of distinct nodes, for each piece of memory that bounds read once more,
        and as often as a loop can be converted since one around it was; no recursion.

    Source:
        CINN ``TransformPolyForToFor``.
    """
    while True:
        images, obstacles = _convert(func)
        func = substitute(func, images)
        if not images or not obstacles:
            return func  # else more is known of inner loops than was


def poly_for_obstacles(func: LoweredFunc) -> Mapping[PolyFor, str]:
    """Return the loops of ``func`` that cannot be converted, and what stands in the way of each."""
    return _convert(func)[1]


def _convert(func: LoweredFunc) -> tuple[dict[Node, Node], dict[PolyFor, str]]:
    loops = [node for node in STATEMENTS.pre_order(func) if isinstance(node, PolyFor)]
    images: dict[Node, Node] = {}
    obstacles: dict[PolyFor, str] = {}
    if not loops:
        return images, obstacles
    converter = _Converter(func)
    for loop in loops:
        try:
            images.update(converter.convert(loop))
        except PassError as error:
            obstacles[loop] = str(error)
    return images, obstacles


class _Converter:
    def __init__(self, func: LoweredFunc) -> None:
        self._func = func
        self._unstable = unstable_variables(func)
        self._ranges: LoopRanges | None = None
        self._writes = Writes(func)

    def convert(self, loop: PolyFor) -> dict[Node, Node]:
        """Return what takes the place of ``loop``, and of its variable.

        Raises:
            PassError: Saying what stands in the way.
        """
        var, ty = loop.iterator, loop.iterator.type
        self._check_invariant(loop)
        start: Expr = loop.init
        lets: list[Let] = []
        if not is_invariant(start, self._unstable):
            start = Var(f"{var.name}_start", ty)
            lets.append(Let(start, loop.init))
        count, step = trip_count(loop, start, self._interval)
        images: dict[Node, Node] = {}
        counter, first = var, start
        if step != 1 or count.type != ty:
            counter, first = Var(var.name, count.type), const(0, count.type)
            images[var] = _value(counter, start, step)
        made = For(
            counter,
            first,
            count,
            loop.body,
            loop.for_type,
            loop.device_api,
            loop.vectorize_info,
            loop.bind_info,
        )
        images[loop] = Block((*lets, made)) if lets else made
        return images

    def _interval(self, expr: Expr) -> Interval:
        if self._ranges is None:
            self._ranges = LoopRanges(LOOPS.post_order(self._func))
        return self._ranges.interval(expr)

    def _check_invariant(self, loop: PolyFor) -> None:
        for what, expr in (("condition", loop.condition), ("step", loop.inc)):
            if not is_invariant(expr, self._unstable) and not self._writes.keeps(loop.body, expr):
                raise PassError(f"its {what} may change while it runs")


def _value(counter: Var, start: Expr, step: int) -> Expr:
    """Return the value of the variable that began with ``start``, after ``counter`` steps."""
    ty = start.type
    count: Expr = counter if counter.type == ty else Cast(ty, counter)
    by = step if ty.is_int else step % (1 << ty.bits)
    walked = count if by == 1 else count * by
    return walked if literal_value(start) == 0 else start + walked
