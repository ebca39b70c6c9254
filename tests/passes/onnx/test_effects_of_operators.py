"""Operators that draw numbers, or of which nothing is known: what they do is kept as it is."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import transform  # noqa: E402
from relayish.frontend.onnx import from_onnx  # noqa: E402
from relayish.passes.onnx.default_pipeline import onnx_pipeline  # noqa: E402
from relayish.passes.relay.default_pipeline import default_pipeline  # noqa: E402
from tests.passes.onnx.graphs import operators, read  # noqa: E402
from tests.support.each import each  # noqa: E402

pytestmark = pytest.mark.references

PASSES = {
    **{
        name: transform.Sequential(["InferType", name])
        for name in (
            "SimplifyOnnx",
            "OptimizeOnnx",
            "EliminateCommonSubexprOnnx",
            "EliminateCommonSubexpr",
            "FoldConstant",
            "DeadCodeElimination",
        )
    },
    "all for ONNX": onnx_pipeline(3),
    "all for Relay": default_pipeline(3),
}
DRAWING = {
    "dropout that trains": "Dropout({}, half, yes)",
    "dropout that may train": "Dropout({}, half, mode)",
    "bernoulli": "Bernoulli({})",
    "normal": "RandomNormalLike({})",
    "uniform": "RandomUniformLike<low=1.0>({})",
    "uniform from nothing": "RandomUniform<shape=[4]>()",
}


def graph(body: str, results: str = "float[4] p, float[4] q, float[4] r") -> str:
    return (
        f"g (float[4] x, bool mode) => ({results}) "
        f"<float half = {{0.5}}, bool yes = {{1}}, float[4] c = {{1, 2, 3, 4}}> {{ {body} }}"
    )


@each("made_by", PASSES)
@each("call", DRAWING.values())
def test_no_two_draws_are_merged_and_none_is_made_early(made_by, call):
    mod = read(graph(f"p = {call.format('x')} q = {call.format('x')} r = {call.format('c')}"))
    before = operators(mod)
    assert len(before) == 3
    assert operators(PASSES[made_by](mod)) == before


@pytest.mark.parametrize("since", ["Dropout({})", "Dropout({}, half)", "Dropout({}, half, no)"])
def test_dropout_that_never_trains_draws_nothing(since):
    text = graph(f"d = {since.format('x')} p = Relu(d)", "float[4] p")
    mod = read(text.replace("bool yes = {1}", "bool no = {0}"))
    assert operators(onnx_pipeline(1)(mod)) == ["Relu"]


def branches(call: str) -> str:
    made = f"() => (float[4] o) {{ o = {call} }}"
    return f"If<then_branch=t {made}, else_branch=e {made}>(mode)"


def read_with_mine(text: str):
    model = onnx.parser.parse_model(
        f'<ir_version: 10, opset_import: ["": 17, "mine": 1]>\n{graph(text, "float[4] p")}'
    )
    return from_onnx(model)


@pytest.mark.parametrize("name", ["DeadCodeElimination", "all for ONNX", "all for Relay"])
def test_unknown_operator_in_a_graph_that_nobody_uses_stays(name):
    mod = read_with_mine(f"u = {branches('mine.Log(x)')} p = Relu(x)")
    assert operators(PASSES[name](mod)) == ["If", "Log", "Log", "Relu"]


@pytest.mark.parametrize("name", ["DeadCodeElimination", "all for ONNX"])
def test_nest_of_graphs_without_effect_that_nobody_uses_goes(name):
    inner = branches("Exp(a)").replace("then_branch=t", "then_branch=s")
    mod = read_with_mine(f"a = Neg(x) u = {branches(inner)} p = Relu(x)")
    assert operators(PASSES[name](mod)) == ["Relu"]


@pytest.mark.parametrize("name", ["DeadCodeElimination", "all for ONNX"])
def test_graph_without_effect_that_nobody_uses_goes(name):
    mod = read_with_mine(f"u = {branches('Exp(x)')} p = Relu(x)")
    assert operators(PASSES[name](mod)) == ["Relu"]
