"""Forward scale propagation, operator by operator: towards the weights of what consumes it.

Before::

    conv2d(add(relu(multiply(%x, %scale)), %bias), %weight)

After::

    conv2d(add(relu(%x), divide(%bias, %scale)), multiply(%weight, %scale))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.op.builders.call import relay_call
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import relay_op
from relayish.passes.relay.scale_axis.channels import CONVOLUTIONS, data_channels, weight_shape
from relayish.passes.relay.scale_axis.message import (
    Axes,
    Message,
    are_floats,
    arrange,
    find_arrangement,
    find_squeezed_axes,
    spread,
    tensor_type,
)


class Scaled(NamedTuple):
    """A tensor that is still to be multiplied: ``value`` by ``scale`` along ``axes``."""

    value: Expr
    scale: Expr
    axes: Axes
    span: Span | None


Demand: TypeAlias = Callable[[Call, Message | None], Sequence[Message | None]]
Rewrite: TypeAlias = Callable[[Call, Sequence[Expr | Scaled]], Expr | Scaled]

demands: OpTable[Demand] = OpTable("demands of forward scales")
"""``demands.get(op)(call, message)``: what the call takes over, for each of its arguments.

``message`` is what all consumers of its result take over. Operators without take over nothing.
"""

rewrites: OpTable[Rewrite] = OpTable("rewrites of forward scales")
"""``rewrites.get(op)(call, args)``: the call on its new arguments, perhaps itself still to scale.

One argument is :class:`Scaled`, one that the call takes over.
"""

sources: OpTable[Callable[[Call, Sequence[Expr], Message], Scaled | None]] = OpTable(
    "sources of forward scales"
)
"""``sources.get(op)(call, args, message)``: what is held back of the call, on its new arguments."""


def _demand_of_unary(call: Call, message: Message | None) -> Sequence[Message | None]:  # noqa: ARG001
    return (None if message is None else message._replace(positive=True),)


def _rewrite_unary(call: Call, args: Sequence[Expr | Scaled]) -> Scaled:
    data = _find_scaled(args)
    return data._replace(value=call.with_fields(args=(data.value,)))


def _demand_of_sum(call: Call, message: Message | None) -> Sequence[Message | None]:
    """Take over what the smaller term can be divided by."""
    if message is None:
        return (None, None)
    passed = message._replace(not_zero=True)
    left, right = call.args
    if find_squeezed_axes(left, right, message.axes) is not None:
        return (passed, None)
    if find_squeezed_axes(right, left, message.axes) is not None:
        return (None, passed)
    return (None, None)


def _rewrite_sum(call: Call, args: Sequence[Expr | Scaled]) -> Scaled:
    data, ty = _find_scaled(args), tensor_type(call)
    assert ty is not None
    terms = []
    for arg in args:
        if isinstance(arg, Scaled):
            terms.append(arg.value)
            continue
        scale = spread(data.scale, ty.shape, data.axes, call.span)
        terms.append(relay_call("divide", arg, scale, span=call.span))
    return data._replace(value=call.with_fields(args=terms))


def _demand_of_convolution(
    call: Call,
    message: Message | None,  # noqa: ARG001
) -> Sequence[Message | None]:
    channels = data_channels(call)
    return (None if channels is None else Message(channels[0]), None)


def _rewrite_convolution(call: Call, args: Sequence[Expr | Scaled]) -> Expr:
    channels = data_channels(call)
    assert channels is not None
    data = _find_scaled(args)
    scale = spread(data.scale, weight_shape(call), channels[1], data.span)
    return _with_scaled_weight(call, args, scale)


def _demand_of_dense(call: Call, message: Message | None) -> Sequence[Message | None]:  # noqa: ARG001
    data = tensor_type(call.args[0])
    if data is None or not are_floats(*call.args, call):
        return (None, None)
    return (Message((len(data.shape) - 1,)), None)


def _rewrite_dense(call: Call, args: Sequence[Expr | Scaled]) -> Expr:
    return _with_scaled_weight(call, args, _find_scaled(args).scale)


def _with_scaled_weight(call: Call, args: Sequence[Expr | Scaled], scale: Expr) -> Expr:
    data, weight = _find_scaled(args), args[1]
    assert not isinstance(weight, Scaled)
    return call.with_fields(
        args=(data.value, relay_call("multiply", weight, scale, span=data.span))
    )


def _find_scaled(args: Sequence[Expr | Scaled]) -> Scaled:
    return next(arg for arg in args if isinstance(arg, Scaled))


def _source_in_multiply(call: Call, args: Sequence[Expr], message: Message) -> Scaled | None:
    """Hold back the factor that the consumers take over, the second one if they take both."""
    (left, right), (new_left, new_right) = call.args, args
    pairs = ((left, right, new_left, new_right), (right, left, new_right, new_left))
    for data, scale, new_data, new_scale in pairs:
        arrangement = find_arrangement(data, scale, message.axes)
        if arrangement is not None and are_floats(data) and message.admits(scale):
            found = arrange(new_scale, arrangement, call.span)
            return Scaled(new_data, found, message.axes, call.span)
    return None


def _register(ops: Sequence[Op], demand: Demand, rewrite: Rewrite) -> None:
    for op in ops:
        demands.set(op, demand)
        rewrites.set(op, rewrite)


POSITIVE: Final = (relay_op("nn.relu"), relay_op("nn.leaky_relu"))
"""Operators that a positive factor can be taken out of."""
SUMS: Final = (relay_op("add"), relay_op("subtract"))
"""Sums of two terms, which any factor can be taken out of."""

_register(POSITIVE, _demand_of_unary, _rewrite_unary)
_register(SUMS, _demand_of_sum, _rewrite_sum)
_register(CONVOLUTIONS, _demand_of_convolution, _rewrite_convolution)
_register((relay_op("nn.dense"),), _demand_of_dense, _rewrite_dense)
sources.set(relay_op("multiply"), _source_in_multiply)
