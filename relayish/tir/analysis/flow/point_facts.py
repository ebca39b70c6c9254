"""Facts of expressions at a program point: intervals, and whether they may fault."""

from __future__ import annotations

from relayish.dataflow.lattice.interval import Interval
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.facts.faults import may_fault
from relayish.tir.analysis.flow.index_intervals import Values
from relayish.tir.ir.operators import Expr
from relayish.tir.ir.tensor import Var


class PointFacts:
    """What is known of expressions at a program point, for rules about faults.

    Args:
        values: Where they lie.
        arguments: What the function is given, which holds values.
        undefined: Variables that are declared without a value.
    """

    def __init__(self, values: Values, arguments: frozenset[Node], undefined: set[Var]) -> None:
        self.context = values.context
        self.arguments = arguments
        self.undefined = undefined
        self._values = values

    def interval(self, expr: Expr) -> Interval:
        """Return where the elements of an integer expression lie."""
        return self._values.interval(expr)

    def can_drop(self, expr: Expr) -> bool:
        """Return whether an expression need not be evaluated: it does nothing and cannot fault.

        Complexity:
            Linear in the number of distinct nodes; no recursion.
        """
        return not any(may_fault(node, self) for node in PROGRAM.pre_order(expr))
