"""Canonicalization of quantised operators: plain operators in their place.

Before::

    qnn.requantize(%x, 0.5f, 3, 0.25f, 0, out_dtype="int8")

After::

    %0 = subtract(cast(%x, dtype="int64"), 3i64);
    %1 = right_shift(add(multiply(%0, 1073741824i64), 268435456i64), 29i64);
    cast(clip(%1, a_min=-128f, a_max=127f), dtype="int8")
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.op.declaration.rewriting import QNN_CANONICALIZE
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.legalize import legalize


@register_pass(
    "QnnCanonicalizeOps", opt_level=1, required=("InferType",), infer_types=True, idempotent=True
)
def qnn_canonicalize_ops(expr: Expr) -> Expr:
    """Operator canonicalisation of ``qnn``: compute quantised operators by plain ones.

    Return ``expr``, whose types are known, with calls of quantised operators replaced by calls of
    plain ones, which compute the same integers. Where scales are constants, fractions and shifts
    stand for them, and tables for functions of bytes; others are taken apart when it runs. A call
    whose attributes nothing says how to evaluate stays as it is. Simulated quantisation is plain
    already.

    Returns:
        ``expr`` itself where there is nothing to replace.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``qnn.transform.CanonicalizeOps``, that is ``Legalize("FTVMQnnCanonicalize")``.
    """
    return legalize(expr, legalize_map_attr_name=QNN_CANONICALIZE)
