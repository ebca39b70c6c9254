"""Real models, lowered to Relay's operators, compute the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.support.shared_data import shared_path

pytest.importorskip("onnx")

import relayish as relay
from relayish.frontend.onnx import from_onnx
from relayish.frontend.onnx.session import OnnxSession

pytestmark = pytest.mark.references

SHAPES: dict[str, tuple[int, ...]] = {"state": (2, 1, 128), "sr": (), "input": (1, 512)}
"""Inputs of the voice detector, whose sizes its model does not say."""


def _inputs(main: Any, name: str) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    found: dict[str, Any] = {}
    for param in main.params:
        ty = param.type_annotation
        sizes = tuple(size if isinstance(size, int) else (1, 2, 64, 64)[axis]
                      for axis, size in enumerate(ty.shape))  # fmt: skip
        if name.startswith("silero"):
            sizes = SHAPES[param.name_hint]
        if param.name_hint == "sr":
            found["sr"] = np.array(16000, ty.dtype)
        elif "float" in ty.dtype:
            found[param.name_hint] = rng.standard_normal(sizes).astype(ty.dtype)
        else:
            found[param.name_hint] = rng.integers(0, 4, sizes).astype(ty.dtype)
    return found


def test_models_compute_the_same_once_they_are_lowered() -> None:
    for path in sorted(shared_path("models").glob("*.onnx")):
        mod = from_onnx(path, freeze_params=True)
        lowered = from_onnx(path, freeze_params=True, lower=True)
        assert not relay.structural_equal(lowered, mod)
        inputs = _inputs(mod["main"], path.name)
        with np.errstate(all="ignore"):
            expected = OnnxSession(mod).run(inputs)
            found = OnnxSession(lowered).run(inputs)
        for one, other in zip(expected, found, strict=True):
            assert one.dtype == other.dtype, path.name
            np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4, err_msg=path.name)
