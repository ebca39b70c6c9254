"""Initial states of recurrent layers that say what they are anyway."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from tests.passes.onnx.rewrite.graphs import simplify  # noqa: E402

pytestmark = pytest.mark.references

SHAPES = {"RNN": 4, "GRU": 12, "LSTM": 16}


def layer(operator: str, states: str, *, body: str = "", held: str = "") -> str:
    rows = SHAPES[operator]
    weights = ", ".join(["0.5"] * rows * 3), ", ".join(["-0.25"] * rows * 4)
    return f"""g (float[5,n,3] x) => (float[?,?,?,?] y)
        <float[1,{rows},3] w = {{{weights[0]}}}, float[1,{rows},4] r = {{{weights[1]}}},
         int64[1] one = {{1}}, int64[1] size = {{4}}, int64[1] middle = {{1}}, int64[1] end = {{2}}
         {held}>
        {{ s = Shape(x) batch = Slice(s, middle, end) shape = Concat<axis=0>(one, batch, size)
           {body} y, h = {operator}<hidden_size=4>(x, w, r, , , {states}) }}"""


ZEROS = {
    "of a batch of any size": ("z = ConstantOfShape(shape)", ""),
    "of a value": ("z = ConstantOfShape<value=float[1]{0}>(shape)", ""),
    "cut": (
        "m = Concat<axis=0>(two, batch, size) t = ConstantOfShape(m) z = Slice(t, middle, end)",
        ", int64[1] two = {2}",
    ),
    "expanded": ("z = Expand(k, shape)", ", float[1,1,4] k = {0, 0, 0, 0}"),
}


@pytest.mark.parametrize("operator", SHAPES)
@pytest.mark.parametrize("zeros", ZEROS)
def test_state_of_zeros_is_left_out(operator: str, zeros: str) -> None:
    body, held = ZEROS[zeros]
    states = "z, z" if operator == "LSTM" else "z"
    assert simplify(layer(operator, states, body=body, held=held)) == [operator]


@pytest.mark.parametrize("body", ["z = ConstantOfShape<value=float[1]{-0.0}>(shape)",
                                  "z = ConstantOfShape<value=float[1]{1}>(shape)"])  # fmt: skip
def test_other_states_stay(body: str) -> None:
    assert simplify(layer("GRU", "z", body=body))[-2:] == ["ConstantOfShape", "GRU"]


def test_one_of_two_states_may_stay() -> None:
    body = "z = ConstantOfShape(shape) o = ConstantOfShape<value=float[1]{1}>(shape)"
    left = simplify(layer("LSTM", "z, o", body=body))
    assert left[-2:] == ["ConstantOfShape", "LSTM"]
    assert left.count("ConstantOfShape") == 1
