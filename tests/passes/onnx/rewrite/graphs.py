"""Small models as text, and what passes make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import onnx.reference
from numpy.typing import NDArray

from relayish import transform
from relayish.frontend.onnx import from_onnx, to_onnx
from relayish.ir.relay.module import IRModule

HEADER = '<ir_version: 10, opset_import: ["": {opset}]>\n'


def read(graph: str, opset: int = 17) -> IRModule:
    """Return the module of a graph in ONNX's text."""
    return from_onnx(onnx.parser.parse_model(HEADER.format(opset=opset) + graph))


def operators(mod: IRModule) -> list[str]:
    """Return the operators of the nodes in order, graphs behind their node, constants left out."""
    return list(walk(to_onnx(mod).graph))


def walk(graph: Any) -> Any:  # Any: a GraphProto, a generator
    """Yield the operators of a graph."""
    for node in graph.node:
        if node.op_type != "Constant":
            yield node.op_type
        for attribute in node.attribute:
            for inner in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
                yield from walk(inner)


def run(mod: IRModule, feeds: dict[str, NDArray[Any]]) -> list[Any]:  # Any: values of ONNX
    """Return what ONNX's own evaluator gives."""
    found: list[Any] = onnx.reference.ReferenceEvaluator(to_onnx(mod)).run(None, feeds)
    return found


def random_feeds(mod: IRModule, seed: int, **sizes: int) -> dict[str, NDArray[Any]]:
    """Return random values of the inputs; named dimensions are ``sizes``, or 3."""
    rng = np.random.default_rng(seed)
    feeds = {}
    for value in to_onnx(mod).graph.input:
        tensor = value.type.tensor_type
        shape = [
            d.dim_value if d.HasField("dim_value") else sizes.get(d.dim_param, 3)
            for d in tensor.shape.dim
        ]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        feeds[value.name] = (rng.standard_normal(shape) * 4).astype(dtype)
    return feeds


def simplify(
    graph: str,
    name: str = "SimplifyOnnx",
    *,
    opset: int = 17,
    sizes: dict[str, int] | None = None,
    **options: object,
) -> list[str]:
    """Return the operators that a pass leaves of a graph, after these were shown to be right.

    The result is a valid model, computes the same, and the pass leaves it as it is.
    """
    mod = read(graph, opset)
    made = getattr(transform, name)(**options)
    image = made(mod)
    assert made(image) is image
    model = to_onnx(image)
    onnx.checker.check_model(model, full_check=True)
    for seed in range(2):
        feeds = random_feeds(mod, seed, **(sizes or {}))
        needed = {each.name for each in model.graph.input}
        expected = run(mod, feeds)
        found = run(image, {key: value for key, value in feeds.items() if key in needed})
        for left, right in zip(expected, found, strict=True):
            assert left.dtype == right.dtype
            np.testing.assert_array_equal(left, right)
    return operators(image)


def leaves(graph: str, name: str, *, opset: int = 17, **options: object) -> bool:
    """Return whether a pass returns the very module that it is given."""
    mod = read(graph, opset)
    return getattr(transform, name)(**options)(mod) is mod
