"""Control flow of the loop IR: what iterations run, and what holds in them and in branches."""

from __future__ import annotations

from relayish.dataflow.graph.control_flow import CONTROL_FLOW, Condition, ControlFlow, TestedLoop
from relayish.tir.ir.stmt import IfThenElse, PolyFor


def _condition_of_if(branching: IfThenElse, case: int | None) -> Condition:
    return Condition(branching.condition, case == 0)


def _condition_of_poly_for(loop: PolyFor, case: int | None) -> Condition:
    return Condition(loop.condition, case is not None)


CONTROL_FLOW.register(IfThenElse, ControlFlow(condition=_condition_of_if))
CONTROL_FLOW.register(
    PolyFor, ControlFlow(loop=TestedLoop(test=0, body=(2, 1)), condition=_condition_of_poly_for)
)
