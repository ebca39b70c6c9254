"""Initial states of recurrent layers that are what they are when nothing is said of them."""

from __future__ import annotations

import numpy as np

from relayish.ir.relay.expr import Call, Expr
from relayish.onnx.calls import ABSENT, inputs_of, is_absent, with_parts
from relayish.passes.onnx.rewrite.engine import Rewriter, rule
from relayish.passes.onnx.rewrite.rules.dimensions import input_of

_STATES = {"RNN": (5,), "GRU": (5,), "LSTM": (5, 6)}
"""By operator: the inputs that are zeros where they are missing."""
_MOVING = (
    "Expand", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Tile", "Transpose",
    "Unsqueeze",
)  # fmt: skip
"""Operators whose results have no elements but those of their first input."""


@rule(*_STATES)
def leave_out_zero_states(call: Call, graph: Rewriter) -> Expr | None:
    """``GRU(x, w, r, b, , zeros)`` is ``GRU(x, w, r, b)``, of however large a batch."""
    inputs = list(inputs_of(call))
    zeros = [
        place
        for place in _STATES[graph.operator(call) or ""]
        if (state := input_of(call, place)) is not None and is_zero(state, graph)
    ]
    if not zeros:
        return None
    for place in zeros:
        inputs[place] = ABSENT
    while is_absent(inputs[-1]):
        inputs.pop()
    return with_parts(call, inputs=inputs)


def is_zero(expr: Expr, graph: Rewriter) -> bool:
    """Return whether all elements of a tensor are ``0.0``, whatever its shape is."""
    while True:
        value = graph.constant(expr)
        if value is None and (filled := graph.producer(expr, "ConstantOfShape")) is not None:
            value = graph.attribute(filled, "value", np.zeros(1))
        if value is not None:
            return not np.any(value) and not np.any(np.signbit(value))
        moved = graph.producer(expr, *_MOVING)
        if moved is None:
            return False
        expr = moved.args[0]


RULES = (leave_out_zero_states,)
