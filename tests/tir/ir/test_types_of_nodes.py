"""The type of each expression follows from its operands, and is never stale."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import FieldError
from relayish.tir import as_type
from tests.support.each import each
from tests.support.tir_kinds import KINDS, examples

EXAMPLES = examples()
I, J = tir.Var("i"), tir.Var("j")  # noqa: E741
L = tir.Var("l", "int64")
X = tir.Var("x", "float32")
FLAG = tir.Var("flag", "bool")
RAMP = tir.Ramp(I, 1, 4)
MASK = tir.LT(RAMP, tir.Broadcast(I, 4))
A = tir.placeholder("A", (16,))
P = tir.Var("p", "float32*")
LOADED = A[RAMP]
TYPES = [
    (tir.const(1), "int32"),
    (tir.const(1, "uint8"), "uint8"),
    (tir.const(True), "bool"),
    (tir.const(1.0), "float32"),
    (tir.StringImm("a"), "string"),
    *[(kind(L, L), "int64") for kind in (tir.Add, tir.Sub, tir.Mul, tir.Div, tir.Mod)],
    *[(kind(X, X), "float32") for kind in (tir.Min, tir.Max, tir.FracOp)],
    *[(kind(X, X), "bool") for kind in (tir.EQ, tir.NE, tir.LT, tir.LE, tir.GT, tir.GE)],
    *[(kind(RAMP, RAMP), "bool<4>") for kind in (tir.EQ, tir.LT)],
    (tir.And(FLAG, FLAG), "bool"),
    (tir.Or(MASK, MASK), "bool<4>"),
    (tir.Minus(L), "int64"),
    (tir.Not(MASK), "bool<4>"),
    (tir.Sum((L, L)), "int64"),
    (tir.Product((X, X)), "float32"),
    (tir.Cast("float32<4>", RAMP), "float32<4>"),
    (tir.Select(FLAG, X, X), "float32"),
    (RAMP, "int32<4>"),
    (tir.Broadcast(X, 8), "float32<8>"),
    (tir.reduce_sum(X, []), "float32"),
    (I, "int32"),
    (A, "float32"),
    (A.buffer, "cinn_buffer_t*"),
    (tir.buffer_range(A, (0, 4)), "cinn_buffer_t*"),
    (A[I], "float32"),
    (LOADED, "float32<4>"),
    (tir.Load(X, ()), "float32"),
    (tir.Call("float16", "f"), "float16"),
    (tir.primitive("conv", dtype="int8"), "int8"),
    (tir.BufferGetDataHandle(A.buffer), "void*"),
    (tir.BufferGetDataConstHandle(A.buffer), "const void*"),
    (tir.PodValueToX(tir.Var("v", "cinn_pod_value_t*"), "int64"), "int64"),
    (tir.BufferCreate(A.buffer), "void"),
    (tir.GetAddr(A[I]), "float32*"),
    (tir.GetAddr(tir.GetAddr(A[I])), "float32**"),
    (tir.ArgsConstruct(tir.Var("a"), ()), "cinn_pod_value_t*"),
    (tir.BuiltinIntrin("sqrtf", (X,), "float32"), "float32"),
]


@each("pair", TYPES)
def test_type_of_an_expression_is(pair):
    expr, expected = pair
    assert expr.type == as_type(expected)
    assert str(expr.type) == expected


def test_every_expression_is_tried():
    tried = {type(expr) for expr, _ in TYPES}
    assert tried == {kind for kind in KINDS if issubclass(kind, tir.Expr)}


@each("kind", [kind for kind in KINDS if not issubclass(kind, tir.Expr)])
def test_statements_have_no_type(kind):
    assert not hasattr(EXAMPLES[kind], "type")


def test_type_is_that_of_the_new_operands_after_with_fields():
    assert tir.Add(I, J).with_fields(a=L, b=L).type == as_type("int64")


def test_type_is_that_of_the_new_operands_after_a_mutator():
    class Widen(tir.IRMutator):
        def visit_var(self, var):
            return L if var is I else var

    loaded = A[I + 1]
    sum_ = (I + I) * I
    assert Widen().visit(sum_).type == as_type("int64")
    assert Widen().visit(tir.EQ(I, I)).type == as_type("bool")
    assert Widen().visit(loaded).type == as_type("float32")


def test_type_of_a_load_follows_the_lanes_of_its_indices_through_a_mutator():
    class Vectorize(tir.IRMutator):
        def visit_var(self, var):
            return RAMP if var is J else var

    made = Vectorize().visit(tir.Sum((A[J], A[J] * 2)).with_fields())
    assert made.type == as_type("float32<4>")


def test_type_cannot_be_given():
    with pytest.raises(TypeError):
        tir.Add(I, J, type="int64")
    with pytest.raises(FieldError, match="has no field 'type'"):
        tir.Add(I, J).with_fields(type="int64")


def test_address_of_an_address_of_an_address_has_two_levels():
    assert str(tir.GetAddr(tir.GetAddr(tir.GetAddr(A[I]))).type) == "float32**"
