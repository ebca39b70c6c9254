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

With ``symbolic=true``, of a loop that was split into fours, where the last keeps the condition::

    for (i, 0, (n + 3) / 4)
    {
      for (j, 0, 4)
      {
        if (i * 4 + j < n)
        {
          B[i * 4 + j] = A[i * 4 + j]
        }
      }
    }

After::

    for (i, 0, n / 4)
    {
      for (j, 0, 4)
      {
        B[i * 4 + j] = A[i * 4 + j]
      }
    }
    for (i, n / 4, (n + 3) / 4 - n / 4)
    {
      for (j, 0, 4)
      {
        if (i * 4 + j < n)
        {
          B[i * 4 + j] = A[i * 4 + j]
        }
      }
    }
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from relayish.errors import OperatorError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM, bound_by
from relayish.pass_infra import register_pass
from relayish.passes.loops.schedule.symbolic_cuts import Cut, SymbolicCuts
from relayish.passes.loops.simplify.fold_rules import fold_literals
from relayish.tir.analysis.linear.linear_form import linear_form
from relayish.tir.functor import StmtMutator
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import GE, GT, LE, LT, Expr, Select, Sub, const
from relayish.tir.ir.stmt import Alloc, Block, For, IfThenElse
from relayish.tir.ir.tensor import Var
from relayish.tir.plain_loops import is_fixed
from relayish.tir.substitution import copy_with_fresh_variables

MOST_PARTS: Final = 256
"""Into how many parts a loop is cut at most."""


@register_pass("PartitionLoops", opt_level=0)
def partition_loops(func: LoweredFunc, *, symbolic: bool = False) -> LoweredFunc:
    """Loop partitioning: cut loops where conditions on their variables change.

    Selections and branches that compare a variable with a constant are decided in each part, so
    that what is padded, or put together of several arrays, is copied without a question. Parts run
    in order: results are the same, bit for bit.

    Args:
        func: The function.
        symbolic: Cut as well where arguments tell, and where a condition on several variables
            holds at first whatever those of loops inside are, as that of a loop that was split does
            but at its end. The other part asks the condition, if it may hold there.

    Returns:
        ``func`` itself when no condition is decided.

    Complexity:
        Linear in the size of what is made: a part has a copy of the body, without the arms of
        selections that it does not need.

    Source:
        Griebl, Feautrier and Lengauer, "Index set splitting"; TVM ``LoopPartition``.
    """
    cuts = SymbolicCuts(func) if symbolic else None
    return func.with_fields(body=_Partition(func.body, cuts).visit(func.body))


class _Partition(StmtMutator):
    """Cuts loops, outer ones first."""

    def __init__(self, root: Stmt, symbolic: SymbolicCuts | None) -> None:
        super().__init__()
        self._symbolic = symbolic
        self._asked = _Conditions(root)

    def visit_for(self, loop: For) -> Stmt:
        conditions = self._asked.of(loop)
        parts = _parts(loop, conditions) if conditions else [loop]
        if len(parts) == 1 and conditions and self._symbolic is not None:
            cut = self._symbolic.find(loop, conditions)
            parts = parts if cut is None else _parts_of_cut(loop, cut)
        if len(parts) == 1:
            return super().visit_for(loop)
        return Block(tuple([self._visit_part(each) for each in parts]))

    def _visit_part(self, part: Stmt) -> Stmt:
        around, self._asked = self._asked, _Conditions(part)
        image = self.visit(part)
        self._asked = around
        return image


class _Conditions:
    """What is asked of the variables of loops, found once for all loops of a program.

    Complexity:
        Linear in the program and the sizes of its conditions; those of a variable that several
        loops bind are looked for in each of them.
    """

    def __init__(self, root: Stmt) -> None:
        self._by_variable: dict[Node, list[Expr]] = {}
        bound: Counter[Node] = Counter()
        allocates = False
        for each in PROGRAM.pre_order(root):
            bound.update(bound_by(each))
            allocates = allocates or isinstance(each, Alloc)
            if isinstance(each, (Select, IfThenElse)):
                for used in PROGRAM.pre_order(each.condition):
                    if isinstance(used, Var):
                        self._by_variable.setdefault(used, []).append(each.condition)
        self._repeated = {var for var, count in bound.items() if count > 1}
        self._allocating = _allocating(root) if allocates else frozenset()

    def of(self, loop: For) -> Sequence[Expr]:
        """Return the conditions in a loop that mention its variable, from outside to inside.

        None where the loop allocates, which two places cannot.
        """
        if loop in self._allocating:
            return ()
        found = self._by_variable.get(loop.loop_var, ())
        if found and loop.loop_var in self._repeated:
            inside = set(PROGRAM.pre_order(loop.body))
            return [each for each in found if each in inside]
        return found


def _allocating(root: Stmt) -> AbstractSet[Node]:
    """Return the nodes that allocate, or hold others that do."""
    found: set[Node] = set()
    for each in PROGRAM.post_order(root):
        if isinstance(each, Alloc) or not found.isdisjoint(PROGRAM.children(each)):
            found.add(each)
    return found


def _parts(loop: For, conditions: Iterable[Expr]) -> list[Stmt]:
    """Return what constants cut a loop into."""
    count = constant(loop.extent) or 0
    cuts = _cuts(loop, count, conditions) if is_fixed(loop) else {}
    ends = sorted({*cuts.values(), count})
    if len(ends) == 1 or len(ends) > MOST_PARTS:
        return [loop]
    parts: list[Stmt] = []
    for low, high in zip([0, *ends[:-1]], ends, strict=True):
        known = {each: isinstance(each, (LT, LE)) == (high <= cut) for each, cut in cuts.items()}
        ty = loop.loop_var.type
        parts.append(_part(loop, known, const(low, ty), const(high - low, ty)))
    return parts


def _parts_of_cut(loop: For, cut: Cut) -> list[Stmt]:
    """Return what a cut cuts a loop into."""
    rest = fold_literals(Sub(loop.extent, cut.at))
    return [
        _part(loop, _decided(cut, holds=cut.holds_before), const(0, rest.type), cut.at),
        _part(loop, _decided(cut, holds=not cut.holds_before), cut.at, rest),
    ]


def _decided(cut: Cut, *, holds: bool) -> Mapping[Node, bool]:
    return {cut.condition: holds} if holds or cut.is_exact else {}


def _part(loop: For, known: Mapping[Node, bool], low: Expr, count: Expr) -> Stmt:
    """Return some iterations of a loop, from ``low`` on, in which conditions hold or do not."""
    images: dict[Node, Node] = {each: const(holds) for each, holds in known.items()}
    for each in PROGRAM.pre_order(loop.body):
        if isinstance(each, Select) and each.condition in known:
            images[each] = each.true_value if known[each.condition] else each.false_value
    first = constant(low)
    if first is not None and constant(count) == 1:
        return copy_with_fresh_variables(loop.body, {**images, loop.loop_var: low})
    var = Var(loop.loop_var.name, loop.loop_var.type)
    place = var + first if first else var
    body = copy_with_fresh_variables(loop.body, {**images, loop.loop_var: place})
    start = low if first is None else loop.min
    return loop.with_fields(loop_var=var, min=start, extent=count, body=body)


def _cuts(loop: For, count: int, conditions: Iterable[Expr]) -> dict[Node, int]:
    """Return comparisons, each with the first iteration in which it is another than before."""
    found: dict[Node, int] = {}
    for condition in conditions:
        for each in PROGRAM.pre_order(condition):
            cut = _cut(each, loop.loop_var)
            if cut is not None and 0 < cut < count:
                found[each] = cut
    return found


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
