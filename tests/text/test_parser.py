"""The grammar, spans, and what is said about text that does not follow it."""

from __future__ import annotations

import contextlib
import random
import re

import numpy as np
import pytest

from relayish.errors import FieldError, ParseError
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import Span
from relayish.ir.nodes.traversal import EVERYTHING
from relayish.ir.relay.adt import Match, PatternTuple
from relayish.ir.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    Tuple,
    TupleGetItem,
    Var,
)
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.text import astext, fromtext, parse, parse_expr, parse_type
from tests.support.each import each
from tests.support.seeds import SOAK, many
from tests.support.text_cases import CASES, read_cases
from tests.support.typed_text import HEADER

PROGRAM = (
    HEADER
    + """type List[A] {
  Cons(A, List[A]),
  Nil,
}

extern type Handle

/* a comment /* in a comment */ still */
def @length[A](%xs: List[A], Primitive=1, odd="a\\"b") -> int32 {
  // to the end of the line }
  match? (%xs) {
    Cons(_, %rest) => {
      let %n: int32 /* ty=int32 */ = @length(%rest) /* ty=int32 span=x:1:2 */;
      add(1 /* ty=int32 */, %n)
    },
    Nil => { 0 },
  }
}

def @main(%x: Tensor[(2, ?), float32], %h: ref(fn (Handle[]) -> ())) -> (int32, bool) {
  %0 = nn.conv2d(%x, %x, padding=[1, 1, 1, 1], channels=8, kernel_size=[3, 3]);
  %1 = if (less(1f, 2f)) { ref(%0) } else { ref(negative(%0)) };
  let %t = (ref_read(%1), (), (True,), -1i64, meta[relay.Constant][0]);
  ref_write(%1, %t.0);
  (%t.1, @length(Cons(1, Nil)), fn (%y) { %y }(%x))
}

#[metadata]
{"root": 1, "nodes": [{"type_key": ""}, {"type_key": "Map", "keys": ["relay.Constant"],
 "data": [2]}, {"type_key": "Array", "data": [3]}, {"type_key": "relay.Constant",
 "attrs": {"data": "0"}}], "b64ndarrays":
 ["P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAAIAQADAAAAAAAAAAMAAAAAAAAAAQMF"]}
"""
)


def read(text: str) -> Expr:
    return parse_expr(text, allow_unknown_ops=True)


def test_fromtext_is_parse() -> None:
    assert fromtext is parse


def test_program_of_every_construct_is_read_and_read_back() -> None:
    mod = parse(PROGRAM, allow_unknown_ops=True)
    assert_structural_equal(mod, parse(astext(mod), allow_unknown_ops=True))


def test_every_node_carries_the_span_of_its_text() -> None:
    text = "let %a = add(%x, 1);\n%0 = (%a, %a.0);\nif (%x) { %0 } else { fn (%p: int8) { %p } }"
    expr = read(f"free_var %x;\n{text}")
    unmarked = [
        node
        for node in EVERYTHING.post_order(expr)
        if hasattr(node, "span") and node.span is None and not isinstance(node, (Op, GlobalVar))
    ]
    assert unmarked == []
    assert isinstance(expr, Let)
    assert expr.value.span == ("from_string", 2, 2, 10, 20)
    assert expr.span is not None
    assert (expr.span.line, expr.span.end_line) == (2, 4)


def test_span_of_a_call_in_general_and_in_plain_statements_agree() -> None:
    plain = read("free_var %x;\n%0 = add(%x, %x);\n%0")
    spread = read("free_var %x;\n%0 = add(%x,%x) ;\n%0")
    assert plain.span == ("from_string", 2, 2, 6, 17)
    assert spread.span == ("from_string", 2, 2, 6, 16)


def names(expr: Expr) -> str:
    """Spell nested calls as a word."""
    if isinstance(expr, Call) and isinstance(expr.op, Op):
        return f"{expr.op.name}({', '.join(map(names, expr.args))})"
    return str(expr.data) if isinstance(expr, Constant) else type(expr).__name__


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("1 + 2 * 3", "add(1, multiply(2, 3))"),
        ("1 - 2 - 3", "subtract(subtract(1, 2), 3)"),
        ("(1 - 2) - -3", "subtract(subtract(1, 2), -3)"),
        ("1 < 2 == 3 >= 4", "equal(less(1, 2), greater_equal(3, 4))"),
        ("1 + 2 != 3 / 4", "not_equal(add(1, 2), divide(3, 4))"),
        ("-add(1, 2) * 3", "multiply(negative(add(1, 2)), 3)"),
        ("1-2", "subtract(1, 2)"),
        ("1 /* c */ / 2 // d", "divide(1, 2)"),
    ],
)
def test_binary_operators_bind_as_in_relay(text: str, meaning: str) -> None:
    assert names(read(text)) == meaning


def test_postfixes_chain() -> None:
    expr = read("free_var %f; %f(1).0.1(2)(3)")
    kinds: list[type[Node]] = []
    node: object = expr
    while isinstance(node, (Call, TupleGetItem)):
        kinds.append(type(node))
        node = node.op if isinstance(node, Call) else node.tuple_value
    assert kinds == [Call, Call, TupleGetItem, TupleGetItem, Call]


def test_sequence_of_expressions_becomes_lets() -> None:
    expr = read("free_var %r; ref_write(%r, 1); ref_read(%r)")
    assert isinstance(expr, Let)
    assert expr.var.name_hint == "_"


def test_else_if_chains() -> None:
    expr = read("if (True) { 1 } else if (False) { 2 } else { 3 }")
    assert isinstance(expr, If)
    assert isinstance(expr.false_branch, If)


def test_temporary_is_one_node_wherever_it_is_used() -> None:
    expr = read("free_var %x; %0 = add(%x, %x); (%0, if (%x) { %0 } else { %0 })")
    assert isinstance(expr, Tuple)
    assert isinstance(expr.fields[1], If)
    assert expr.fields[0] is expr.fields[1].true_branch


def test_temporary_of_a_nested_function_is_known_behind_it_unless_it_hides_one() -> None:
    expr = read("%0 = (1, 1); %1 = fn () { %0 = (2,); %2 = (3,); %0 }; (%0, %2)")
    assert isinstance(expr, Tuple)
    assert [len(item.fields) for item in expr.fields if isinstance(item, Tuple)] == [2, 1]


def test_global_is_one_node_defined_above_or_below() -> None:
    mod = parse(HEADER + "def @a() { @b() }\ndef @b() { @a() }")
    func = mod["a"]
    assert isinstance(func, Function)
    assert isinstance(func.body, Call)
    assert func.body.op is mod.get_global_var("b")


def test_constructor_without_fields_is_its_value_with_and_without_parentheses() -> None:
    types = HEADER + "type T { Unit, Pair(T, T) }\n"
    mod = parse(types + "def @main() { (Unit, Unit(), Pair(Unit, Unit), Unit::) }")
    unit = mod.get_constructor("T", "Unit")
    plain, called, pair, itself = mod["main"].body.fields
    for value in (plain, called, *pair.args):
        assert_structural_equal(value, Call(unit, ()))
    assert itself is unit
    assert plain.span == Span("from_string", 3, 3, 16, 20)


def test_attribute_of_the_wrong_type_is_said_to_be_that() -> None:
    with pytest.raises(ParseError, match=r"attributes of clip cannot be read: .*a_min"):
        parse_expr('clip(1f, a_min="low", a_max=1f)')
    with pytest.raises(ParseError, match="unknown attribute of clip: a_mim; did you mean a_min"):
        parse_expr("clip(1f, a_mim=0f, a_max=1f)")


def test_text_adds_to_a_module_and_may_use_what_is_defined_there() -> None:
    known = parse(HEADER + "type T { Unit, Pair(T, T) }\ndef @unit() -> T { Unit }\n")
    text = "type Box { Hold(T) }\ndef @main(%x: T) -> Box { Hold(Pair(%x, @unit())) }"
    mod = parse(HEADER + text, "more", known)
    (pair,) = mod["main"].body.args
    assert pair.op is known.get_constructor("T", "Pair")
    assert pair.args[1].op is known.get_global_var("unit")
    assert mod["unit"] is known["unit"]
    assert mod["main"].params[0].type_annotation.func is known.get_global_type_var("T")
    assert mod.get_type("Box")[1].name_hint == "Hold"
    assert len(known) == 1


def test_a_module_added_to_keeps_its_attributes_unless_the_text_has_others() -> None:
    known = parse(HEADER + "#[attrs(a=1)]\n")
    assert parse(HEADER, "more", known).attrs == known.attrs
    assert parse(HEADER + "#[attrs(b=2)]\n", "more", known).attrs["b"] == 2


def test_names_of_the_module_added_to_are_taken() -> None:
    known = parse(HEADER + "type T { Unit }\ndef @f() { 1 }\n")
    with pytest.raises(ParseError, match="@f is defined twice"):
        parse(HEADER + "def @f() { 2 }", "more", known)
    with pytest.raises(ParseError, match="type T is defined twice"):
        parse(HEADER + "type T { Other }", "more", known)
    again = parse(HEADER + "type U { Unit }\ndef @g() { T::Unit }", "more", known)
    assert again["g"].body.op is known.get_constructor("T", "Unit")
    with pytest.raises(ParseError, match="constructor Unit is ambiguous"):
        parse(HEADER + "type U { Unit }\ndef @g() { Unit }", "more", known)


def test_constructor_is_that_of_the_module_though_defined_below() -> None:
    mod = parse(HEADER + 'def @a() { "type X {" ; Make(1) }\n\ntype T { Make(int32), }\n')
    func = mod["a"]
    assert isinstance(func, Function)
    assert isinstance(func.body, Let)
    assert isinstance(func.body.body, Call)
    assert func.body.body.op is mod.get_constructor("T", "Make")


def test_metadata_reference_is_one_object_a_number() -> None:
    size = SizeVar("n")
    x, y = Var("x", TensorType((size,))), Var("y", TensorType((size, 2)))
    func = parse_expr(astext(Function((x, y), y)))
    assert isinstance(func, Function)
    left, right = (param.type_annotation for param in func.params)
    assert isinstance(left, TensorType)
    assert isinstance(right, TensorType)
    assert left.shape[0] is right.shape[0]


def test_name_with_dots_and_digits_as_tvm_prints_it_is_one_name() -> None:
    func = read("fn (%features.0.weight) { %features.0.weight }")
    assert isinstance(func, Function)
    assert func.params[0].name_hint == "features.0.weight"


def test_match_with_question_mark_is_incomplete() -> None:
    expr = read("match? ((1, 2)) { (%a, _) => { %a }, _ => 3 }")
    assert isinstance(expr, Match)
    assert not expr.complete
    assert isinstance(expr.clauses[0].lhs, PatternTuple)


def test_tuple_of_one_and_group_are_told_apart() -> None:
    assert isinstance(read("(1,)"), Tuple)
    assert isinstance(read("(1)"), Constant)
    assert isinstance(parse_type("(int8)"), TensorType)


BAD_TEXTS = read_cases(CASES / "bad_texts.txt")
EXTREME = [
    ("", "1:1: a module begins with"),
    ('#[version = "0.0.4"]', "1:14: text of version"),
    (HEADER + "def @main() { f([[" + "[" * 5000, "expected"),
    (HEADER + "def @main() { f(a=" + "[" * 5000, "nests deeper than"),
    (HEADER + "def @main() { " + "9" * 10000 + " }", "too long"),
    (HEADER + "def @main() { f(a=" + "9" * 10000 + ") }", "too long"),
    (HEADER + "def @main(%x: Tensor[(" + "9" * 10000 + "), int8]) { 1 }", "too long"),
    (HEADER + "def @main() { (1)." + "9" * 10000 + " }", "does not exist"),
    (HEADER + "#[metadata]\n{", "the metadata section cannot be read"),
    (HEADER + "#[metadata]\n" + "[" * 100000, "the metadata section cannot be read"),
]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42i", np.int32(42)),
        ("2147483647", np.int32(2147483647)),
        ("2147483648", np.int64(2147483648)),
        ("-2147483648", np.int32(-2147483648)),
        ("-2147483649", np.int64(-2147483649)),
        ("--10", np.int32(10)),
        ("---10", np.int32(-10)),
        ("3.4028234e38f", np.finfo(np.float32).max),
        ("-inff", np.float32("-inf")),
    ],
)
def test_number_is_read_as_tvm_reads_it(text: str, value: np.generic) -> None:
    read = parse_expr(text)
    assert isinstance(read, Constant)
    assert read.data == value
    assert type(read.data) is type(value)


def refusal(text: str) -> str:
    """Return the first line of what is said of a text."""
    with pytest.raises(ParseError) as caught:
        parse(text, "model.relay", allow_unknown_ops="nn.reluu" not in text)
    return str(caught.value).partition("\n")[0]


@each("name", BAD_TEXTS)
def test_bad_text_is_explained(name: str) -> None:
    text, message = BAD_TEXTS[name]
    assert refusal(HEADER + text) == f"model.relay:{message}"


@each(("text", "message"), EXTREME)
def test_extreme_text_is_explained(text: str, message: str) -> None:
    assert re.match(f"model.relay:.*{message}", refusal(text))


def test_error_shows_the_line_and_points_into_it() -> None:
    with pytest.raises(ParseError) as caught:
        parse(HEADER + "def @main() {\n  add(%x, 1)\n}", "model.relay")
    assert str(caught.value) == (
        "model.relay:3:7: unknown variable %x; nothing is in scope here; bind it before it is used"
        "\n    add(%x, 1)\n        ^"
    )
    assert (caught.value.filename, caught.value.lineno, caught.value.offset) == (
        "model.relay",
        3,
        7,
    )


def test_bytes_are_refused_with_advice() -> None:
    with pytest.raises(FieldError, match="decode bytes first"):
        parse(b"")  # type: ignore[arg-type]


def survives(text: str) -> None:
    with contextlib.suppress(ParseError):
        parse(text, allow_unknown_ops=True)


def test_truncated_program_gives_a_parse_error_and_nothing_else() -> None:
    for end in range(0, len(PROGRAM), 3):
        survives(PROGRAM[:end])


def test_garbled_program_gives_a_parse_error_and_nothing_else() -> None:
    chance = random.Random(SOAK + 7)
    alphabet = '%@#(){}[]<>=;:,.*/+-"\\ \n0123456789fiuxmetaletTensor_?!é'
    pieces = PROGRAM.split(" ")
    for _ in range(many(400)):
        text = list(PROGRAM)
        for _ in range(chance.choice([1, 1, 2, 5, 20])):
            at = chance.randrange(len(text))
            match chance.randrange(4):
                case 0:
                    text[at] = chance.choice(alphabet)
                case 1:
                    del text[at : at + chance.randrange(1, 10)]
                case 2:
                    text.insert(at, chance.choice(pieces))
                case _:
                    other = chance.randrange(len(text))
                    text[at], text[other] = text[other], text[at]
        survives("".join(text))


def test_random_words_give_a_parse_error_and_nothing_else() -> None:
    chance = random.Random(SOAK + 11)
    words = [*PROGRAM.replace("(", " ( ").replace(")", " ) ").split(), "1", ";", "=", "-", "meta"]
    for _ in range(many(400)):
        survives(HEADER + " ".join(chance.choices(words, k=chance.randrange(1, 30))))
        survives(HEADER + "def @f() { " + " ".join(chance.choices(words, k=8)) + " }")


def test_a_call_without_a_required_attribute_is_told_its_name():
    with pytest.raises(ParseError, match=r"nn\.dense is called without its attribute 'units'"):
        parse_expr("free_var %x: Tensor[(2, 2), float32]; nn.dense(%x, %x)")


def test_an_attribute_of_another_type_is_told_what_is_expected_in_short():
    with pytest.raises(ParseError, match=r"expected tuple\[int \| PrimExpr, \.\.\.\]; found 'a'"):
        parse_expr('free_var %x: Tensor[(2), float32]; nn.conv2d(%x, %x, strides="a")')


def test_variable_of_unknown_type_has_no_annotation() -> None:
    func = parse_expr("fn (%x: _) { let %y: _ = %x; %y }")
    assert isinstance(func, Function)
    assert func.params[0].type_annotation is None
    assert isinstance(func.body, Let)
    assert func.body.var.type_annotation is None


def test_attributes_may_say_of_which_class_they_are() -> None:
    text = (
        "def @f(%x: int32) { %x }\n"
        'def @main(%x: int32) { @f(%x, axis=1, exclusive=True, attrs_type_key="relay.attrs.X") }'
    )
    call = parse(HEADER + text)["main"].body
    assert dict(call.attrs.items()) == {"axis": 1, "exclusive": True}
    typed = parse(HEADER + text.replace("attrs.X", "attrs.ScanopAttrs"))["main"].body
    assert type(typed.attrs).__name__ == "ScanopAttrs"
    with pytest.raises(ParseError, match=r"attributes relay\.attrs\.ScanopAttrs cannot be read"):
        parse(HEADER + text.replace("attrs.X", "attrs.ScanopAttrs").replace("=True", "=7"))


def test_arm_without_braces_may_number_nodes() -> None:
    mod = parse(
        HEADER
        + "type L { N, C(int32, L) }\n"
        + "def @main(%a: L) { match (%a) { C(%x, _) => %0 = add(%x, %x); add(%0, %0), N => 1, } }"
    )
    first, second = mod["main"].body.clauses
    assert first.rhs.args[0] is first.rhs.args[1]
    assert second.rhs.data == 1


def test_names_of_types_without_a_width_mean_those_of_32_bits() -> None:
    func = parse_expr("fn (%x: int, %y: Tensor[(2), uint], %z: float) { %x }")
    assert isinstance(func, Function)
    assert [str(p.type_annotation) for p in func.params] == [
        "int32",
        "Tensor[(2), uint32]",
        "float32",
    ]


def test_type_variable_called_int_is_one() -> None:
    func = parse_expr("fn [int](%x: int) { %x }")
    assert isinstance(func, Function)
    assert func.params[0].type_annotation is func.type_params[0]


def test_parentheses_around_one_pattern_make_a_tuple() -> None:
    expr = parse_expr("match? ((1,)) { (%n) => %n, }")
    assert isinstance(expr, Match)
    (clause,) = expr.clauses
    assert isinstance(clause.lhs, PatternTuple)
    assert "(%n) =>" in astext(expr)
    assert_structural_equal(parse_expr(astext(expr)), expr)


def test_array_that_was_not_given_is_none_in_tvms_text() -> None:
    text = "free_var %x: Tensor[(1, 2, 3), float32]; nn.adaptive_avg_pool1d(%x, output_size=None)"
    call = parse_expr(text)
    assert isinstance(call, Call)
    assert call.attrs is not None
    assert call.attrs["output_size"] == ()
    with pytest.raises(ParseError, match="axis: expected an int; found None"):
        parse_expr("free_var %x; nn.softmax(%x, axis=None)")
