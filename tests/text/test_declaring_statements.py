"""Statements that declare a variable for the rest of their block, as text."""

from __future__ import annotations

import pytest

from relayish.analysis import well_formed
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.text import astext, parse_expr, register_text
from tests.support.declared import known_in_tests

HEADER = '#[version = "0.0.5"]\n'
DECLARED = declared_temporarily()
p, y, z = Var("p"), Var("y"), Var("y")

with DECLARED:

    @node("stated_block", effect=Effect.NONE)
    class Block(Expr):
        body: tuple[Expr, ...] = field(scope=Runs.ONCE, block=True)

    @node("stated", effect=Effect.NONE)
    class Declare(Expr):
        var: Var = field(binder=True, declares=True)
        value: Expr

    @node("stated_again", effect=Effect.NONE)
    class Recursion(Expr):
        var: Var = field(binder=True, declares=True)
        value: Expr = field(recursive=True)


_kinds = known_in_tests(DECLARED)


def twice(var: Var) -> Expr:
    return Call(intern_op("add"), (var, var))


with DECLARED:
    KNOWN = {
        "a statement": Block((Declare(y, p), twice(y))),
        "an operand": Tuple((Declare(y, p), y)),
        "the value of a let": Let(z, Declare(y, p), Tuple((z, y))),
        "blocks side by side": Tuple((Block((Declare(y, p), y)), Block((Declare(z, p), z)))),
        "a function that calls itself": Block((Recursion(y, Function((), Call(y, ()))), y)),
        "a sum of what is declared": Tuple((Recursion(y, twice(y)), twice(y))),
    }
    OUTSIDE = Tuple((Block((Declare(y, p), y)), y))


@pytest.mark.parametrize("body", KNOWN.values(), ids=KNOWN)
def test_a_declared_variable_is_no_free_one_where_its_scope_has_all_uses(body):
    text = astext(Function((p,), body))
    assert "free_var" not in text
    assert "malformed" not in text


@pytest.mark.parametrize("body", [*KNOWN.values(), OUTSIDE], ids=[*KNOWN, "outside of its block"])
def test_a_declaration_reads_back_as_it_was(body):
    func = Function((p,), body)
    read = parse_expr(astext(func))
    assert structural_equal(read, func)
    assert well_formed(read) == well_formed(func)


def test_a_variable_used_outside_of_the_block_that_declares_it_is_a_free_one():
    assert "free_var %y;" in astext(OUTSIDE)


def test_a_name_means_what_it_meant_before_behind_the_block_that_declares_it():
    read = parse_expr(
        HEADER
        + "fn (%y) { let %b = node stated_block(body={ node stated(var=%y, value=%y); %y; });"
        " (%b, %y) }"
    )
    block = read.body.value
    assert block.body[0].value is read.params[0]
    assert block.body[1] is block.body[0].var
    assert read.body.body.fields[1] is read.params[0]


def test_a_text_of_its_own_declares_what_the_node_binds():
    with declared_temporarily():

        @node("stated_short", effect=Effect.NONE)
        class Short(Expr):
            var: Var = field(binder=True, declares=True)
            value: Expr

        def write(writer, short):
            writer.write(f" {writer.declare(short, 'var')} = {writer.operand(short.value)}")
            yield from ()

        def read(reader, start):
            var = yield reader.read_binder()
            reader.expect("=", "behind the variable")
            return Short(var, (yield reader.read_expression()))

        register_text(Short, "short", write=write, read=read)
        func = Function((p,), Block((Short(y, p), y)))
        text = astext(func)
        assert "free_var" not in text
        assert structural_equal(parse_expr(text), func)
