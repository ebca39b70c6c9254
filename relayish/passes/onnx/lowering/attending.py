"""Attention whose scores and probabilities are modified by graphs."""

from __future__ import annotations

import math

from relayish.errors import EvaluationError
from relayish.ir.relay.expr import Expr, Let, Var
from relayish.ir.relay.type import TensorType
from relayish.onnx.element_types import element_type_name
from relayish.passes.onnx.lowering.arithmetic import Numbers, work_type
from relayish.passes.onnx.lowering.defined import apply_graph
from relayish.passes.onnx.lowering.rule import OnnxNode, Unlowered, build, lowers


@lowers("FlexAttention", domain="ai.onnx.preview")
def flex_attention(node: OnnxNode) -> Expr:
    """Values weighted by how well queries fit keys, as graphs of the node modify it."""
    for place in range(3):
        node.check_rank(place, 4)
    queries, keys = node.sizes(0), node.sizes(1)
    if not keys[1] or queries[1] % keys[1]:
        raise Unlowered(f"{queries[1]} heads of queries share {keys[1]} of keys")
    dtype = node.dtype()
    op = Numbers(work_type(dtype))
    precision = _precision(node)
    q, k, v = (build("cast", node.input(place), op.dtype) for place in range(3))
    if queries[1] != keys[1]:
        k, v = (build("repeat", each, queries[1] // keys[1], axis=1) for each in (k, v))
    scale = node.attr("scale")
    factor = 1 / math.sqrt(queries[3]) if scale is None else float(scale)
    scores = op("multiply", build("einsum", (q, k), "bhld,bhsd->bhls"), factor)
    shape = TensorType((*queries[:3], keys[2]), precision)

    def modified(x: Expr, name: str) -> Expr:
        if name not in node.graphs:
            return x
        given = Var(name, shape)
        return Let(given, x, apply_graph(node, name, [given]))

    scores = modified(build("cast", scores, precision), "score_mod")
    shares = modified(build("nn.softmax", scores, axis=3), "prob_mod")
    found = build("einsum", (build("cast", shares, op.dtype), v), "bhls,bhsd->bhld")
    return build("cast", found, dtype)


def _precision(node: OnnxNode) -> str:
    """Return the element type of scores and probabilities."""
    told = node.attr("softmax_precision")
    if told is None:
        return "float64" if node.dtype() == "float64" else "float32"
    try:
        found = element_type_name(int(told))
    except EvaluationError as error:
        raise Unlowered(str(error)) from error
    if "float" not in found:
        raise Unlowered(f"its softmax is of {found}")
    return found
