"""Numbers that broadcast the input of an operator to another shape stay in front of it."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx import helper  # noqa: E402

from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.passes.onnx.default_pipeline import onnx_pipeline  # noqa: E402

pytestmark = pytest.mark.references

FLOAT = 1


@pytest.mark.parametrize(
    ("operator", "shape", "numbers", "weight"),
    [
        ("Conv", [2, 1, 4, 4], [3, 1, 1], [1, 3, 1, 1]),
        ("MatMul", [2, 1], [3], [3, 2]),
        ("Gemm", [2, 1], [3], [3, 2]),
        ("MatMul", [2, "n"], [3], [3, 2]),
        ("MatMul", [3], [1, 1], [3, 2]),
    ],
)
@pytest.mark.parametrize("before", ["Mul", "Add"])
def test_what_broadcasts_is_not_put_into_weights(
    before: str, operator: str, shape: list[int | str], numbers: list[int], weight: list[int]
) -> None:
    rng = np.random.default_rng(0)
    nodes = [
        helper.make_node(before, ["x", "k"], ["b"]),
        helper.make_node(operator, ["b", "w"], ["y"]),
    ]
    k = rng.standard_normal(numbers).astype("float32")
    w = rng.standard_normal(weight).astype("float32")
    graph = helper.make_graph(
        nodes,
        "net",
        [helper.make_tensor_value_info("x", FLOAT, shape)],
        [helper.make_tensor_value_info("y", FLOAT, [None] * len(weight))],
        [onnx.numpy_helper.from_array(k, "k"), onnx.numpy_helper.from_array(w, "w")],
    )
    opset = helper.make_opsetid("", 18)
    model = from_onnx(helper.make_model(graph, opset_imports=[opset], ir_version=8))
    x = rng.standard_normal([1 if size == "n" else size for size in shape]).astype("float32")
    expected = OnnxSession(model).run([x])
    optimised = onnx_pipeline(3)(model)
    onnx.checker.check_model(to_onnx(optimised), full_check=True)
    (found,) = OnnxSession(optimised).run([x])
    np.testing.assert_allclose(found, expected[0], rtol=1e-5, atol=1e-6)


def test_dead_nodes_of_the_model_are_gone() -> None:
    nodes = [
        helper.make_node("Exp", ["x"], ["d"]),
        helper.make_node("Neg", ["d"], ["e"]),
        helper.make_node("Relu", ["x"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(name, FLOAT, [2]) for name in "xy"]
    graph = helper.make_graph(nodes, "net", ends[:1], ends[1:])
    opset = helper.make_opsetid("", 18)
    model = from_onnx(helper.make_model(graph, opset_imports=[opset], ir_version=8))
    left = to_onnx(onnx_pipeline(1)(model)).graph.node
    assert [node.op_type for node in left] == ["Relu"]
