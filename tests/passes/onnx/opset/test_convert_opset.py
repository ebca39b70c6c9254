"""Conversion of whole models to later versions of the operator set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.errors import PassError, PipelineError  # noqa: E402
from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.transform import parse_pipeline  # noqa: E402
from tests.passes.onnx.opset.programs import (  # noqa: E402
    NEWEST,
    assert_same_values,
    convert,
    convert_model,
    operators,
)
from tests.support.onnx_models import light_models, models_of_others  # noqa: E402

pytestmark = pytest.mark.references

MODELS = [*models_of_others(), *light_models()]


def read(text: str, opset: int = 11, more: str = "") -> Any:  # Any: a model
    header = f'<ir_version: 8, opset_import: ["" : {opset}{more}]>\n'
    return onnx.parser.parse_model(header + text)


def opset_of(mod: IRModule) -> int:
    assert mod.attrs is not None
    found = mod.attrs["onnx.opsets"].get("")
    assert isinstance(found, int)
    return found


@pytest.mark.slow("onnx infers the shapes of whole networks, in each of four versions")
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_models_are_valid_in_later_versions(path: Path) -> None:
    mod = from_onnx(path)
    for version in (13, 17, 21, NEWEST):
        if version < opset_of(mod):
            with pytest.raises(PassError, match="which cannot be converted to version"):
                convert(mod, version)
            continue
        image = convert(mod, version)
        onnx.checker.check_model(to_onnx(image), full_check=True)
        assert (image is mod) == (version == opset_of(mod))


SQUEEZE = """g (float[1, 3] x, bool c) => (float[3] y, float[3] z) {
  y = Squeeze <axes = [0]> (x)
  z = If (c) <
    then_branch = t () => (float[3] a) { a = Squeeze <axes = [0]> (x) },
    else_branch = e () => (float[3] b) { b = Clip (y) }>
}"""


def test_graphs_of_nodes_are_converted() -> None:
    model = read(SQUEEZE)
    result = convert_model(model, 13)
    for value in (True, False):
        inputs = {"x": np.float32([[1, 2, 3]]), "c": np.array(value)}
        assert_same_values(model, result, inputs)
    (branch,) = [node for node in result.graph.node if node.op_type == "If"]
    inner = branch.attribute[0].g.node
    assert [len(node.input) for node in inner if node.op_type == "Squeeze"] == [2]


FUNCTION = """agraph (float[2, 3] x) => (float[2, 3] y) { y = own.f <alpha = 0.5> (x) }
<opset_import: ["" : 11], domain: "own">
f <alpha> (x) => (y) {
  s = Unsqueeze <axes = [0]> (x)
  t = Squeeze <axes = [0]> (s)
  y = LeakyRelu <alpha: float = @alpha> (t)
}"""
REFERENCE = """agraph (float[2, 3] x) => (float[1, 2, 3] y) { y = own.f <axes = [0]> (x) }
<opset_import: ["" : 11], domain: "own">
f <axes> (x) => (y) { y = Unsqueeze <axes: ints = @axes> (x) }"""


def test_functions_are_converted() -> None:
    model = read(FUNCTION, more=', "own" : 1')
    result = convert_model(model, 16)
    assert [each.version for each in result.functions[0].opset_import] == [16]
    assert_same_values(model, result, {"x": np.float32([[1, -2, 3], [-4, 5, 6]])})


def test_attributes_that_calls_of_functions_give_are_refused() -> None:
    mod = from_onnx(read(REFERENCE, more=', "own" : 1'))
    with pytest.raises(PassError) as caught:
        convert(mod, 13)
    assert "cannot convert Unsqueeze of version 11 to version 13" in str(caught.value)
    assert "InlineOnnxFunctions" in str(caught.value)
    inlined = parse_pipeline("InlineOnnxFunctions,ConvertOpset{version=13}")(mod)
    assert operators(to_onnx(inlined)) == ["Unsqueeze"]


def test_a_step_that_nothing_rewrites_is_refused() -> None:
    text = """g (float[1, 2, 3] x) => (float[1, 2, 3] y) {
      y = Scan <num_scan_inputs = 1, body = b (float[3] a) => (float[3] r) { r = Relu (a) }> (, x)
    }"""
    with pytest.raises(PassError, match="cannot convert Scan of version 8 to version 9, at a node"):
        convert(from_onnx(read(text, 8)), 9)


def test_operators_that_onnx_does_not_have_are_refused() -> None:
    mod = from_onnx(read("g (float[2] x) => (float[2] y) { y = Nowhere (x) }"))
    with pytest.raises(PassError, match="have no such operator"):
        convert(mod, 12)
    assert convert(mod, 11) is mod


RELU = "g (float[2] x) => (float[2] y) { y = Relu (x) }"


@pytest.mark.parametrize("version", [0, -1, NEWEST + 1])
def test_versions_that_onnx_does_not_have_are_refused(version: int) -> None:
    with pytest.raises(PassError, match=f"there is no version {version} of the operator set"):
        convert(from_onnx(read(RELU)), version)


def test_versions_before_that_of_the_model_are_refused() -> None:
    with pytest.raises(PassError, match="expected a version not below 11"):
        convert(from_onnx(read(RELU)), 10)


def test_a_version_is_needed() -> None:
    with pytest.raises(PipelineError, match="version"):
        parse_pipeline("ConvertOpset")


def test_other_domains_stay_and_the_format_is_one_that_has_the_version() -> None:
    text = "g (float[2, 3] x) => (float[2, 3] y) { y = ai.onnx.ml.Normalizer <norm = 'L2'> (x) }"
    model = read(text.replace("'", '"'), more=', "ai.onnx.ml" : 2')
    mod = from_onnx(model)
    assert convert(mod, 21) is mod, "it calls nothing of the domain"
    result = convert_model(read(RELU), 21)
    assert result.ir_version == 10


def test_modules_without_versions_get_one() -> None:
    mod = from_onnx(read(RELU))
    image = convert(IRModule(mod.functions), 13)
    assert opset_of(image) == 13
    assert to_onnx(image).opset_import[0].version == 13
