"""A text of its own for a kind of node that another package declares."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from relayish.errors import DeclarationError, DuplicateNameError, ParseError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.adt import Clause, Match, PatternVar
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, Var
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import TensorType, TupleType
from relayish.text import astext, parse_expr, parse_node, parse_type, register_text
from tests.support import text_kinds as kinds
from tests.support import while_loop
from tests.support.depth import DEPTH
from tests.support.while_loop import While

INT = TensorType((), "int32")
ADD, LESS = intern_op("add"), intern_op("less")


def write_while(writer: Any, loop: Any) -> Iterator[Any]:
    writer.write(f" ({writer.declare(loop, 'var')} = {writer.operand(loop.init)}) cond ")
    yield writer.block(loop, "cond")
    writer.write(" do ")
    yield writer.block(loop, "body")


def read_while(reader: Any, start: int) -> Any:
    reader.expect("(", "after while")
    var = yield reader.read_binder()
    reader.expect("=", "after the variable of a while")
    init = yield reader.read_expression()
    reader.expect(")", "after the first value of a while")
    if not reader.word("cond"):
        reader.fail(f"expected cond; {reader.found()}")
    cond = yield reader.read_block(var)
    if not reader.word("do"):
        reader.fail(f"expected do; {reader.found()}")
    body = yield reader.read_block(var)
    return While(var, init, cond, body, span=reader.span(start, reader.pos))


def write_switch(writer: Any, switch: Any) -> Iterator[Any]:
    writer.write(f" {writer.operand(switch.value)} of ")
    yield writer.field(switch, "cases")


def read_switch(reader: Any, start: int) -> Any:
    value = yield reader.read_expression()
    if not reader.word("of"):
        reader.fail("expected of", start)
    cases = yield reader.read_field(kinds.Switch, "cases")
    return kinds.Switch(value, cases)


def write_box(_printer: Any, box: Any) -> Iterator[object]:
    yield "<"
    yield box.inner
    yield ">"


def read_box(reader: Any, _start: int) -> Any:
    reader.expect("<", "after box")
    inner = yield reader.read_field(kinds.Box, "inner")
    reader.expect(">", "after the type in a box")
    return kinds.Box(inner)


@pytest.fixture(autouse=True)
def _declared() -> Iterator[None]:
    with while_loop.DECLARED, kinds.DECLARED, declared_temporarily():
        register_text(While, "while", write=write_while, read=read_while, replace=True)
        register_text(kinds.Switch, "switch", write=write_switch, read=read_switch, replace=True)
        register_text(kinds.Box, "box", write=write_box, read=read_box, replace=True)
        yield


def back(thing: Any, read: Any = parse_node) -> str:
    text = astext(thing)
    again = read(text)
    assert_structural_equal(thing, again, map_free_vars=True)
    assert astext(again) == text
    return text


def loop(init: Any, var: Var | None = None) -> Any:
    var = var or Var("i", INT)
    return While(var, init, Call(LESS, (var, Constant(3))), Call(ADD, (var, Constant(1))))


def test_kind_is_written_by_its_rule() -> None:
    x = Var("x")
    assert back(Function((x,), loop(x))) == (
        "fn (%x) {\n"
        "  while (%i: int32 = %x) cond {\n"
        "    less(%i, 3)\n"
        "  } do {\n"
        "    add(%i, 1)\n"
        "  }\n"
        "}"
    )


@pytest.mark.parametrize(
    "wrap",
    [
        lambda node: Call(ADD, (node, node)),
        lambda node: Let(Var("y"), node, node),
        lambda node: Match(node, (Clause(PatternVar(Var("p")), node),)),
        lambda node: loop(loop(node)),
        lambda node: kinds.Values(one=node),
        lambda node: Tuple((node, loop(node))),
    ],
)
def test_kind_with_a_rule_is_read_back_wherever_an_expression_stands(wrap: Any) -> None:
    back(wrap(loop(Var("x"))))


def test_node_shared_between_blocks_of_a_rule_is_one_node_again() -> None:
    i = Var("i", INT)
    shared = Call(ADD, (i, Constant(1)))
    text = back(While(i, Constant(0), Call(LESS, (shared, Constant(9))), Tuple((shared, shared))))
    assert text.count("add(") == 1


def test_variable_used_outside_of_the_binder_of_a_rule_is_one_variable_again() -> None:
    i = Var("i", INT)
    back(Tuple((loop(i, i), i)))


def test_field_is_written_as_the_generic_form_does() -> None:
    x = Var("x")
    switch = kinds.Switch(x, (kinds.Case(1, x, Var("k"), loop(x)),))
    assert "switch %x of [node text_case(" in back(switch)


def test_type_is_written_by_its_rule() -> None:
    box = kinds.Box(TupleType((kinds.Box(INT),)))
    assert back(box, parse_type) == "box<(box<int32>,)>"


def test_rule_says_where_a_mistake_is() -> None:
    with pytest.raises(ParseError, match="from_string:1:32: expected do; found 'to'"):
        parse_expr("while (%i = 1) cond { True }   to { %i }")


def test_generic_form_is_read_beside_the_rule() -> None:
    generic = parse_expr("node while_loop(var=%i, init=1, cond={ True }, body={ %i })")
    assert_structural_equal(generic, parse_expr("while (%i = 1) cond { True } do { %i }"))


def test_operator_of_the_name_of_a_keyword_is_quoted() -> None:
    call = Call(intern_op("while"), (Constant(1),))
    assert astext(call) == '#"while"(1)'
    assert_structural_equal(parse_expr(astext(call), allow_unknown_ops=True), call)


def test_keyword_that_is_taken_is_refused() -> None:
    for word in ("let", "while", "node", "True"):
        with pytest.raises(DuplicateNameError, match=f"'{word}' of Values is claimed by "):
            register_text(kinds.Values, word, write=write_while, read=read_while)


def test_second_text_of_a_kind_is_refused_unless_it_replaces_the_first() -> None:
    with pytest.raises(DuplicateNameError, match="knows While already"):
        register_text(While, "during", write=lambda *_: None, read=read_while)
    register_text(While, "during", write=write_while, read=read_while, replace=True)
    assert back(loop(Constant(1))).startswith("during (")
    with pytest.raises(ParseError):
        parse_expr("while (%i = 1) cond { True } do { %i }")


def test_keyword_that_is_no_identifier_is_refused() -> None:
    with pytest.raises(DeclarationError, match="'a b' of Values is no identifier"):
        register_text(kinds.Values, "a b", write=write_while, read=read_while)


def test_variable_has_no_other_text() -> None:
    with pytest.raises(DeclarationError, match="TirVar is a kind of variable"):
        register_text(kinds.TirVar, "local", write=write_while, read=read_while)


@pytest.mark.deep
def test_nest_of_a_rule_is_read_back() -> None:
    levels = min(DEPTH // 2, 3000)
    made: Any = Constant(0)
    for _ in range(levels):
        made = While(Var("i"), Constant(1), Constant(True), made)
    back(made)
    boxed: Any = INT
    for _ in range(levels):
        boxed = kinds.Box(boxed)
    back(boxed, parse_type)


def test_text_that_was_registered_temporarily_is_forgotten() -> None:
    with declared_temporarily():
        register_text(kinds.Poly, "poly", write=write_while, read=read_while, replace=True)
        with pytest.raises(ParseError, match="expected '\\('"):
            parse_expr("poly")
    node = kinds.Poly(Constant(1), (), ())
    assert astext(node).startswith("node text_poly(")
    parse_expr("poly(1)", allow_unknown_ops=True)
