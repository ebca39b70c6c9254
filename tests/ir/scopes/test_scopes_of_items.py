"""A field of several scopes: each item it holds has one of its own, unless it is a block."""

from __future__ import annotations

from typing import Any

import pytest

from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.expr import Call, Expr, RefRead, Tuple, Var
from relayish.ir.scopes.node_scopes import Scopes
from relayish.ir.scopes.scoping import Scope, scopes
from tests.support.declared import known_in_tests


class Alternatives(Expr):
    var: Var = field(binder=True)
    value: Expr
    branches: tuple[Expr, ...] = field(scope=Runs.ONE_OF)


class Steps(Expr):
    statements: tuple[Expr, ...] = field(scope=Runs.ONCE, block=True)


class Perhaps(Expr):
    first: Expr = field(scope=Runs.ONE_OF)
    other: Expr | None = field(scope=Runs.ONE_OF, default=None)
    steps: tuple[Expr, ...] = field(scope=Runs.ONCE, block=True, default=())


DECLARED = declared_temporarily()
with DECLARED:
    Alternatives = node("alternatives")(Alternatives)  # type: ignore[misc]
    Steps = node("steps")(Steps)  # type: ignore[misc]
    Perhaps = node("perhaps")(Perhaps)  # type: ignore[misc]


_kinds = known_in_tests(DECLARED)


def alternatives() -> tuple[Any, Expr, Expr]:
    v, x = Var("v"), Var("x")
    shared, own = RefRead(x), RefRead(v)
    return Alternatives(v, x, (Tuple((shared,)), Tuple((shared, own)))), shared, own


def test_scopes_of_a_tuple_are_one_for_each_item():
    made, _, _ = alternatives()
    known = (made.var,)
    assert scopes(made) == tuple(Scope((b,), Runs.ONE_OF, known) for b in made.branches)


def test_scopes_opened_for_a_tuple_are_one_for_each_item_in_order():
    made, _, own = alternatives()
    found = Scopes(made)
    first, second = found.opened[made]
    assert [found.runs[scope] for scope in (first, second)] == [Runs.ONE_OF] * 2
    assert found.scope[made.branches[0]] == first
    assert found.scope[own] == second


def test_what_items_share_belongs_to_none_of_their_scopes():
    made, shared, _ = alternatives()
    found = Scopes(made)
    assert found.scope[shared] not in found.opened[made]
    assert shared in found.lifted


def test_a_block_is_one_scope():
    x = Var("x")
    made = Steps((Call(x, ()), x))
    assert scopes(made) == (Scope(made.statements, Runs.ONCE, (), is_block=True),)
    assert len(Scopes(made).opened[made]) == 1


@pytest.mark.parametrize("other", [None, Var("y")])
@pytest.mark.parametrize("steps", [(), (Var("z"),)])
def test_scopes_opened_are_those_that_are_there(other: Var | None, steps: tuple[Var, ...]):
    made = Perhaps(RefRead(Var("x")), other, steps)
    found = Scopes(made)
    assert len(found.opened[made]) == len(scopes(made)) == 2 + (other is not None)
    assert found.scope[made.first] == found.opened[made][0]
