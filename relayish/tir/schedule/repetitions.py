"""Repetitions: executions of a block for the same values of its variables, which are the same."""

from __future__ import annotations

from collections.abc import Sequence

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.dependence.dependence import Dependence
from relayish.tir.analysis.values.context import Context
from relayish.tir.ir.stmt import For, ScheduleBlockRealize
from relayish.tir.ir.tensor import Var
from relayish.tir.ir.traversal import STATEMENTS
from relayish.tir.schedule.questions import Question


class Repetitions:
    """Tells which dependences of a nest are between executions of a block that are the same.

    Where what is executed once more comes in another order with itself, the same is executed in
    the same order.

    Args:
        nest: The loops as they are.
        order: The same loops as they are to be.
        context: What is known where the nest is run.
    """

    def __init__(self, nest: Sequence[For], order: Sequence[For], context: Context) -> None:
        self._order, self._context = order, context
        self._blocks: dict[Node, tuple[Var, ...]] = {}
        variables = {each.loop_var for each in nest}
        for stmt in STATEMENTS.pre_order(nest[0]):
            if isinstance(stmt, ScheduleBlockRealize):
                inside = [*PROGRAM.pre_order(stmt.schedule_block.body)]
                if variables.isdisjoint(inside):  # its variables say all
                    for node in inside:
                        self._blocks.setdefault(node, stmt.schedule_block.iter_vars)

    def are_only(self, dependence: Dependence) -> bool:
        """Return whether no other executions would come in another order."""
        variables = self._blocks.get(dependence.source.node)
        if variables is None or variables is not self._blocks.get(dependence.sink.node):
            return False
        return not any(
            self._differ(dependence, var, is_less) for var in variables for is_less in (True, False)
        )

    def _differ(self, dependence: Dependence, var: Var, is_less: bool) -> bool:
        """Return whether there are such of which a variable of the block has different values."""
        question = Question(self._context)
        one, other = question.execute(dependence.source), question.execute(dependence.sink)
        question.demand_same_element(one, other)
        question.demand_before(one, other)
        question.demand_before_in(other, one, self._order)
        a, b = one.value(var), other.value(var)
        question.demand_less(*((a, b) if is_less else (b, a)))
        return question.answer() is not None
