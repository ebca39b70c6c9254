"""Fast math: replace functions by faster approximations of them.

Before::

    nn.softmax(tanh(%x))

After::

    nn.fast_softmax(fast_tanh(%x))
"""

from __future__ import annotations

from typing import Final

from relayish.dataflow_pattern import rewrite_rules, rule
from relayish.ir.relay.expr import Call, Expr, Op
from relayish.ir.relay.op import intern_op
from relayish.pass_infra import register_pass
from relayish.rewriting.relay.facts import RelayFacts

FASTER: Final = {
    intern_op("erf"): intern_op("fast_erf"),
    intern_op("exp"): intern_op("fast_exp"),
    intern_op("nn.softmax"): intern_op("nn.fast_softmax"),
    intern_op("tanh"): intern_op("fast_tanh"),
}
"""The faster operator, which is less exact and takes the same arguments and attributes."""


@rule(*FASTER)
def call_faster(call: Call, _: RelayFacts) -> Expr:
    """Call the faster operator."""
    assert isinstance(call.op, Op)
    return call.with_fields(op=FASTER[call.op])


@register_pass(
    "FastMath",
    opt_level=4,
    idempotent=True,
    preserves=(
        "DefiniteInitialisation",
        "Dominators",
        "Liveness",
        "PostDominators",
        "ReachingDefinitions",
    ),
)
def fast_math(expr: Expr) -> Expr:
    """Fast-math approximation: replace ``exp``, ``erf``, ``tanh`` and ``softmax`` by faster ones.

    Return ``expr`` with ``exp``, ``erf``, ``tanh`` and ``softmax`` replaced by faster operators.

    Returns:
        ``expr`` itself when there is none of them in it.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FastMath``.
    """
    return rewrite_rules([call_faster], expr, keep_order=True)
