"""What nodes are called, as their declarations say."""

from __future__ import annotations

import relayish as relay
from relayish.ir.fields.naming import brief, display_name, name_field, name_of
from relayish.ir.relay.op import intern_op


def test_variable_is_called_by_its_hint():
    assert (name_of(relay.Var("x")), name_of(relay.SizeVar("n"))) == ("x", "n")


def test_name_is_called_by_its_first_text():
    list_ = relay.GlobalTypeVar("List")
    named = (relay.GlobalVar("main"), intern_op("add"), relay.Constructor("Nil", (), list_), list_)
    assert tuple(map(name_of, named)) == ("main", "add", "Nil", "List")


def test_node_that_is_no_symbol_has_no_name():
    assert (name_field(relay.Tuple), name_of(relay.Tuple(()))) == (None, "")


def test_kind_of_another_language_is_called_as_it_declares():
    with relay.declared_temporarily():

        class Line(relay.Node):
            __slots__ = ()

        @relay.node("register", atom=relay.Atom.VARIABLE)
        class Register(Line):
            width: int
            label: str = relay.field(hint=True)

        @relay.node("temporary", atom=relay.Atom.VARIABLE)
        class Temporary(Line):
            comment: str

        assert name_of(Register(32, "acc")) == "acc"
        assert name_field(Temporary) is None  # a text that is compared says more than a name


def test_variable_is_displayed_as_in_text():
    assert display_name(relay.Var("x")) == "%x"


def test_variable_without_a_name_is_displayed_by_its_fields():
    shown = "Var(name_hint='', type_annotation=None, may_share=None, virtual_device=None)"
    assert display_name(relay.Var("")) == shown


def test_brief_form_shows_names_and_kinds_but_no_fields():
    call = relay.Call(relay.Op("add"), (relay.Var("x"), relay.Var("x")))
    assert brief((call, call.op, *call.args)) == "(<Call>, Op(add), Var(x), Var(x))"


def test_brief_form_of_a_long_tuple_shows_its_beginning():
    assert brief(tuple(range(9))) == "(0, 1, 2, 3, 4, 5, ...)"


def test_brief_form_of_a_long_value_is_cut():
    assert brief("x" * 90) == f"'{'x' * 56}..."
