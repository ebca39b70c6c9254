"""Sequences of ONNX whose elements are known: tensors.

Before::

    let %s = onnx::SplitToSequence_11(%x, [2, 3]){axis=1};
    let %y = onnx::SequenceAt_11(%s, 1);
    %y

After::

    let %t = onnx::Split_13(%x, [2, 3]){axis=1, _outputs=2};
    let %y = %t.1;
    %y
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function
from relayish.passes.onnx.rewrite.rules import sequences
from relayish.passes.onnx.rewrite.rules.constants import take_constant

RULES: Final = OnnxRules((take_constant, *sequences.RULES))


@register_pass("SequenceToTensors", opt_level=1, idempotent=True)
def sequence_to_tensors(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Scalar replacement of sequences of ONNX: use their elements themselves.

    Return ``func`` with the elements of sequences where they are taken out, counted or
    concatenated, as long as it is known which they are; ``SplitToSequence`` becomes ``Split``.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes and the elements of sequences that are taken out.
    """
    return rewrite_function(func, RULES, mod)
