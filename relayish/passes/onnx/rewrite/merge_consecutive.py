"""Operators of ONNX in a row that are one: changes of shape, transpositions, casts, slices.

Before::

    let %a = onnx::Transpose_13(%x){perm=[1, 2, 0]};
    let %b = onnx::Transpose_13(%a){perm=[1, 2, 0]};
    let %c = onnx::Reshape_13(%b, [2, -1]);
    let %y = onnx::Reshape_13(%c, [-1, 6]);
    %y

After::

    let %b = onnx::Transpose_13(%x){perm=[2, 0, 1]};
    let %y = onnx::Reshape_13(%b, [-1, 6]);
    %y
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function
from relayish.passes.onnx.rewrite.rules import consecutive, views
from relayish.passes.onnx.rewrite.rules.identities import remove_reshape, remove_transpose

RULES: Final = OnnxRules((remove_reshape, remove_transpose, *views.RULES, *consecutive.RULES))


@register_pass("MergeConsecutive", opt_level=1, idempotent=True)
def merge_consecutive(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Merging of operators of ONNX in a row: do at once what two of them do.

    Return ``func`` with one ``Reshape`` for several changes of the shape, one ``Transpose``,
    ``Concat``, ``Cast``, ``Slice``, ``Squeeze`` or ``Unsqueeze`` for two in a row: where the result
    is the same in every bit, and no more is computed than before.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)
