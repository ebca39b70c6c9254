"""Common-subexpression elimination over programs of ONNX, without types.

Before::

    let %a = Relu_14(%x);
    let %b = Relu_14(%x);
    let %c = Add_14(%a, %b);

After::

    let %a = Relu_14(%x);
    let %c = Add_14(%a, %a);
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine.facts import carry_facts
from relayish.passes.relay.cleanup.eliminate_common_subexpr import eliminate_common_subexpr


@register_pass("EliminateCommonSubexprOnnx", opt_level=1, idempotent=True)
def eliminate_common_subexpr_onnx(func: Expr) -> Expr:
    """Common-subexpression elimination over programs of ONNX, without types.

    It is ``EliminateCommonSubexpr`` at a lower level, which does not infer the types of Relay
    first: nothing of that is needed.

    Args:
        func: A function of ONNX.

    Returns:
        ``func`` itself when no two nodes are equal.

    Complexity:
        Linear in the nodes.
    """
    image = eliminate_common_subexpr(func)
    carry_facts(func, image)
    return image
