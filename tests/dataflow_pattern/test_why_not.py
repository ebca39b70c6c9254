"""Why a callback, or an entry of a table of patterns, finds nothing: checks, uses, others."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish.dataflow_pattern import DFPatternCallback, is_constant, is_op, wildcard
from relayish.errors import PassError

why_not = relay.why_not
IMAGE = relay.var("i", shape=(1, 3, 8, 8))
WEIGHT, BIAS = relay.const(np.ones((3, 3, 1, 1), "float32")), relay.const(np.ones(3, "float32"))
CONV = relay.nn.conv2d(IMAGE, WEIGHT)
BIASED = relay.nn.bias_add(CONV, BIAS)
conv2d = is_op("nn.conv2d")(wildcard(), wildcard())
biased = is_op("nn.bias_add")(conv2d, is_constant())
biased_relu = is_op("nn.relu")(biased)
ENTRY = ("dnnl.conv2d_relu", biased_relu)


def module(body):
    return relay.IRModule.from_expr(relay.Function([IMAGE], body))


def test_operator_that_is_missing_is_named():
    assert str(why_not(ENTRY, module(relay.nn.relu(CONV)))) == (
        "dnnl.conv2d_relu has nothing to replace: "
        "nn.relu(nn.bias_add(nn.conv2d(*, *), is_constant())) does not match\n"
        "nearest: nn.relu(nn.conv2d(%i, float32[3, 3, 1, 1])), of which 2 parts had matched\n"
        "  at args[0]: expected a call of nn.bias_add; found nn.conv2d(%i, float32[3, 3, 1, 1])"
    )


def test_nearest_of_all_functions_is_told():
    mod = relay.IRModule(
        {
            "f": relay.Function([IMAGE], relay.nn.relu(IMAGE)),
            "g": relay.Function([IMAGE], relay.nn.relu(relay.nn.bias_add(IMAGE, BIAS))),
            "h": relay.Function([IMAGE], relay.nn.relu(IMAGE)),
        }
    )
    assert "at args[0].args[0]: expected a call of nn.conv2d; found %i" in str(why_not(ENTRY, mod))


def test_entry_that_matches_is_told_with_the_call_of_what_is_cut_out():
    found = why_not(ENTRY, module(relay.nn.relu(BIASED)))
    assert not found
    assert found.outcomes[0].image.op.attrs["Composite"] == "dnnl.conv2d_relu"
    assert str(found).startswith("dnnl.conv2d_relu replaces nn.relu(%0) by ")


def test_check_that_says_no_is_told():
    found = why_not(
        (*ENTRY, lambda call: call.args[0] is not BIASED), module(relay.nn.relu(BIASED))
    )
    assert found
    assert str(found) == "dnnl.conv2d_relu leaves nn.relu(%0) as it is: its check returned False"
    assert not why_not((*ENTRY, lambda call: True), module(relay.nn.relu(BIASED)))
    forgotten = why_not((*ENTRY, lambda call: None), module(relay.nn.relu(BIASED)))
    assert str(forgotten).endswith("its check returned None")


def test_part_that_is_used_elsewhere_is_told_with_its_user():
    mod = module(relay.Tuple([relay.nn.relu(BIASED), relay.exp(CONV)]))
    assert str(why_not(ENTRY, mod)) == (
        "dnnl.conv2d_relu leaves nn.relu(%0) as it is: nn.conv2d(%i, float32[3, 3, 1, 1]) in it is "
        "used by exp(%0) as well"
    )


def test_matches_that_are_replaced_are_told_before_those_that_are_not():
    inner = relay.nn.relu(IMAGE)
    expr = relay.Tuple([relay.nn.relu(inner), relay.tanh(relay.nn.relu(relay.nn.relu(inner)))])
    told = why_not(("relus", is_op("nn.relu")(is_op("nn.relu")(wildcard()))), expr)
    assert [bool(each.reason) for each in told.outcomes] == [False, True]
    assert told.outcomes[1].reason == "nn.relu(%i) in it is used by nn.relu(%0) as well"


def test_match_over_what_another_match_takes_is_told():
    total = relay.add(IMAGE, IMAGE)
    expr = total + relay.tanh(total + IMAGE)
    told = why_not(("sums", (wildcard() + wildcard()) + wildcard()), expr)
    assert told.outcomes[1].node is expr.args[1].args[0]
    assert told.outcomes[1].reason == "add(%i, %i) in it belongs to another match"


def test_entry_before_it_that_cuts_out_part_of_the_match_is_told():
    table = [("conv", conv2d), ENTRY, ("relu", is_op("nn.relu")(wildcard()))]
    told = str(why_not(ENTRY, module(relay.nn.relu(BIASED)), among=table))
    assert told == "dnnl.conv2d_relu comes too late for nn.relu(%0): conv replaces that first"
    assert not why_not(ENTRY, module(relay.nn.relu(BIASED)), among=table[1:])
    mod = module(relay.Tuple([relay.nn.relu(BIASED), relay.exp(CONV)]))
    assert str(why_not(ENTRY, mod, among=table)).endswith("by exp(%0) as well")


def test_what_was_cut_out_before_is_told():
    merged = relay.transform.MergeComposite([ENTRY])(module(relay.nn.relu(BIASED)))
    told = str(why_not(("conv", conv2d), merged))
    assert told.startswith("conv leaves nn.conv2d(")
    assert told.endswith(" as it is: it is part of what was cut out before")


class Relu(DFPatternCallback):
    pattern = is_op("nn.relu")(wildcard())

    def callback(self, pre, post, node_map):
        return post if node_map[self.pattern][0].args[0] is IMAGE else relay.exp(post.args[0])


def test_callback_is_told_as_rules_are():
    assert str(why_not(Relu(), relay.nn.relu(CONV))).startswith("Relu replaces nn.relu(%0) by exp(")
    assert str(why_not(Relu(), relay.nn.relu(IMAGE))) == "Relu leaves nn.relu(%i) as it is"
    assert str(why_not(Relu(), module(CONV))).startswith(
        "Relu has nothing to replace: nn.relu(*) does not match\nnearest: nn.conv2d("
    )


def test_callback_that_returns_the_same_anew_leaves_it():
    class Again(DFPatternCallback):
        pattern = is_op("nn.relu")(wildcard())

        def callback(self, pre, post, node_map):
            return relay.nn.relu(post.args[0])

    assert str(why_not(Again(), relay.nn.relu(IMAGE))) == "Again leaves nn.relu(%i) as it is"


def test_part_that_is_used_elsewhere_keeps_a_callback_from_it():
    class Biased(DFPatternCallback):
        pattern = biased_relu

        def callback(self, pre, post, node_map):
            return pre

    told = why_not(Biased(), relay.Tuple([relay.nn.relu(BIASED), BIASED]))
    assert str(told).endswith("float32[3]) in it is used by (%0, %1) as well")


def test_callback_that_requires_types_is_asked_with_them():
    class Typed(DFPatternCallback):
        def __init__(self):
            super().__init__(require_type=True)
            self.pattern = is_op("nn.relu")(wildcard())

        def callback(self, pre, post, node_map):
            assert post.checked_type is not None
            return post

    assert str(why_not(Typed(), relay.nn.relu(IMAGE))) == "Typed leaves nn.relu(%i) as it is"


def test_what_does_not_go_with_patterns_is_refused():
    with pytest.raises(PassError, match=r"takes \(name, pattern\) or \(name, pattern, check\)"):
        why_not(("conv",), module(CONV))
    with pytest.raises(PassError, match="do not give keep_order"):
        why_not(ENTRY, module(CONV), keep_order=True)
    with pytest.raises(PassError, match="give neither among nor keep_order"):
        why_not(Relu(), module(CONV), among=[])
    for given in (ENTRY, Relu()):
        with pytest.raises(PassError, match="why_not takes an expression; found "):
            why_not(given, relay.TensorType((1,)))
