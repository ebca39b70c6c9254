"""Constant nodes: make them constants of the program.

Before::

    let %c = onnx::Constant_13(){value=...};
    let %y = onnx::Add_14(%x, %c);
    %y

After::

    let %c = meta[relay.Constant][0];
    let %y = onnx::Add_14(%x, %c);
    %y
"""

from __future__ import annotations

from typing import Final

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, rewrite_function
from relayish.passes.onnx.rewrite.rules.constants import take_constant

RULES: Final = OnnxRules((take_constant,))


@register_pass("ConstantToInitializer", opt_level=0, idempotent=True)
def constant_to_initializer(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Constant nodes of ONNX: make them constants of the program.

    Return ``func`` with a constant for each node ``Constant`` of ONNX that holds a tensor, which is
    written as an initializer. Those that hold text, a sparse tensor, or an attribute of a function
    of the model stay.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)
