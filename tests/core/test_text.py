"""The text of core: what is written, and what is read."""

from __future__ import annotations

import numpy as np
import pytest

import relayish as relay
from relayish import core
from relayish.errors import ParseError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.ir.modules.module import AnyModule
from tests.support.core_programs import FEATURES, MORE, random_core_program
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds

X, Y = core.Var("x"), core.Var("y", "float64")
R = core.Preg("int32")
G = core.Global("g", "int32[4]")
FUNCTION = core.Global("f", "(int32) -> int32")
ONE, TRUE = core.const(1), core.const(True)


def read_back(mod: AnyModule) -> AnyModule:
    text = mod.astext()
    made = relay.parse(text)
    relay.assert_structural_equal(made, mod)
    assert made.astext() == text
    return made


def function_of(*stmts: core.Stmt, **symbols: object) -> core.FuncEntry:
    return core.FuncEntry(body=core.Block(stmts), **symbols)


def body_lines(*stmts: core.Stmt) -> list[str]:
    """Return the lines of statements as they stand in a function."""
    func = function_of(*stmts, formals=(X, Y), pregs=(R,))
    text = read_back(relay.IRModule({"main": func})).astext()
    lines = text.splitlines()[3:-1]
    return [line[2:] for line in lines if line != "}" and not line.startswith("  global")]


WRITTEN = {
    "st(%x, 1)": core.St(X, ONE),
    "st(%y, 0.5f64)": core.St(Y, core.const(0.5, "float64")),
    "st(%x, add(ld(%x), -3))": core.St(X, X + -3),
    'st(@g, zero("int32[4]"))': core.St(G, core.Zero("int32[4]")),
    'stf(%x, "left", 3u8)': core.Stf(X, "left", core.const(3, "uint8")),
    'sto(%x, 2, 1, "int32")': core.Sto(X, 2, ONE, "int32"),
    "ist(array(lda(@g), [1]), 1)": core.Ist(core.element(G, 1), ONE),
    "stp(%r, ldp(%r))": core.Stp(R, core.Ldp(R)),
    "call(@f, [1], %r, 5)": core.Call(FUNCTION, (ONE,), R, 5),
    "call(@f, result=%r)": core.Call(FUNCTION, (), R),
    "icall(lda(@f), [1])": core.Icall(core.Lda(FUNCTION), (ONE,)),
    'pragma("unroll", 4)': core.Pragma("unroll", 4),
    "retv(True)": core.Retv(TRUE),
    "ret()": core.Ret(),
    "invalid()": core.Invalid(),
}  # fmt: skip


@each("text", WRITTEN)
def test_statement_is_written(text):
    assert body_lines(WRITTEN[text]) == [text]


def test_blocks_stand_in_braces_behind_what_holds_them():
    branch = core.If(TRUE, core.Block((core.Ret(),)), core.Block((core.Ret(),)))
    loop = core.DoLoop(X, ONE, TRUE, ONE, core.Block((branch,)))
    assert body_lines(loop) == [
        "do_loop(%x, 1, True, 1) {",
        "  if(True) {",
        "    ret()",
        "  } else {",
        "    ret()",
        "  }",
        "}",
    ]


def test_a_function_tells_its_symbols_first():
    func = core.FuncEntry((X,), (Y,), (R,), core.Block((core.Retv(ONE),)), "int32")
    assert str(func) == (
        "core_func (%x: int32) -> int32 {\n  var %y: float64\n  reg %r: int32\n  retv(1)\n}"
    )


def test_what_occurs_often_and_is_not_small_has_a_line():
    value: core.Expr = core.as_expr(X)
    for _ in range(100):
        value = value + value
    made = read_back(relay.IRModule({"f": function_of(core.St(X, value), formals=(X,))}))
    assert len(made.astext()) < 5000


def test_blocks_that_occur_often_are_shared():
    block = core.Block((core.St(X, X + 1), core.St(X, X * 2), core.St(X, X - 1)))
    for _ in range(50):
        block = core.Block((core.If(TRUE, block, block), block))
    made = read_back(relay.IRModule({"f": core.FuncEntry((X,), body=block)}))
    assert len(made.astext()) < 10_000


DEFINITIONS = {
    'core_decl "(int32*, bool) -> void"': core.FuncDecl("(int32*, bool) -> void"),
    'core_decl "() -> void" with {pure=True}': core.FuncDecl(
        "() -> void", DictAttrs({"pure": True})
    ),
    "core_variable float32[2, 3]": core.GlobalVariable("float32[2, 3]"),
    "core_variable const int64 = 7i64": core.GlobalVariable("int64", core.const(7, "int64"), True),
    'core_struct {"x": int32, "next": struct node*}': core.StructDef(
        (("x", "int32"), ("next", "struct node*"))
    ),
    'core_entry @f: "(int32) -> int32" program': core.Entry(FUNCTION, is_program=True),
}  # fmt: skip


@each("text", DEFINITIONS)
def test_definition_is_written(text):
    mod = relay.IRModule({"d": DEFINITIONS[text]})
    assert str(DEFINITIONS[text]) == text
    assert read_back(mod).astext() == f'#[version = "0.0.5"]\ndef @d = {text};\n'


def test_constants_keep_every_bit():
    values = [np.float32(0.1), np.float64("nan"), np.float32(-0.0), np.arange(6.0), "text\n", 3]
    stmts = [core.Retv(core.Ldc(core.Constant(value))) for value in values]
    read_back(relay.IRModule({"f": function_of(*stmts)}))


def test_integers_of_any_type_are_read_back():
    given = [
        core.Intconst(value, rtype)
        for rtype in ("int8", "uint64", "bool", "int32*", "float32")
        for value in (-1, 0, 1, 300, 1 << 70)
    ]
    read_back(relay.IRModule({"f": function_of(*[core.Retv(each) for each in given])}))


def test_variables_of_one_name_are_told_apart():
    first, second = core.Var("x"), core.Var("x")
    func = core.FuncEntry((first,), (second,), (), core.Block((core.St(second, first + 1),)))
    assert "st(%x1, add(ld(%x), 1))" in read_back(relay.IRModule({"f": func})).astext()


def test_odd_names_are_quoted():
    odd = core.Var("odd name"), core.Var("0"), core.Var(""), core.Preg("int32", "%")
    func = core.FuncEntry(odd[:3], (), odd[3:], core.Block((core.St(odd[0], core.Ldp(odd[3])),)))
    name = core.Global("odd name", "int32")
    read_back(relay.IRModule({"odd name": func, "g": function_of(core.St(name, ONE))}))


def test_what_breaks_rules_is_read_back():
    twice = core.FuncEntry((X,), (X,), (), core.Block((core.St(Y, ONE),)))
    other = core.Block((core.St(core.Global("g", "int32"), ONE), core.Retv(core.Ld(G))))
    mod = relay.IRModule({"twice": twice, "names": core.FuncEntry(body=other)})
    assert relay.structural_equal(relay.parse(mod.astext()), mod, map_free_vars=True)


def test_spans_tell_where_a_statement_stands():
    func = relay.parse(
        '#[version = "0.0.5"]\ndef @f = core_func (%x: int32) {\n  st(%x, 1)\n  ret()\n}', "a.txt"
    )["f"]
    assert str(func.body.stmts[0].span) == "a.txt:3:3"
    assert func.body.stmts[1].span.line == 4


def test_a_definition_is_read_by_itself():
    func = core.FuncEntry((X,), body=core.Block((core.St(X, X + 1), core.Ret())))
    assert relay.structural_equal(relay.text.parse_node(str(func)), func)


BAD = {
    "st(%z, 1)": "unknown variable %z",
    "st(%x)": "value",
    "st(%x, 1, 2, 3)": "3 fields",
    "st(%x, value=1, value=1)": "given twice",
    "st(%x, values=1)": "unknown field of st: values; did you mean value?",
    "stt(%x, 1)": "unknown kind of node stt; did you mean st?",
    "st(@g, 1)": "@g has no type here",
    "st(%x, 1i99)": "no suffix",
    "st(%x, ret())": "St.value",
    "if(True)": "expected '{' before the then_block",
    "ld(%x)": "Block.stmts",
    "ret(": "ret has 0 fields",
    "": "expected a statement",
}


@each("stmt", BAD)
def test_reader_refuses(stmt):
    text = f'#[version = "0.0.5"]\ndef @f = core_func (%x: int32) {{\n  {stmt}\n'
    with pytest.raises(ParseError) as caught:
        relay.parse(text + ("}" if stmt else ""))
    assert BAD[stmt] in str(caught.value)


def test_reader_refuses_a_type_that_is_none():
    with pytest.raises(ParseError, match="names no element type"):
        relay.parse('#[version = "0.0.5"]\ndef @f = core_func (%x: integer) {}')


@each("seed", seeds(20))
def test_random_programs_are_read_back(seed):
    read_back(random_core_program(seed, features=FEATURES | MORE))


@pytest.mark.deep
def test_deep_programs_are_read_back():
    value, block = core.as_expr(X), core.Block((core.Ret(),))
    for _ in range(min(DEPTH, 20_000)):
        value = value + 1
        block = core.Block((core.If(TRUE, block),))
    mod = relay.IRModule({"f": core.FuncEntry((X,), body=core.Block((core.St(X, value), block)))})
    made = relay.parse(mod.astext())
    assert relay.structural_equal(made, mod)


@pytest.mark.parametrize(
    "text",
    [
        "core_func (%x: int32, %x: int32) { ret() }",
        "core_func (%x: int32) { var %x: int32 ret() }",
        "core_func () { var %x: int32, %x: int8 ret() }",
        "core_func () { var %x: int32 reg %x: int32 ret() }",
    ],
)
def test_variables_of_a_function_are_declared_once(text):
    with pytest.raises(ParseError, match="%x is declared twice"):
        relay.parse_expr(text)


def test_variables_of_two_functions_may_have_one_name():
    func = "core_func (%x: int32) { ret() };"
    mod = relay.parse(f'#[version = "0.0.5"]\ndef @f = {func}\ndef @g = {func}')
    assert mod["f"].formals[0].name == mod["g"].formals[0].name == "x"
