"""Control flow of core: what iterations run, what holds in branches, and where functions end."""

from __future__ import annotations

from relayish.core.ir.stmt import DoLoop, DoWhile, If, Ret, Retv, WhileDo
from relayish.dataflow.graph.control_flow import Condition, TestedLoop, register_control_flow


def _condition_of_if(branching: If, case: int | None) -> Condition:
    return Condition(branching.condition, case == 0)


def _condition_of_do_loop(loop: DoLoop, case: int | None) -> Condition:
    return Condition(loop.compare, case is not None)


def _condition_of_while(loop: WhileDo | DoWhile, case: int | None) -> Condition:
    return Condition(loop.condition, case is not None)


register_control_flow(If, condition=_condition_of_if)
register_control_flow(DoLoop, loop=TestedLoop(test=0, body=(2, 1)), condition=_condition_of_do_loop)
register_control_flow(WhileDo, loop=TestedLoop(test=0, body=(1,)), condition=_condition_of_while)
register_control_flow(
    DoWhile, loop=TestedLoop(test=1, body=(), before=(0,)), condition=_condition_of_while
)
for _kind in (Ret, Retv):
    register_control_flow(_kind, leaves=True)
