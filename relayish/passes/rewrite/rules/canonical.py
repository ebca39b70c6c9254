"""Operators that are short for several simple ones."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.call import attrs_of
from relayish.passes.rewrite.rules.table import CallRules, broadcast_along, op, tensor_of

CANONICAL: Final = CallRules("canonical operators")
"""What ``CanonicalizeOps`` makes of calls."""


@CANONICAL.call("nn.bias_add")
def bias_add(before: Call, call: Call) -> Expr:
    """Add the bias, along its axis."""
    data, bias = call.args
    rank = len(tensor_of(before.args[0]).shape)
    total: Expr = op.add(data, broadcast_along(bias, rank, attrs_of(call).axis))
    return total
