"""Spell out what operators of training do when a network is only run.

Before::

    %0 = nn.dropout(nn.batch_norm(%x, %gamma, %beta, %mean, %var).0);
    %0.0

After::

    %0 = 1f / sqrt(%var + 1e-05f) * %gamma;
    %x * expand_dims(%0, axis=1, num_newaxis=2)
      + expand_dims(negative(%mean) * %0 + %beta, axis=1, num_newaxis=2)
"""

from __future__ import annotations

from relayish.dataflow_pattern import rewrite_rules
from relayish.ir.relay.expr import Expr
from relayish.pass_infra import register_pass
from relayish.passes.relay.rewrite.rules.inference import INFERENCE


@register_pass("SimplifyInference", opt_level=0, infer_types=True, idempotent=True)
def simplify_inference(expr: Expr) -> Expr:
    """Inference-time expansion: spell out normalisation, and remove dropout.

    Return ``expr``, whose types are known, with normalisation spelt out and dropout removed.

    Batch normalisation and dropout return several tensors; the first of each is replaced where it
    is taken out of the call. Further normalisations (layer, group, instance, ``l2_normalize``) are
    replaced whole. Constants are of the element type of the data.

    Args:
        expr: A well-formed expression with its types inferred.

    Returns:
        ``expr`` itself when there is none of these in it.

    Raises:
        PassError: If one of these operators is applied to data whose type was not inferred.

    Complexity:
        Linear in the number of distinct nodes; no recursion.

    Source:
        Relay ``SimplifyInference``; epsilon keeps the precision of the data, and groups may be
        normalised whatever of the shape is unknown.
    """
    return rewrite_rules(INFERENCE, expr, keep_order=True)
