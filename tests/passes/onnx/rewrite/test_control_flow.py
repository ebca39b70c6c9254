"""Ifs and loops that are decided."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import transform  # noqa: E402
from relayish.ir.relay.expr import Call, Let  # noqa: E402
from relayish.onnx.calls import captures_of  # noqa: E402
from tests.passes.onnx.graphs import operators, read  # noqa: E402

pytestmark = pytest.mark.references


def test_what_a_graph_no_longer_uses_is_no_longer_captured() -> None:
    text = """
        g (float[2] x, float[2] z, bool p) => (float[2] y) <float one = {1}> {
            w = Exp(z) v = Mul(z, one)
            y = If (p) <
                then_branch = t () => (float[2] a) { b = Mul(x, one) a = Add(b, v) },
                else_branch = e () => (float[2] h) { h = Neg(x) }
            >
        }"""
    mod = read(text)

    tail = transform.SimplifyOnnx()(mod)["main"].body
    captured = []
    while type(tail) is Let:
        if type(tail.value) is Call:
            captured += [each.name_hint for each in captures_of(tail.value)]
        tail = tail.body
    assert captured == ["x", "z"]


def test_a_loop_without_condition_that_runs_once_is_spelt_out() -> None:
    text = """
        g (float[2] x) => (float[2] y) <int64 l = {1}> {
            y = Loop (l, , x) <
                body = b (int64 i, bool held, float[2] s) => (bool d, float[2] t) {
                    d = Not(held) t = Add(s, x)
                }
            >
        }"""
    # its value is not compared: the evaluator of onnx takes a missing condition for false
    assert operators(transform.InlineControlFlow()(read(text))) == ["Add"]


SQUEEZING = """
    g (float[k,4] x, float[1,1,4] h) => (float[p,q,r] y)
    <float[1,16,4] w, float[1,16,4] v, int64[1] zero = {0}, int64 two = {2}> {
        d = Shape(x) e = Gather(d, zero) f = Size(d) b = Equal(e, f)
        a = If (b) <
            then_branch = t () => (float[?,?] s) { s = Identity(x) },
            else_branch = u () => (float[?,?,?] r) { r = Unsqueeze(x, zero) }
        >
        m = Shape(a) i = Size(m) j = Equal(i, two) z = Not(j)
        c = If (z) <
            then_branch = n () => (float[?,?,?] o) { o = Unsqueeze(a, zero) },
            else_branch = q () => (float[?,?] l) { l = Identity(a) }
        >
        %s
    }"""
TAKEN = "in = Unsqueeze(c, zero) all, y, cell = LSTM<hidden_size=4>(in, w, v)"


def test_ranks_that_nothing_takes_are_ruled_out() -> None:
    mod = read(SQUEEZING.replace("float[1,16,4] w, float[1,16,4] v, ", "")
               .replace("float[1,1,4] h", "float[1,16,4] w, float[1,16,4] v") % TAKEN)  # fmt: skip

    found = operators(transform.SimplifyOnnx()(mod))
    assert found.count("If") == 1
    assert "Not" not in found


def test_ranks_that_all_uses_take_are_not_ruled_out() -> None:
    text = SQUEEZING.replace("float[1,16,4] w, float[1,16,4] v, ", "") % "y = Relu(c)"

    assert operators(transform.SimplifyOnnx()(read(text))).count("If") == 2
