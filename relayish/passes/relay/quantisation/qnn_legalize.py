"""Legalization of quantised operators: what is registered for them, then plain operators.

Before, with nothing registered for ``qnn.dequantize``::

    qnn.dequantize(%x, 0.5f, 3, out_dtype="float32")

After::

    multiply(cast(subtract(cast(%x, dtype="int32"), 3), dtype="float32"), 0.5f)
"""

from __future__ import annotations

from relayish.op.declaration.rewriting import QNN_LEGALIZE
from relayish.pass_infra.base.pass_class import Pass
from relayish.pass_infra.composition.register import register_pass
from relayish.pass_infra.composition.sequential import Sequential


@register_pass(
    "QnnLegalize",
    opt_level=0,
    description="Legalization of qnn: do what is registered for quantised operators, and then "
    "compute them by plain ones.",
)
def qnn_legalize() -> Pass:
    """Return the pipeline that legalises quantised operators, and canonicalises them.

    Source:
        Relay ``qnn.transform.Legalize``.
    """
    steps = (f"Legalize{{legalize_map_attr_name={QNN_LEGALIZE}}}", "QnnCanonicalizeOps")
    return Sequential(steps, name="QnnLegalize")
