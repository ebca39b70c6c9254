"""Fold scales of channels into weights, backward and then forward, and evaluate what is constant.

Before::

    %0 = nn.conv2d(%x, meta[relay.Constant][0]);
    multiply(%0, meta[relay.Constant][1])   // one number a channel

After::

    nn.conv2d(%x, meta[relay.Constant][0])  // multiplied
"""

from __future__ import annotations

from relayish.pass_infra import Sequential, register_pass


@register_pass("FoldScaleAxis", opt_level=0, infer_types=True)
def fold_scale_axis() -> Sequential:
    """Scale folding: fold scales of channels into weights, and evaluate these.

    The passes it consists of run where the level of the context is theirs: below 3 it folds
    constants alone.

    Source:
        Relay ``FoldScaleAxis``.
    """
    return Sequential(
        ["BackwardFoldScaleAxis", "ForwardFoldScaleAxis", "FoldConstant"], name="FoldScaleAxis"
    )
