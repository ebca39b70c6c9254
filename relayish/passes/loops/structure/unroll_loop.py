"""Loop unrolling: a copy of the body for each iteration.

Before::

    unroll for (i, 2, 3)
    {
      A[i] = (i * 2)
    }

After::

    A[2] = (2 * 2)
    A[3] = (3 * 2)
    A[4] = (4 * 2)
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Sequence
from typing import Final

from relayish.ir.nodes.node import Node
from relayish.pass_infra import register_pass
from relayish.passes.loops.structure.invariance import (
    is_invariant,
    literal_value,
    unstable_variables,
)
from relayish.tir.analysis.regions.declared_regions import sort_regions
from relayish.tir.analysis.values.interval import wrap_integer
from relayish.tir.bind_once import bind_once
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr, const
from relayish.tir.ir.stmt import Alloc, Block, For, Let, PolyFor, ScheduleBlock
from relayish.tir.ir.tensor import Store, Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.substitution import copy_with_fresh_variables, substitute

AUTO_UNROLL: Final = "auto_unroll_max_step"
"""The attribute of a schedule block that says up to how many stores loops in it are unrolled."""

_MANY: Final = 1 << 62


@register_pass("UnrollLoop", opt_level=0, idempotent=True)
def unroll_loop(func: LoweredFunc, *, max_extent: int = 50) -> LoweredFunc:
    """Loop unrolling: replace loops of few iterations by a copy of the body for each.

    Unrolled are loops that are marked ``UNROLLED``, and serial loops in a schedule block with the
    attribute ``auto_unroll_max_step`` that would run no more stores than that in all, and hold no
    loop that stays. Their extent is a constant, ``max_extent`` at most.

    Args:
        func: A function.
        max_extent: Loops of more iterations stay.

    Returns:
        ``func`` itself when nothing is unrolled.

    Complexity:
        Linear in the size of the function before and after; no recursion.

    Source:
        CINN ``UnrollLoop``, but for what it does to a loop that does not begin at 0.
    """
    bound = bind_once(func)  # so that a variable stands for one loop
    image = substitute(bound, _Unroller(bound, max_extent).images)
    return func if image is bound else sort_regions(image)


class _Unroller:
    """Finds, inner loops first, what takes the place of loops and of their variables."""

    def __init__(self, func: LoweredFunc, max_extent: int) -> None:
        order = STATEMENTS.post_order(func)
        self.images: dict[Node, Node] = {}
        self._max_extent = max_extent
        self._limits = _auto_limits(func)
        self._stores: dict[Node, int] = {}  # how many run, loops that stay counting as very many
        self._unstable: Collection[Var] | None = None
        self._func = func
        for stmt in order:
            self._stores[stmt] = self._visit(stmt)

    def _visit(self, stmt: Node) -> int:
        """Unroll ``stmt`` if it is a loop for that; return how many stores it runs then."""
        if isinstance(stmt, Store):
            return 1
        below = min(_MANY, sum([self._stores[child] for child in STATEMENTS.children(stmt)]))
        if isinstance(stmt, PolyFor):
            return _MANY
        if not isinstance(stmt, For):
            return below
        extent = literal_value(stmt.extent)
        if extent is None or extent > self._max_extent:
            return _MANY
        count = max(0, extent)
        is_automatic = stmt.for_type is ForType.SERIAL and stmt in self._limits
        if not stmt.for_type & ForType.UNROLLED and not (
            is_automatic and count * below <= self._limits[stmt]
        ):
            return _MANY
        self._unroll(stmt, count)
        return min(_MANY, count * below)

    def _unroll(self, loop: For, count: int) -> None:
        var, start = loop.loop_var, loop.min
        lets: list[Stmt] = []
        if not self._is_invariant(start):
            start = Var(f"{var.name}_start", var.type)
            lets.append(Let(start, loop.min))
        if count == 1:
            self.images[var] = start
            self.images[loop] = Block((*lets, loop.body)) if lets else loop.body
            return
        copies: list[Stmt] = []
        for at in range(count):
            images = ChainMap[Node, Node]({var: _shifted(start, at)}, self.images)
            copies += _as_statements(copy_with_fresh_variables(loop.body, images))
        self.images[loop] = Block((*lets, *copies))

    def _is_invariant(self, start: Expr) -> bool:
        if literal_value(start) is not None:
            return True
        if self._unstable is None:
            self._unstable = unstable_variables(self._func)
        return is_invariant(start, self._unstable)


def _auto_limits(func: LoweredFunc) -> dict[Node, int]:
    """Return, for statements in schedule blocks that have it, what the attribute says."""
    limits: dict[Node, int] = {}
    for node in STATEMENTS.pre_order(func):
        limit = limits.get(node)
        if isinstance(node, ScheduleBlock) and node.attrs is not None:
            said = node.attrs.get(AUTO_UNROLL)
            limit = said if isinstance(said, int) else limit
        if limit is not None:
            for child in STATEMENTS.children(node):
                limits.setdefault(child, limit)
    return limits


def _shifted(start: Expr, by: int) -> Expr:
    """Return ``start + by``, wrapped around as variables of loops do."""
    value = literal_value(start)
    if value is not None:
        return const(wrap_integer(value + by, start.type), start.type)
    return start + const(wrap_integer(by, start.type), start.type) if by else start


def _as_statements(body: Stmt) -> Sequence[Stmt]:
    """Return the statements of a body, or itself where it is a scope of what they declare."""
    if not isinstance(body, Block):
        return (body,)
    declares = [isinstance(s, Let) or (isinstance(s, Alloc) and s.body is None) for s in body.stmts]
    return (body,) if any(declares) else body.stmts
