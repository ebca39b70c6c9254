"""The version of the operator set that calls are written for."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

import relayish as relay  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.attributes.dictionary import DictAttrs  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.onnx import info  # noqa: E402
from relayish.onnx.calls import iterate_called_operators  # noqa: E402
from relayish.transform import RaiseToOnnx, parse_pipeline  # noqa: E402

pytestmark = pytest.mark.references


def module() -> IRModule:
    x = relay.var("x", shape=(2, 3))
    return relay.transform.InferType()(
        relay.IRModule.from_expr(relay.Function([x], relay.reshape(x, (3, 2))))
    )


def version_of(mod: IRModule) -> str:
    return next(iterate_called_operators(mod["main"])).name.rpartition("_")[2]


@pytest.mark.parametrize("domain", ["", "ai.onnx"])
def test_calls_are_written_for_the_version_of_the_module(domain: str) -> None:
    mod = module().with_attr(info.OPSETS, DictAttrs({"other": 3, domain: 21}))
    assert version_of(RaiseToOnnx()(mod)) == "21"


def test_calls_are_written_for_the_version_of_the_function_before_that_of_the_module() -> None:
    mod = module().with_attr(info.OPSETS, DictAttrs({"": 21}))
    main = mod["main"].with_attr(info.OPSETS, DictAttrs({"": 13}))
    assert version_of(RaiseToOnnx()(mod.with_functions({"main": main}))) == "13"


def test_calls_are_written_for_version_17_of_a_module_that_says_none() -> None:
    assert version_of(RaiseToOnnx()(module())) == "14"


def test_calls_are_written_for_the_version_that_is_asked_for() -> None:
    mod = module().with_attr(info.OPSETS, DictAttrs({"": 21}))
    assert version_of(RaiseToOnnx(opset=13)(mod)) == "13"


def test_a_model_that_was_lowered_in_part_is_written_in_its_own_version() -> None:
    nodes = [
        onnx.helper.make_node("Reshape", ["x", "shape"], ["y"]),
        onnx.helper.make_node("NonZero", ["y"], ["z"]),  # Relay has it not
        onnx.helper.make_node("Reshape", ["z", "back"], ["out"]),
    ]
    floats, whole = onnx.TensorProto.FLOAT, onnx.TensorProto.INT64
    graph = onnx.helper.make_graph(
        nodes,
        "g",
        [onnx.helper.make_tensor_value_info("x", floats, [2, 2])],
        [onnx.helper.make_tensor_value_info("out", whole, None)],
        [
            onnx.numpy_helper.from_array(np.array(each, "int64"), name)
            for name, each in (("shape", [4]), ("back", [-1, 1]))
        ],
    )
    opsets = [onnx.helper.make_opsetid("", 21)]
    model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)
    mod = parse_pipeline("LowerOnnx,InferType,RaiseToOnnx")(from_onnx(model))
    written = to_onnx(mod)
    assert written.opset_import[0].version == 21
    values = np.array([[1, 0], [0, 2]], "float32")
    (found,) = OnnxSession(from_onnx(written)).run({"x": values})
    np.testing.assert_array_equal(found, [[0], [3]])
