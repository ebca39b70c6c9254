"""What cannot be lowered stays, and the rest of a model computes the same; slices at every end."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx.parser import parse_model  # noqa: E402

from relayish.frontend.onnx import from_onnx, to_onnx  # noqa: E402
from relayish.frontend.onnx.session import OnnxSession  # noqa: E402
from relayish.transform import LowerOnnx  # noqa: E402
from tests.support.onnx_models import MAKES_SUITE, every, suite_cases  # noqa: E402

pytestmark = pytest.mark.references


def as_model(body: str, opset: int = 21, functions: str = "") -> Any:  # Any: a ModelProto
    domains = ', "my" : 1' if functions else ""
    text = f'<ir_version: 10, opset_import: ["" : {opset}{domains}]> g {body}{functions}'
    return parse_model(text)


TWICE = '<domain: "my", opset_import: ["" : 21]> Twice <k: float = 2.0> (a) => (c)'
TWICE += "{ b = Elu <alpha: float = @k> (a) c = Add(b, a) }"
CLIPPED = '<domain: "my", opset_import: ["" : 21]> Clipped (a, low, high) => (b)'
CLIPPED += "{ b = Clip(a, low, high) }"
X = np.array([-3, 0.25, 2], "float32")
MODELS = {
    "a function that nothing calls": ("(float[3] x) => (float[3] y) { y = Relu(x) }", TWICE, set()),
    "a function of another version": (
        "(float[3] x) => (float[3] y) { y = my.Old(x) }",
        '<domain: "my", opset_import: ["" : 11]> Old (a) => (b) { b = Softmax <axis = 0> (a) }',
        set(),
    ),
    "type told by an attribute": (
        (
            "(float[3] x) => (float[3] y) <float s = {1.0}>"
            "{ q = QuantizeLinear <output_dtype = 3> (x, s) y = DequantizeLinear(q, s) }"
        ),
        "",
        set(),
    ),
    "four bits": (
        (
            "(float[3] x) => (float[3] z) <float s = {0.5}>"
            "{ q = Cast <to = 22> (x) y = DequantizeLinear(q, s) z = Relu(y) }"
        ),
        "",
        set(),
    ),
    "branches of other sizes": (
        (
            "(float[3] x) => (float[k] y) { zero = Constant <value = float {0.0}> ()"
            "  total = ReduceSum <keepdims = 0> (x) c = Greater(total, zero)"
            "  y = If (c) <then_branch = t () => (float[1] p) {"
            "      p = Constant <value = float[1] {1.0}> () },"
            "    else_branch = e () => (float[2] q) {"
            "      q = Constant <value = float[2] {1.0, 2.0}> () }>"
            "}"
        ),
        "",
        {"If"},
    ),
    "functions": (
        "(float[3] x) => (float[3] y) { t = my.Twice <k = 3.0> (x) y = my.Twice(t) }",
        TWICE,
        set(),
    ),
    "functions given less than they take": (
        (
            "(float[3] x) => (float[3] y, float[3] z) <float h = {1.0}>"
            '{ y = my.Clipped(x) z = my.Clipped(x, "", h) }'
        ),
        CLIPPED,
        set(),
    ),
}
"""Of each model: its functions, and the operators of ONNX that stay."""


@pytest.mark.parametrize("name", MODELS)
def test_what_cannot_be_lowered_stays(name: str) -> None:
    body, functions, stay = MODELS[name]
    mod = from_onnx(as_model(body, functions=functions))
    lowered = LowerOnnx()(mod)
    text = str(lowered)
    assert {name for name in stay if f"onnx::{name}_" not in text} == set()
    assert text.count("onnx::") >= len(stay)
    assert stay or "onnx::" not in text
    for one, other in zip(OnnxSession(mod).run([X]), OnnxSession(lowered).run([X]), strict=True):
        assert one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_operator_that_onnx_calls_deprecated_is_lowered_as_it_is_defined() -> None:
    text = "(float[1, 4, 3] x) => (float[1, 4, 3] y) <float[2] s = {1, 2}, float[2] b = {0, 1}>"
    body = "{ z = GroupNormalization <num_groups = 2> (x, s, b) y = Relu(z) }"
    mod = from_onnx(as_model(text + body, opset=18))
    lowered = LowerOnnx()(mod)
    assert "onnx::" not in str(lowered)
    data = np.arange(12, dtype="float32").reshape(1, 4, 3)
    [one], [other] = (OnnxSession(each).run([data]) for each in (mod, lowered))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_function_given_less_than_it_takes_is_written_so() -> None:
    model = as_model(MODELS["functions given less than they take"][0], functions=CLIPPED)
    again = to_onnx(from_onnx(model))
    assert [list(node.input) for node in again.graph.node] == [["x"], ["x", "", "h"]]


def sliced(size: int, start: int, end: int, step: int) -> range:
    """Which elements of an axis ONNX takes: starts and ends are clamped to where a step may be."""
    start, end = (each + size if each < 0 else each for each in (start, end))
    if step > 0:
        return range(min(max(start, 0), size), min(max(end, 0), size), step)
    return range(min(max(start, 0), size - 1), min(max(end, -1), size - 1), step)


FAR = 2**62


@pytest.mark.parametrize("size", [0, 1, 5])
def test_slices_begin_and_end_where_onnx_says(size: int) -> None:
    x = np.arange(size, dtype="float32")
    ends = (-FAR, -size - 1, -size, -1, 0, 1, size - 1, size, size + 3, FAR)
    cases = list(itertools.product(ends, ends, (1, 2, -1, -3)))[:: every(11)]
    for start, end, step in cases:
        told = f"<int64[1] s = {{{start}}}, int64[1] e = {{{end}}}, int64[1] t = {{{step}}},"
        body = f"(float[{size}] x) => (float[k] y) {told} int64[1] a = {{0}}>"
        model = as_model(body + "{ y = Slice(x, s, e, a, t) }")
        lowered = from_onnx(model, lower=True)
        assert "onnx::" not in str(lowered)
        [found] = OnnxSession(lowered).run([x])
        assert found.tolist() == [float(at) for at in sliced(size, start, end, step) if size]


@MAKES_SUITE
@pytest.mark.slow("infers the types of whole graphs, of every sort of operator")
def test_no_node_of_onnx_keeps_a_model_from_being_lowered() -> None:
    cases = [case for case in suite_cases() if case.kind == "node"]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for case in cases[:: every(16)]:
            try:
                LowerOnnx()(from_onnx(case.model))
            except Exception as error:
                raise AssertionError(f"{case.name}: {error}") from error
