"""``from_onnx`` as scripts for TVM call it."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("onnx")

from onnx.parser import parse_model

import relayish
from relayish.errors import ModelError, PassError, RelayishError
from relayish.frontend.onnx.session import OnnxSession
from relayish.tvm import relay

pytestmark = pytest.mark.references

MODEL = parse_model(
    '<ir_version: 10, opset_import: ["" : 21]> g (float[n,3] image) => (float[n,2] y)'
    "<float[3,2] w = {1, 2, 3, 4, 5, 6}, float[2] b = {-9, 1}, int64[2] s = {-1, 2}>"
    "{ a = MatMul(image, w) c = Add(a, b) r = Relu(c) y = Reshape(r, s) }"
)
IMAGE = np.array([[1, 0, -1], [2, 3, 4]], "float32")
SHAPE = {"image": (2, 3)}


def run(mod, params):
    return relay.create_executor("graph", mod, params=params).evaluate()(IMAGE).numpy()


def expected():
    [found] = OnnxSession(relayish.frontend.from_onnx(MODEL)).run([IMAGE])
    return found


def test_pair_has_constants_and_no_parameters():
    mod, params = relay.frontend.from_onnx(MODEL, SHAPE)
    assert params == {}
    assert [each.name_hint for each in mod["main"].params] == ["image"]
    assert mod["main"].params[0].type_annotation.shape == (2, 3)
    assert "onnx::" not in str(mod)
    np.testing.assert_array_equal(run(mod, params), expected())


def test_pair_has_the_parameters_that_the_lowered_model_uses():
    mod, params = relay.frontend.from_onnx(MODEL, SHAPE, freeze_params=False)
    assert list(params) == ["w", "b"]  # the shape of a Reshape is an attribute by now
    assert [each.name_hint for each in mod["main"].params] == ["image", *params]
    assert {type(each) for each in params.values()} == {relayish.tvm.nd.NDArray}
    np.testing.assert_array_equal(run(mod, params), expected())


def test_sizes_of_initializers_are_left_aside_and_those_of_nothing_refused():
    mod, _ = relay.frontend.from_onnx(MODEL, shape={**SHAPE, "w": (3, 2)})
    assert mod["main"].params[0].type_annotation.shape == (2, 3)
    with pytest.raises(PassError, match="no input 'imag'"):
        relay.frontend.from_onnx(MODEL, {"imag": (2, 3)})


@pytest.mark.parametrize("size", [None, relay.Any()])
def test_size_may_stay_open(size):
    mod, _ = relay.frontend.from_onnx(MODEL, {"image": (size, 3)})
    assert isinstance(mod["main"].params[0].type_annotation.shape[0], relay.SizeVar)


@pytest.mark.parametrize("shape", [(2, 3), [("image", (2, 3))]])
def test_shape_is_told_by_names_of_inputs(shape):
    with pytest.raises(ModelError, match=r"sizes of inputs by their names; write {'image': \("):
        relay.frontend.from_onnx(MODEL, shape)


def test_element_types_are_those_of_the_model():
    relay.frontend.from_onnx(MODEL, SHAPE, "float16")
    relay.frontend.from_onnx(MODEL, SHAPE, {"image": "float32", "w": "int8"})
    with pytest.raises(ModelError, match="'image' is of float32, and not of float16"):
        relay.frontend.from_onnx(MODEL, SHAPE, {"image": "float16"})


def test_version_of_operators_may_be_told():
    model = parse_model(
        '<ir_version: 10, opset_import: ["" : 13]> g (float[2,3] x) => (float[2,3] y)'
        "{ y = Softmax <axis = 0> (x) }"
    )
    new, _ = relay.frontend.from_onnx(model)
    old, _ = relay.frontend.from_onnx(model, opset=11)
    assert "reshape" not in str(new)
    assert "reshape" in str(old)
    assert model.opset_import[0].version == 13  # a copy was changed


def test_version_that_does_not_read_the_model_is_named():
    model = parse_model(
        '<ir_version: 10, opset_import: ["" : 21]> g (float[2,3] x) => (float[2,1,3] y)'
        "<int64[1] one = {1}> { y = Unsqueeze (x, one) }"
    )
    with pytest.raises(RelayishError) as caught:
        relay.frontend.from_onnx(model, opset=11)
    assert any(note.startswith("opset=11 says how") for note in caught.value.__notes__)


def test_renaming_of_nodes_is_refused():
    with pytest.raises(ModelError, match="renames no nodes"):
        relay.frontend.from_onnx(MODEL, export_node_renamed_model_path="renamed.onnx")


def test_other_names_are_those_of_the_front_ends():
    assert relay.frontend.from_torch is relayish.frontend.from_torch
    assert relay.frontend.onnx.from_onnx is relay.frontend.from_onnx
    assert relay.frontend.onnx.to_onnx is relayish.frontend.to_onnx
    assert relay.frontend.common is relay.frontend
