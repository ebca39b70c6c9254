"""Which types are put together rightly, and what is said of those that are not."""

from __future__ import annotations

import pytest

from relayish.analysis import infer_type
from relayish.analysis.type_kind import KIND_RULES, check_kind
from relayish.errors import TypeInferenceError
from relayish.ir.nodes.node import declared_temporarily, node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import (
    Any,
    FuncType,
    GlobalTypeVar,
    IncompleteType,
    RefType,
    SizeVar,
    TensorType,
    TupleType,
    Type,
    TypeCall,
    TypeKind,
    TypeRelation,
    TypeVar,
    scalar_type,
)
from tests.support.deep import type_nest
from tests.support.depth import DEPTH
from tests.support.each import each

FLOAT = scalar_type("float32")
LIST, BOX, MISSING = GlobalTypeVar("List"), GlobalTypeVar("Box"), GlobalTypeVar("Missing")
A, B = TypeVar("A"), TypeVar("B")
SHAPE, BASE = TypeVar("s", TypeKind.ShapeVar), TypeVar("b", TypeKind.BaseType)
CONSTRAINT = TypeVar("c", TypeKind.Constraint)
LISTS = TypeData(
    LIST,
    (A,),
    (Constructor("Nil", (), LIST), Constructor("Cons", (A, TypeCall(LIST, (A,))), LIST)),
)
BOXES = TypeData(BOX, (), (Constructor("Put", (FLOAT,), BOX),))
MOD = IRModule({}, {LIST: LISTS, BOX: BOXES})
RELATION = TypeRelation("add", (A, A, A), 2)

GOOD = {
    "tensor": (FLOAT, TypeKind.Type),
    "tensor of unknown sizes": (TensorType((Any(), SizeVar("n"), 3)), TypeKind.Type),
    "empty tuple": (TupleType(()), TypeKind.Type),
    "tuple of references": (TupleType((RefType(FLOAT), RefType(A))), TypeKind.Type),
    "function": (FuncType((FLOAT, A), B), TypeKind.Type),
    "polymorphic function": (FuncType((A,), A, (A,)), TypeKind.Type),
    "function with a relation": (FuncType((A, A), A, (A,), (RELATION,)), TypeKind.Type),
    "list": (TypeCall(LIST, (FLOAT,)), TypeKind.Type),
    "list of lists": (TypeCall(LIST, (TypeCall(LIST, (A,)),)), TypeKind.Type),
    "definition without parameters": (TypeCall(BOX, ()), TypeKind.Type),
    "type variable": (A, TypeKind.Type),
    "variable of shapes": (SHAPE, TypeKind.ShapeVar),
    "variable of element types": (BASE, TypeKind.BaseType),
    "unknown type": (IncompleteType(), TypeKind.Type),
    "unknown shape": (IncompleteType(TypeKind.ShapeVar), TypeKind.ShapeVar),
    "name of a definition": (LIST, TypeKind.AdtHandle),
    "definition": (LISTS, TypeKind.TypeData),
    "relation": (RELATION, TypeKind.Constraint),
}

BAD = {
    "tuple with a shape": (TupleType((FLOAT, SHAPE)), "field 1 must be a type; s is of kind Shape"),
    "tuple with a name": (TupleType((LIST,)), "field 0 must be a type; List is of kind AdtHandle"),
    "tuple with a definition": (TupleType((LISTS,)), "List is of kind TypeData"),
    "tuple with a relation": (TupleType((RELATION,)), "is of kind Constraint"),
    "tuple with an unknown shape": (
        TupleType((IncompleteType(TypeKind.ShapeVar),)),
        "is of kind ShapeVar",
    ),
    "reference to a shape": (RefType(SHAPE), "what a reference holds must be a type"),
    "reference to a name": (RefType(BOX), "what a reference holds must be a type; Box"),
    "reference to a relation": (RefType(RELATION), "what a reference holds must be a type"),
    "function of a shape": (FuncType((FLOAT, SHAPE), FLOAT), "argument 1 must be a type"),
    "function of an element type": (FuncType((BASE,), FLOAT), "argument 0 must be a type"),
    "function of a name": (FuncType((LIST,), FLOAT), "argument 0 must be a type; List"),
    "result that is a shape": (FuncType((), SHAPE), "the result of a function must be a type"),
    "result that is a name": (FuncType((), LIST), "the result of a function must be a type"),
    "result that is a constraint": (FuncType((), CONSTRAINT), "c is of kind Constraint"),
    "list without an argument": (TypeCall(LIST, ()), "given 0 arguments.*has 1 param"),
    "list with two arguments": (TypeCall(LIST, (A, B)), "given 2 arguments.*has 1 param"),
    "argument for what takes none": (TypeCall(BOX, (FLOAT,)), "given 1 arguments.*has 0"),
    "list of a shape": (TypeCall(LIST, (SHAPE,)), "argument of List 0 must be a type"),
    "list of a name": (TypeCall(LIST, (BOX,)), "argument of List 0 must be a type; Box"),
    "type that is not defined": (TypeCall(MISSING, (FLOAT,)), "Missing is not defined"),
    "tensor given arguments": (TypeCall(FLOAT, (FLOAT,)), "only type definitions take arguments"),
    "variable given arguments": (TypeCall(A, (FLOAT,)), "only type definitions.*A is none"),
    "name of another kind given arguments": (
        TypeCall(GlobalTypeVar("T", TypeKind.Type), (FLOAT,)),
        "only type definitions take arguments; T is none",
    ),
    "definition under a name of another kind": (
        TypeData(GlobalTypeVar("T", TypeKind.Type), (), ()),
        "headed by an AdtHandle; T is of another kind",
    ),
    "constructor of another type": (
        TypeData(BOX, (), (Constructor("Nil", (), LIST),)),
        "constructor Nil belongs to List, not to Box",
    ),
    "field that is a shape": (
        TypeData(BOX, (), (Constructor("Put", (SHAPE,), BOX),)),
        "field of Put: the type of a value must be a type; s",
    ),
    "field of a type that is not defined": (
        TypeData(BOX, (), (Constructor("Put", (TypeCall(MISSING, ()),), BOX),)),
        "field of Put: type Missing is not defined",
    ),
    "field of itself with too many arguments": (
        TypeData(BOX, (), (Constructor("Put", (TypeCall(BOX, (A,)),), BOX),)),
        "field of Put: type Box is given 1 arguments",
    ),
    "relation of a shape": (TypeRelation("add", (SHAPE,), 1), "argument of relation add 0 must"),
    "relation with too few arguments": (TypeRelation("add", (A,), 2), "2 inputs and 1 arguments"),
    "shape deep inside": (type_nest(50, SHAPE), "field 0 must be a type; s"),
    "fault inside a function inside a reference": (
        RefType(FuncType((TupleType((TypeCall(MISSING, ()),)),), FLOAT)),
        "Missing is not defined",
    ),
}


@each("name", GOOD)
def test_type_has_the_kind(name):
    ty, kind = GOOD[name]
    assert check_kind(ty, MOD) is kind


@each("name", BAD)
def test_type_put_together_wrongly_is_told(name):
    ty, told = BAD[name]
    with pytest.raises(TypeInferenceError, match=told):
        check_kind(ty, MOD)


@pytest.mark.parametrize("ty", [SHAPE, LIST, RELATION, RefType(SHAPE), TypeCall(MISSING, ())])
def test_annotation_of_the_wrong_kind_is_an_error_where_it_stands(ty):
    x, y = Var("x", FLOAT), Var("y", ty)
    for func in (
        Function((y,), y),
        Function((x,), Let(y, x, y)),
        Function((x,), x, ty),
    ):
        with pytest.raises(TypeInferenceError):
            infer_type(IRModule({"main": func}, {LIST: LISTS}))


def test_definition_of_a_module_is_of_the_right_kind():
    assert all(check_kind(data, MOD) is TypeKind.TypeData for data in (LISTS, BOXES))


@pytest.mark.deep
def test_kind_of_deep_and_shared_types_is_found():
    shared = FLOAT
    for _ in range(100):
        shared = TupleType((shared, shared))
    assert check_kind(shared) is TypeKind.Type
    assert check_kind(type_nest(DEPTH)) is TypeKind.Type


class TestTypesOfOtherPackages:
    def test_parts_are_types_where_nothing_else_is_said(self):
        with declared_temporarily():

            @node("described_type")
            class Described(Type):
                described: Type

            assert check_kind(Described(FLOAT)) is TypeKind.Type
            with pytest.raises(TypeInferenceError, match="described of a described type"):
                check_kind(Described(LIST))

    def test_registered_rule_says_what_parts_have_to_be(self):
        with declared_temporarily():

            @node("described_type")
            class Described(Type):
                described: Type

            @KIND_RULES.register(Described)
            def rule(ty, kinds, _definitions):
                is_header = kinds[ty.described] is TypeKind.AdtHandle
                return None if is_header else "it describes no definition"

            assert check_kind(TupleType((Described(LIST),))) is TypeKind.Type
            with pytest.raises(TypeInferenceError, match="it describes no definition"):
                check_kind(Described(FLOAT))
