"""Functions for which there is a faster operator that is less exact."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.op import intern_op
from relayish.passes.rewrite.rules.table import CallRules

FAST_MATH: Final = CallRules("fast math")
"""What ``FastMath`` makes of calls."""

FASTER: Final = {
    intern_op("erf"): intern_op("fast_erf"),
    intern_op("exp"): intern_op("fast_exp"),
    intern_op("nn.softmax"): intern_op("nn.fast_softmax"),
    intern_op("tanh"): intern_op("fast_tanh"),
}
"""The faster operator, which takes the same arguments and attributes."""


@FAST_MATH.call(*FASTER)
def call_faster(_: Call, call: Call) -> Expr:
    """Call the faster operator."""
    assert isinstance(call.op, Op)
    return call.with_fields(op=FASTER[call.op])
