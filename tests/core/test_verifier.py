"""What the verifier of core refuses, and what it says about it."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish import core
from relayish.core import Rule
from relayish.errors import FieldError, VerificationError
from relayish.ir.nodes.span import Span
from tests.support.core_programs import FEATURES, MORE, random_core_program
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.seeds import seeds

I32, I64, F32, TRUE = core.const(1), core.const(1, "int64"), core.const(1.0), core.const(True)
X, F, B = core.Var("x"), core.Var("f", "float32"), core.Var("b", "bool")
A = core.Var("a", "int32[2, 3]")
P = core.Var("p", "int32*")
V = core.Var("v", "void*")
S = core.Var("s", "struct point")
R, RS = core.Preg("int32"), core.Preg("struct point")
FUNCTION = core.Global("func", "(int32) -> int32")
G, K = core.Global("g", "int32"), core.Global("k", "int32")
EMPTY = core.Block()
POINTER = core.Ld(P)
TITLE = core.Ldca(core.Constant("title"))

PIECES = {
    "intconst of floats": (core.Intconst(1, "float32"), Rule.TYPE, "type of integers"),
    "intconst out of range": (core.Intconst(300, "uint8"), Rule.LITERAL, "0 to 255"),
    "negative truth": (core.Intconst(-1, "bool"), Rule.LITERAL, "0 to 1"),
    "zero of void": (core.Zero("void"), Rule.TYPE, "type that has values"),
    "one of arrays": (core.One("int32[2]"), Rule.TYPE, "numbers or truth values"),
    "add of two types": (core.Add(I32, I64), Rule.TYPE, "one type"),
    "add of truths": (core.Add(TRUE, TRUE), Rule.TYPE, "expected numbers"),
    "mod of floats": (core.Mod(F32, F32), Rule.TYPE, "expected integers"),
    "band of floats": (core.Band(F32, F32), Rule.TYPE, "integers or truth values"),
    "bnot of a truth": (core.Bnot(TRUE), Rule.TYPE, "lnot"),
    "land of integers": (core.Land(I32, TRUE), Rule.TYPE, "truth values"),
    "lnot of an integer": (core.Lnot(I32), Rule.TYPE, "bnot"),
    "shift by a float": (core.Shl(I32, F32), Rule.TYPE, "expected integers"),
    "shift by the width": (core.Shl(I32, core.const(32)), Rule.LITERAL, "0 to 31"),
    "lt of truths": (core.Lt(TRUE, TRUE), Rule.TYPE, "eq and ne"),
    "eq of two types": (core.Eq(I32, F32), Rule.TYPE, "one type"),
    "eq of structures": (core.Eq(core.Ld(S), core.Ld(S)), Rule.TYPE, "each field"),
    "address of a register": (core.Lda(R), Rule.SYMBOL, "which has none"),
    "ld of a register": (core.Ld(R), Rule.SYMBOL, "kinds of their own"),
    "ld of a function": (core.Ld(FUNCTION), Rule.SYMBOL, "Lda(function)"),
    "ld as another type": (core.Ld(X, "float32"), Rule.TYPE, "its own type"),
    "st of another type": (core.St(X, F32), Rule.TYPE, "value of type int32"),
    "st into a register": (core.St(R, I32), Rule.SYMBOL, "stp"),
    "ldp as another type": (core.Ldp(R, "int64"), Rule.TYPE, "its own type"),
    "stp of another type": (core.Stp(R, F32), Rule.TYPE, "value of type int32"),
    "store of a name": (core.St(X, core.Idname(X)), Rule.TYPE, "which has no value"),
    "field of an integer": (core.Ldf(X, "y", "int32"), Rule.FIELD, "expected a structure"),
    "field of a register": (core.Stpf(R, "y", I32), Rule.FIELD, "expected a structure"),
    "store of another type": (core.Stf(S, "y", F32, "int32"), Rule.TYPE, "value of type int32"),
    "negative offset": (core.Ldo(A, -4, "int32"), Rule.FIELD, "0 or more"),
    "sto of another type": (core.Sto(A, 0, F32, "int32"), Rule.TYPE, "value of type int32"),
    "ild of no address": (core.Ild(I32), Rule.TYPE, "expected an address"),
    "ild of another type": (core.Ild(POINTER, "float32"), Rule.TYPE, "expected int32"),
    "ild of void": (core.Ild(core.Ld(V)), Rule.TYPE, "type that has values"),
    "ist of another type": (core.Ist(POINTER, F32), Rule.TYPE, "value of type int32"),
    "element of no array": (core.Array(I32, (I32,)), Rule.TYPE, "expected an address"),
    "too few indices": (core.Array(core.Lda(A), (I32,)), Rule.INDEX, "1 index"),
    "index of floats": (core.Array(POINTER, (F32,)), Rule.INDEX, "expected integers"),
    "index out of range": (core.element(A, 0, 3), Rule.INDEX, "expected 0 to 2"),
    "if of an integer": (core.If(I32, EMPTY), Rule.TYPE, "truth value"),
    "while of an integer": (core.WhileDo(I32, EMPTY), Rule.TYPE, "truth value"),
    "do while of an integer": (core.DoWhile(EMPTY, I32), Rule.TYPE, "truth value"),
    "loop over floats": (
        core.DoLoop(F, core.as_expr(F), TRUE, core.as_expr(F), EMPTY),
        Rule.TYPE,
        "expected an integer",
    ),
    "loop from a float": (core.DoLoop(X, F32, TRUE, I32, EMPTY), Rule.TYPE, "init of do_loop"),
    "loop by a float": (core.DoLoop(X, I32, TRUE, F32, EMPTY), Rule.TYPE, "increment of"),
    "loop while a number": (core.DoLoop(X, I32, I32, I32, EMPTY), Rule.TYPE, "truth value"),
    "call of a variable": (core.Call(G), Rule.CALL, "expected a function"),
    "call with nothing": (core.Call(FUNCTION), Rule.CALL, "no arguments"),
    "call with a float": (core.Call(FUNCTION, (F32,)), Rule.CALL, "as argument 0"),
    "call for a structure": (core.Call(FUNCTION, (I32,), RS), Rule.CALL, "register of type int32"),
    "icall of a number": (core.Icall(I32), Rule.CALL, "address of a function"),
    "icall with a float": (core.Icall(core.Lda(FUNCTION), (F32,)), Rule.CALL, "as argument 0"),
    "validation of numbers": (core.Validate(I32, I32, I32, F32), Rule.TYPE, "addresses of numbers"),
    "validation of a part": (core.Validate(POINTER, POINTER, F32, F32), Rule.TYPE, "integer"),
    "exact validation": (core.Validate(POINTER, POINTER, I32, I32), Rule.TYPE, "expected a float"),
    "title of a number": (core.DumpVar(POINTER, POINTER, I32), Rule.TYPE, "address of a string"),
    "dump of a number": (core.DumpVar(TITLE, I32, I32), Rule.TYPE, "address of values"),
    "dump of a part": (core.DumpVar(TITLE, POINTER, F32), Rule.TYPE, "expected an integer"),
    "an invalid statement": (core.Invalid(), Rule.STRUCTURE, "invalid"),
    "end in the middle": (core.Block((core.EndStmtList(), core.Ret())), Rule.STRUCTURE, "middle"),
    "variable of type void": (core.FuncEntry((core.Var("x", "void"),)), Rule.DEFINITION, "values"),
    "variable twice": (core.FuncEntry((X,), (X,)), Rule.SCOPE, "twice"),
    "structure of nothing": (core.StructDef(()), Rule.DEFINITION, "no fields"),
    "field twice": (core.StructDef((("x", "int32"),) * 2), Rule.DEFINITION, "2 fields 'x'"),
    "field of type void": (core.StructDef((("x", "void"),)), Rule.DEFINITION, "values"),
    "variable that is computed": (
        core.GlobalVariable("int32", core.Add(I32, I32)),
        Rule.DEFINITION,
        "not known while compiling",
    ),
    "float for an integer": (core.GlobalVariable("int32", F32), Rule.TYPE, "both must have"),
    "global void": (core.GlobalVariable("void"), Rule.DEFINITION, "values"),
}


@each("name", PIECES)
def test_verifier_refuses(name):
    program, rule, said = PIECES[name]
    (found,) = core.verify(program)
    assert found.rule is rule
    assert said in found.message


def body_of(*stmts: core.Stmt, result: str = "void", **symbols: object) -> core.FuncEntry:
    return core.FuncEntry(body=core.Block(stmts), result=result, **symbols)


FUNCTIONS = {
    "variable of another function": (body_of(core.St(X, I32)), Rule.SCOPE, "no symbol of the"),
    "register of another function": (body_of(core.Stp(R, I32)), Rule.SCOPE, "no symbol of the"),
    "return without a value": (body_of(core.Ret(), result="int32"), Rule.RETURN, "expected retv"),
    "value of nothing": (body_of(core.Retv(I32)), Rule.RETURN, "expected ret"),
    "value of another type": (body_of(core.Retv(F32), result="int32"), Rule.RETURN, "type int32"),
    "no return": (body_of(result="int32"), Rule.RETURN, "without a value"),
    "one path without a return": (
        body_of(core.If(TRUE, core.Block((core.Retv(I32),))), result="int32"),
        Rule.RETURN,
        "without a value",
    ),
}


@each("name", FUNCTIONS)
def test_verifier_refuses_a_function_with(name):
    function, rule, said = FUNCTIONS[name]
    (found,) = core.verify(function)
    assert found.rule is rule
    assert said in found.message


POINT = core.StructDef((("x", "int32"), ("y", "int64")))
MODULE = relay.IRModule(
    {
        "g": core.GlobalVariable("int32"),
        "k": core.GlobalVariable("int32", I32, is_const=True),
        "func": core.FuncDecl("(int32) -> int32"),
        "point": POINT,
    }
)
OTHER = core.Var("o", "struct other")
NAMES = {
    "an unknown name": (core.Ld(core.Global("gg", "int32")), Rule.NAME, "does not define 'gg'"),
    "a name of another type": (
        core.Ld(core.Global("g", "int64")),
        Rule.NAME,
        "defines it as int32",
    ),
    "the name of a structure": (core.Lda(core.Global("point", "int32")), Rule.NAME, "a StructDef"),
    "a structure that is unknown": (core.Zero("struct other*"), Rule.NAME, "structure 'other'"),
    "a field that is unknown": (core.Ldf(S, "z", "int32"), Rule.FIELD, "no field 'z'"),
    "a field of another type": (core.Ldf(S, "x", "int64"), Rule.FIELD, "expected int32"),
    "a stored field of another type": (core.Stpf(RS, "x", I64), Rule.FIELD, "expected int32"),
    "an offset behind the end": (core.Ldo(A, 24, "int32"), Rule.FIELD, "which has 24"),
    "an offset in the padding": (core.Sto(S, 12, I64), Rule.FIELD, "bytes 12 to 19"),
    "a store into a constant": (core.St(K, I32), Rule.SYMBOL, "which is constant"),
    "a loop over a constant": (
        core.DoLoop(K, I32, TRUE, I32, EMPTY),
        Rule.SYMBOL,
        "which is constant",
    ),
}


@each("name", NAMES)
def test_verifier_refuses_in_a_module(name):
    piece, rule, said = NAMES[name]
    (found,) = core.verify(piece, within=MODULE)
    assert found.rule is rule
    assert said in found.message


def test_verifier_takes_names_of_other_languages_for_what_they_are_used_as():
    x = relay.var("x", shape=())
    mod = MODULE.with_function("relay", relay.Function([x], x))
    call = core.Call(core.Global("relay", "(float32) -> float32"), (F32,))
    assert core.verify(call, within=mod) == ()


def test_verifier_refuses_a_program_that_is_none():
    with pytest.raises(FieldError, match="a program of core is verified"):
        core.verify(3)


def test_verifier_refuses_parts_of_what_has_no_size():
    mod = MODULE.with_function("s", core.StructDef((("inner", "struct s"),)))
    load = core.Ldo(core.Var("v", "struct s"), 0, "int32")
    (found,) = core.verify(load, within=mod)
    assert "contains itself" in found.message


def test_returns_are_looked_for_in_nested_blocks():
    ends = core.If(
        TRUE, core.Block((core.Retv(I32), core.EndStmtList())), core.Block((core.Retv(I32),))
    )
    nested = core.Block((core.Block((ends,)), core.EndStmtList()))
    assert core.verify(core.FuncEntry(body=nested, result="int32")) == ()


def test_verifier_refuses_an_entry_point_that_is_no_function():
    mod = MODULE.with_function("start", core.Entry(G))
    (found,) = core.verify(mod)
    assert found.rule is Rule.NAME
    assert "expected a function" in found.message


def test_verifier_refuses_two_entry_points_of_a_program():
    start = core.Entry(FUNCTION, is_program=True)
    (found,) = core.verify(MODULE.with_functions({"a": start, "b": start}))
    assert "at a and at b" in found.message


def test_verifier_refuses_a_structure_in_itself():
    mod = relay.IRModule({"s": core.StructDef((("next", "struct s[2]"),))})
    (found,) = core.verify(mod)
    assert "contains itself" in found.message


def test_verifier_accepts_a_structure_that_points_to_itself():
    assert core.verify(relay.IRModule({"s": core.StructDef((("next", "struct s*"),))})) == ()


def test_verifier_reports_all_that_is_wrong_in_order_of_the_program():
    stmts = (core.St(X, F32), core.If(I32, core.Block((core.Invalid(),))), core.Ret())
    found = core.verify(core.FuncEntry((X,), body=core.Block(stmts)))
    assert [each.node for each in found] == [stmts[0], stmts[1].then_block.stmts[0], stmts[1]]


def test_verifier_tells_the_definition_and_the_span_around():
    span = Span("text", 3, 3, 1, 9)
    store = core.St(X, core.Add(I32, F32), span=span)
    mod = relay.IRModule({"f": core.FuncEntry((X,), body=core.Block((store,)))})
    (found,) = core.verify(mod)
    assert (found.span, found.definition) == (span, "f")
    assert str(found).startswith("text:3:1: add is given")


def test_check_raises_with_all_violations():
    with pytest.raises(VerificationError) as caught:
        core.check(core.Block((core.Invalid(), core.Invalid())))
    assert len(caught.value.violations) == 2


def test_module_with_broken_functions_is_not_well_formed():
    with pytest.raises(VerificationError, match="invalid"):
        relay.analysis.check_well_formed(relay.IRModule({"f": body_of(core.Invalid())}))


@each("seed", seeds(30))
def test_verifier_accepts_random_programs(seed):
    assert core.verify(random_core_program(seed, features=FEATURES | MORE)) == ()


@pytest.mark.deep
def test_verifier_goes_down_deep_programs():
    value, block = core.as_expr(X), core.Block((core.Ret(),))
    for _ in range(DEPTH):
        value = core.Add(value, I32)
        block = core.Block((core.If(TRUE, block),))
    deep = core.FuncEntry((X,), body=core.Block((core.St(X, value), block)))
    assert core.verify(relay.IRModule({"f": deep})) == ()
