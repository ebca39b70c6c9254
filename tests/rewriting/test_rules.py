"""Rules by kinds and operators, and the one walk that applies them."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow_pattern import is_op, is_tuple_get_item, rule, wildcard
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Call, Tuple, TupleGetItem
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.op.builders.builder import op
from relayish.passes.relay.rewrite.rules.tensors import broadcast_along
from relayish.rewriting import Unchanged, rewrite_rules, why_not
from tests.support.deep import call_chain, doublings
from tests.support.depth import DEPTH

X = relay.var("x", "float32")


def test_rule_is_asked_once_for_a_shared_call() -> None:
    asked = []

    @rule("add")
    def count(call, facts):
        asked.append(facts.pre)
        return call

    program = doublings(100, X)
    assert rewrite_rules([count], program) is program
    assert len(asked) == 100


@pytest.mark.deep
def test_rules_go_as_deep_as_the_program() -> None:
    @rule("add")
    def first(call, _):
        return call.args[0]

    leaf = relay.var("x", "int32")
    assert rewrite_rules([first], call_chain(DEPTH, leaf)) is leaf


def test_rule_that_says_why_it_leaves_a_node_leaves_it() -> None:
    @rule("exp")
    def never(call, _):
        return Unchanged("of no use")

    program = op.exp(X)
    assert rewrite_rules([never], program) is program


def test_why_a_rule_is_not_applied_is_told() -> None:
    @rule("exp")
    def never(call, _):
        return Unchanged("of no use")

    @rule(is_op("exp")(is_op("log")(wildcard())))
    def inverse(call, found):
        return call.args[0].args[0]

    effect = relay.RefRead(relay.Var("r"))

    @rule("add")
    def swap(call, _):
        return op.add(call.args[1], call.args[0])

    assert why_not(never, op.exp(X)) == "never leaves exp(%x) as it is: of no use"
    assert why_not(never, op.tanh(X)) == "never is asked about exp, not about tanh(%x)"
    assert why_not(inverse, op.exp(X)) == "inverse has another pattern than exp(%x): exp(log(*))"
    assert why_not(inverse, op.exp(op.log(X))) is None
    both = op.add(effect, relay.RefRead(relay.Var("s")))
    assert why_not(swap, both) is None
    told = why_not(swap, both, keep_order=True)
    assert told == "swap would have what acts in add(%0, %1) do so in another order"


def test_rule_for_a_kind_is_asked_of_calls_of_whatever() -> None:
    @rule(Call)
    def first(call, _):
        return call.args[0]

    f = relay.Function([X], X)
    assert rewrite_rules([first], op.exp(Call(f, (op.tanh(X),)))) is X


def test_rule_asked_once_is_not_asked_about_what_it_made() -> None:
    @rule("exp")
    def twice(call, _):
        return op.exp(op.exp(call.args[0]))

    image = rewrite_rules([twice], op.exp(X), again=False)
    assert image.args[0].args[0] is X


def test_rule_of_a_projection_leaves_the_others() -> None:
    @rule(is_tuple_get_item(is_op("nn.dropout")(None), 0), keeps_order=True)
    def data(item, _):
        return item.tuple_value.args[0]

    x = relay.var("x", shape=(2,))
    dropped = op.nn.dropout(x).tuple_value
    kept = TupleGetItem(dropped, 1)
    assert rewrite_rules([data], TupleGetItem(dropped, 0), keep_order=True) is x
    assert rewrite_rules([data], kept) is kept


def test_what_a_rule_makes_has_the_span_of_the_call_and_arguments_keep_theirs() -> None:
    @rule("exp")
    def spell(call, _):
        return op.tanh(op.add(call.args[0], relay.const(1.0)))

    there, here = Span("model", 1, 1, 1, 9), Span("model", 2, 2, 1, 9)
    x = X.with_fields(span=there)
    image = rewrite_rules([spell], op.exp(x).with_fields(span=here))
    spans = {type(node): node.span for node in EXPRESSIONS.post_order(image)}
    assert image.span == image.args[0].span == image.args[0].args[1].span == here
    assert image.args[0].args[0] is x
    assert len(spans) == 4


def test_shared_argument_stays_shared_under_a_new_span() -> None:
    @rule("exp")
    def pair(call, _):
        return Tuple((call.args[0], call.args[0]))

    here = Span("model", 2, 2, 1, 9)
    image = rewrite_rules([pair], op.exp(op.tanh(X)).with_fields(span=here))
    assert image.fields[0] is image.fields[1]


def test_vector_along_the_last_axis_needs_no_widening() -> None:
    bias = relay.var("bias", shape=(4,))
    assert broadcast_along(bias, 3, -1) is bias
    assert broadcast_along(bias, 4, 1).attrs.num_newaxis == 2
    assert broadcast_along(bias, 4, -3).attrs.num_newaxis == 2
