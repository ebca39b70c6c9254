"""Simplification and fusion of programs of ONNX, to a common fixed point.

Before::

    let %y = Conv_11(%x, %W);
    let %i = Identity_16(%y);
    let %z = BatchNormalization_15(%i, %scale, %B, %mean, %variance);

After::

    let %z = Conv_11(%x, %W1, %b1);
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse import fuse_onnx
from relayish.passes.onnx.rewrite.engine import rewrite_function
from relayish.passes.onnx.rewrite.engine.constants import room_of
from relayish.passes.onnx.rewrite.simplify_onnx import SIZE_LIMIT, simplifying_rules


@register_pass("OptimizeOnnx", opt_level=2, idempotent=True)
def optimize_onnx(func: Expr, *, mod: IRModule | None = None, size_limit: int = SIZE_LIMIT) -> Expr:
    """Simplify and fuse a program of ONNX until nothing is left to do.

    The rules of ``SimplifyOnnx`` and of ``FuseOnnx`` give work to each other; here they are applied
    together, in one walk.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.
        size_limit: How many elements a folded tensor may have, unless its operands have as many.

    Returns:
        ``func`` itself where there is nothing to do.

    Complexity:
        Linear in the nodes and what they become, not counting evaluation.
    """
    rules = (*simplifying_rules(room_of(func, size_limit)), *fuse_onnx.RULES)
    return rewrite_function(func, rules, mod)
