"""Equal constants of a program of ONNX: one variable for all of them.

Before::

    let %a = meta[relay.Constant][0];
    let %b = meta[relay.Constant][1];  // the same numbers
    let %y = onnx::Add_14(%x, %a);
    let %z = onnx::Mul_14(%y, %b);
    %z

After::

    let %a = meta[relay.Constant][0];
    let %y = onnx::Add_14(%x, %a);
    let %z = onnx::Mul_14(%y, %a);
    %z
"""

from __future__ import annotations

from relayish.ir.relay.expr import Expr
from relayish.ir.relay.module import IRModule
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import rewrite_function


@register_pass("MergeInitializers", opt_level=1, idempotent=True)
def merge_initializers(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Merging of equal initializers of ONNX: keep each value once.

    Return ``func`` with one variable for all constants of one element type, one shape and the same
    bits, in each graph for itself. Results of a graph keep a constant of their own.

    Args:
        func: A function of ONNX; anything else is returned as it is.
        mod: The module it is from.

    Complexity:
        Linear in the nodes and the bytes of constants of which several have the same shape.
    """
    return rewrite_function(func, (), mod, merge_constants=True)
