"""A model in a file, and nothing to run it with but relayish."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.support.small_models import small_model


@pytest.fixture(autouse=True)
def _without_onnxruntime(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let models run in relayish, whatever is installed, where a test does not ask for more."""
    if "onnxruntime" not in request.fixturenames:
        monkeypatch.setitem(sys.modules, "onnxruntime", None)


@pytest.fixture
def onnxruntime() -> None:
    """Let models run in onnxruntime."""
    pytest.importorskip("onnxruntime")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.onnx"
    pytest.importorskip("onnx").save(small_model(), path)
    return path
