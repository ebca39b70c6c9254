"""Make ``small_network.onnx``: a network with what exporters leave behind.

    python -m tools.small_network

The checkout has it in ``examples/``, and the wheel within the package, for ``--example``.

It tells ten classes of pictures of 16 by 16 apart, or would, if its weights were not random, from a
seed. There is something for each of the usual passes: batch normalisation behind convolutions, an
explicit pad before one, a shape that is computed when it runs, a condition that is constant, what
does nothing, the same twice.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from relayish.cli.onnx.example import EXAMPLE
from relayish.onnx.package import load_onnx
from tools.links import ROOT

CLASSES: Final = 10
PLACES: Final = (ROOT / "examples" / "small_network.onnx", EXAMPLE)


def small_network() -> Any:  # Any: a ModelProto, which onnx does not type
    """Return the network; the same each time."""
    helper, numpy_helper = load_onnx("onnx.helper"), load_onnx("onnx.numpy_helper")
    generator = np.random.default_rng(7)
    held: list[Any] = []  # Any: TensorProtos
    nodes: list[Any] = []  # Any: NodeProtos

    def weight(name: str, values: object) -> str:
        held.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def random(name: str, *shape: int, around: float = 0.0) -> str:
        return weight(name, (generator.standard_normal(shape) * 0.3 + around).astype(np.float32))

    def node(kind: str, inputs: list[str], output: str, **attributes: object) -> str:
        nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def normalised(x: str, name: str, inside: int, outside: int, **attributes: object) -> str:
        x = node(
            "Conv",
            [x, random(f"{name}.weight", outside, inside, 3, 3)],
            f"{name}.conv",
            **attributes,
        )
        scale = random(f"{name}.scale", outside, around=1.0)
        bias, mean = random(f"{name}.bias", outside), random(f"{name}.mean", outside)
        variance = weight(f"{name}.variance", generator.random(outside).astype(np.float32) + 0.5)
        x = node("BatchNormalization", [x, scale, bias, mean, variance], f"{name}.norm")
        return node("Relu", [x], f"{name}.relu")

    x = normalised("image", "first", 1, 8, pads=[1, 1, 1, 1])
    x = node("Identity", [x], "first.out")
    x = _conditional(helper, nodes, x, weight("is_training", np.array(False)))
    x = node("MaxPool", [x], "pooled", kernel_shape=[2, 2], strides=[2, 2])
    pads = weight("pads", np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64))
    x = node("Pad", [x, pads], "padded")
    x = normalised(x, "second", 8, 16)
    x = node("GlobalAveragePool", [x], "averaged")
    x = _flat(node, weight, x)
    x = node("MatMul", [x, random("head.weight", 16, CLASSES)], "head.product")
    x = node("Add", [x, random("head.bias", CLASSES)], "head.sum")
    x = node("Transpose", [x], "there", perm=[1, 0])
    x = node("Transpose", [x], "back", perm=[1, 0])
    twice = [node("Softmax", [x], f"softmax.{copy}", axis=1) for copy in ("a", "b")]
    x = node("Add", twice, "sum")
    node("Mul", [x, weight("half", np.float32(0.5))], "probabilities")

    inputs = [helper.make_tensor_value_info("image", 1, ["batch", 1, 16, 16])]
    outputs = [helper.make_tensor_value_info("probabilities", 1, ["batch", CLASSES])]
    graph = helper.make_graph(nodes, "small_network", inputs, outputs, held)
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", 17)],
        ir_version=8,
        producer_name="relayish examples",
    )


def _conditional(helper: Any, nodes: list[Any], x: str, condition: str) -> str:
    """Add noise in training alone. Any: a module, NodeProtos."""
    tensor = helper.make_tensor_value_info("chosen", 1, ["batch", 8, 16, 16])
    noisy = helper.make_node("Add", [x, x], ["noisy"], name="noisy")
    plain = helper.make_node("Identity", [x], ["plain"], name="plain")
    branches = {}
    for name, made in (("then_branch", noisy), ("else_branch", plain)):
        output = helper.make_value_info(made.output[0], tensor.type)
        branches[name] = helper.make_graph([made], name, [], [output])
    nodes.append(helper.make_node("If", [condition], ["chosen"], name="chosen", **branches))
    return "chosen"


def _flat(node: Any, weight: Any, x: str) -> str:
    """Leave out the axes of size 1, by a shape computed from that of the batch. Any: functions."""
    shape = node("Shape", [x], "shape")
    batch = node("Gather", [shape, weight("axis0", np.array(0))], "batch")
    batch = node("Unsqueeze", [batch, weight("at0", np.array([0]))], "batch.list")
    target = node("Concat", [batch, weight("rest", np.array([-1]))], "target", axis=0)
    flat: str = node("Reshape", [x, target], "flat")
    return flat


def main() -> None:
    """Write the network where it is kept."""
    for path in PLACES:
        path.write_bytes(small_network().SerializeToString(deterministic=True))


if __name__ == "__main__":
    main()
