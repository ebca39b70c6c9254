"""Gemm formation: compute the product of two matrices and a sum by one operator.

Before::

    let %y = MatMul_13(%a, %b);
    let %z = Add_14(%y, %c);

After::

    let %z = Gemm_13(%a, %b, %c);
"""

from __future__ import annotations

from typing import Any, Final

from relayish.ir.relay.expr import Call, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule

_FLOATS: Final = frozenset({"float16", "float32", "float64"})


@register_pass("FuseMatMulAdd", opt_level=2, idempotent=True)
def fuse_matmul_add(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Gemm formation: compute the product of two matrices and a sum by one operator.

    ``MatMul`` of matrices, of which nothing but a following ``Add`` or ``Sub`` uses the result,
    becomes ``Gemm`` together with that, where the other operand broadcasts to the product.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Add", "Sub")
def add_to_product(call: Call, graph: Rewriter) -> Call | None:
    """Return a ``Gemm`` for a sum, or a difference, with a product of matrices."""
    if graph.version(call) < 7 or graph.function_opset < 7:
        return None
    lhs, rhs = inputs_of(call)
    is_sum = graph.operator(call) == "Add"
    for product, addend in ((lhs, rhs), (rhs, lhs)):
        found = graph.producer(product, "MatMul")
        if found is None or not graph.is_used_once(product) or graph.producer(addend, "MatMul"):
            continue
        matrices = inputs_of(found)
        if not _fits(matrices, addend, graph):
            continue
        attrs = {} if is_sum else {"beta" if product is lhs else "alpha": -1.0}
        return graph.call("Gemm", (*matrices, addend), attrs, like=call)
    return None


def _fits(matrices: tuple[Expr, ...], addend: Expr, graph: Rewriter) -> bool:
    """Return whether ``addend`` surely broadcasts to the product of two matrices."""
    shapes: list[tuple[Any, ...] | None] = [graph.shape_of(each) for each in (*matrices, addend)]
    lhs, rhs, added = shapes  # Any: dimensions, of several kinds
    if lhs is None or rhs is None or added is None or graph.dtype_of(addend) not in _FLOATS:
        return False
    if len(lhs) != 2 or len(rhs) != 2 or len(added) > 2:
        return False
    return all(
        added[-place] == 1 or added[-place] == size
        for place, size in ((1, rhs[1]), (2, lhs[0]))[: len(added)]
    )


RULES: Final = OnnxRules((add_to_product,))
