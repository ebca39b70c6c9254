"""By how much outputs may differ that are computed of numbers of few bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")

from onnx.parser import parse_model  # noqa: E402

from relayish.cli.main import main  # noqa: E402
from relayish.cli.onnx.magnitudes import allowed_difference  # noqa: E402
from relayish.cli.onnx.precision import narrowest_floats  # noqa: E402
from relayish.frontend.onnx import from_onnx  # noqa: E402

pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]


def as_model(body: str) -> Any:  # Any: a ModelProto
    return parse_model(f'<ir_version: 10, opset_import: ["" : 21]> g {body}')


MODELS = {
    "none": ("(float[2] x) => (float[2] y) { y = Relu(x) }", {}),
    "a cast on the way": (
        "(float[2] x) => (float[2] y) { a = Cast <to = 10> (x) b = Sin(a) y = Cast <to = 1> (b) }",
        {"y": 2},
    ),
    "of one output": (
        "(float[2] x, float16[2] h) => (float[2] y, float16[2] z) { y = Relu(x) z = Relu(h) }",
        {"z": 2},
    ),
    "a constant": (
        ("(float[2] x) => (float[2] y) <float16[2] w = {1, 2}>"
        " { c = Cast <to = 1> (w) y = Add(x, c) }"),
        {"y": 2},
    ),
    "eight bits within a branch": (
        ("(float[2] x, bool c) => (float[2] y) { y = If (c) <"
        " then_branch = t () => (float[2] p) { q = Cast <to = 17> (x) p = Cast <to = 1> (q) },"
        " else_branch = e () => (float[2] r) { r = Neg(x) }> }"),
        {"y": 1},
    ),
    "for its shape alone": (
        ("(float[2] x, float16[N] h) => (float[N] y) { s = Shape(h) y = Expand(x, s) }"),
        {},
    ),
    "compared": (
        ("(float[2] x, float16[2] h) => (float[2] y) {"
        " b = Less(h, h) y = Where(b, x, x) }"),
        {},
    ),
    "a constant that is made": (
        ("(float[2] x) => (float[2] y) {"
        " s = Shape(x) h = ConstantOfShape <value = float16[1] {1}> (s) c = Cast <to = 1> (h)"
        " y = Add(x, c) }"),
        {"y": 2},
    ),
    "wide ones": ("(float[2] x) => (double[2] y) { y = Cast <to = 11> (x) }", {}),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_narrowest_floats_on_the_way_to_outputs_are_found(name: str) -> None:
    body, expected = MODELS[name]
    model = as_model(body)
    outputs = [each.name for each in model.graph.output]
    assert narrowest_floats(from_onnx(model), outputs) == expected


def test_floats_in_functions_are_on_the_way() -> None:
    model = parse_model(
        """<ir_version: 10, opset_import: ["" : 21, "my" : 1]>
        g (float[2] x) => (float[2] y, float[2] z) { y = my.half(x) z = Relu(x) }
        <domain: "my", opset_import: ["" : 21]> half (a) => (c) {
            b = Cast <to = 10> (a) c = Cast <to = 1> (b)
        }"""
    )
    assert narrowest_floats(from_onnx(model), ["y", "z"]) == {"y": 2}


def test_functions_may_call_one_another_however_deep() -> None:
    count = 1500
    functions = "".join(
        f"""<domain: "my", opset_import: ["" : 21, "my" : 1]>
        f{n} (a) => (b) {{ b = my.f{n + 1}(a) }}
        """
        for n in range(count)
    )
    last = f"""<domain: "my", opset_import: ["" : 21]>
        f{count} (a) => (c) {{ b = Cast <to = 10> (a) c = Cast <to = 1> (b) }}"""
    model = parse_model(
        """<ir_version: 10, opset_import: ["" : 21, "my" : 1]>
        g (float[2] x) => (float[2] y) { y = my.f0(x) }
        """
        + functions
        + last
    )
    assert narrowest_floats(from_onnx(model), ["y"]) == {"y": 2}


def test_tolerance_is_that_of_the_narrowest_floats() -> None:
    wide, half = np.zeros(1, "float32"), np.zeros(1, "float16")
    assert [allowed_difference(wide, 1e-4, width) for width in (4, 2, 1)] == [1e-4, 1e-2, 0.25]
    assert allowed_difference(half, 1e-4) == 1e-2
    assert allowed_difference(half, 0.5, 2) == 0.5


def test_model_that_computes_in_sixteen_bits_is_equal_and_the_tolerance_told(
    tmp_path: Path, capsys: Capture
) -> None:
    path, out = tmp_path / "m.onnx", tmp_path / "out.onnx"
    rng = np.random.default_rng(0)
    body = """(float[2, 64] x) => (float[2, 64] y) {
        a = Cast <to = 10> (x) b = MatMul(a, w) c = Add(b, v) d = Mul(c, s) e = Tanh(d)
        y = Cast <to = 1> (e) }"""
    model = as_model(body)
    for name, value in (
        ("w", rng.standard_normal((64, 64))),
        ("v", rng.standard_normal(64)),
        ("s", np.array(0.3)),
    ):
        model.graph.initializer.append(onnx.numpy_helper.from_array(value.astype("float16"), name))
    onnx.save(model, path)
    assert main(["optimize", str(path), "-o", str(out)]) == 0
    told = capsys.readouterr().out
    assert "equal on" in told
    assert "tolerance 1.0e-02" in told
