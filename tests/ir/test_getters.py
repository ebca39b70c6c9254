"""Which fields of a kind share a scope, and which operands are evaluated where."""

from __future__ import annotations

import pytest

from relayish.ir.getters import is_declaration, scope_fields
from relayish.ir.node import Node, declared_temporarily, field, node
from relayish.ir.relay.expr import Expr, Function, If, Let, Tuple, Var
from relayish.ir.relay.type import TypeVar
from relayish.ir.roles import Role, Runs
from relayish.ir.scoping import (
    evaluated,
    operands,
    outer_operands,
    recursive_operands,
    scope_roots,
)
from tests.support.declared import known_in_tests

DECLARED = declared_temporarily()
with DECLARED:

    @node("recursion")
    class Recursion(Expr):
        body: Expr = field(scope=Runs.ONCE)
        value: Expr = field(recursive=True)
        var: Var = field(binder=True)
        start: Expr

    @node("typed_recursion")
    class TypedRecursion(Expr):
        param: TypeVar = field(binder=True)
        value: Expr = field(recursive=True)
        body: Expr = field(scope=Runs.ONCE)

    @node("declaration")
    class Declaration(Expr):
        var: Var = field(binder=True, declares=True)
        value: Expr = field(recursive=True)

    class Arm(Node, held_as=Role.PART):
        __slots__ = ()

    @node("arm")
    class OneArm(Arm):
        var: Var = field(binder=True)
        test: Expr
        guard: Expr = field(recursive=True)
        body: Expr = field(scope=Runs.ONE_OF)

    @node("choice")
    class Choice(Expr):
        value: Expr
        arms: tuple[Arm, ...]


_kinds = known_in_tests(DECLARED)


v, w, x, y, z = (Var(name) for name in "vwxyz")


def test_operands_that_see_what_is_bound_share_a_scope_with_the_body():
    fields = scope_fields(Recursion)
    assert [f.name for f in fields.recursive] == ["value"]
    assert [f.name for f in fields.outside] == ["start"]
    assert [f.name for f in fields.blocks] == ["body", "value"]
    assert fields.is_shared


def test_scopes_share_one_only_where_several_know_what_is_bound():
    assert not scope_fields(If).is_shared
    assert not scope_fields(Function).is_shared
    assert scope_fields(Let).is_shared


@pytest.mark.parametrize("kind", [TypedRecursion, Declaration])
def test_operand_is_evaluated_outside_where_no_scope_knows_a_variable_it_sees(kind):
    fields = scope_fields(kind)
    assert [f.name for f in fields.outside] == ["value"]
    assert fields.recursive == ()
    assert not fields.is_shared


def test_what_binds_without_a_scope_of_its_own_is_a_declaration():
    kinds = (Declaration, TypedRecursion, Recursion, Let, Function, Tuple)
    assert [kind for kind in kinds if is_declaration(kind)] == [Declaration]


def test_operands_are_told_apart_by_where_they_are_evaluated():
    made = Recursion(x, y, v, z)
    assert outer_operands(made) == (z,)
    assert recursive_operands(made) == (y,)
    assert operands(made) == (y, z)
    assert scope_roots(made) == (x,)
    assert evaluated(made) == (y, z, x)


def test_operands_of_parts_are_told_apart_as_well():
    made = Choice(x, (OneArm(v, y, z, v), OneArm(w, z, y, w)))
    assert outer_operands(made) == (x, y, z)
    assert recursive_operands(made) == (z, y)
    assert evaluated(made) == (x, y, z, z, y, v, w)


def test_node_without_scopes_evaluates_its_operands_alone():
    assert evaluated(Tuple((x, y))) == outer_operands(Tuple((x, y))) == (x, y)
    assert scope_roots(x) == recursive_operands(Tuple((x,))) == ()
