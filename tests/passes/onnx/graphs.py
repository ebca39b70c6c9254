"""Small models as text, and what passes make of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.inliner
import onnx.parser
import onnx.reference
from numpy.typing import NDArray

from relayish.frontend.onnx import from_onnx, to_onnx
from relayish.frontend.onnx.session import OnnxSession
from relayish.ir.relay.module import IRModule

HEADER = '<ir_version: 10, opset_import: ["": {opset}{mine}]>\n'


def parse(graph: str, opset: int = 17) -> Any:  # Any: a ModelProto
    """Return the model of a graph in ONNX's text; functions behind it are of the domain ``my``."""
    mine = ', "my": 1' if "my." in graph else ""
    return onnx.parser.parse_model(HEADER.format(opset=opset, mine=mine) + graph)


def read(graph: str, opset: int = 17) -> IRModule:
    """Return the module of a graph in ONNX's text."""
    return from_onnx(parse(graph, opset))


def make_half(model: Any) -> None:  # Any: as above
    """Make the inputs, outputs and initializers of a model numbers of 16 bits."""
    for place, held in enumerate(model.graph.initializer):
        array = onnx.numpy_helper.to_array(held).astype(np.float16)
        model.graph.initializer[place].CopyFrom(onnx.numpy_helper.from_array(array, held.name))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16


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
    """Return what ONNX's own evaluator gives; ours where that is wrong: groups, cuts."""
    model = to_onnx(mod)
    needed = {each.name: feeds[each.name] for each in model.graph.input}
    if model.functions:
        model = onnx.inliner.inline_local_functions(model)
    if not {node.op_type for node in model.graph.node}.isdisjoint({"ConvTranspose", "Pad"}):
        return OnnxSession(mod).run(needed)
    found: list[Any] = onnx.reference.ReferenceEvaluator(model).run(None, needed)
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
