"""Shapes of outputs: names of sizes that are known by now."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend.onnx import to_onnx  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.passes.onnx.default_pipeline import onnx_pipeline  # noqa: E402
from relayish.transform import DeclareOutputShapes  # noqa: E402
from tests.passes.onnx_rewrite.graphs import read  # noqa: E402

pytestmark = pytest.mark.references


def sizes(mod: IRModule) -> list[list[int | str]]:
    """Return the shapes of the outputs of the model."""
    return [
        [dim.dim_param or dim.dim_value for dim in each.type.tensor_type.shape.dim]
        for each in to_onnx(mod).graph.output
    ]


def test_sizes_that_are_known_are_declared() -> None:
    mod = read("g (float[2,n] x) => (float[rows,columns] y, float[k,m] z) {"
               "  y = Transpose<perm=[1,0]>(x) z = Concat<axis=0>(x, x) }")  # fmt: skip
    image = DeclareOutputShapes()(mod)
    assert sizes(image) == [["rows", 2], [4, "m"]]
    assert DeclareOutputShapes()(image) is image
    assert sizes(onnx_pipeline(1)(mod)) == [["rows", 2], [4, "m"]]


@pytest.mark.parametrize(
    "text",
    [
        "g (float[n,3] x) => (float[n,3] y) { y = Relu(x) }",
        "g (float[2,3] x) => (float[2,3] y) { y = Relu(x) }",
        "g (float[n] x) => (y) { y = Relu(x) }",
    ],
)
def test_what_says_no_more_than_the_model_is_left_alone(text: str) -> None:
    mod = read(text)
    assert DeclareOutputShapes()(mod) is mod
