"""Small models of ONNX for tests of fusion: made from text, optimised, and run before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.reference

from relayish.frontend import from_onnx, to_onnx
from relayish.frontend.onnx.session import OnnxSession
from relayish.transform import PassContext, parse_pipeline

HEADER = '<ir_version: 8, opset_import: ["" : {opset}]>\n'


def optimise(
    text: str, pipeline: str, opset: int = 17, *, half: bool = False
) -> tuple[list[str], bool]:
    """Return the operators after a pipeline, ``Constant`` left out, and whether it did anything.

    Values are compared before and after, on random inputs; of numbers of 16 bits, if asked for.
    """
    model = onnx.parser.parse_model(HEADER.format(opset=opset) + text)
    if half:
        make_half(model)
    onnx.checker.check_model(model, full_check=True)
    mod = from_onnx(model)
    with PassContext(opt_level=3):
        image = parse_pipeline(pipeline)(mod)
        assert parse_pipeline(pipeline)(image) is image, "it is idempotent"
    result = to_onnx(image)
    onnx.checker.check_model(result, full_check=True)
    assert_same_values(model, result)
    nodes = [node.op_type for node in result.graph.node if node.op_type != "Constant"]
    return nodes, image is not mod


def assert_same_values(before: Any, after: Any) -> None:  # Any: models, which onnx does not type
    inputs = random_inputs(before)
    expected, found = run(before, inputs), run(after, inputs)
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        accuracy = 2e-2 if one.dtype == np.float16 else 1e-4
        np.testing.assert_allclose(
            one.astype(np.float64), other.astype(np.float64), rtol=accuracy, atol=accuracy
        )


def run(model: Any, inputs: dict[str, Any]) -> list[Any]:  # Any: as above; arrays
    """Run a model by the reference; by our kernels what that cannot: groups, cuts."""
    if any(node.op_type in ("ConvTranspose", "Pad") for node in model.graph.node):
        return OnnxSession(from_onnx(model)).run(inputs)
    found: list[Any] = onnx.reference.ReferenceEvaluator(model).run(None, inputs)
    return found


def make_half(model: Any) -> None:  # Any: as above
    for place, held in enumerate(model.graph.initializer):
        array = onnx.numpy_helper.to_array(held).astype(np.float16)
        model.graph.initializer[place].CopyFrom(onnx.numpy_helper.from_array(array, held.name))
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.elem_type = onnx.TensorProto.FLOAT16


def random_inputs(model: Any) -> dict[str, Any]:  # Any: as above; arrays
    rng = np.random.default_rng(7)
    inputs = {}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        shape = [dim.dim_value if dim.HasField("dim_value") else 3 for dim in tensor.shape.dim]
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.elem_type)
        inputs[value.name] = (rng.standard_normal(shape) * 4).astype(dtype)
    return inputs
