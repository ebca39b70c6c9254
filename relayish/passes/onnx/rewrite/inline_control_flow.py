"""Ifs and loops of ONNX that are decided: what they lead to.

Before::

    let %y = onnx::If_16(true, fn (%a) { let %b = onnx::Relu_14(%a); %b }, fn (%a) { %a }, %x);
    %y

After::

    let %b = onnx::Relu_14(%x);
    %b
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function
from relayish.passes.onnx.rewrite.rules import control_flow, feasible_ranks
from relayish.passes.onnx.rewrite.rules.constants import fold_calls, fold_known_value, take_constant

RULES: Final = OnnxRules(
    (take_constant, *control_flow.RULES, fold_calls(), fold_known_value, *feasible_ranks.RULES)
)


@register_pass("InlineControlFlow", opt_level=1, idempotent=True)
def inline_control_flow(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Control flow of ONNX that is known: put branches and bodies of loops where they run.

    Return ``func`` with the branch of each ``If`` in its place whose condition is known, of types
    too, and without loops that do not run, or run once: the body stands in their place.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes, not counting evaluation of conditions.
    """
    return rewrite_function(func, RULES, mod)
