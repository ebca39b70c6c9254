"""Control flow of core: what iterations run, what holds in branches, and where functions end."""

from __future__ import annotations

from relayish.core.ir.stmt import DoLoop, DoWhile, If, Ret, Retv, WhileDo
from relayish.dataflow.graph.control_flow import CONTROL_FLOW, Condition, ControlFlow, TestedLoop


def _condition_of_if(branching: If, case: int | None) -> Condition:
    return Condition(branching.condition, case == 0)


def _condition_of_do_loop(loop: DoLoop, case: int | None) -> Condition:
    return Condition(loop.compare, case is not None)


def _condition_of_while(loop: WhileDo | DoWhile, case: int | None) -> Condition:
    return Condition(loop.condition, case is not None)


CONTROL_FLOW.register(If, ControlFlow(condition=_condition_of_if))
CONTROL_FLOW.register(
    DoLoop, ControlFlow(loop=TestedLoop(test=0, body=(2, 1)), condition=_condition_of_do_loop)
)
CONTROL_FLOW.register(
    WhileDo, ControlFlow(loop=TestedLoop(test=0, body=(1,)), condition=_condition_of_while)
)
CONTROL_FLOW.register(
    DoWhile,
    ControlFlow(loop=TestedLoop(test=1, body=(), before=(0,)), condition=_condition_of_while),
)
for _kind in (Ret, Retv):
    CONTROL_FLOW.register(_kind, ControlFlow(leaves=True))
