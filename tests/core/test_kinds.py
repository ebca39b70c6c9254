"""Nodes of core: what they take, and the types of expressions."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import core
from relayish.dataflow.graph.control_flow import Condition, condition_of
from relayish.errors import FieldError
from tests.support.each import each

X, TRUE = core.Var("x"), core.const(True)
P = core.Var("p", "float32*")
A = core.Var("a", "int64[2, 3]")
FUNCTION = core.Global("f", "(int32) -> bool")
BLOCK = core.Block((core.Ret(),))

TYPES = {
    "int32": core.Ld(X),
    "uint8": core.Intconst(3, "uint8"),
    "struct point": core.Zero("struct point"),
    "int64": core.One("int64"),
    "bool": core.Lt(core.Ld(X), core.Ld(X)),
    "float64": core.const(0.5, "float64"),
    "int64[2, 3]": core.Ld(A),
    "int64[2, 3]*": core.Lda(A),
    "int64*": core.element(A, 1, 2),
    "float32*": core.element(P, 1),
    "float32": core.Ild(core.Ld(P)),
    "int8": core.Ild(core.Ld(P), "int8"),
    "((int32) -> bool)*": core.Lda(FUNCTION),
    "(int32) -> bool": core.Idname(FUNCTION),
    "float16": core.Ldf(X, "y", "float16"),
    "uint16": core.Ldo(X, 2, "uint16"),
    "int16": core.Ldp(core.Preg("int16")),
    "uint32": core.Ldpf(core.Preg("struct point"), "y", "uint32"),
    "float32[2]": core.Ldc(core.Constant(np.zeros(2, "float32"))),
    "uint8*": core.Ldca(core.Constant("text")),
    "int32*": core.Ldca(core.Constant(3)),
    "void": core.Void(),
}


@each("given", TYPES)
def test_type_of_expression(given):
    assert TYPES[given].type == given


def test_types_follow_from_operands_that_change():
    value = core.Add(core.Ld(X), core.Ld(X))
    changed = value.with_fields(a=core.const(1, "int64"), b=core.const(1, "int64"))
    assert changed.type == "int64"


def test_the_type_of_a_function_is_its_signature():
    func = core.FuncEntry((X, P), body=BLOCK, result="bool")
    assert func.type == "(int32, float32*) -> bool"


def test_strings_are_bytes_with_a_zero_behind_them():
    assert core.Constant("ä").type == "uint8[3]"


REFUSED = {
    "a body that is no block": lambda: core.If(TRUE, core.Ret()),
    "a value that is a statement": lambda: core.Retv(core.Ret()),
    "a statement that is a value": lambda: core.Block((TRUE,)),
    "a register that is a variable": lambda: core.Ldp(X),
    "a formal that is a register": lambda: core.FuncEntry((core.Preg(),)),
    "a declaration of no function": lambda: core.FuncDecl("int32"),
    "fields that are no pairs": lambda: core.StructDef(3),
    "a constant that is a list": lambda: core.Constant([1, 2]),
    "a constant without elements": lambda: core.Constant(np.zeros(0)),
    "a type that is none": lambda: core.Zero("integer"),
    "a literal of a string": lambda: core.const("text"),
    "a fraction as an integer": lambda: core.const(0.5, "int32"),
    "an integer out of range": lambda: core.const(300, "uint8"),
}


@each("what", REFUSED)
def test_node_refuses(what):
    with pytest.raises(FieldError):
        REFUSED[what]()


def test_literals_have_the_types_of_numbers():
    given = [3, 2.5, True, np.int64(3), np.float64(0.5), np.bool_(False)]
    found = [core.const(value).type for value in given]
    assert found == ["int32", "float32", "bool", "int64", "float64", "bool"]


CONDITIONS = {
    "if": (core.If(TRUE, BLOCK, BLOCK), 0, 1),
    "do_loop": (core.DoLoop(X, core.const(0), TRUE, core.const(1), BLOCK), 2, None),
    "while_do": (core.WhileDo(TRUE, BLOCK), 1, None),
    "do_while": (core.DoWhile(BLOCK, TRUE), 0, None),
}


@each("kind", CONDITIONS)
def test_branches_are_taken_where_the_condition_holds(kind):
    node, inside, outside = CONDITIONS[kind]
    assert condition_of(node, inside) == Condition(TRUE, True)
    assert condition_of(node, outside) == Condition(TRUE, False)
