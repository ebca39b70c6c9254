"""Canonicalization: write operators that are short for others as these others.

Before::

    nn.bias_add(%x, %bias)

After::

    add(%x, expand_dims(%bias, axis=1, num_newaxis=2))
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.pass_infra import register_pass
from relayish.passes.rewrite.rules.canonical import CANONICAL


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
    return CANONICAL.rewrite(expr)
