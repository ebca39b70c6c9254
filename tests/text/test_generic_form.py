"""Nodes of kinds without a text of their own: what their text is, and that it parses back."""

from __future__ import annotations

import math
from enum import Enum
from typing import Any

import numpy as np
import pytest

from relayish.errors import FieldError, ParseError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.relay.adt import Clause, Match, PatternTuple, PatternVar
from relayish.ir.relay.expr import Call, Constant, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.op import intern_op
from relayish.ir.relay.type import Any as AnyDim
from relayish.ir.relay.type import SizeVar, TensorType, TupleType, TypeVar
from relayish.text import astext, parse, parse_expr, parse_node, parse_pattern, parse_type
from tests.support import text_kinds as kinds
from tests.support import while_loop
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases
from tests.support.text_kinds import Add, Buffer, Elem, For, Imm, Range, Store, TirVar, Values
from tests.support.while_loop import While

INT = TensorType((), "int32")
ADD, LESS = intern_op("add"), intern_op("less")


_kinds = known_in_tests(while_loop.DECLARED, kinds.DECLARED)


def back(thing: Node, read: Any = parse_node) -> str:  # Any: a function of the module text
    """Check that a node comes back from its text, and return the text."""
    text = astext(thing)
    again = read(text)
    assert_structural_equal(thing, again, map_free_vars=True)
    assert astext(again) == text
    return text


def loop(init: Any, var: Var | None = None) -> Any:  # Any: expressions
    var = var or Var("i", INT)
    return While(var, init, Call(LESS, (var, Constant(3))), Call(ADD, (var, Constant(1))))


# Inside of Relay


PROGRAMS = read_cases(CASES / "generic_form.txt")


@each("name", PROGRAMS)
def test_node_is_written_as_it_is_read(name: str) -> None:
    (text,) = PROGRAMS[name]
    assert back(parse_node(text)) == text


def test_node_shared_between_scopes_of_one_binder_is_one_node_again() -> None:
    i = Var("i", INT)
    shared = Call(ADD, (i, Constant(1)))
    node = While(i, Constant(0), Call(LESS, (shared, Constant(9))), Tuple((shared, shared)))
    assert back(node).count("add(") == 1
    again: Any = parse_node(astext(node))
    assert again.cond.args[0] is again.body.fields[0] is again.body.fields[1]


def test_operand_is_not_in_the_scope_of_its_binder() -> None:
    outer = parse_expr("fn (%i) { node while_loop(var=%i, init=%i, cond={ %i }, body={ %i }) }")
    assert isinstance(outer, Function)
    made: Any = outer.body
    assert made.init is outer.params[0]
    assert made.cond is made.body is made.var
    assert made.var is not outer.params[0]


def test_no_type_parameters_and_no_binders_are_read_back() -> None:
    back(kinds.Poly(Constant(1), (), ()))
    back(kinds.LetRec((), (), Constant(1)))
    back(kinds.ForAll((), INT), parse_type)
    back(kinds.PrimFunc((), ()))
    back(kinds.Switch(Constant(1), ()))


VALUES = [
    {"integer": -(2**80)},
    {"real": 1e-320},
    {"real": -0.0},
    {"real": math.inf},
    {"real": -math.inf},
    {"real": float(np.array([0x7FF8000000000123], np.uint64).view(np.float64)[0])},
    {"text": 'a "b"\n\\ \u2028'},
    {"flag": True},
    {"anything": "None"},
    {"anything": 1},
    {"anything": True},
    {"anything": b"\x00\xff"},
    {"anything": np.dtype("int8")},
    {"anything": np.float32(0.1)},
    {"anything": np.array(3)},
    {"anything": np.arange(6.0).reshape(2, 3)},
    {"anything": DictAttrs({"a": DictAttrs({"b": (1, None)}), "odd key": 2.5})},
    {"color": kinds.Color.GREEN},
    {"ports": kinds.Ports.LEFT | kinds.Ports.RIGHT},
    {"ports": kinds.Ports(0)},
    {"width": kinds.Width.ONE},
    {"colors": (kinds.Color.GREEN, kinds.Color.RED) * 600},
    {"attrs": DictAttrs({})},
    {"attrs": DictAttrs({"axis": 1})},
    {"items": (1, "a", (2.5, (None, True)), ())},
    {"items": tuple(range(3000))},
    {"sizes": (1, AnyDim(), SizeVar("n"))},
    {"type": TensorType((2, AnyDim()), "int8")},
    {"one": Constant(None)},
    {"one": Tuple(())},
    {"mixed": (1, Constant(1), -2, Tuple(()), Constant("a"), intern_op("add"))},
]


@each("fields", VALUES)
def test_value_of_a_field_is_read_back(fields: Any) -> None:
    back(Values(**fields))


def test_nodes_among_values_are_those_of_the_program() -> None:
    x = Var("x")
    shared = Call(ADD, (x, x))
    node = Values(mixed=(1, x, shared), one=shared, attrs=DictAttrs({"held": (x, shared)}))
    text = back(Function((x,), Tuple((node, shared))))
    assert text.count("add(") == 1


def test_nest_of_shared_tuples_takes_linear_time() -> None:
    nest: tuple[object, ...] = ()
    for _ in range(1000):
        nest = (nest, nest)
    back(Values(anything=nest))


def nest_of(levels: int) -> tuple[object, ...]:
    nest: tuple[object, ...] = ()
    for _ in range(levels):
        nest = (nest,)
    return nest


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (((1,), 2), "[[1], 2]"),
        (((1,) * 998, 2), f"[[{', '.join('1' * 998)}], 2]"),
        (((1,) * 999, 2), "meta[Array][0]"),
        (nest_of(50), "[" * 51 + "]" * 51),
        (nest_of(51), "meta[Array][0]"),
    ],
    ids=["small", "many items", "too many items", "many levels", "too many levels"],
)
def test_nest_of_tuples_is_written_in_place_if_it_is_small(
    value: tuple[object, ...], text: str
) -> None:
    assert back(Values(anything=value)).startswith(f"node text_values(anything={text})")


def test_variable_among_other_values_needs_no_parentheses() -> None:
    assert "mixed=[1, %x, (2)]" in back(Values(mixed=(1, Var("x"), Constant(2))))


def test_fields_at_their_default_are_left_out() -> None:
    assert astext(Values()) == "node text_values()"


def test_atom_used_once_stands_where_it_is_used() -> None:
    once, twice = kinds.Literal(1), kinds.Literal(2)
    text = back(Tuple((once, twice, twice)))
    assert text == ("%0 = node text_literal(value=2);\n(node text_literal(value=1), %0, %0)")


def test_enumeration_that_the_field_does_not_name_is_refused() -> None:
    with pytest.raises(FieldError, match="say so in its annotation"):
        astext(Values(anything=kinds.Color.RED))


@pytest.mark.parametrize("base", [int, str])
def test_enumeration_of_numbers_or_words_among_attributes_is_refused(base: type[Any]) -> None:
    mode = Enum("Mode", {"ONE": 1}, type=base)
    with pytest.raises(FieldError, match="no text form"):
        astext(Values(anything=DictAttrs({"mode": mode["ONE"]})))


def test_enumeration_that_the_field_does_not_name_is_shown_where_nothing_is_read_back() -> None:
    shown = astext(Values(anything=kinds.Color.RED), show_meta_data=False)
    assert shown == "node text_values(anything=Color.RED)"


# Types and patterns


def test_type_of_another_kind_is_read_back() -> None:
    box = kinds.Box(INT, others=(TupleType(()), kinds.Box(INT, "y")), sizes=(1, AnyDim()))
    back(box, parse_type)
    back(TupleType((box, box)), parse_type)
    back(Function((Var("v", box),), Constant(1), ret_type=box))
    back(Call(Var("f"), (), None, (box, INT)))


def test_type_that_binds_is_read_back() -> None:
    a = TypeVar("A")
    text = back(kinds.ForAll((a,), kinds.Box(a)), parse_type)
    assert text == "node text_forall(params=[A], body=node text_box(inner=A))"


def test_type_variable_of_another_kind_stays_one_variable() -> None:
    region = kinds.Region("r")
    back(Function((Var("v", kinds.Box(region)),), Constant(1), ret_type=TupleType((region,))))


def test_checked_type_of_another_kind_is_written_in_the_comment() -> None:
    x = Var("x").with_fields(checked_type=None)
    typed = Tuple((x,)).with_fields(checked_type=kinds.Box(INT))
    text = astext(Let(Var("y"), typed, x))
    assert "/* ty=node text_box(inner=int32) */" in text


def test_pattern_of_another_kind_is_read_back() -> None:
    p, q = Var("p"), Var("q", INT)
    guard = kinds.Guard(PatternTuple((PatternVar(p),)), Constant(3), q)
    back(guard, parse_pattern)
    text = back(Match(Var("x"), (Clause(PatternTuple((guard,)), Call(ADD, (p, q))),)))
    assert "(node text_guard(inner=(%p), also=%q: int32, than=3)) => {" in text


# Other languages


def test_kinds_called_as_those_of_relay_are_qualified() -> None:
    v = TirVar("v")
    assert back(kinds.Let(v, Imm(1), Add(v, v))) == (
        "node text.tir.let(var=node text.tir.var %v, value=node text.tir.imm(value=1), body={\n"
        "  node text.tir.add(lhs=%v, rhs=%v)\n"
        "})"
    )


def test_block_of_statements_is_read_back() -> None:
    i, a = TirVar("i", "int64"), Buffer("A", (Imm(3),), Elem("float32"))
    index = Add(i, Imm(1))
    back(For(i, Imm(10), (Store(a, i, Add(index, index)), Store(a, index, kinds.Load(a, i)))))
    back(For(i, Imm(10), ()))


def test_type_is_told_by_a_word_where_other_things_may_stand() -> None:
    assert back(Values(types=(1, INT))) == "node text_values(types=[1, type(int32)])"
    assert back(Values(node=INT)) == "node text_values(node=type(int32))"


def test_variable_that_a_node_binds_is_a_free_one_behind_it() -> None:
    i = Var("i")
    assert astext(Tuple((While(i, Constant(1), i, i), i))).startswith("free_var %i;\n")


def test_free_variables_of_every_kind_are_declared() -> None:
    i = TirVar("i")
    assert back(i) == "free_var node text.tir.var %i;\n%i"
    elem = Elem("float32")
    one, two = Buffer("A", (i,), elem), Buffer("A", (), elem)
    back(Add(kinds.Load(one, i), kinds.Load(two, i)))


def test_variable_of_another_kind_used_outside_of_its_binder_is_one_variable_again() -> None:
    i = TirVar("i")
    back(Add(i, kinds.Let(i, i, i)))
    back(kinds.Let(i, i, i))
    back(Add(kinds.Let(i, Imm(1), i), kinds.Let(i, Imm(2), i)))


def test_shared_annotation_is_one_node_again() -> None:
    over = Range(Imm(0), TirVar("n"))
    node = kinds.Call("f", (kinds.Call("g", (), over),), over)
    back(node)
    again: Any = parse_node(astext(node))
    assert again.over is again.args[0].over


def test_pattern_of_another_language_binds_for_its_owner() -> None:
    a, b = TirVar("a"), TirVar("b")
    back(kinds.Select(kinds.Bind(a, kinds.Bind(b)), Add(a, b)))


def test_node_of_another_language_inside_of_relay_is_read_back() -> None:
    x, y, a = Var("x"), Var("y"), Buffer("A")
    body = For(TirVar("i"), Imm(3), (Store(a, Imm(1), Imm(2)),))
    kernel = kinds.Kernel((x, y), (a,), body)
    back(Function((x, y), Call(ADD, (kernel, kinds.Kernel((kernel,), (), body)))))


def test_module_holds_definitions_of_several_languages() -> None:
    elem, x = Elem("float32"), Var("x")
    a = Buffer("A", (), elem)
    shared = For(TirVar("i"), Imm(3), (kinds.Call("f"),))
    func = kinds.PrimFunc((a, Buffer("B", (), elem)), (shared, Store(a, Imm(1), Imm(2))))
    kernel = Function((x,), kinds.Kernel((x,), (), shared))
    mod = IRModule({"f": func, "g": kernel, "h": Function((x,), loop(x))})
    text = astext(mod)
    again = parse(text)
    assert_structural_equal(again, mod, map_free_vars=True)
    assert astext(again) == text
    assert "def @f = node text.tir.prim_func(" in text


def test_str_of_every_node_is_its_text() -> None:
    for node in (Imm(3), Elem("f"), TirVar("i"), kinds.Case(1, Constant(1), Var("v"), Var("w"))):
        assert str(node) == astext(node)


# Mistakes


MISTAKES = read_cases(CASES / "bad_nodes.txt")


@each("name", MISTAKES)
def test_mistake_is_told_with_its_place(name: str) -> None:
    text, message = MISTAKES[name]
    with pytest.raises(ParseError) as caught:
        parse_node(text)
    assert str(caught.value).partition("\n")[0] == f"from_string:{message}"


@each(
    "text",
    [
        "add(1, @)", "(@, 1)", "@ + 1", "-@", "@.0", "@(1)", "if (@) { 1 } else { 1 }",
        "if (True) { @ } else { 1 }", "let %x = @; 1", "let %x = 1; @", "@; 1", "fn () { @ }",
        "ref(@)", "match (@) { _ => 1 }", "match (1) { _ => @ }", "%0 = @; negative(%0)",
        "%0 = @; %1 = negative(%0); %1",
    ],
)  # fmt: skip
def test_node_of_another_language_is_no_expression_of_relay(text: str) -> None:
    with pytest.raises(ParseError, match="expected an expression of Relay; found Imm"):
        parse_node(text.replace("@", "node text.tir.imm(value=1)"))


def test_operator_called_node_is_quoted() -> None:
    call = Call(intern_op("node"), (Constant(1),))
    assert astext(call) == '#"node"(1)'
    assert_structural_equal(parse_expr(astext(call), allow_unknown_ops=True), call)


# Depth


def while_body(levels: int) -> Node:
    made: Any = Constant(0)
    for _ in range(levels):
        made = While(Var("i"), Constant(1), Constant(True), made)
    return made


def while_init(levels: int) -> Node:
    made: Any = Constant(0)
    for _ in range(levels):
        made = While(Var("i"), made, Constant(True), Constant(1))
    return made


def part_chain(levels: int) -> Node:
    made: Any = None
    for _ in range(levels):
        made = kinds.Case(1, Constant(1), Var("x"), Constant(2), made)
    return kinds.Switch(Constant(1), (made,))


def shared_statements(levels: int) -> Node:
    made: Any = Imm(0)
    for _ in range(levels):
        made = For(TirVar("i"), Imm(1), (made, made))
    return made


def tir_lets(levels: int) -> Node:
    made: Any = Imm(0)
    for _ in range(levels):
        var = TirVar("i")
        made = kinds.Let(var, Imm(3), Add(var, made))
    return made


def boxes(levels: int) -> Node:
    made: Any = INT
    for _ in range(levels):
        made = kinds.Box(made)
    return Var("x", made)


def guards(levels: int) -> Node:
    made: Any = PatternVar(Var("q"))
    for _ in range(levels):
        made = kinds.Guard(made, Constant(1), Var("z"))
    return Match(Constant(1), (Clause(made, Constant(2)),))


def binds(levels: int) -> Node:
    var = TirVar("a")
    made: Any = kinds.Bind(var)
    for _ in range(levels):
        made = kinds.Bind(TirVar("b"), made)
    return kinds.Select(made, Add(var, var))


@pytest.mark.deep
@pytest.mark.parametrize(
    "build",
    [while_body, while_init, part_chain, shared_statements, tir_lets, boxes, guards, binds],
)
def test_nest_is_read_back(build: Any) -> None:
    levels = min(DEPTH // 2, 3000)
    assert len(back(build(levels))) < 1000 * levels
