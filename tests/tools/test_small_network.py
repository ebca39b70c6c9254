"""The network that ships as an example."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.small_network import CLASSES, small_network

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_network.onnx"


def test_the_example_is_what_the_tool_makes() -> None:
    assert onnx.load(EXAMPLE) == small_network()


def test_the_example_is_a_valid_model_that_ends_in_classes() -> None:
    model = onnx.load(EXAMPLE)
    onnx.checker.check_model(model, full_check=True)
    assert model.graph.output[0].type.tensor_type.shape.dim[1].dim_value == CLASSES
    assert EXAMPLE.stat().st_size < 50_000
