"""Simplification of layers: sums behind products, and dropout that drops nothing."""

from __future__ import annotations

from typing import Final

from relayish.dataflow_pattern import Found, Rule, RuleSet, is_tuple_get_item, rule, wildcard
from relayish.dataflow_pattern.pattern import DFPattern
from relayish.ir.relay.expr import Call, Expr, TupleGetItem
from relayish.op.builders.call import relay_call
from relayish.passes.relay.rewrite.simplify.common import is_relay_op, same_type, static_type

_data = wildcard()


_IDLE: Final = is_relay_op("nn.dropout")(_data).has_attr({"rate": 0.0})


@rule(is_tuple_get_item(_IDLE, 0), keeps_order=True)  # what it draws, nobody sees
def drop_idle_dropout(get: TupleGetItem, found: Found) -> Expr:  # noqa: ARG001 - as rules are called
    """Drop a dropout that lets everything pass."""
    return found[_data]


def _bias_before_reshape(name: str) -> Rule:
    """Return the rule that adds what is added to a reshaped product before the reshape.

    There it stands next to the product, into which later passes and kernels can draw it.
    """
    product: DFPattern = (
        is_relay_op("nn.dense") | is_relay_op("nn.matmul") | is_relay_op("nn.batch_matmul")
    )
    multiplied = product(wildcard(), wildcard())
    reshaped, bias = is_relay_op("reshape")(multiplied), wildcard()

    @rule(is_relay_op(name)(reshaped, bias))
    def bias_before_reshape(call: Call, found: Found) -> Expr:
        before, after = static_type(found, found[multiplied]), static_type(found, call)
        added = static_type(found, found[bias])
        if before is None or after is None or added is None or 0 in after.shape:
            return call
        if call.attrs is not None and call.attrs.get("axis") not in (-1, len(after.shape) - 1):
            return call
        *leading, size = added.shape or (0,)
        if any(each != 1 for each in leading) or not size == before.shape[-1] == after.shape[-1]:
            return call
        if not same_type(found, found[reshaped], call):
            return call
        attrs = None if call.attrs is None else call.attrs.with_values(axis=-1)
        total = Call(call.op, (found[multiplied], found[bias]), attrs, span=call.span)
        if not same_type(found, total, found[multiplied]):
            return call
        return relay_call("reshape", total, newshape=after.shape, span=call.span)

    bias_before_reshape.name = f"{name} before reshape"
    return bias_before_reshape


NETWORK: Final = RuleSet([drop_idle_dropout])
LATE: Final = RuleSet([_bias_before_reshape("add"), _bias_before_reshape("nn.bias_add")])
"""What is done when nothing else is left to do, which it might hide."""
