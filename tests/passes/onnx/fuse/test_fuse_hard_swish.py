"""Clipped sums become activations of ONNX."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish.frontend import from_onnx, to_onnx  # noqa: E402
from relayish.transform import get_pass  # noqa: E402
from tests.passes.onnx.fuse.programs import optimise  # noqa: E402

pytestmark = pytest.mark.references

NUMBERS = (
    "float THREE = {3}, float ZERO = {0}, float SIX = {6}, float SIXTH = {0.16666667}, "
    "float TWO = {2}, float[1, 3] ROW = {3, 3, 3}"
)


@pytest.mark.parametrize(
    ("body", "opset", "expected"),
    [
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Div(b, SIX) y = Mul(x, c)", 14,
         ["HardSwish"]),
        ("a = Add(THREE, x) b = Clip(a, ZERO, SIX) c = Mul(SIXTH, b) y = Mul(c, x)", 17,
         ["HardSwish"]),
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Div(b, SIX) y = Mul(x, c)", 13,
         ["HardSigmoid", "Mul"]),
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Mul(x, b) y = Div(c, SIX)", 17,
         ["HardSwish"]),
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Mul(b, x) y = Div(c, SIX)", 11,
         ["HardSigmoid", "Mul"]),
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Mul(x, b) d = Div(c, SIX) y = Add(d, b)",
         17, None),
        ("a = Add(x, TWO) b = Clip(a, ZERO, SIX) c = Div(b, SIX) y = Mul(x, c)", 17,
         ["HardSigmoid", "Mul"]),
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Div(b, TWO) y = Mul(x, c)", 17, None),
        ("a = Add(x, THREE) b = Clip(a, TWO, SIX) c = Div(b, SIX) y = Mul(x, c)", 17, None),
        ("a = Add(x, THREE) b = Clip(a, ZERO) c = Div(b, SIX) y = Mul(x, c)", 17, None),
        ("a = Add(x, THREE) b = Clip(a, ZERO, SIX) c = Div(b, SIX) y = Mul(a, c)", 17, None),
        ("a = Add(x, ROW) b = Clip(a, ZERO, SIX) c = Div(b, SIX) y = Mul(x, c)", 17, None),
    ],
)  # fmt: skip
def test_clipped_sums(body: str, opset: int, expected: list[str] | None) -> None:
    text = f"m (float[2, 3] x) => (float[2, 3] y) <{NUMBERS}> {{ {body} }}"
    found, changed = optimise(text, "FuseHardSwish", opset)
    assert changed == (expected is not None)
    assert expected is None or found == expected


def test_nodes_that_are_made_have_names_of_their_own() -> None:
    text = (
        f"m (float[2, 3] x) => (float[2, 3] y) <{NUMBERS}> {{ [add] a = Add(x, THREE) "
        "[clip] b = Clip(a, ZERO, SIX) [mul] c = Mul(x, b) [div] y = Div(c, SIX) }"
    )
    header = '<ir_version: 8, opset_import: ["" : 11]>'
    mod = get_pass("FuseHardSwish")(from_onnx(onnx.parser.parse_model(header + text)))
    names = [node.name for node in to_onnx(mod).graph.node]
    assert names[-1] == "div"
    assert len(set(names)) == len(names) == 2
