"""What a model says of nodes is said of the one that they become."""

from __future__ import annotations

from typing import Any

import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.transform import PassContext, parse_pipeline  # noqa: E402

pytestmark = pytest.mark.references

NORMALISED = """<ir_version: 10, opset_import: ["" : 17]>
m (float[1, 2, 4] x) => (float[1, 2, 3] y)
<float[2, 2, 2] W = {1, 2, 3, 4, 5, 6, 7, 8}, float[2] S = {1, 2}, float[2] B = {3, 4},
 float[2] M = {5, 6}, float[2] V = {7, 8}> {
  c = Conv(x, W) b = BatchNormalization(c, S, B, M, V) y = Relu(b)
}"""
SLICES = """<ir_version: 10, opset_import: ["" : 17]>
m (float[50] x) => (float[n] y) <int64[1] S = {1}, int64[1] E = {50}, int64[1] A = {0}> {
  %s y = Relu(x40)
}"""


def optimise(text: str, pipeline: str) -> list[Any]:  # Any: nodes, which have no types
    """Return the nodes after a pipeline; before it, each says something of itself."""
    model = onnx.parser.parse_model(text)
    for node in model.graph.node:
        node.name, node.doc_string = f"the_{node.output[0]}", f"on {node.output[0]}"
        node.metadata_props.add(key="scope", value=f"/{node.output[0]}")
        node.metadata_props.add(key="by", value="a test")
        node.metadata_props.add(key=node.op_type, value="yes")
    with PassContext(opt_level=4):
        return list(to_onnx(parse_pipeline(pipeline)(from_onnx(model))).graph.node)


def test_merged_node_says_what_both_said() -> None:
    convolution, relu = optimise(NORMALISED, "FuseBatchNormalization")
    assert (convolution.name, convolution.doc_string) == ("the_c", "on c; on b")
    said = {each.key: each.value for each in convolution.metadata_props}
    assert said == {"scope": "/c; /b", "by": "a test", "Conv": "yes", "BatchNormalization": "yes"}
    assert {each.key: each.value for each in relu.metadata_props}["scope"] == "/y"


def test_notes_of_many_nodes_stand_in_their_order() -> None:
    body = " ".join(f"x{n + 1} = Slice(x{n or ''}, S, E, A)" for n in range(40))
    [first, _] = optimise(SLICES % body, "OptimizeOnnx")
    said = {each.key: each.value for each in first.metadata_props}
    assert said["scope"] == "; ".join(f"/x{n + 1}" for n in range(40))
