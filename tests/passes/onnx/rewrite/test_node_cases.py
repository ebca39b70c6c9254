"""Node tests of ONNX: passes over its models, and all of them in a row, keep what they compute."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish import passes, transform  # noqa: E402
from relayish.errors import EvaluationError, UnsupportedError  # noqa: E402
from relayish.frontend.onnx import from_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.passes.onnx.default_pipeline import onnx_pipeline  # noqa: E402
from tests.support.onnx_models import MAKES_SUITE, every, suite_cases  # noqa: E402

pytestmark = pytest.mark.references

EVERY = every(16)
"""Of so many models of the suite each pass is tested on one.

Each begins at another model, so there is some pass for each.
"""
ROOMS = ("onnx.rewrite", "onnx.fuse", "onnx.shapes")
PASSES = sorted(name for name, module in passes.PASSES.items() if module.startswith(ROOMS))
TYPES = {"InferShapesOnnx"}
"""Passes that change what is known of a model, and nothing that it computes."""
DRAWN = ("bernoulli", "dropout", "random", "multinomial", "image_decoder")
"""Names of what draws numbers, or needs further packages."""


@cache
def cases() -> dict[str, Any]:
    found = [each for each in suite_cases() if each.kind == "node"]
    chosen = [each for each in found if not any(name in each.name for name in DRAWN)]
    return {each.name: each for each in chosen}


def models_of(case: Any) -> list[tuple[Any, list[Any]]]:
    """Return the model of a case with inputs, and one with fewer; none if they are no tensors."""
    values = inputs_of(case)
    return [] if values is None else [(case.model, values), freeze(case.model, values)]


def freeze(model: Any, values: list[Any]) -> tuple[Any, list[Any]]:
    """Return a model whose inputs but the first are constants, where they are tensors."""
    frozen = onnx.ModelProto()
    frozen.CopyFrom(model)
    kept, feeds = [], []
    for index, (info, value) in enumerate(zip(model.graph.input, values, strict=False)):
        if index and isinstance(value, np.ndarray) and value.dtype.kind != "O":
            frozen.graph.initializer.append(onnx.numpy_helper.from_array(value, info.name))
        else:
            kept.append(info)
            feeds.append(value)
    del frozen.graph.input[:]
    frozen.graph.input.extend(kept)
    frozen.ir_version = max(4, frozen.ir_version)
    return frozen, feeds


def inputs_of(case: Any) -> list[Any] | None:
    """Return the inputs of the first data set, ``None`` where they are no tensors."""
    if not case.data_sets:
        return None
    values = [
        onnx.numpy_helper.to_array(each) if isinstance(each, onnx.TensorProto) else each
        for each in case.data_sets[0][0]
    ]
    return values if all(isinstance(each, np.ndarray) for each in values) else None


def compare(mod: IRModule, image: IRModule, feeds: list[Any]) -> bool:
    """Return whether the module could be run; it is wrong if the image gives something else."""
    try:
        expected = OnnxSession(mod).run(feeds)
    except (EvaluationError, UnsupportedError):
        return False
    for left, right in zip(expected, OnnxSession(image).run(feeds), strict=True):
        if not isinstance(left, np.ndarray):
            continue
        assert left.dtype == right.dtype
        assert left.shape == right.shape
        if left.dtype.kind == "V":  # of 8 bits or fewer
            assert left.tobytes() == right.tobytes()
        elif left.dtype.kind in "fc":
            np.testing.assert_allclose(left, right, rtol=1e-6, equal_nan=True)
        else:
            assert np.array_equal(left, right)
    return True


@MAKES_SUITE
@pytest.mark.parametrize("name", PASSES)
def test_a_pass_keeps_what_nodes_compute(name: str) -> None:
    made = getattr(transform, name)()
    chosen = list(cases().values())[PASSES.index(name) % EVERY :: EVERY]
    ran = 0
    for case in chosen:
        with naming(case):
            for model, feeds in models_of(case):
                mod = from_onnx(model)
                image = made(mod)
                assert made(image) is image
                ran += image is mod or name in TYPES or compare(mod, image, feeds)
    assert ran > len(chosen)


@MAKES_SUITE
def test_all_passes_in_a_row_keep_what_nodes_compute() -> None:
    """Of the two forms of a model one is tested."""
    pipeline = onnx_pipeline(3)
    chosen = list(cases().values())[:: every(7)]
    ran = 0
    for place, case in enumerate(chosen):
        with naming(case):
            for model, feeds in models_of(case)[place % 2 :: 2]:
                mod = from_onnx(model)
                ran += compare(mod, pipeline(mod), feeds)
    assert ran > 0.8 * len(chosen)


@contextmanager
def naming(case: Any) -> Iterator[None]:
    """Say in errors which case they came up in."""
    try:
        yield
    except Exception as error:
        error.add_note(f"in {case.name}")
        raise
