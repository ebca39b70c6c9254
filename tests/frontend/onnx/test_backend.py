"""The ONNX backend test-suite on the backend: which of its tests do not pass, and why."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx.backend.test.runner import Runner, _normalize_tensor  # noqa: E402

from relayish.frontend.onnx_backend import Backend  # noqa: E402
from tests.support.onnx_models import suite_cases  # noqa: E402

pytestmark = pytest.mark.references

DRAWN = "draws numbers; no two implementations draw the same"
PILLOW = "decodes images, for which the reference needs Pillow"
CHANCE = (DRAWN, PILLOW)
"""Reasons for which a test may pass as well."""
TRAINING = "Gradient is of training; it has no kernel, and the reference does not implement it"
KNOWN: dict[str, str] = {
    "test_attention_4d_causal_fp16_expanded": "two numbers differ in the last bit of float16",
    "test_loop16_seq_none": "as expected; the runner cannot compare scalars within sequences",
    "test_gradient_of_add": TRAINING,
    "test_gradient_of_add_and_mul": TRAINING,
    "test_bernoulli": DRAWN,
    "test_bernoulli_expanded": DRAWN,
    "test_bernoulli_double": DRAWN,
    "test_bernoulli_double_expanded": DRAWN,
    "test_bernoulli_seed": DRAWN,
    "test_bernoulli_seed_expanded": DRAWN,
    "test_image_decoder_decode_bmp_rgb": PILLOW,
    "test_image_decoder_decode_jpeg2k_rgb": PILLOW,
    "test_image_decoder_decode_jpeg_bgr": PILLOW,
    "test_image_decoder_decode_jpeg_grayscale": PILLOW,
    "test_image_decoder_decode_jpeg_rgb": PILLOW,
    "test_image_decoder_decode_png_rgb": PILLOW,
    "test_image_decoder_decode_pnm_rgb": PILLOW,
    "test_image_decoder_decode_tiff_rgb": PILLOW,
    "test_image_decoder_decode_webp_rgb": PILLOW,
}
"""By name: why a test does not pass."""


def _read(path: Path, of_type: Any) -> Any:
    """Return a value that is stored beside a model."""
    kinds = {
        "sequence_type": (onnx.SequenceProto, onnx.numpy_helper.to_list),
        "optional_type": (onnx.OptionalProto, onnx.numpy_helper.to_optional),
    }
    usual = (onnx.TensorProto, onnx.numpy_helper.to_array)
    make, to_value = kinds.get(of_type.WhichOneof("value"), usual)
    return to_value(make.FromString(path.read_bytes()))


def _model_and_data(case: Any) -> tuple[Any, list[tuple[list[Any], list[Any]]]]:
    """Return the model of a case, and inputs with the outputs that are expected."""
    if case.model is not None:
        return case.model, [
            ([_normalize_tensor(each) for each in values], [_normalize_tensor(e) for e in expected])
            for values, expected in case.data_sets
        ]
    folder = Path(case.model_dir)
    model = onnx.load(folder / "model.onnx")
    data = []
    for stored in sorted(folder.glob("test_data_set*")):
        values, expected = (
            [
                _read(path, infos[n].type)
                for n in range(len(infos))
                if (path := stored / f"{kind}_{n}.pb").exists()  # not of initializers
            ]
            for kind, infos in (("input", model.graph.input), ("output", model.graph.output))
        )
        data.append((values, expected))
    return model, data


def _problem_of(case: Any) -> str:
    """Return what is wrong with the results of a case, ``""`` for nothing."""
    try:
        model, data = _model_and_data(case)
        session = Backend.prepare(model)
        for inputs, expected in data:
            found = list(session.run(inputs))
            Runner.assert_similar_outputs(expected, found, case.rtol, case.atol)
    except Exception as error:  # noqa: BLE001 - any error is an outcome, and reported
        return f"{type(error).__name__}: {error}"
    return ""


@pytest.mark.slow("runs all tests that ONNX has for backends: which do not pass is told by name")
def test_every_test_passes_but_those_that_are_known_by_name() -> None:
    failed: dict[str, str] = {}
    passed: set[str] = set()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in suite_cases():
            problem = _problem_of(case)
            if problem:
                failed[case.name] = problem
            else:
                passed.add(case.name)
    assert not {name: why for name, why in failed.items() if name not in KNOWN}
    assert not [name for name in passed if KNOWN.get(name, DRAWN) not in CHANCE]
    assert len(passed) > 1900


def test_a_function_of_the_model_gets_the_attributes_of_its_call() -> None:
    helper = onnx.helper
    scaled = helper.make_node("LeakyRelu", ["x"], ["y"])
    scaled.attribute.add(name="alpha", ref_attr_name="slope", type=onnx.AttributeProto.FLOAT)
    function = helper.make_function(
        "mine", "Leak", ["x"], ["y"], [scaled], [helper.make_opsetid("", 16)], ["slope"]
    )
    floats = onnx.TensorProto.FLOAT
    graph = helper.make_graph(
        [helper.make_node("Leak", ["a"], ["b"], domain="mine", slope=0.25)],
        "main",
        [helper.make_tensor_value_info("a", floats, [2])],
        [helper.make_tensor_value_info("b", floats, [2])],
    )
    opsets = [helper.make_opsetid("", 16), helper.make_opsetid("mine", 1)]
    model = helper.make_model(graph, functions=[function], opset_imports=opsets)
    (found,) = Backend.prepare(model).run([np.array([-4, 4], "float32")])
    np.testing.assert_array_equal(found, np.array([-1, 4], "float32"))
