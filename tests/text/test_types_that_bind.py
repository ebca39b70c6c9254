"""Types that bind type variables: each occurrence of one is read back as the same type."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.adt import Constructor, TypeData
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Call, Expr, Function, Let, Tuple, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import FuncType, GlobalTypeVar, TupleType, Type, TypeVar
from relayish.text import astext, parse, parse_expr
from tests.support.declared import known_in_tests
from tests.support.each import each

declared = declared_temporarily()
with declared:

    @node("for_all")
    class ForAll(Type):
        variables: tuple[TypeVar, ...] = field(binder=True)
        body: Type


known = known_in_tests(declared)


def for_all() -> Type:
    var = TypeVar("T")
    return ForAll((var,), FuncType((var, var), var))


def polymorphic() -> Type:
    var = TypeVar("T")
    return FuncType((var,), var, (var,))


def twice_as_a_parameter(ty: Type) -> Expr:
    return Function((Var("x", ty), Var("y", ty)), const(1))


def twice_in_a_tuple(ty: Type) -> Expr:
    return Function((Var("x", TupleType((ty, ty))),), const(1))


def as_what_is_taken_and_returned(ty: Type) -> Expr:
    x = Var("x", ty)
    return Function((x,), x, ty)


def of_a_free_variable_and_a_bound_one(ty: Type) -> Expr:
    return Function((Var("y", ty),), Var("x", ty))


def of_a_free_variable_behind_a_let(ty: Type) -> Expr:
    x, y, pair = Var("x", ty), Var("y", ty), Var("pair", TupleType((ty, ty)))
    return Let(Var("q", ty), x, Function((y,), Tuple((x, pair))))


def as_two_type_arguments(ty: Type) -> Expr:
    return Call(Var("f", ty), (const(1),), None, (ty, ty))


OCCURRENCES: list[Callable[[Type], Expr]] = [
    twice_as_a_parameter,
    twice_in_a_tuple,
    as_what_is_taken_and_returned,
    of_a_free_variable_and_a_bound_one,
    of_a_free_variable_behind_a_let,
    as_two_type_arguments,
]


@each("made", [for_all, polymorphic])
@each("occurs", OCCURRENCES)
def test_type_that_occurs_again_is_read_back(occurs, made):
    expr = occurs(made())
    text = astext(expr)
    again = parse_expr(text)
    assert "malformed" not in text
    assert_structural_equal(again, expr, map_free_vars=True)
    assert astext(again) == text


@pytest.mark.parametrize("made", [for_all, polymorphic])
def test_type_of_a_definition_and_of_a_function_is_read_back(made):
    ty, box = made(), GlobalTypeVar("Box")
    data = TypeData(box, (), (Constructor("Box", (ty,), box),))
    mod = IRModule({"main": Function((Var("x", ty),), const(1))}, {box: data})
    text = astext(mod)
    assert "malformed" not in text
    assert_structural_equal(parse(text), mod)


@pytest.mark.parametrize("made", [for_all, polymorphic])
def test_type_that_occurs_again_is_written_once(made):
    assert astext(twice_as_a_parameter(made())).count("T") == astext(
        Function((Var("x", made()),), const(1))
    ).count("T")


def test_variable_that_two_types_bind_is_told_to_be_the_same():
    var = TypeVar("T")
    one, two = (FuncType((var,), var, (var,)) for _ in range(2))
    expr = Function((Var("x", one), Var("y", two)), const(1))
    again = parse_expr(astext(expr))
    assert (
        again.params[0].type_annotation.type_params == again.params[1].type_annotation.type_params
    )


@pytest.mark.parametrize("order", [(True, False), (False, True)], ids=["bound first", "free first"])
def test_variable_that_is_bound_in_one_function_and_free_in_another_is_read_back(order):
    var = TypeVar("T")
    functions = [
        Function((Var("x", var),), const(1), None, (var,) if is_bound else ()) for is_bound in order
    ]
    expr = Tuple(tuple(functions))
    assert_structural_equal(parse_expr(astext(expr)), expr)
