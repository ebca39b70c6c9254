"""Composite functions cut out by tables of patterns."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow_pattern import is_op, is_var, wildcard
from relayish.dataflow_pattern.pattern_analysis import Analysed
from relayish.errors import PassError, PipelineError
from relayish.passes.relay.fusion import merge_composite
from relayish.transform import MergeComposite

ADD_RELU = is_op("nn.relu")(is_op("add")(wildcard(), wildcard()))
ADD = is_op("add")(wildcard(), wildcard())


def module(body):
    return relay.parse(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32], %y: Tensor[(2), float32]) '
        f"{{ {body} }}"
    )


def composites(mod):
    return [
        node.attrs["Composite"]
        for node in relay.ir.relay.traversal.EXPRESSIONS.post_order(mod["main"])
        if type(node) is relay.Function and node.attrs is not None and "Composite" in node.attrs
    ]


def test_first_pattern_of_the_table_wins():
    mod = module("add(nn.relu(add(%x, %y)), %y)")
    assert composites(MergeComposite([("ar", ADD_RELU), ("a", ADD)])(mod)) == [
        "a",
        "ar",
    ]  # what calls before its arguments


def test_module_without_match_is_returned_itself():
    mod = module("tanh(%x)")
    assert MergeComposite([("ar", ADD_RELU)])(mod) is mod


def test_check_says_which_matches_are_cut_out():
    mod = module("nn.relu(add(%x, %y))")
    assert MergeComposite([("ar", ADD_RELU, lambda expr: False)])(mod) is mod
    seen = []
    MergeComposite([("ar", ADD_RELU, lambda expr: seen.append(expr.op.name) or True)])(mod)
    assert seen == ["nn.relu"]


def test_patterns_are_analysed_once_for_all_functions(monkeypatch: pytest.MonkeyPatch):
    asked = []
    monkeypatch.setattr(merge_composite, "Analysed", lambda p: asked.append(p) or Analysed(p))
    body = "{ nn.relu(add(%x, %x)) }"
    functions = [f"def @f{i}(%x: Tensor[(2), float32]) {body}" for i in range(4)]
    mod = relay.parse('#[version = "0.0.5"]\n' + "\n".join(functions))
    MergeComposite([("ar", ADD_RELU), ("a", ADD)])(mod)
    assert asked == [ADD_RELU, ADD]


def test_a_wildcard_may_be_redirected_between_two_runs():
    mod, tower = module("nn.relu(nn.relu(%x))"), wildcard()
    table = [("tower", is_op("nn.relu")(tower))]
    assert len(composites(MergeComposite(table)(mod))) == 2
    tower.redirect_to(is_op("nn.relu")(is_var()))
    assert len(composites(MergeComposite(table)(mod))) == 1


def test_results_are_typed():
    out = MergeComposite([("ar", ADD_RELU)])(module("nn.relu(add(%x, %y))"))
    func = out["main"].body.op
    assert func.ret_type.shape == (2,)
    assert [param.type_annotation.shape for param in func.params] == [(2,), (2,)]


@pytest.mark.parametrize("table", [[("ar",)], [(ADD_RELU, "ar")], [("ar", ADD_RELU, 3)]])
def test_what_is_no_table_is_an_error(table):
    with pytest.raises(PassError, match="MergeComposite takes"):
        MergeComposite(table)(module("nn.relu(add(%x, %y))"))


def test_pattern_alone_is_an_error():
    with pytest.raises(PipelineError, match=r"of pass MergeComposite: expected Sequence"):
        MergeComposite(ADD_RELU)


def test_check_sees_types_behind_what_an_earlier_pattern_merged():
    seen = []
    tanh = is_op("tanh")(wildcard())
    table = [("ar", ADD_RELU), ("t", tanh, lambda call: seen.append(call.args[0]) or True)]
    out = MergeComposite(table)(module("tanh(nn.relu(add(%x, %y)))"))
    (merged,) = seen
    assert str(merged.checked_type) == "Tensor[(2), float32]"
    assert composites(out) == ["t", "ar"]
