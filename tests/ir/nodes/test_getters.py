"""Which fields of a kind share a scope, and which operands are evaluated where."""

from __future__ import annotations

import pytest

import relayish as relay
from relayish.ir.nodes.getters import is_declaration, scope_fields
from relayish.ir.scopes.scoping import (
    evaluated,
    operands,
    outer_operands,
    recursive_operands,
    scope_roots,
)
from tests.support.declared import known_in_tests

DECLARED = relay.declared_temporarily()
with DECLARED:

    @relay.node("recursion")
    class Recursion(relay.Expr):
        body: relay.Expr = relay.field(scope=relay.Runs.ONCE)
        value: relay.Expr = relay.field(recursive=True)
        var: relay.Var = relay.field(binder=True)
        start: relay.Expr

    @relay.node("typed_recursion")
    class TypedRecursion(relay.Expr):
        param: relay.TypeVar = relay.field(binder=True)
        value: relay.Expr = relay.field(recursive=True)
        body: relay.Expr = relay.field(scope=relay.Runs.ONCE)

    @relay.node("declaration")
    class Declaration(relay.Expr):
        var: relay.Var = relay.field(binder=True, declares=True)
        value: relay.Expr = relay.field(recursive=True)

    class Arm(relay.Node, held_as=relay.Role.PART):
        __slots__ = ()

    @relay.node("arm")
    class OneArm(Arm):
        var: relay.Var = relay.field(binder=True)
        test: relay.Expr
        guard: relay.Expr = relay.field(recursive=True)
        body: relay.Expr = relay.field(scope=relay.Runs.ONE_OF)

    @relay.node("choice")
    class Choice(relay.Expr):
        value: relay.Expr
        arms: tuple[Arm, ...]


_kinds = known_in_tests(DECLARED)


v, w, x, y, z = (relay.Var(name) for name in "vwxyz")


def test_operands_that_see_what_is_bound_share_a_scope_with_the_body():
    fields = scope_fields(Recursion)
    assert [f.name for f in fields.recursive] == ["value"]
    assert [f.name for f in fields.outside] == ["start"]
    assert [f.name for f in fields.blocks] == ["body", "value"]
    assert fields.is_shared


def test_scopes_share_one_only_where_several_know_what_is_bound():
    assert not scope_fields(relay.If).is_shared
    assert not scope_fields(relay.Function).is_shared
    assert scope_fields(relay.Let).is_shared


@pytest.mark.parametrize("kind", [TypedRecursion, Declaration])
def test_operand_is_evaluated_outside_where_no_scope_knows_a_variable_it_sees(kind):
    fields = scope_fields(kind)
    assert [f.name for f in fields.outside] == ["value"]
    assert fields.recursive == ()
    assert not fields.is_shared


def test_what_binds_without_a_scope_of_its_own_is_a_declaration():
    kinds = (Declaration, TypedRecursion, Recursion, relay.Let, relay.Function, relay.Tuple)
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
    assert evaluated(relay.Tuple((x, y))) == outer_operands(relay.Tuple((x, y))) == (x, y)
    assert scope_roots(x) == recursive_operands(relay.Tuple((x,))) == ()
