"""Scale and bias folding: put constants that a value is multiplied by, or added to, into weights.

Before::

    let %y = Conv_11(%x, %W);
    let %z = Mul_14(%y, %s);      // (64, 1, 1)
    let %u = Add_14(%z, %t);      // (64, 1, 1)

After::

    let %u = Conv_11(%x, %W1, %t1);   // W1 = W * s, by channel
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine_rules import affine_rules
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function

RULES: Final = OnnxRules(affine_rules("Add", "Sub", "Mul", "Div", "Neg"))


@register_pass("FuseScaleShift", opt_level=2, idempotent=True)
def fuse_scale_shift(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Scale and bias folding: put what a value is multiplied by, or added to, into weights.

    ``Mul``, ``Div``, ``Add``, ``Sub`` by a constant that is one number, or one for each channel,
    and ``Neg``, go into the weights and the bias of what gives the value (``Conv``,
    ``ConvTranspose``, ``Gemm``, ``MatMul``, normalisations), if nothing else uses it, or of what
    uses it. A product of matrices that a bias is added to becomes a ``Gemm``. Views between are no
    hindrance. Numbers are computed as ``float64`` and rounded once.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes and the elements of the weights concerned.
    """
    return rewrite_function(func, RULES, mod)
