"""Real models, lowered to Relay's operators, compute the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("onnx")

import relayish as relay
from relayish.frontend.onnx import from_onnx
from relayish.frontend.onnx.session import OnnxSession
from tests.support.onnx_models import models_of_others

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


@pytest.mark.parametrize("path", models_of_others(), ids=lambda path: path.name)
def test_model_computes_the_same_once_it_is_lowered(path: Path) -> None:
    mod = from_onnx(path, freeze_params=True)
    lowered = from_onnx(path, freeze_params=True, lower=True)
    assert not relay.structural_equal(lowered, mod)
    inputs = _inputs(mod["main"], path.name)
    with np.errstate(all="ignore"):
        expected = OnnxSession(mod).run(inputs)
        found = OnnxSession(lowered).run(inputs)
    for one, other in zip(expected, found, strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-3, atol=1e-4)
