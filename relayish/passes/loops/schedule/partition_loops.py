"""Loop partitioning: where a condition changes, a loop is cut in two that need not ask it.

Before::

    for (i, 0, 10)
    {
      B[i] = select(i >= 1, A[i - 1], 0)
    }

After::

    B[0] = select(false, A[0 - 1], 0)
    for (i, 0, 9)
    {
      B[i + 1] = select(true, A[i + 1 - 1], 0)
    }
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from relayish.errors import OperatorError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.loops.schedule.contraction import is_fixed
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import GE, GT, LE, LT, Expr, Select, const
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.ir.tensor import Var
from relayish.tir.substitution import copy_with_fresh_variables

MOST_PARTS: Final = 256
"""Into how many parts a loop is cut at most."""


@register_pass("PartitionLoops", opt_level=0)
def partition_loops(func: LoweredFunc) -> LoweredFunc:
    """Loop partitioning: cut loops where conditions on their variables change.

    Selections and branches that compare a variable with a constant are decided in each part, so
    that what is padded, or put together of several arrays, is copied without a question. Parts run
    in order: results are the same, bit for bit.

    Returns:
        ``func`` itself when no condition is decided.

    Complexity:
        Linear in the size of what is made: a part has a copy of the body, without the arms of
        selections that it does not need.

    Source:
        Griebl, Feautrier and Lengauer, "Index set splitting"; TVM ``LoopPartition``.
    """
    return func.with_fields(body=_Partition().visit(func.body))


class _Partition(StmtMutator):
    """Cuts loops, outer ones first."""

    def visit_for(self, loop: For) -> Stmt:
        count = constant(loop.extent) or 0
        cuts = _cuts(loop, count) if is_fixed(loop) else {}
        ends = sorted({*cuts.values(), count})
        if len(ends) == 1 or len(ends) > MOST_PARTS:
            return super().visit_for(loop)
        starts = [0, *ends[:-1]]
        parts = [_part(loop, cuts, low, high) for low, high in zip(starts, ends, strict=True)]
        return Block(tuple([self.visit(each) for each in parts]))


def _part(loop: For, cuts: dict[Node, int], low: int, high: int) -> Stmt:
    """Return the iterations of a loop from ``low`` on, below ``high``."""
    images: dict[Node, Node] = {}
    for condition, cut in cuts.items():
        is_below = high <= cut
        images[condition] = const(is_below == isinstance(condition, (LT, LE)))
    for each in PROGRAM.pre_order(loop.body):
        if isinstance(each, Select) and each.condition in images:
            holds = constant(images[each.condition])  # type: ignore[arg-type]
            images[each] = each.true_value if holds else each.false_value
    ty = loop.loop_var.type
    if high - low == 1:
        return copy_with_fresh_variables(loop.body, {**images, loop.loop_var: const(low, ty)})
    var = Var(loop.loop_var.name, ty)
    place = var + low if low else var
    body = copy_with_fresh_variables(loop.body, {**images, loop.loop_var: place})
    return loop.with_fields(loop_var=var, extent=const(high - low, ty), body=body)


def _cuts(loop: For, count: int) -> dict[Node, int]:
    """Return comparisons, each with the first iteration in which it is another than before."""
    found: dict[Node, int] = {}
    for condition in _conditions(loop.body):
        for each in PROGRAM.pre_order(condition):
            cut = _cut(each, loop.loop_var)
            if cut is not None and 0 < cut < count:
                found[each] = cut
    return found


def _conditions(body: Stmt) -> Iterator[Expr]:
    for each in PROGRAM.pre_order(body):
        if isinstance(each, (Select, IfThenElse)):
            yield each.condition


def _cut(node: Node, var: Var) -> int | None:
    """Return where a comparison of ``var`` with a constant changes; ``None``: it is none."""
    if not isinstance(node, (LT, LE, GE, GT)) or node.a.type != var.type:
        return None
    try:
        form = linear_form(node.a - node.b)
    except OperatorError:
        return None
    if set(form.terms) != {var} or form.terms[var] != 1:
        return None
    return -form.constant + isinstance(node, (LE, GT))
