"""The ONNX backend test-suite on the backend: which of its tests do not pass, and why."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx.backend.test.loader import load_model_tests  # noqa: E402
from onnx.backend.test.runner import Runner, _normalize_tensor  # noqa: E402

from relayish.frontend.onnx_backend import Backend  # noqa: E402

DRAWN = "draws numbers; no two implementations draw the same"
PILLOW = "decodes images, for which the reference needs Pillow"
KNOWN: dict[str, str] = {
    "test_bernoulli": DRAWN,
    "test_bernoulli_expanded": DRAWN,
    "test_bernoulli_double": DRAWN,
    "test_bernoulli_double_expanded": DRAWN,
    "test_bernoulli_seed": DRAWN,
    "test_bernoulli_seed_expanded": DRAWN,
    "test_attention_4d_causal_fp16": "differs in the last bit of float16",
    "test_attention_4d_causal_fp16_expanded": "differs in the last bit of float16",
    "test_flexattention_prob_mod": "the function body is made without the graphs of the node",
    "test_flexattention_causal_mask": "as above",
    "test_flexattention_relative_positional": "as above",
    "test_loop16_seq_none": "as expected; the runner compares no lists of several shapes",
}
"""By name: why a test does not pass."""


def _cases() -> list[Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [case for kind in ("node", "simple") for case in load_model_tests(kind=kind)]


def _outcome(case: Any) -> str:
    """Return what is wrong with the results of a case, ``""`` for nothing."""
    session = Backend.prepare(case.model)
    for inputs, expected in case.data_sets:
        found = list(session.run([_normalize_tensor(each) for each in inputs]))
        wanted = [_normalize_tensor(each) for each in expected]
        try:
            Runner.assert_similar_outputs(wanted, found, case.rtol, case.atol)
        except (AssertionError, TypeError) as error:
            return str(error)
    return ""


def test_every_test_passes_but_those_that_are_known_by_name() -> None:
    failed: dict[str, str] = {}
    passed = 0
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in _cases():
            if case.model is None or "image_decoder" in case.name or "gradient_of" in case.name:
                continue
            try:
                problem = _outcome(case)
            except Exception as error:  # noqa: BLE001 - any error is an outcome, and reported
                problem = f"{type(error).__name__}: {error}"
            if problem:
                failed[case.name] = problem
            else:
                passed += 1
    unexpected = {name: why for name, why in failed.items() if name not in KNOWN}
    assert not unexpected
    assert passed > 1800


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
