"""Condition entailment: a branch around all that a loop does becomes a bound of the loop.

Before::

    serial for (k, 0, 8)
    {
      if ((((k * 32) + t) < 234)) {
        B[((k * 32) + t)] = A[((k * 32) + t)]
      }
    }

After::

    serial for (k, 0, ((265 - t) / 32))
    {
      B[((k * 32) + t)] = A[((k * 32) + t)]
    }
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from relayish.ir.scopes.scoping import PROGRAM
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.fold_rules import fold_literals
from relayish.passes.loops.structure.iteration_lines import Line, line_in
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.linear.linear_facts import possible_signs
from relayish.tir.analysis.linear.linear_form import interval_of_form
from relayish.tir.analysis.values.interval import type_range
from relayish.tir.analysis.values.literals import is_number
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.flags import ForType
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Add, And, Expr, Max, Min, Sub, conjuncts, const
from relayish.tir.ir.stmt import Block, For, IfThenElse
from relayish.tir.plain_loops import statements
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.walk import Simplification, apply_simplification


@register_pass("EntailLoopCondition", opt_level=1, idempotent=True)
def entail_loop_conditions(func: LoweredFunc) -> LoweredFunc:
    """Condition entailment: let a loop run only while a condition around its body holds.

    The condition, or one of several that have to hold together, is linear in the variable of the
    loop and else depends on nothing that changes meanwhile, so it holds from the first iteration up
    to some last one, or from some first one on. Where it ends before the loop always, the number of
    iterations follows from it alone, else from the lesser of both. It is no longer asked in each
    iteration, which pays in loops that are neither unrolled nor vectorised: those stay, since
    they need a number that is known.

    Returns:
        ``func`` itself when no condition becomes a bound.

    Complexity:
        Linear in the number of distinct nodes, and the size of conditions; no recursion.

    Source:
        CINN ``EntailLoopConditionPass``, which asks the condition in place of the bound.
    """
    return apply_simplification(func, _SIMPLIFICATION)


def entail_condition(loop: For, facts: Facts) -> Stmt:
    """Return a loop that leaves out iterations in which its body does nothing."""
    stmts = statements(loop.body)
    if loop.for_type not in (ForType.SERIAL, ForType.PARALLEL) or len(stmts) != 1:
        return loop
    branch = stmts[0]
    if not isinstance(branch, IfThenElse) or branch.false_case is not None:
        return loop
    if not facts.removable(branch.condition, loop.min, loop.extent):
        return loop
    kept: list[Expr] = []
    image = loop
    for condition in conjuncts(branch.condition):
        bounded = _bounded(image, condition, facts)
        if bounded is None:
            kept.append(condition)
        image = image if bounded is None else bounded
    if image is loop:
        return loop
    body = branch.true_case
    if kept:
        body = branch.with_fields(condition=reduce(And, kept))
    return image.with_fields(body=body if isinstance(body, Block) else Block((body,)))


_SIMPLIFICATION: Final = Simplification(RuleSet.by_key({For: (entail_condition,)}))


def _bounded(loop: For, condition: Expr, facts: Facts) -> For | None:
    """Return a loop without iterations in which a condition fails; ``None``: which is not known."""
    line = line_in(loop, condition, facts.context)
    if line is None or not _stays(line, loop, facts):
        return None
    ty = loop.extent.type
    turn = line.turn(ty, facts.context)
    if turn is None:
        return None
    if line.slope > 0:
        ends = _ends_before(line, loop, facts)
        return loop.with_fields(extent=turn if ends else fold_literals(Min(turn, loop.extent)))
    if facts.interval(turn).low < 0:
        turn = fold_literals(Max(turn, const(0, ty)))
    if facts.interval(loop.extent).low - facts.interval(turn).high < type_range(ty).low:
        return None
    low = turn if is_number(loop.min, 0) else fold_literals(Add(loop.min, turn))
    return loop.with_fields(min=low, extent=fold_literals(Sub(loop.extent, turn)))


def _stays(line: Line, loop: For, facts: Facts) -> bool:
    """Return whether what a line depends on is the same in each iteration."""
    terms = line.start.terms
    names = any(loop.loop_var in PROGRAM.pre_order(term) for term in terms)
    return facts.context.is_stable(terms) and not names


def _ends_before(line: Line, loop: For, facts: Facts) -> bool:
    """Return whether a condition fails right behind the last iteration of a loop for certain."""
    extent = facts.exact_form(loop.extent)
    if extent is None:
        return False
    behind = line.start.plus(extent, line.slope)
    if interval_of_form(behind, facts.context).low >= 0:
        return True
    return not possible_signs(behind, facts.context).negative
