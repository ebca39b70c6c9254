"""Losses."""

from __future__ import annotations

from relayish.ir.attrs import Attrs, attrs
from relayish.op.registry import OpPattern, register_op


@attrs("relay.attrs.NLLLossAttrs")
class NLLLossAttrs(Attrs):
    """Attributes of ``nn.nll_loss``."""

    reduction: str = "mean"
    ignore_index: int  # type: ignore[misc]  # required, given by name


register_op("nn.cross_entropy", arguments_=("x", "y"))
register_op("nn.cross_entropy_with_logits", arguments_=("x", "y"))
register_op(
    "nn.nll_loss",
    arguments_=("predictions", "targets", "weights"),
    attrs=NLLLossAttrs,
    fuses=OpPattern.OUT_ELEMWISE_FUSABLE,
)
