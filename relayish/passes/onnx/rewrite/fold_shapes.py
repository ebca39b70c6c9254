"""Shapes that are known before the program runs: constants.

Before::

    let %s = onnx::Shape_13(%x);            // %x: Tensor[(n, 4, 8), float32]
    let %n = onnx::Gather_13(%s, [0]);
    let %t = onnx::Concat_13(%n, [-1]){axis=0};
    let %y = onnx::Reshape_13(%x, %t);
    %y

After::

    let %y = onnx::Reshape_13(%x, [0, 32]);
    %y
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function
from relayish.passes.onnx.rewrite.rules.constants import fold_calls, fold_known_value, take_constant
from relayish.passes.onnx.rewrite.rules.views import fold_expand_target, fold_reshape_target

RULES: Final = OnnxRules((
    take_constant, fold_calls(), fold_known_value, fold_reshape_target, fold_expand_target,
))  # fmt: skip


@register_pass("FoldShapes", opt_level=1, idempotent=True)
def fold_shapes(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Shape folding: compute before the program runs what types tell of shapes.

    Return ``func`` with constants for shapes that are known, and for what is computed of these.
    ``Reshape`` and ``Expand`` to a shape of which one dimension is open, or the same as before, are
    told so by a constant as well.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes, not counting evaluation.
    """
    return rewrite_function(func, RULES, mod)
