"""Ifs and loops that are decided."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import transform  # noqa: E402
from relayish.ir.relay.expr import Call, Let  # noqa: E402
from relayish.onnx.calls import captures_of  # noqa: E402
from tests.passes.onnx.rewrite.graphs import leaves, operators, read, simplify  # noqa: E402

pytestmark = pytest.mark.references


def branches(condition: str, *, inputs: str = "float[2,3] x", constants: str = "") -> str:
    held = f"<{constants}>" if constants else ""
    return f"""
        g ({inputs}) => (float[2,3] y) {held} {{
            {condition}
            y = If (c) <
                then_branch = t () => (float[2,3] a) {{ b = Relu(x) a = Neg(b) }},
                else_branch = e () => (float[2,3] d) {{ d = Exp(x) }}
            >
        }}"""


def test_a_known_condition_leads_to_its_branch() -> None:
    yes = branches("", constants="bool c = {1}")
    no = branches("", constants="bool c = {0}")
    assert simplify(yes, "InlineControlFlow") == ["Relu", "Neg"]
    assert simplify(no, "InlineControlFlow") == ["Exp"]


def test_types_decide_a_condition() -> None:
    rank = branches(
        "s = Shape(x) r = Size(s) c = Equal(r, two)",
        inputs="float[n,m] x",
        constants="int64 two = {2}",
    )
    size = branches(
        "s = Shape(x) r = Gather(s, one) c = Greater(r, three)",
        inputs="float[n,3] x",
        constants="int64 one = {1}, int64 three = {3}",
    )
    rank, size = (text.replace("float[2,3]", "float[n,3]") for text in (rank, size))
    assert simplify(rank.replace("[n,m]", "[n,3]"), "InlineControlFlow") == ["Relu", "Neg"]
    assert simplify(size, "InlineControlFlow") == ["Exp"]


def test_an_open_condition_stays() -> None:
    assert leaves(branches("", inputs="float[2,3] x, bool c"), "InlineControlFlow")
    open_size = branches(
        "s = Shape(x) r = Gather(s, one) c = Equal(r, one)",
        inputs="float[2,k] x",
        constants="int64 one = {1}",
    )
    assert leaves(open_size.replace("float[2,3]", "float[2,k]"), "InlineControlFlow")


def test_ifs_within_branches_are_decided_by_what_is_known_outside() -> None:
    text = """
        g (float[2] x, bool p) => (float[2] y) <bool c = {1}> {
            y = If (p) <
                then_branch = t () => (float[2] a) {
                    a = If (c) <
                        then_branch = tt () => (float[2] b) { b = Relu(x) },
                        else_branch = te () => (float[2] d) { d = Exp(x) }
                    >
                },
                else_branch = e () => (float[2] h) { h = Neg(x) }
            >
        }"""
    assert simplify(text, "InlineControlFlow") == ["If", "Relu", "Neg"]


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


def test_two_results_of_a_branch_are_both_taken() -> None:
    text = """
        g (float[2] x) => (float[2] y) <bool c = {1}> {
            a, b = If (c) <
                then_branch = t () => (float[2] p, float[2] q) { p = Relu(x) q = Neg(x) },
                else_branch = e () => (float[2] r, float[2] s) { r = Exp(x) s = Abs(x) }
            >
            y = Add(a, b)
        }"""
    assert simplify(text, "InlineControlFlow") == ["Relu", "Neg", "Add"]


def loop(limit: str, condition: str, constants: str, scan: str = "") -> str:
    outputs = ", float[k,2] z" if scan else ""
    names = "y, z" if scan else "y"
    results = ", float[2] w" if scan else ""
    return f"""
        g (float[2] x, int64 n, bool p) => (float[2] y{outputs}) <{constants}> {{
            {names} = Loop ({limit}, {condition}, x) <
                body = b (int64 i, bool held, float[2] s) => (bool d, float[2] t{results}) {{
                    d = Identity(p) t = Add(s, x) {scan}
                }}
            >
        }}"""


def test_a_loop_that_does_not_run_is_dropped() -> None:
    never = loop("l", "p", "int64 l = {0}")
    false = loop("n", "c", "bool c = {0}")
    assert simplify(never, "InlineControlFlow") == ["Identity"]
    assert simplify(false, "InlineControlFlow") == ["Identity"]


def test_a_loop_that_runs_once_is_spelt_out() -> None:
    once = loop("l", "c", "int64 l = {1}, bool c = {1}")
    without = loop("l", "", "int64 l = {1}").replace("d = Identity(p)", "d = Not(held)")
    collecting = loop("l", "c", "int64 l = {1}, bool c = {1}", "w = Neg(t)")
    assert simplify(once, "InlineControlFlow") == ["Add"]
    # the evaluator of onnx takes a missing condition for false
    assert operators(transform.InlineControlFlow()(read(without))) == ["Add"]
    assert simplify(collecting, "InlineControlFlow") == ["Add", "Neg", "Unsqueeze"]


@pytest.mark.parametrize(
    ("limit", "condition", "constants"),
    [
        ("l", "p", "int64 l = {1}"),
        ("l", "c", "int64 l = {2}, bool c = {1}"),
        ("n", "c", "bool c = {1}"),
        ("", "c", "bool c = {1}"),
    ],
)
def test_a_loop_that_may_run_otherwise_stays(limit: str, condition: str, constants: str) -> None:
    assert leaves(loop(limit, condition, constants), "InlineControlFlow")


def test_a_loop_that_collects_nothing_stays() -> None:
    assert leaves(loop("l", "p", "int64 l = {0}", "w = Neg(t)"), "InlineControlFlow")


def test_a_constant_from_outside_that_a_graph_gives_is_put_into_it() -> None:
    text = """
        g (float[2] x, int64 n) => (float[2] y) <bool c = {1}> {
            y = Loop (n, c, x) <
                body = b (int64 i, bool e, float[2] s) => (bool d, float[2] t) {
                    d = Identity(c) t = Add(s, x)
                }
            >
        }"""
    assert operators(read(text)) == ["Loop", "Identity", "Add"]
    assert simplify(text, "EliminateNop") == ["Loop", "Add"]


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
