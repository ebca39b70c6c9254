"""Open tables from kinds of nodes to what is specific to each."""

from __future__ import annotations

import pytest

from relayish.analysis.infer_type.environment import PATTERN_TYPE_RULES
from relayish.analysis.infer_type.rule import TYPE_RULES
from relayish.errors import DeclarationError, DispatchError, DuplicateNameError, UnknownKindError
from relayish.interpreter.evaluator import EVALUATORS, MATCHERS
from relayish.ir.kinds.algebra import ALGEBRAS, Algebra
from relayish.ir.nodes.kind_table import KindTable
from relayish.ir.nodes.node import Node, declared_temporarily, node
from relayish.ir.relay.adt import Pattern, PatternVar
from relayish.ir.relay.expr import Call, Expr, Let, Var
from relayish.ir.relay.type import TensorType, Type


@pytest.fixture
def table() -> KindTable[str]:
    return KindTable("the census", "census.register", {Call: "call", Var: "variable"})


def test_entry_is_found_by_kind(table):
    assert table[Call] == "call"


def test_missing_kind_is_an_error_that_says_what_to_register(table):
    with pytest.raises(
        UnknownKindError,
        match=r"^the census knows no Let; call census\.register\(Let, \.\.\.\)$",
    ):
        table[Let]


def test_missing_kind_is_no_key_error(table):
    with pytest.raises(DispatchError) as caught:
        table[Let]
    assert not isinstance(caught.value, KeyError)


def test_registered_entry_is_found(table):
    table.register(Let, "let")
    assert table[Let] == "let"


def test_entry_of_a_family_serves_its_kinds(table):
    table.register(Expr, "some expression")
    assert (table[Let], table[Call]) == ("some expression", "call")


def test_entry_of_a_family_does_not_serve_another(table):
    table.register(Expr, "some expression")
    with pytest.raises(UnknownKindError):
        table[Type]


def test_entry_of_a_kind_takes_the_place_of_that_of_its_family_also_when_it_was_asked_for(table):
    table.register(Expr, "some expression")
    assert table[Let] == "some expression"
    table.register(Let, "let")
    assert table[Let] == "let"


def test_later_entry_of_a_family_serves_kinds_served_by_one_further_up(table):
    table.register(Node, "anything")
    assert table[Let] == "anything"
    table.register(Expr, "some expression")
    assert (table[Let], table[Type]) == ("some expression", "anything")


def test_second_entry_is_refused(table):
    with pytest.raises(DuplicateNameError, match=r"knows Call already; .*; say replace=True"):
        table.register(Call, "another")
    assert table[Call] == "call"


def test_entry_is_replaced_when_asked(table):
    table.register(Call, "another", replace=True)
    assert table[Call] == "another"


def test_register_is_a_decorator_too():
    table = KindTable("the census", "census.register")

    @table.register(Let)
    def count(let: Let) -> int:
        return 1

    assert table[Let] is count


def test_knows_tells_without_an_error(table):
    assert table.knows(Call)
    assert not table.knows(Let)


def test_kind_declared_later_is_served(table):
    table.register(Expr, "some expression")
    with declared_temporarily():

        @node("later")
        class Later(Expr):
            pass

        assert table[Later] == "some expression"


def test_entry_registered_temporarily_is_forgotten():
    table = KindTable("the census", "census.register", {Expr: "expr"})
    with declared_temporarily():
        table.register(Call, "call")
        table.register(Expr, "other", replace=True)
        assert (table[Call], table[Let]) == ("call", "other")
    assert (table[Call], table[Let]) == ("expr", "expr")


def test_entry_registered_temporarily_is_there_again_with_the_declarations():
    table = KindTable("the census", "census.register", {Expr: "expr"})
    with (declared := declared_temporarily()):
        table.register(Call, "call")
    with declared:
        assert table[Call] == "call"
    assert table[Call] == "expr"


def test_entry_registered_before_is_registered_outside_of_what_is_temporary():
    table = KindTable("the census", "census.register", {})
    declared = declared_temporarily()
    with declared:
        pass
    table.register(Call, "call")
    with declared:
        assert table[Call] == "call"
    assert table[Call] == "call"


def test_derived_table_follows_its_entries():
    table = KindTable("the census", "census.register", {Expr: "expr"})
    derived = table.derive(lambda kind: table[kind].upper())
    assert derived[Call] == "EXPR"
    with declared_temporarily():
        table.register(Call, "call")
        assert derived[Call] == "CALL"
    assert derived[Call] == "EXPR"


@pytest.mark.parametrize(
    ("table", "kind", "told"),
    [
        (
            TYPE_RULES,
            PatternVar,
            "PatternVar, whose nodes are held as BINDER; type inference is of",
        ),
        (TYPE_RULES, TensorType, "TensorType, whose nodes are held as ANNOTATION"),
        (EVALUATORS, Pattern, "Pattern, whose .*; evaluation is of what is held as OPERAND"),
        (MATCHERS, Call, "Call, whose .*; matching of patterns is of what is held as BINDER"),
        (PATTERN_TYPE_RULES, Expr, "Expr, whose nodes are held as OPERAND"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_entry_for_nodes_that_are_never_asked_about_is_refused(table, kind, told):
    with pytest.raises(DeclarationError, match=rf"\.register is given {told}"):
        table.register(kind, lambda *_: None)


def test_entry_of_another_class_is_refused():
    with pytest.raises(DeclarationError, match=r"ALGEBRAS.register\(Call, ...\) .*an Algebra"):
        ALGEBRAS.register(Call, {"identity": 0})


def test_fact_of_an_operator_that_there_is_none_of_is_told_with_those_there_are():
    told = "no fact 'identety' of an operator; did you mean identity.*, total"
    with pytest.raises(DeclarationError, match=told):
        Algebra(identety=0)
    assert Algebra(0, total=True) == Algebra(identity=0)._replace(total=True)
