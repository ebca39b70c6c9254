"""Sparse conditional constant propagation: evaluate what has one value on all paths taken.

Before::

    let %x = ref_read(%r);
    let %y = if (%c) { add(1, 1) } else { 2 };
    if (equal(%x, 3)) { add(%x, %y) } else { if (equal(%y, 2)) { %x } else { f(%x) } }

After::

    let %x = ref_read(%r);
    if (equal(%x, 3)) { 5 } else { %x }
"""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np

from relayish._support.collector import pause_collection
from relayish.analysis.on_device import is_on_device
from relayish.dataflow import Action, SparseSolution, solve
from relayish.interpreter.constant_call import SIZE_LIMIT
from relayish.interpreter.constants import AbstractValue, Constants, concrete
from relayish.ir.relay.adt import Match
from relayish.ir.relay.expr import Call, Constant, Expr, If, Let, TupleGetItem, Var
from relayish.pass_infra import register_pass
from relayish.passes.relay.fold.constant_checker import value_to_expr
from relayish.passes.relay.fold.fold_constant import ConstantFolder


class ConditionalConstantFolder(ConstantFolder):
    """Puts constants that an analysis found in place of what computes them, and folds the rest.

    Args:
        solution: What :class:`~relayish.interpreter.constants.Constants` found of the program.
        fold_qnn: As of :class:`ConstantFolder`.
        size_limit: As of it.
    """

    def __init__(
        self, solution: SparseSolution[AbstractValue], *, fold_qnn: bool, size_limit: int
    ) -> None:
        super().__init__(fold_qnn=fold_qnn, size_limit=size_limit)
        self._solution = solution
        self._decided = _find_decided(solution)

    def note_binding(self, var: Var, value: Expr) -> None:
        """Put a constant in place of a variable whose value stays, since evaluating it acts."""
        super().note_binding(var, value)
        known = self._known(var)
        if type(known) is Constant and var not in self._named:
            self.memo_map[var] = known

    def rewrite_if(self, pre: If, post: If) -> Expr:
        """Take the branch that is always taken, after what its condition does besides."""
        found = self._replace(pre, post, super().rewrite_if)
        holds = self._decided.get(pre)
        if found is not post or holds is None:
            return found
        left_out = pre.false_branch if holds else pre.true_branch
        if not self._transparency.holds_for(left_out) and left_out in self._find_shared_effects():
            return post
        taken = post.true_branch if holds else post.false_branch
        if self._transparency.holds_for(pre.cond):
            return taken
        return Let(Var("condition"), post.cond, taken)

    def rewrite_match(self, pre: Match, post: Match) -> Expr:
        """Replace a match all of whose clauses give one constant."""
        return self._replace(pre, post, lambda _, given: given)

    def rewrite_call(self, pre: Call, post: Call) -> Expr:
        """Replace a call that gives a constant, on what branches around it say of its operands."""
        return self._replace(pre, post, super().rewrite_call)

    def rewrite_tuple_getitem(self, pre: TupleGetItem, post: TupleGetItem) -> Expr:
        """Replace a projection that gives a constant."""
        return self._replace(pre, post, super().rewrite_tuple_getitem)

    def _replace(self, pre: Expr, post: Expr, fold: Callable[..., Expr]) -> Expr:
        """Return what ``fold`` makes of a node; else its value, if known, where nothing acts."""
        found = fold(pre, post)
        if self._checker.check(found) or is_on_device(found):
            return found
        known = self._known(pre)
        if known is None or not self._transparency.holds_for(pre):
            return found
        return known

    def _known(self, node: Expr) -> Expr | None:
        value = concrete(self._solution.value(node))
        return None if value is None else value_to_expr(value)


def _find_decided(solution: SparseSolution[AbstractValue]) -> dict[If, bool]:
    """Return the ifs of which control takes one branch alone, wherever they are evaluated."""
    graph, taken = solution.graph, dict[If, set[bool]]()
    for number, (node, action) in enumerate(zip(graph.nodes, graph.actions, strict=True)):
        if type(node) is If and action is Action.ENTER:
            cases = taken.setdefault(node, set())
            for target in graph.successors(number):
                branch = graph.edge(number, target).branch
                if branch is not None and solution.is_reached(target):
                    cases.add(branch.case == 0)
    return {node: next(iter(cases)) for node, cases in taken.items() if len(cases) == 1}


@register_pass("SparseConditionalConstantPropagation", opt_level=2)
def propagate_constants(
    expr: Expr,
    *,
    fold_qnn: bool = False,
    size_limit: int = SIZE_LIMIT,
    interprocedural: bool = False,
) -> Expr:
    """Sparse conditional constant propagation: evaluate what has one value on all paths taken.

    Return ``expr`` with what is constant on all paths that control may take replaced by its value,
    and branches that it never takes dropped.

    What ``FoldConstant`` does is done too. Beyond that, a branch may be decided by what branches
    around it say (``x`` is 3 where ``x == 3`` holds), branches may agree on a value, an expression
    that acts may have a known value, and fields of tuples are followed through variables, branches
    and patterns. What acts stays where it is.

    Args:
        expr: Any well-formed expression, shared subexpressions included.
        fold_qnn: Fold operators of the ``qnn`` dialect too, and others that dequantise.
        size_limit: How many elements a result may have, unless its operands have as many together.
        interprocedural: Follow calls of functions that are known: their parameters have the values
            of all calls, and calls those of the functions.

    Returns:
        ``expr`` itself when there was nothing to do.

    Complexity:
        Linear in the number of distinct nodes, not counting evaluation; no recursion. Across calls,
        that of points-to analysis.

    Source:
        Wegman and Zadeck, Constant propagation with conditional branches, 1991.
    """
    analysis = Constants(fold_qnn=fold_qnn, size_limit=size_limit, interprocedural=interprocedural)
    with pause_collection(), np.errstate(all="ignore"):  # the solution lives until the end
        [solution] = solve([analysis], expr)
        folder = ConditionalConstantFolder(
            cast("SparseSolution[AbstractValue]", solution),
            fold_qnn=fold_qnn,
            size_limit=size_limit,
        )
        return folder.fold(expr)
