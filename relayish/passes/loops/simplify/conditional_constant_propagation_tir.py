"""Conditional constant propagation: put the values of scalars in place of these.

Before::

    int32 x = 1
    serial for (i, 0, n)
    {
      if ((x == 1)) {
        x[] = 1
      } else {
        x[] = 2
      }
      A[i] = (x + i)
    }

After::

    int32 x = 1
    serial for (i, 0, n)
    {
      x[] = 1
      A[i] = (1 + i)
    }
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from relayish._support.collector import pause_collection
from relayish.dataflow.graph import build_flow_graph
from relayish.dataflow.lattice.symbols import Extreme
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import has_scopes
from relayish.pass_infra import register_pass
from relayish.passes.loops.simplify.fold_rules import FOLD_RULES
from relayish.rewriting.rules import RuleSet
from relayish.tir.analysis.flow.constants import Known, ScalarConstants
from relayish.tir.analysis.flow.refinement import variable_read
from relayish.tir.analysis.values.literals import make_literal
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.stmt import PolyFor
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.rewriting.attribute import VALUES
from relayish.tir.rewriting.walk import REPLACE_DROPPED, Simplification, apply_simplification

_SIMPLIFICATION: Final = Simplification(
    RuleSet([REPLACE_DROPPED, FOLD_RULES]), branches=True, loops=True, informed=False
)
_MOST_ROUNDS: Final = 8


@register_pass("ConditionalConstantPropagationTIR", opt_level=2, idempotent=True)
def propagate_scalar_constants(func: LoweredFunc) -> LoweredFunc:
    """Conditional constant propagation: put the values of scalars in place of these.

    A scalar that has one value wherever control comes to a statement, however often, is replaced
    by it there; what consists of literals then is computed, and branches and loops that are never
    run go. What ``FoldConstantTIR`` does is done as well. Assignments stay, also those of values
    that nobody asks for any more. What faults stays.

    Returns:
        ``func`` itself when there is nothing to do.

    Complexity:
        That of :class:`~relayish.tir.analysis.ScalarConstants`; no recursion.

    Source:
        Wegman and Zadeck, Constant propagation with conditional branches, 1991.
    """
    with pause_collection():
        for _ in range(_MOST_ROUNDS):
            image = apply_simplification(_replace_known(func), _SIMPLIFICATION)
            if image is func:
                break
            func = image
        return func


def _replace_known(func: LoweredFunc) -> LoweredFunc:
    """Return the function with literals in place of variables whose values are known."""
    graph = build_flow_graph(func)
    solved: Sequence[Solution[Known]] = solve([ScalarConstants()], graph)
    solution = solved[0]
    images: dict[Node, Node] = {}
    for stmt in STATEMENTS.post_order(func):
        if isinstance(stmt, LoweredFunc):
            image: Node = stmt.with_fields(body=images[stmt.body])  # type: ignore[arg-type]  # a Stmt
        else:
            image = VALUES.rebuild[type(stmt)](stmt, _Replacement(stmt, solution, images).get)
        images[stmt] = image
    found = images[func]
    assert isinstance(found, LoweredFunc)
    return found


class _Replacement:
    """What stands in place of the parts of one statement: its statements, and its expressions."""

    def __init__(self, stmt: Node, solution: Solution[Known], images: dict[Node, Node]) -> None:
        self._stmt, self._solution, self._statements = stmt, solution, images

    def get(self, child: Node, _: object = None) -> Node:
        """Return what stands in place of a child."""
        found = self._statements.get(child)
        if found is not None:
            return found
        if not isinstance(child, Expr):
            return child
        at = child if self._is_evaluated_apart(child) else self._stmt
        if not self._solution.graph.occurrences(at):
            return child
        return _with_literals(child, self._solution.before(at))

    def _is_evaluated_apart(self, child: Node) -> bool:
        stmt = self._stmt
        return isinstance(stmt, PolyFor) and (child is stmt.condition or child is stmt.inc)


def _with_literals(root: Expr, state: Known) -> Node:
    """Return an expression with literals in place of variables that are known in a state."""
    if not state:
        return root
    images: dict[Node, Node] = {}
    for node in VALUES.post_order(root):
        var = variable_read(node)
        known = None if var is None else state.get(var)
        if var is not None and known is not None and not isinstance(known, Extreme):
            images[node] = make_literal(known, var.type)
        elif has_scopes(type(node)):
            images[node] = node
        else:
            images[node] = VALUES.rebuild[type(node)](node, images.get)
    return images[root]
