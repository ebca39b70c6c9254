"""The network that ships as an example."""

from __future__ import annotations

import pytest

from tools.small_network import CLASSES, PLACES, small_network

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

EXAMPLE = PLACES[0]


def test_the_example_is_what_the_tool_makes() -> None:
    assert onnx.load(EXAMPLE) == small_network()


def test_the_example_of_the_package_is_that_of_the_checkout() -> None:
    assert {path.read_bytes() for path in PLACES} == {EXAMPLE.read_bytes()}


def test_the_example_is_a_valid_model_that_ends_in_classes() -> None:
    model = onnx.load(EXAMPLE)
    onnx.checker.check_model(model, full_check=True)
    assert model.graph.output[0].type.tensor_type.shape.dim[1].dim_value == CLASSES
    assert EXAMPLE.stat().st_size < 50_000
