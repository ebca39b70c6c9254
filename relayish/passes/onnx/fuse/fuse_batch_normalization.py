"""Batch-normalisation folding: put what it multiplies and adds into weights next to it.

Before::

    let %y = Conv_11(%x, %W, %b);
    let %z = BatchNormalization_15(%y, %scale, %B, %mean, %variance);

After::

    let %z = Conv_11(%x, %W1, %b1);   // W1 = W * scale / sqrt(variance + epsilon), by channel
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine_rules import affine_rules
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function

RULES: Final = OnnxRules(affine_rules("BatchNormalization"))


@register_pass("FuseBatchNormalization", opt_level=2, idempotent=True)
def fuse_batch_normalization(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Batch-normalisation folding: put what it multiplies and adds into weights next to it.

    A batch normalisation that does not train multiplies each channel by one number and adds
    another. Behind ``Conv``, ``ConvTranspose``, ``Gemm``, ``MatMul`` and other normalisations,
    nothing else using their results, these go into the weights and the bias; before ``Conv``,
    ``Gemm`` and the like too, but for a sum where the convolution pads. Views between (``Reshape``,
    ``Transpose``, ...) are no hindrance. Numbers are computed as ``float64`` and rounded once to
    the element type of the weights, so results differ by rounding alone.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of the weights concerned.
    """
    return rewrite_function(func, RULES, mod)
