"""The transformer of the screenshots: a sound model, as large as is said."""

from __future__ import annotations

import pytest

from relayish.draw.drawing import draw
from relayish.frontend import from_onnx
from tools.transformer import make_transformer

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references


def test_transformer_is_sound_and_its_layers_are_boxes():
    model = make_transformer(2)
    onnx.checker.check_model(model, full_check=True)
    assert len(model.graph.node) == 2 * 29 + 1
    boxes = draw(from_onnx(model), scopes=True).diagram.boxes
    assert {box.title for box in boxes} >= {"layers.0", "layers.1", "attention", "mlp"}
