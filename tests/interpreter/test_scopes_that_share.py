"""Scopes of one node that share what they evaluate: each evaluates it for itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from relayish.errors import EvaluationError
from relayish.interpreter import EVALUATORS, Apply, Capture, Run, evaluate
from relayish.ir.fields.effect import Effect
from relayish.ir.fields.roles import Runs
from relayish.ir.nodes.node import declared_temporarily, field, node
from relayish.ir.relay.build import const
from relayish.ir.relay.expr import Expr, Function, If, Let, Var
from relayish.ir.relay.type import scalar_type
from tests.support.declared import known_in_tests
from tests.support.each import each

DECLARED = declared_temporarily()
with DECLARED:

    @node("test_twice", effect=Effect.NONE)
    class Twice(Expr):
        var: Var = field(binder=True)
        first: Expr = field(scope=Runs.ONCE)
        second: Expr = field(scope=Runs.ONCE)

    @node("test_then_again", effect=Effect.NONE)
    class ThenAgain(Expr):
        var: Var = field(binder=True)
        first: Expr = field(scope=Runs.ONCE)
        second: Expr | None = field(scope=Runs.REPEATEDLY, default=None)

    @node("test_items", effect=Effect.NONE)
    class Items(Expr):
        var: Var = field(binder=True)
        items: tuple[Expr, ...] = field(scope=Runs.ONCE)

    @EVALUATORS.register(Twice)
    @EVALUATORS.register(ThenAgain)
    @EVALUATORS.register(Items)
    def evaluate_both(held: Any) -> Any:
        first = yield Run(0, {held.var: 5})
        second = yield Run(1, {held.var: 7})
        return first + second

    @node("test_captured", effect=Effect.NONE)
    class Captured(Expr):
        var: Var = field(binder=True)
        first: Expr = field(scope=Runs.ONCE)
        second: Expr = field(scope=Runs.ONCE)
        at: int | None = None

    @EVALUATORS.register(Captured)
    def evaluate_captured(held: Any) -> Any:
        scope = yield Capture(held.first if held.at is None else held.at)
        return (yield Apply(scope, (5,)))


_kinds = known_in_tests(DECLARED)


x, y = Var("x", scalar_type("int32")), Var("y")
SHARED: list[tuple[Callable[[Var], Expr], int]] = [
    (lambda v: v + v, 24),
    (lambda _: x + x, 12),
    (lambda v: If(v < const(6), v, x), 8),
    (lambda v: Let(y, v + x, y + y), 36),
    (lambda v: Function((y,), y + v)(x), 18),
]
MAKE = [Twice, ThenAgain, lambda var, *scopes: Items(var, scopes)]


@each("make", MAKE)
@each(("share", "total"), SHARED)
def test_scopes_that_are_one_node_are_evaluated_each(make: Any, share: Any, total: int) -> None:
    var = Var("v")
    shared = share(var)
    assert evaluate(Function((x,), make(var, shared, shared)))(3) == total


@each("make", MAKE)
@each(("share", "total"), SHARED)
def test_scopes_that_share_a_node_evaluate_it_each(make: Any, share: Any, total: int) -> None:
    var = Var("v")
    shared = share(var)
    assert evaluate(Function((x,), make(var, shared + x, shared - x)))(3) == total


def test_one_of_the_scopes_with_one_root_is_captured_by_its_position() -> None:
    var = Var("v")
    shared = var + x
    assert evaluate(Function((x,), Captured(var, shared, shared, 1)))(3) == 8
    with pytest.raises(EvaluationError, match="one of several scopes that have the same root"):
        evaluate(Function((x,), Captured(var, shared, shared)))(3)
