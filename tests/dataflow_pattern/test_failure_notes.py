"""An error in a callback or a rule says in one note what was rewritten, and where it stands."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.dataflow_pattern import (
    DFPatternCallback,
    is_op,
    is_tuple_get_item,
    rewrite,
    rewrite_rules,
    rule,
    wildcard,
)
from relayish.errors import PassError
from relayish.functor import ExprMutator

TEXT = "free_var %a: float32;\nexp(tanh(add(%a, 1f)))"
CALLBACK = "while rewriting tanh(%0) at prog.relay:2:5 by Failing.callback"


def program():
    return relay.parse_expr(TEXT, "prog.relay")


def notes_of(work, error):
    with pytest.raises(error) as caught:
        work()
    return caught.value.__notes__


class Failing(DFPatternCallback):
    pattern = is_op("tanh")(wildcard())

    def callback(self, pre, post, node_map):
        return node_map[self.pattern][1]


def test_error_of_a_callback_has_a_place():
    assert notes_of(lambda: rewrite(Failing(), program()), IndexError) == [CALLBACK]


@pytest.mark.parametrize(("image", "shown"), [(None, "None"), (3, "3 (int)"), ([], "[] (list)")])
def test_callback_that_returns_no_expression_is_told_where(image, shown):
    class Failing(DFPatternCallback):
        pattern = is_op("tanh")(wildcard())

        def callback(self, pre, post, node_map):
            return image

    with pytest.raises(PassError) as caught:
        rewrite(Failing(), program())
    assert str(caught.value).startswith(f"Failing.callback returned {shown} for tanh(%0); it must")
    assert caught.value.__notes__ == [CALLBACK]


def test_error_of_a_rule_has_a_place():
    @rule(is_op("tanh")(wildcard()))
    def broken(call, found):
        return call.args[1]

    assert notes_of(lambda: rewrite_rules([broken], program()), IndexError) == [
        "while rewriting tanh(%0) at prog.relay:2:5 by rule broken"
    ]


@pytest.mark.parametrize(("image", "shown"), [(None, "None"), (3, "3 (int)"), ([], "[] (list)")])
def test_rule_that_returns_no_expression_is_told_where(image, shown):
    @rule(is_op("tanh")(wildcard()))
    def broken(call, found):
        return image

    with pytest.raises(PassError, match=r"^rule broken returned") as caught:
        rewrite_rules([broken], program())
    assert f"returned {shown} for tanh(%0); it must" in str(caught.value)
    assert caught.value.__notes__ == ["while rewriting tanh(%0) at prog.relay:2:5 by rule broken"]


def test_rule_that_fails_on_what_another_rule_made_shows_what_that_was():
    @rule(is_op("tanh")(wildcard()))
    def first(call, found):
        return relay.sigmoid(relay.TupleGetItem(relay.Tuple([call.args[0]]), 0))

    @rule(is_op("sigmoid")(is_tuple_get_item(wildcard())))
    def second(call, found):
        raise ZeroDivisionError

    assert notes_of(lambda: rewrite_rules([first, second], program()), ZeroDivisionError) == [
        "while rewriting sigmoid(%0) at prog.relay:2:5 by rule second"
    ]


def test_error_of_a_functor_that_a_rule_calls_has_the_place_of_the_functor():
    class Wrong(ExprMutator):
        def visit_call(self, call):
            raise ZeroDivisionError

    @rule(is_op("tanh")(wildcard()))
    def calling(call, found):
        return Wrong().visit(call.args[0])

    assert notes_of(lambda: rewrite_rules([calling], program()), ZeroDivisionError) == [
        "while visiting add(%a, 1f) at prog.relay:2:10"
    ]


def test_callback_need_not_call_the_constructor_of_its_base():
    class Careless(DFPatternCallback):
        def __init__(self):
            self.x = wildcard()
            self.pattern = is_op("tanh")(self.x)

        def callback(self, pre, post, node_map):
            return node_map[self.x][0]

    image = rewrite(Careless(), program())
    assert image.args[0].op.name == "add"
    assert Careless().rewrite(program()).args[0].op.name == "add"
