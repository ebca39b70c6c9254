"""Small models of ONNX, for tests."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.onnx.package import load_onnx

FLOAT, INT64, BFLOAT16 = 1, 7, 16
"""Numbers of element types."""


def model_of(
    nodes: list[Any],
    inputs: dict[str, tuple[int, list[Any]]],
    outputs: dict[str, tuple[int, list[Any]]],
    constants: dict[str, Any] | None = None,
    *,
    opset: int = 17,
    ir_version: int = 8,
) -> Any:
    helper, numpy_helper = load_onnx("onnx.helper"), load_onnx("onnx.numpy_helper")
    graph = helper.make_graph(
        nodes,
        "graph",
        [helper.make_tensor_value_info(name, *ty) for name, ty in inputs.items()],
        [helper.make_tensor_value_info(name, *ty) for name, ty in outputs.items()],
        [numpy_helper.from_array(np.asarray(v), name) for name, v in (constants or {}).items()],
    )
    return helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=ir_version
    )


def small_model() -> Any:
    """Return ``y = relu(x * 2) @ w``, with a sum that nobody uses."""
    helper = load_onnx("onnx.helper")
    return model_of(
        [
            helper.make_node("Mul", ["x", "two"], ["doubled"], name="double"),
            helper.make_node("Add", ["x", "two"], ["unused"], name="idle"),
            helper.make_node("Relu", ["doubled"], ["positive"]),
            helper.make_node("MatMul", ["positive", "w"], ["y"]),
        ],
        {"x": (FLOAT, ["n", 3])},
        {"y": (FLOAT, ["n", 2])},
        {
            "two": np.float32(2),
            "w": np.arange(6, dtype=np.float32).reshape(3, 2) - 2,
        },
    )
