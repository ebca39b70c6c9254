"""Why a rule for ONNX is not applied: alone, among others, and in a pass."""

from __future__ import annotations

import pytest

onnx = pytest.importorskip("onnx")

from relayish import why_not  # noqa: E402
from relayish.errors import PassError  # noqa: E402
from relayish.ir.relay.expr import Call  # noqa: E402
from relayish.passes.onnx.rewrite.engine import rule  # noqa: E402
from tests.passes.onnx.graphs import read  # noqa: E402

pytestmark = pytest.mark.references

MODEL = """g (float[2] x) => (float[2] y) {
    a = Identity(x)
    b = Cast<to=1>(a)
    y = Relu(b)
}"""


@rule("Identity")
def forward(call, graph):
    return call.args[0]


@rule("Identity")
def negate(call, graph):
    return graph.call("Neg", call.args)


@rule("Relu")
def cautious(call, graph):
    return None


@rule("Relu")
def undefined(call, graph):
    return graph.call("Relu", [*call.args, *call.args])


def test_rule_for_onnx_is_told_what_it_makes():
    found = why_not(forward, read(MODEL))
    assert not found
    assert str(found) == "forward replaces onnx::Identity_16(%x) by %x"


def test_rule_for_onnx_that_does_nothing_leaves_the_call():
    assert str(why_not(cautious, read(MODEL))).startswith("cautious leaves onnx::Relu_14(%b)")


def test_rule_for_onnx_that_rebinds_others_is_told_what_it_makes_of_one():
    model = read("""g (float[2, 3] x) => (float[2, 3] y) {
        a = Transpose<perm=[1, 0]>(x)
        b = Relu(a)
        y = Transpose<perm=[1, 0]>(b)
    }""")
    found = why_not("PushTranspose/sink_transpose", model)
    assert not found
    assert str(found).startswith("sink_transpose replaces onnx::Transpose_13(%b) by ")


def test_rule_for_onnx_before_it_that_takes_the_call_is_told():
    found = why_not(negate, read(MODEL), among=[forward, negate])
    assert "comes too late for onnx::Identity_16(%x)" in str(found)
    assert str(found).endswith("forward replaces that first")
    assert not why_not(negate, read(MODEL), among=[negate, forward])


def test_rule_for_onnx_is_asked_about_the_graph_as_it_is():
    mod = read(MODEL)
    found = why_not(negate, mod)
    assert type(found.outcomes[0].image) is Call
    assert len(found.outcomes) == 1


def test_what_is_not_defined_is_told():
    with pytest.warns(Warning, match="what it writes is not defined"):
        found = why_not(undefined, read(MODEL), among=[undefined])
    assert "as it is: what it writes is not defined: " in str(found)
    assert "as it is: what it writes is not defined: " in str(why_not(undefined, read(MODEL)))


def test_rule_of_a_pass_on_onnx_goes_by_the_names_of_both():
    assert not why_not("EliminateNop/forward_identity", read(MODEL))
    kept = read("g (float[2] x) => (float16[2] y) { y = Cast<to=10>(x) }")
    told = str(why_not("EliminateNop/remove_cast", kept))
    assert told.startswith("remove_cast leaves onnx::Cast_13(%x")


def test_what_rules_for_onnx_do_not_take_is_refused():
    mod = read(MODEL)
    with pytest.raises(PassError, match="do not give keep_order"):
        why_not(forward, mod, keep_order=True)
    with pytest.raises(PassError, match="rule forward is none of those"):
        why_not(forward, mod, among=[negate])
