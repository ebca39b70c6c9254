"""Backward scale propagation, operator by operator: towards the weights of what produces its data.

Before::

    multiply(relu(add(conv2d(%x, %weight), %bias)), %scale)

After::

    relu(add(conv2d(%x, multiply(%weight, %scale)), multiply(%bias, %scale)))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.op.declaration.op_table import OpTable
from relayish.op.declaration.registry import relay_op
from relayish.op.nn.product import BiasAddAttrs
from relayish.passes.relay.scale_axis.channels import CONVOLUTIONS, result_channels, weight_shape
from relayish.passes.relay.scale_axis.forward import POSITIVE, SUMS
from relayish.passes.relay.scale_axis.message import (
    Arrangement,
    Axes,
    Message,
    are_floats,
    find_arrangement,
    find_squeezed_axes,
    spread,
    tensor_type,
)

Messages: TypeAlias = Sequence[Message | None]
Factor: TypeAlias = Callable[[Expr, Span | None], Expr]
"""What an argument is multiplied by, made of the scale."""


class Passed(NamedTuple):
    """That an argument takes over the scale itself."""


class Accepted(NamedTuple):
    """How a call takes over a scale: the message, and what becomes of each of its arguments."""

    message: Message
    args: tuple[Passed | Factor | None, ...]


class Source(NamedTuple):
    """Which arguments of a call are data and scale, and how the scale is arranged."""

    data: Expr
    scale: Expr
    arrangement: Arrangement


accepts: OpTable[Callable[[Call, Messages], Accepted | None]] = OpTable("acceptors of scales")
"""``accepts.get(op)(call, messages)``: whether and how the call takes over a scale of its result.

``messages`` say what its arguments take over.
"""

sources: OpTable[Callable[[Call, Messages], Source | None]] = OpTable("sources of scales")
"""``sources.get(op)(call, messages)``: whether the call scales an argument that takes that over."""

PASSED: Final = Passed()


def _accept_unary(call: Call, messages: Messages) -> Accepted | None:  # noqa: ARG001
    (message,) = messages
    if message is None:
        return None
    return Accepted(message._replace(positive=True), (PASSED,))


def _accept_sum(call: Call, messages: Messages) -> Accepted | None:
    """Let both terms take over the scale if they can, or multiply the smaller one by it."""
    left, right = messages
    one, other = call.args
    if (
        left is not None
        and right is not None
        and left.axes == right.axes
        and _has_equal_terms(call, left)
    ):
        message = Message(left.axes, left.positive or right.positive)
        return Accepted(message, (PASSED, PASSED))
    if left is not None and find_squeezed_axes(one, other, left.axes) is not None:
        return Accepted(left, (PASSED, _spread_over(call, left.axes)))
    if right is not None and find_squeezed_axes(other, one, right.axes) is not None:
        return Accepted(right, (_spread_over(call, right.axes), PASSED))
    return None


def _has_equal_terms(call: Call, message: Message) -> bool:
    """Return whether both terms are the sum's size along the axes of the message."""
    types = [tensor_type(expr) for expr in (*call.args, call)]
    shapes = [() if ty is None else ty.shape for ty in types]
    if len({len(shape) for shape in shapes}) > 1:
        return False
    sizes = [[shape[axis] for axis in message.axes] for shape in shapes]
    return sizes[0] == sizes[1] == sizes[2] and all(isinstance(size, int) for size in sizes[0])


def _spread_over(call: Call, axes: Axes) -> Factor:
    ty = tensor_type(call)
    assert ty is not None
    shape = ty.shape
    return lambda scale, span: spread(scale, shape, axes, span)


def _accept_bias(call: Call, messages: Messages) -> Accepted | None:
    """Multiply the bias by the scale if it has the same axis."""
    message, attrs, ty = messages[0], call.attrs, tensor_type(call)
    if message is None or ty is None or not isinstance(attrs, BiasAddAttrs):
        return None
    if message.axes != (attrs.axis % len(ty.shape),):
        return None
    return Accepted(message, (PASSED, lambda scale, span: scale))  # noqa: ARG005


def _accept_convolution(call: Call, messages: Messages) -> Accepted | None:  # noqa: ARG001
    channels = result_channels(call)
    if channels is None:
        return None
    axes, weight_axes = channels
    shape = weight_shape(call)
    return Accepted(
        Message(axes), (None, lambda scale, span: spread(scale, shape, weight_axes, span))
    )


def _accept_dense(call: Call, messages: Messages) -> Accepted | None:  # noqa: ARG001
    """Multiply the rows of the matrix, each of which makes one column of the result."""
    result = tensor_type(call)
    if result is None or not are_floats(*call.args, call):
        return None
    shape = (None, None)  # of the matrix: rows, columns
    return Accepted(
        Message((len(result.shape) - 1,)),
        (None, lambda scale, span: spread(scale, shape, (0,), span)),
    )


def _source_in_multiply(call: Call, messages: Messages) -> Source | None:
    """Return the factor that the other one takes over, the first one that does."""
    pairs = ((messages[0], call.args), (messages[1], call.args[::-1]))
    for message, (data, scale) in pairs:
        if message is None:
            continue
        arrangement = find_arrangement(data, scale, message.axes)
        if arrangement is not None and are_floats(data) and message.admits(scale):
            return Source(data, scale, arrangement)
    return None


def _register(ops: Sequence[Op], accept: Callable[[Call, Messages], Accepted | None]) -> None:
    for op in ops:
        accepts.set(op, accept)


_register(POSITIVE, _accept_unary)
_register(SUMS, _accept_sum)
_register((relay_op("nn.bias_add"),), _accept_bias)
_register(CONVOLUTIONS, _accept_convolution)
_register((relay_op("nn.dense"),), _accept_dense)
sources.set(relay_op("multiply"), _source_in_multiply)
