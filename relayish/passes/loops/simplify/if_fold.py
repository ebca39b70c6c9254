"""Branch folding: conditions of branches in one another that say one thing together are one.

Before::

    if (((x / 56) == 0)) {
      if (((x % 56) == 0)) {
        A[0] = 1
      }
    }

After::

    if ((x == 0)) {
      A[0] = 1
    }
"""

from __future__ import annotations

from functools import reduce
from typing import Final

from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.zero_digits import join_zero_digits
from relayish.rewriting.rules import RuleSet
from relayish.tir.ir.family import Stmt
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import And, conjuncts
from relayish.tir.ir.stmt import IfThenElse
from relayish.tir.plain_loops import statements
from relayish.tir.rewriting.facts import Facts
from relayish.tir.rewriting.walk import Simplification, apply_simplification


def fold_branch(branch: IfThenElse, facts: Facts) -> Stmt:
    """Return a branch that asks less, for itself and a branch that is all it runs."""
    conditions = conjuncts(branch.condition)
    joined = join_zero_digits(conditions, facts)
    if len(joined) < len(conditions):
        branch = branch.with_fields(condition=reduce(And, joined))
    [inner, *others] = statements(branch.true_case) or (branch,)
    if others or not isinstance(inner, IfThenElse) or not facts.removable(inner.condition):
        return branch
    if branch.false_case is not None or inner.false_case is not None:
        return branch
    conditions = [*conjuncts(branch.condition), *conjuncts(inner.condition)]
    joined = join_zero_digits(conditions, facts)
    if len(joined) == len(conditions):
        return branch
    return branch.with_fields(condition=reduce(And, joined), true_case=inner.true_case)


_SIMPLIFICATION: Final = Simplification(RuleSet.by_key({IfThenElse: (fold_branch,)}))


@register_pass("IfFold", opt_level=1, idempotent=True)
def fold_branches(func: LoweredFunc) -> LoweredFunc:
    """Branch folding: ask in one comparison what quotients and remainders are asked for in several.

    Conditions that quotients and remainders of one integer are zero, in one branch or in branches
    of which each is all that the one around it runs, are one condition where these parts lie side
    by side. Where one of them has another arm, the branches stay: it runs where the inner condition
    fails, not where the outer one does.

    Returns:
        ``func`` itself when no two conditions are one.

    Complexity:
        Linear in the number of distinct nodes, and quadratic in the number of conditions of a
        branch; no recursion.

    Source:
        CINN ``IfFoldPass``, which runs the other arm where any condition fails.
    """
    return apply_simplification(func, _SIMPLIFICATION)
