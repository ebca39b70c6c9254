"""Rules by operator, and the one walk that applies them."""

from __future__ import annotations

import pytest

from relayish.errors import DuplicateNameError
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Call, Tuple, TupleGetItem
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.ir.span import Span
from relayish.passes.rewrite.rules.table import CallRules, broadcast_along, op
from tests.support.deep import call_chain, doublings
from tests.support.depth import DEPTH


def test_rule_is_asked_once_for_a_shared_call() -> None:
    rules, asked = CallRules("counting"), []

    @rules.call("add")
    def count(pre, post):
        asked.append(pre)
        return post

    program = doublings(100, var("x", "float32"))
    assert rules.rewrite(program) is program
    assert len(asked) == 100


@pytest.mark.deep
def test_rules_go_as_deep_as_the_program() -> None:
    rules = CallRules("deep")

    @rules.call("add")
    def first(_, post):
        return post.args[0]

    leaf = var("x", "int32")
    assert rules.rewrite(call_chain(DEPTH, leaf)) is leaf


def test_rule_of_a_field_is_given_the_call() -> None:
    rules = CallRules("fields")

    @rules.field("nn.dropout", 0)
    def data(pre, post):
        assert pre.op is post.op
        return post.args[0]

    x = var("x", shape=(2,))
    dropped = Call(op.nn.dropout(x).tuple_value.op, (x,))
    kept = TupleGetItem(dropped, 1)
    assert rules.rewrite(TupleGetItem(dropped, 0)) is x
    assert rules.rewrite(kept) is kept


def test_second_rule_for_an_operator_is_an_error() -> None:
    rules = CallRules("twice")
    rules.call("exp")(lambda _, post: post)
    rules.field("exp", 0)(lambda _, post: post)
    with pytest.raises(DuplicateNameError, match="exp has a rule of 'twice' already"):
        rules.call("exp")(lambda _, post: post)
    with pytest.raises(DuplicateNameError, match=r"exp\.0 has a rule"):
        rules.field("exp", 0)(lambda _, post: post)


def test_what_a_rule_makes_has_the_span_of_the_call_and_arguments_keep_theirs() -> None:
    rules = CallRules("spans")
    rules.call("exp")(lambda _, post: op.tanh(op.add(post.args[0], const(1.0))))
    there, here = Span("model", 1, 1, 1, 9), Span("model", 2, 2, 1, 9)
    x = var("x", "float32").with_fields(span=there)
    image = rules.rewrite(op.exp(x).with_fields(span=here))
    spans = {type(node): node.span for node in EXPRESSIONS.post_order(image)}
    assert image.span == image.args[0].span == image.args[0].args[1].span == here
    assert image.args[0].args[0] is x
    assert len(spans) == 4


def test_shared_argument_stays_shared_under_a_new_span() -> None:
    rules = CallRules("sharing")
    rules.call("exp")(lambda _, post: Tuple((post.args[0], post.args[0])))
    here = Span("model", 2, 2, 1, 9)
    image = rules.rewrite(op.exp(op.tanh(var("x", "float32"))).with_fields(span=here))
    assert image.fields[0] is image.fields[1]


def test_vector_along_the_last_axis_needs_no_widening() -> None:
    bias = var("bias", shape=(4,))
    assert broadcast_along(bias, 3, -1) is bias
    assert broadcast_along(bias, 4, 1).attrs.num_newaxis == 2
    assert broadcast_along(bias, 4, -3).attrs.num_newaxis == 2
