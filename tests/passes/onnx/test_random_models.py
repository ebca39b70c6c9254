"""Random models compute the same through every pipeline of ONNX, and stay valid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.errors import PassError  # noqa: E402
from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.passes.onnx.default_pipeline import onnx_pipeline  # noqa: E402
from relayish.transform import PassContext, parse_pipeline  # noqa: E402
from tests.support.random_onnx import RandomModel, is_close, random_model  # noqa: E402
from tests.support.seeds import seeds  # noqa: E402

pytestmark = pytest.mark.references

PIPELINES: dict[str, Callable[[IRModule], IRModule]] = {
    "level 1": onnx_pipeline(1),
    "level 2": onnx_pipeline(2),
    "level 3": onnx_pipeline(3),
    "converted": parse_pipeline("ConvertOpset{version=23}"),
    "lowered": parse_pipeline("LowerOnnx"),
    "raised": parse_pipeline("LowerOnnx,InferType,RaiseToOnnx"),
    "lowered, simplified, raised": parse_pipeline(
        "LowerOnnx,InferType,SimplifyExpr,FoldConstant,RaiseToOnnx"
    ),
}
REFUSED = {"raised": PassError, "lowered, simplified, raised": PassError}
"""What may be refused, by name: operators that ONNX has not, of this type."""


def through_pipelines(made: RandomModel) -> Iterator[tuple[str, IRModule, Any]]:
    """Yield what each pipeline makes of a model, and that as a model, but where it is refused."""
    mod = from_onnx(made.model)
    for name, pipeline in PIPELINES.items():
        try:
            with PassContext(opt_level=4):
                image = pipeline(mod)
        except REFUSED.get(name, ()):
            continue
        yield name, image, None if name == "lowered" else to_onnx(image)


@pytest.mark.parametrize("seed", seeds(24))
def test_pipelines_keep_values(seed: int) -> None:
    made = random_model(seed)
    with np.errstate(all="ignore"):
        expected = OnnxSession(from_onnx(made.model)).run(made.inputs)
        for name, image, model in through_pipelines(made):
            if model is not None:
                onnx.checker.check_model(model, full_check=True)
            session = OnnxSession(image if model is None else from_onnx(model))
            for one, other in zip(expected, session.run(made.inputs), strict=True):
                assert is_close(one, other), f"{name}: {other} in place of {one}"
