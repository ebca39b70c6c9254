"""Operators that take a shape or an element type from another tensor, told it instead."""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.dataflow_pattern import Found, Rule, RuleSet, rule, wildcard
from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.values.value import as_value
from relayish.op.builders.call import relay_call
from relayish.op.declaration.registry import relay_op
from relayish.op.tensor.creation import InitOpAttrs
from relayish.passes.relay.rewrite.simplify.common import is_relay_op, static_type, tensor_type

_data, _like = wildcard(), wildcard()


def _make_fill_rule(name: str, filler: str) -> Rule:
    """Return the rule that makes of ``name`` of a tensor ``filler`` of its shape."""

    @rule(is_relay_op(name)(_data))
    def fill(call: Call, found: Found) -> Expr:
        ty = static_type(found, call)
        if ty is None or not found.may_drop(found[_data]):
            return call
        return relay_call(filler, shape=ty.shape, dtype=ty.dtype, span=call.span)

    fill.name = name
    return fill


@rule(is_relay_op("full_like")(_data, _like))
def replace_full_like(call: Call, found: Found) -> Expr:
    """Fill a shape with a value."""
    ty, value = static_type(found, call), tensor_type(found, found[_like])
    if ty is None or value is None or value.shape or not found.may_drop(found[_data]):
        return call
    return relay_call("full", found[_like], shape=ty.shape, dtype=ty.dtype, span=call.span)


@rule(is_relay_op("reshape_like")(_data, _like))
def reshape_like(call: Call, found: Found) -> Expr:
    """Reshape to a shape."""
    ty = static_type(found, call)
    if ty is None or 0 in ty.shape or not found.may_drop(found[_like]):
        return call
    return relay_call("reshape", found[_data], newshape=ty.shape, span=call.span)


@rule(is_relay_op("broadcast_to_like")(_data, _like))
def broadcast_to_like(call: Call, found: Found) -> Expr:
    """Broadcast to a shape."""
    ty = static_type(found, call)
    if ty is None or not found.may_drop(found[_like]):
        return call
    return relay_call("broadcast_to", found[_data], shape=ty.shape, span=call.span)


@rule(is_relay_op("collapse_sum_like")(_data, _like))
def collapse_sum_like(call: Call, found: Found) -> Expr:
    """Sum to a shape, which attributes repeat, as in Relay: from these the type is known."""
    ty = static_type(found, call)
    if ty is None or not found.may_drop(found[_like]):
        return call
    sizes = Constant(as_value(np.array(ty.shape, "int32")))
    told = InitOpAttrs(tuple(size for size in ty.shape if isinstance(size, int)))
    return Call(relay_op("collapse_sum_to"), (found[_data], sizes), told, span=call.span)


@rule(is_relay_op("cast_like")(_data, _like))
def cast_like(call: Call, found: Found) -> Expr:
    """Convert to an element type."""
    ty = tensor_type(found, call)
    if ty is None or not found.may_drop(found[_like]):
        return call
    return relay_call("cast", found[_data], dtype=ty.dtype, span=call.span)


CONCRETISE: Final = RuleSet(
    [
        _make_fill_rule("zeros_like", "zeros"),
        _make_fill_rule("ones_like", "ones"),
        replace_full_like,
        reshape_like,
        collapse_sum_like,
        broadcast_to_like,
        cast_like,
    ]
)
