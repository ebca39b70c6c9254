"""Fast math: replace functions by faster approximations of them.

Before::

    nn.softmax(tanh(%x))

After::

    nn.fast_softmax(fast_tanh(%x))
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.passes.rules.fast_math import FAST_MATH
from relayish.transform import FunctionPass, register_pass


def fast_math(expr: Expr) -> Expr:
    """Return ``expr`` with ``exp``, ``erf``, ``tanh`` and ``softmax`` replaced by faster operators.

    Returns:
        ``expr`` itself when there is none of them in it.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``FastMath``.
    """
    return FAST_MATH.rewrite(expr)


@register_pass(opt_level=4, idempotent=True)
class FastMath(FunctionPass, applies=fast_math):
    """Replace ``exp``, ``erf``, ``tanh`` and ``softmax`` by faster approximations.

    Pass form of :func:`fast_math`.
    """
