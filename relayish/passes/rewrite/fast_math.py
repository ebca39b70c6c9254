"""Fast math: replace functions by faster approximations of them.

Before::

    nn.softmax(tanh(%x))

After::

    nn.fast_softmax(fast_tanh(%x))
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.pass_infra import register_pass
from relayish.passes.rewrite.rules.fast_math import FAST_MATH


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
    return FAST_MATH.rewrite(expr)
