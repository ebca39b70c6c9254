"""A transformer as an exporter writes it: 2,000 nodes whose names tell of which part each is."""

from __future__ import annotations

from typing import Any

import numpy as np

from relayish.onnx.package import load_onnx

WIDTH = 32
HEADS = 4
LENGTH = 16
LAYERS = 69


def make_transformer(layers: int = LAYERS) -> Any:  # Any: a ModelProto, which onnx does not type
    """Return the model, whose weights are random numbers.

    Args:
        layers: Each has 29 nodes.
    """
    helper = load_onnx("onnx.helper")
    network = _Network()
    value = "tokens"
    for number in range(layers):
        value = network.add_layer(f"/layers.{number}", value)
    network.add("Identity", "", value, output="encoded")
    floats, shape = load_onnx("onnx").TensorProto.FLOAT, [1, LENGTH, WIDTH]
    graph = helper.make_graph(
        network.nodes,
        "transformer",
        [helper.make_tensor_value_info("tokens", floats, shape)],
        [helper.make_tensor_value_info("encoded", floats, shape)],
        network.weights,
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


class _Network:
    """Adds nodes, and names what they compute."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []  # Any: NodeProtos
        self.weights: list[Any] = []  # Any: TensorProtos
        self._helper = load_onnx("onnx.helper")
        self._numpy_helper = load_onnx("onnx.numpy_helper")
        self._random = np.random.default_rng(0)

    def add(
        self, operator: str, scope: str, *inputs: str, output: str = "", **fields: object
    ) -> str:
        """Add a node; return its result."""
        name = f"{scope}/{operator}"
        output = output or f"{name}_{len(self.nodes)}"
        self.nodes.append(self._helper.make_node(operator, inputs, [output], name, **fields))
        return output

    def weight(self, name: str, *shape: int) -> str:
        """Add a weight; return its name."""
        values = self._random.normal(size=shape).astype("float32")
        return self.constant(name, values)

    def constant(self, name: str, values: object) -> str:
        """Add values that are no weight; return their name."""
        self.weights.append(self._numpy_helper.from_array(np.asarray(values), name))
        return name

    def dense(self, scope: str, value: str, across: int, out: int) -> str:
        """Add a matrix product and a bias: two nodes."""
        product = self.add("MatMul", scope, value, self.weight(f"{scope}.weight", across, out))
        return self.add("Add", scope, product, self.weight(f"{scope}.bias", out))

    def add_layer(self, scope: str, value: str) -> str:
        """Add attention and what follows it: 29 nodes."""
        attended = self.add("Add", scope, value, self._attend(f"{scope}/attention", value))
        inner = self._normalize(f"{scope}/norm2", attended)
        wide = self.add("Gelu", f"{scope}/mlp", self.dense(f"{scope}/mlp/up", inner, WIDTH, 64))
        return self.add("Add", scope, attended, self.dense(f"{scope}/mlp/down", wide, 64, WIDTH))

    def _normalize(self, scope: str, value: str) -> str:
        scale, bias = self.weight(f"{scope}.weight", WIDTH), self.weight(f"{scope}.bias", WIDTH)
        return self.add("LayerNormalization", scope, value, scale, bias)

    def _attend(self, scope: str, value: str) -> str:
        inner = self._normalize(f"{scope}/norm1", value)
        heads = self.constant(f"{scope}.heads", [1, LENGTH, HEADS, WIDTH // HEADS])
        query, key, read = [
            self.add("Reshape", part, self.dense(part, inner, WIDTH, WIDTH), heads)
            for part in (f"{scope}/query", f"{scope}/key", f"{scope}/value")
        ]
        query = self.add("Transpose", f"{scope}/query", query, perm=[0, 2, 1, 3])
        key = self.add("Transpose", f"{scope}/key", key, perm=[0, 2, 3, 1])
        read = self.add("Transpose", f"{scope}/value", read, perm=[0, 2, 1, 3])
        scale = self.constant(f"{scope}.scale", np.float32(HEADS**0.5))
        scores = self.add("Div", scope, self.add("MatMul", scope, query, key), scale)
        mixed = self.add("MatMul", scope, self.add("Softmax", scope, scores, axis=-1), read)
        mixed = self.add("Transpose", scope, mixed, perm=[0, 2, 1, 3])
        whole = self.constant(f"{scope}.whole", [1, LENGTH, WIDTH])
        return self.dense(f"{scope}/out", self.add("Reshape", scope, mixed, whole), WIDTH, WIDTH)
