"""Gradients of operators, as they were registered."""

from __future__ import annotations

from relayish.errors import GradientError, RelayishError
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.type import Type
from relayish.op.declaration.properties import primal_gradient
from relayish.op.declaration.registry import relay_op
from relayish.passes.relay.gradient.ad.structure import tensors_in


def has_gradient(op: Op, result: Type) -> bool:
    """Return whether gradients go back through calls of ``op`` whose result is a ``result``.

    An operator without a gradient is passed by where its result has no elements between which
    others lie: comparisons and what finds positions have zero derivatives almost everywhere.

    Raises:
        GradientError: If ``op`` has no gradient and its result would need one.
    """
    if op in primal_gradient:
        return True
    tensors = tensors_in(result)
    if tensors is not None and not any("float" in tensor.dtype for tensor in tensors):
        return False
    name = op.full_name
    raise GradientError(
        f"operator {name} has no gradient; declare one with register_gradient({name!r})"
    )


def gradients_of(call: Call, grad: Expr) -> tuple[Expr, ...]:
    """Return the gradients of the arguments of ``call``, a call of an operator that has one.

    Raises:
        GradientError: If there are not as many as arguments.
    """
    op = call.op
    assert isinstance(op, Op)
    rule = primal_gradient.get(op)
    assert rule is not None
    try:
        gradients = tuple(rule(call, grad))
    except RelayishError as error:
        error.add_note(f"in the gradient of operator {op.full_name}")
        raise
    if len(gradients) != len(call.args):
        raise GradientError(
            f"the gradient of operator {op.full_name} returned {len(gradients)} gradients for a "
            f"call with {len(call.args)} arguments; expected one for each"
        )
    return gradients


def is_zero(grad: Expr) -> bool:
    """Return whether ``grad`` plainly adds nothing."""
    return type(grad) is Call and grad.op is _ZEROS_LIKE


def call_of(name: str, *args: Expr) -> Call:
    """Return a call of an operator that has no attributes."""
    return Call(relay_op(name), args)


_ZEROS_LIKE = relay_op("zeros_like")
