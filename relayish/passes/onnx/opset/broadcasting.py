"""Steps by which operators came to broadcast as numpy does: shapes are matched from the end."""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr, Var
from relayish.passes.onnx.opset.step import Adapter, Step


def _broadcast(step: Step) -> Expr:
    """Give the second operand dimensions behind its own, where it was aligned with ``axis``."""
    broadcast, axis = step.pop("broadcast", 0), step.pop("axis")
    step.pop("consumed_inputs")
    if broadcast and axis is not None:
        rank = step.rank(0, "what the second operand is aligned with")
        own = step.rank(1, "where it ends")
        count = rank - (axis + rank if axis < 0 else axis) - own
        if count < 0:
            step.refuse(
                f"its second operand, of rank {own}, does not fit into the first, of rank {rank}, "
                f"from axis {axis}"
            )
        if count:
            step.put(1, _append_dimensions(step, own, count))
    return step.finish()


def _align_slope(step: Step) -> Expr:
    """Align the slope of ``PRelu`` with the channels, the second axis."""
    own = step.rank(1, "what it is aligned with")
    slope = step.inputs[1]
    assert slope is not None
    shape = step.graph.shape_of(slope)
    if own == 1 and (shape is None or shape[0] != 1):
        count = step.rank(0, "where its channels are") - 2
        if count > 0:
            step.put(1, _append_dimensions(step, own, count))
    return step.finish()


def _append_dimensions(step: Step, own: int, count: int) -> Var:
    value = step.inputs[1]
    assert value is not None
    constant = step.graph.constant(value)
    if constant is not None:
        shaped = constant.reshape((*constant.shape, *[1] * count))
        return step.constant(shaped, constant.dtype, "aligned")
    return step.emit("Unsqueeze", [value], axes=tuple(range(own, own + count)))


_OPERATORS: Final = (
    "Add", "And", "Div", "Equal", "Greater", "Less", "Mul", "Or", "Pow", "Sub", "Xor",
)  # fmt: skip

ADAPTERS: Final[dict[tuple[str, int], Adapter]] = {
    **{(name, 7): _broadcast for name in _OPERATORS},
    ("PRelu", 7): _align_slope,
}
