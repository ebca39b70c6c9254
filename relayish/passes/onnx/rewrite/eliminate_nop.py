"""Operators that give back what they are given: drop them.

Before::

    let %a = onnx::Identity_16(%x);
    let %b = onnx::Mul_14(%a, 1f);
    let %c = onnx::Reshape_14(%b, [2, 3]);  // which is the shape of %x
    let %y = onnx::Relu_14(%c);
    %y

After::

    let %y = onnx::Relu_14(%x);
    %y
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function
from relayish.passes.onnx.rewrite.rules import arithmetic, identities, initial_states

_OTHERS = (*identities.RULES, *initial_states.RULES)
RULES: Final = OnnxRules((*_OTHERS, *arithmetic.make_rules()))


@register_pass("EliminateNop", opt_level=1, idempotent=True)
def eliminate_nop(func: Expr, *, mod: IRModule | None = None, signed_zeros: bool = False) -> Expr:
    """No-op elimination: drop operators of ONNX that give back what they are given.

    Return ``func`` without ``Identity``, ``Dropout`` where nothing is trained, casts to the type
    that there is, changes of the shape to what it is, transpositions that leave all in place,
    padding by nothing, slices of everything, sums of one tensor, ``x + 0``, ``x * 1`` and the
    like, and initial states of recurrent layers that are zeros. ``CastLike`` becomes ``Cast`` where
    the type is known. Values are the same, but that ``-0.0`` may stay where ``x + 0.0`` would give
    ``0.0``.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.
        signed_zeros: Tell ``-0.0`` from ``0.0``: keep ``x + 0.0``.

    Complexity:
        Linear in the nodes.
    """
    rules = (*_OTHERS, *arithmetic.make_rules(signed_zeros=True)) if signed_zeros else RULES
    return rewrite_function(func, rules, mod)
