"""Control flow of Relay's kinds: what holds in the branches of an ``If``."""

from __future__ import annotations

from relayish.dataflow.graph.control_flow import CONTROL_FLOW, Condition, ControlFlow
from relayish.ir.relay.expr import If


def _condition_of_if(branching: If, case: int | None) -> Condition:
    return Condition(branching.cond, case == 0)


CONTROL_FLOW.register(If, ControlFlow(condition=_condition_of_if))
