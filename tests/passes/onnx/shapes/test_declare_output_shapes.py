"""Shapes of outputs: names of sizes that are known by now."""

from __future__ import annotations

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend.onnx import to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.ir.relay.module import IRModule  # noqa: E402
from relayish.passes.onnx.default_pipeline import onnx_pipeline  # noqa: E402
from relayish.transform import DeclareOutputShapes  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402

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


@pytest.mark.parametrize(
    ("text", "opset", "expected"),
    [
        # 9 * 2.3333333 is 21 in single precision, as runtimes compute it, and less in double
        ('y = Resize<mode="nearest">(x, , s)', 17, [1, 1, "q", 5]),
        ("y = MaxPool<kernel_shape=[12, 1], strides=[5, 1], ceil_mode=1>(x)", 22, [1, 1, "q", 5]),
        ("y = MaxPool<kernel_shape=[4, 1], strides=[5, 1], ceil_mode=1>(x)", 22, [1, 1, 2, 5]),
    ],
)
def test_sizes_on_which_onnx_and_runtimes_disagree_are_not_declared(
    text: str, opset: int, expected: list[int | str]
) -> None:
    scales = "s = Constant<value_floats=[1.0, 1.0, 2.3333333, 1.0]>()"
    mod = read(f"g (float[1,1,9,5] x) => (float[k,l,q,w] y, int64[4] t) "
               f"{{ {scales} {text} t = Shape(y) }}", opset)  # fmt: skip
    image = onnx_pipeline(2)(mod)
    assert sizes(image)[0] == expected
    x = np.ones((1, 1, 9, 5), np.float32)
    found, shape = OnnxSession(image).run([x])
    assert shape.tolist() == list(found.shape)
