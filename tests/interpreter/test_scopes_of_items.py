"""Evaluation of kinds whose fields hold several scopes, one for each item."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import relayish as relay
from relayish.interpreter import EVALUATORS, Run, evaluate
from relayish.ir.relay.language import RELAY
from relayish.ir.scopes.node_scopes import Scopes

X = relay.var("x", "int32")


@pytest.fixture
def kinds() -> Iterator[dict[str, type[Any]]]:
    with relay.declared_temporarily():

        @relay.node("pick_item", effect=relay.Effect.NONE)
        class Pick(relay.Expr):
            index: relay.Expr
            branches: tuple[relay.Expr, ...] = relay.field(scope=relay.Runs.ONE_OF)

        @relay.node("pick_with", effect=relay.Effect.NONE)
        class PickWith(relay.Expr):
            var: relay.Var = relay.field(binder=True)
            index: relay.Expr
            branches: tuple[relay.Expr, ...] = relay.field(scope=relay.Runs.ONE_OF)

        @EVALUATORS.register(Pick)
        def evaluate_pick(pick: Any, index: Any) -> Any:
            return (yield Run(pick.branches[int(index)]))

        @EVALUATORS.register(PickWith)
        def evaluate_pick_with(pick: Any, index: Any) -> Any:
            return (yield Run(pick.branches[int(index)], {pick.var: index}))

        yield {"pick": Pick, "pick_with": PickWith}


def shared_in_branches(shared: relay.Expr) -> relay.Expr:
    """A branch inside of which two more branches share ``shared``."""
    inner = relay.If(relay.const(False), shared, relay.subtract(shared, relay.const(1)))
    return relay.If(relay.const(True), relay.multiply(shared, relay.const(2)), inner)


@pytest.mark.parametrize("index", [0, 1, 2])
def test_node_shared_inside_of_one_item_is_computed_there(kinds, index):
    branches: list[relay.Expr] = [X, X, X]
    branches[index] = shared_in_branches(relay.add(X, X))
    pick = kinds["pick"](relay.const(index), branches)
    assert evaluate(relay.Function([X], pick))(5) == 20


@pytest.mark.parametrize("index", [0, 1, 2])
def test_node_shared_by_items_is_computed_before_them(kinds, index):
    shared = relay.add(X, X)
    branches = [shared_in_branches(shared), shared, relay.negative(shared)]
    pick = kinds["pick"](relay.const(index), branches)
    assert evaluate(relay.Function([X], pick))(5) == [20, 10, -10][index]


@pytest.mark.parametrize("index", [0, 1, 2])
def test_items_know_what_the_node_binds(kinds, index):
    var = relay.var("chosen", "int32")
    shared = relay.add(var, X)
    branches = [shared_in_branches(shared), shared, relay.negative(shared)]
    pick = kinds["pick_with"](var, relay.const(index), branches)
    assert evaluate(relay.Function([X], pick))(5) == [10, 6, -7][index]


def test_scope_of_a_part_is_evaluated():
    with relay.declared_temporarily():

        class Arms(relay.Node, language=RELAY, held_as=relay.Role.PART):
            __slots__ = ()
            visit_name = "arms_of_a_test"

        @relay.node("arm_of_a_test", effect=relay.Effect.NONE)
        class Arm(Arms):
            body: relay.Expr = relay.field(scope=relay.Runs.ONE_OF)

        class Chosen(relay.Expr):
            pass

        Chosen.__annotations__ = {"arms": tuple[Arms, ...]}  # a class of this function
        Choose = relay.node("choose_of_a_test", effect=relay.Effect.NONE)(Chosen)

        @EVALUATORS.register(Choose)
        def evaluate_choose(choose: Any) -> Any:
            return (yield Run(choose.arms[1].body))

        choose = Choose((Arm(X), Arm(relay.add(X, X))))
        assert evaluate(relay.Function([X], choose))(3) == 6


def test_placing_does_not_ask_how_often_scopes_run_for_each_of_them(monkeypatch):
    asked = []
    runs = Scopes.runs.fget
    monkeypatch.setattr(Scopes, "runs", property(lambda self: asked.append(1) or runs(self)))
    body: relay.Expr = X
    for _ in range(50):
        y = relay.var("y", "int32")
        body = relay.add(relay.Function([y], relay.add(y, relay.const(1)))(X), body)
    assert evaluate(relay.Function([X], body))(1) == 50 * 2 + 1
    assert len(asked) <= 1
