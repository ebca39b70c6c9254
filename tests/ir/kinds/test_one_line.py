"""The one-line form of nodes, in which errors quote a program."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish import core, tir
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import (
    LINES,
    LONGEST,
    describe,
    nested_line,
    one_line,
    one_line_at,
    one_line_where,
    quote,
)
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.nodes.span import Span
from relayish.ir.relay.expr import Expr, Var

A, B = Var("a"), Var("b")
SUM = relay.add(A, B)


@pytest.mark.parametrize(
    ("expr", "line"),
    [
        (relay.add(A, relay.const(1.0)), "add(%a, 1f)"),
        (relay.add(relay.exp(A), B), "add(%0, %b)"),
        (relay.Call(relay.GlobalVar("f"), [A]), "@f(%a)"),
        (relay.Call(SUM, [A]), "%0(%a)"),
        (relay.Tuple([A]), "(%a,)"),
        (relay.Tuple([SUM, A, relay.exp(A), SUM]), "(%0, %a, %1, %0)"),
        (relay.TupleGetItem(A, 2), "%a.2"),
        (relay.Let(A, SUM, A), "let %a = %0; ..."),
        (relay.If(A, SUM, B), "if (%a) {...} else {...}"),
        (relay.Function([A, B], SUM), "fn (%a, %b) {...}"),
        (relay.RefWrite(A, SUM), "ref_write(%a, %0)"),
        (relay.Match(A, []), "match (%a) {...}"),
        (relay.const(np.zeros((3, 4), "float32")), "float32[3, 4]"),
        (relay.const("x\ny"), "'x\\ny'"),
        (relay.const(((1, 2), 3)), "((...), 3)"),
        (relay.const(None), "None"),
        (Var("odd\nname"), "%odd\\nname"),
        (Var(""), "%_"),
        (relay.Call(relay.op.get("nn.relu"), [relay.const(2)]), "nn.relu(2)"),
    ],
)
def test_line_of_an_expression_shows_its_operands(expr, line):
    assert one_line(expr) == line


@pytest.mark.parametrize(
    ("expr", "line"),
    [
        (relay.add(relay.exp(A), SUM), "add(exp(%a), add(%a, second))"),
        (tir.Mul(tir.Var("i") + 1, 2), "((i + 1) * 2)"),
        (core.Add(core.Ld(core.Var("v", core.as_type("int32"))), core.const(1)), "add(ld(%v), 1)"),
        (relay.Tuple([SUM] * 9), f"({', '.join(['add(%a, second)'] * 6)}, ...)"),
    ],
)
def test_nested_line_shows_what_is_below_by_name_or_in_full(expr, line):
    assert nested_line(expr, {B: "second"}.get) == line


def test_nested_line_is_bounded_however_much_is_shared():
    deep = A
    for _ in range(100):
        deep = relay.add(deep, deep)
    line = nested_line(deep, {}.get)
    assert line.startswith("add(add(add(")
    assert line.endswith("...")
    assert len(line) <= LONGEST


def test_line_of_a_type_is_its_repr():
    ty = relay.TensorType((3,))
    assert one_line(ty) == repr(ty)


def test_line_of_a_node_from_a_text_says_where_it_stands():
    call = relay.parse_expr("free_var %a: int32;\nadd(%a, 1)")
    assert one_line_at(call) == f"add(%a, 1) at {call.span}"
    assert one_line_at(SUM.with_fields(span=Span("m.relay", 4, 4, 12, 20))).endswith(
        " at m.relay:4:12"
    )


def test_line_of_a_kind_from_outside_follows_from_its_roles():
    with declared_temporarily():

        @node("repeated")
        class Repeated(Expr):
            var: Var = field(binder=True)
            init: Expr
            body: Expr = field(scope=Runs.REPEATEDLY)
            others: tuple[Expr, ...] = ()
            last: Expr | None = None
            label: str | None = None

        assert one_line(Repeated(A, SUM, B)) == "repeated(%a, %0, {...}, None)"
        full = Repeated(A, SUM, B, (B, SUM), B, "x")
        assert one_line(full) == "repeated(%a, %0, {...}, %b, %0, %b, label='x')"


def test_line_that_a_kind_registers_takes_the_place_of_its_fields():
    with declared_temporarily():

        @node("squared")
        class Squared(Expr):
            of: Expr

        LINES.register(Squared, lambda squared, show: f"{show(squared.of)}^2")
        assert one_line(Squared(SUM)) == "%0^2"


@pytest.mark.parametrize(
    "large",
    [
        relay.Tuple([Var("v" * 100)] * 100_000),
        relay.Call(Var("f" * 1000), [Var("v" * 1000)] * 5),
        relay.const("x" * 100_000),
        relay.const(np.zeros((1,) * 32)),
        relay.Op("o" * 1000, "d" * 1000),
    ],
)
def test_line_of_a_large_node_is_short(large):
    assert len(one_line(large)) <= LONGEST


def test_line_of_a_deeply_nested_value_descends_into_none_of_it():
    value: object = ()
    for _ in range(100_000):
        value = (value,)
    assert one_line(relay.const(value)) == "((...))"


def test_line_of_a_number_of_more_digits_than_python_writes_says_how_large_it_is():
    with declared_temporarily():

        @node("huge")
        class Huge(Expr):
            number: int

        assert one_line(Huge(1 << 100_000)) == "huge(number=<a number of 100001 bits>)"


def test_numbers_in_a_line_are_explained():
    line, where = one_line_where(relay.add(relay.exp(SUM), SUM))
    assert line == "add(%0, %1)"
    assert where == "%0 is exp(%1), %1 is add(%a, %b)"


def test_first_two_numbers_in_a_line_are_explained():
    line, where = one_line_where(relay.Tuple([relay.exp(A), relay.tanh(A), relay.sqrt(A)]))
    assert (line, where) == ("(%0, %1, %2)", "%0 is exp(%a), %1 is tanh(%a)")


def test_line_without_numbers_needs_no_explanation():
    assert one_line_where(SUM) == ("add(%a, %b)", "")


def test_explanation_of_a_large_node_is_short():
    large = relay.Tuple([relay.Tuple([Var("v" * 100)] * 1000 + [SUM]) for _ in range(1000)])
    assert len(one_line_where(large)[1]) <= 2 * LONGEST


def test_quoted_node_has_its_place_or_what_its_numbers_stand_for():
    call = relay.tanh(SUM)
    assert quote(call) == "tanh(%0), where %0 is add(%a, %b)"
    assert quote(call.with_fields(span=Span("m.relay", 4, 4, 12, 20))) == "tanh(%0) at m.relay:4:12"


@pytest.mark.parametrize(
    ("described", "text"),
    [
        (SUM, "a Call (add(%a, %b))"),
        (relay.Tuple([A]), "a Tuple (%a,)"),
        (relay.If(A, A, B), "an If (if (%a) {...} else {...})"),
        (SUM.with_fields(span=Span("m.relay", 4, 4, 12, 20)), "a Call at m.relay:4:12"),
    ],
)
def test_node_is_described_by_its_kind_and_its_place_or_form(described, text):
    assert describe(described) == text
