"""How control and values flow through loops and logs, and an analysis of signs that follows."""

from __future__ import annotations

from typing import Any

import numpy as np

import relayish as relay
from relayish.dataflow import (
    CONTROL_FLOW,
    TRANSFERS,
    VALUE_FLOW,
    ControlFlow,
    Signs,
    SparseAnalysis,
    TestedLoop,
    ValueFlow,
    register_analysis,
)
from relayish.dataflow.lattice.signs import Sign, add, mul, sign_of
from relayish.op.declaration.registry import get_op
from while_loops.kinds import Log, While

# the condition is computed before each round, which computes the body
CONTROL_FLOW.register(While, ControlFlow(loop=TestedLoop(test=0, body=(1,))))


@VALUE_FLOW.register(While)
def flow_of_while(loop: While, flow: ValueFlow) -> None:
    """The variable is what the loop starts with, or its body; the loop gives the variable."""
    flow.passes(loop.init, loop.var)
    flow.passes(loop.body, loop.var)
    flow.passes(loop.var, loop)


@VALUE_FLOW.register(Log)
def flow_of_log(log: Log, flow: ValueFlow) -> None:
    """A log gives what flows through it."""
    flow.same(log, log.value)


@register_analysis()
class SignAnalysis(SparseAnalysis[Sign]):
    """Sign analysis: whether numbers may be negative, zero or positive."""

    values = Signs()
    operators = (relay.Op,)

    def literal(self, node: relay.Node) -> Sign:
        """A number has its sign; of arrays nothing is told."""
        if not isinstance(node, relay.Constant) or not isinstance(node.data, np.generic):
            return Sign.ANY
        return sign_of(node.data.item())


@TRANSFERS.register(SignAnalysis, get_op("add"))
def sign_of_sum(_: relay.Call, left: Sign, right: Sign) -> Sign:
    """Sums of numbers that do not overflow."""
    return add(left, right)


@TRANSFERS.register(SignAnalysis, get_op("multiply"))
def sign_of_product(_: relay.Call, left: Sign, right: Sign) -> Sign:
    """Products of numbers that do not overflow."""
    return mul(left, right)


@TRANSFERS.register(SignAnalysis, get_op("less"))
def sign_of_comparison(_: relay.Call, left: Any, right: Any) -> Sign:  # noqa: ARG001 - any number
    """A truth value is zero or one."""
    return Sign.NON_NEGATIVE
