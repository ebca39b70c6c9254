"""Canonicalization: write operators that are short for others as these others.

Before::

    nn.bias_add(%x, %bias)

After::

    add(%x, expand_dims(%bias, axis=1, num_newaxis=2))
"""

from __future__ import annotations

from relayish.dataflow_pattern import rewrite_rules, rule
from relayish.ir.relay.expr import Call, Expr
from relayish.op.builders.builder import op
from relayish.op.builders.call import attrs_of
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.rules.tensors import broadcast_along, tensor_of
from relayish.rewriting.rule import Facts


@rule("nn.bias_add")
def add_bias(call: Call, facts: Facts) -> Expr:
    """Add the bias, along its axis."""
    data, bias = call.args
    rank = len(tensor_of(facts.pre.args[0]).shape)
    total: Expr = op.add(data, broadcast_along(bias, rank, attrs_of(call).axis))
    return total


@register_pass("CanonicalizeOps", opt_level=3, infer_types=True, idempotent=True)
def canonicalize_ops(expr: Expr) -> Expr:
    """Operator canonicalisation: write ``nn.bias_add`` as an addition.

    Return ``expr``, whose types are known, with biases added by a plain addition.

    Returns:
        ``expr`` itself when there are none.

    Raises:
        PassError: If a bias is added to data whose type was not inferred.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``CanonicalizeOps``.
    """
    return rewrite_rules([add_bias], expr, keep_order=True)
