"""Transpose absorption: let matrix products transpose their operands, and their result.

Before::

    let %y = Transpose_13(%b, perm=[1, 0]);
    let %z = Gemm_13(%a, %y, %c);

After::

    let %z = Gemm_13(%a, %b, %c, transB=1);
"""

from __future__ import annotations

from typing import Final

import numpy as np

from relayish.ir.relay.expr import Call, Constant, Expr
from relayish.ir.relay.module import IRModule
from relayish.onnx.calls import attributes_of, inputs_of
from relayish.pass_infra import register_pass
from relayish.passes.onnx.fuse.affine import is_given
from relayish.passes.onnx.rewrite.engine import OnnxRules, Rewriter, rewrite_function, rule

_FLOATS: Final = frozenset({"float16", "float32", "float64"})


@register_pass("FuseTransposeIntoGemm", opt_level=2, idempotent=True)
def fuse_transpose_into_gemm(func: Expr, *, mod: IRModule | None = None) -> Expr:
    """Transpose absorption: let matrix products transpose their operands, and their result.

    Transposed operands of ``Gemm`` become its attributes ``transA`` and ``transB``; a transposed
    product of matrices is the product of both transposed, the other way round. ``MatMul`` of
    matrices becomes ``Gemm`` for that, from version 11 on, where nothing else uses the transposed
    matrix.

    Args:
        func: A function of ONNX.
        mod: The module it belongs to.

    Returns:
        ``func`` itself where there is none.

    Complexity:
        Linear in the nodes.
    """
    return rewrite_function(func, RULES, mod)


@rule("Gemm")
def transpose_operands(call: Call, graph: Rewriter) -> Call | None:
    """Return a ``Gemm`` of what its operands are transposed from."""
    inputs, attrs = list(inputs_of(call)), attributes_of(call)
    changed = False
    for place, name in ((0, "transA"), (1, "transB")):
        source = _transposed(inputs[place], graph)
        if source is not None:
            inputs[place] = source
            attrs[name] = 0 if attrs.get(name, 0) else 1
            changed = True
    return graph.call("Gemm", inputs, attrs, like=call) if changed else None


@rule("MatMul")
def transpose_factors(call: Call, graph: Rewriter) -> Call | None:
    """Return a ``Gemm`` for a product of a transposed matrix that nothing else uses."""
    if not _makes_gemm(call, graph):
        return None
    lhs, rhs = inputs_of(call)
    sources = [_transposed(each, graph) for each in (lhs, rhs)]
    if all(source is None for source in sources):
        return None
    if any(
        s is not None and not graph.is_used_once(e)
        for s, e in zip(sources, (lhs, rhs), strict=True)
    ):
        return None
    factors = [e if s is None else s for s, e in zip(sources, (lhs, rhs), strict=True)]
    attrs = {
        name: 1
        for name, source in zip(("transA", "transB"), sources, strict=True)
        if source is not None
    }
    return graph.call("Gemm", factors, attrs, like=call)


@rule("Transpose")
def transpose_product(call: Call, graph: Rewriter) -> Call | None:
    """Return the product of two transposed matrices for one that is transposed."""
    source = inputs_of(call)[0]
    product = graph.producer(source, "MatMul", "Gemm")
    if product is None or not graph.is_used_once(source) or not _swaps(call, graph):
        return None
    attrs = attributes_of(product)
    lhs, rhs = inputs_of(product)[:2]
    inputs: list[Expr] = [rhs, lhs]
    if graph.operator(product) == "MatMul":
        if not _makes_gemm(product, graph):
            return None
    elif is_given(inputs_of(product), 2):
        addend = graph.constant(inputs_of(product)[2])
        if addend is None or graph.version(product) < 7:
            return None
        column = np.atleast_2d(addend).T
        inputs.append(graph.emit("bias", Constant(np.ascontiguousarray(column))))
    flags = attrs.get("transA", 0), attrs.get("transB", 0)
    attrs["transA"], attrs["transB"] = (0 if flags[1] else 1), (0 if flags[0] else 1)
    return graph.call("Gemm", inputs, attrs, like=call)


def _transposed(expr: Expr, graph: Rewriter) -> Expr | None:
    """Return the matrix of which ``expr`` is the transpose."""
    found = graph.producer(expr, "Transpose")
    if found is None or not _swaps(found, graph):
        return None
    return inputs_of(found)[0]


def _swaps(transpose: Call, graph: Rewriter) -> bool:
    perm = graph.attribute(transpose, "perm")
    if perm is None:
        return graph.rank_of(inputs_of(transpose)[0]) == 2
    return tuple(perm) == (1, 0)


def _makes_gemm(matmul: Call, graph: Rewriter) -> bool:
    """Return whether ``Gemm`` could compute a product: of matrices of floats, with no addend."""
    lhs, rhs = inputs_of(matmul)
    if graph.rank_of(lhs) != 2 or graph.rank_of(rhs) != 2 or graph.function_opset < 11:
        return False
    return graph.dtype_of(lhs) in _FLOATS or graph.dtype_of(rhs) in _FLOATS


RULES: Final = OnnxRules((transpose_operands, transpose_factors, transpose_product))
