"""Constants of scalars in loops: what is known where, against what programs hold when run."""

from __future__ import annotations

from operator import attrgetter

import numpy as np
import pytest

from relayish import tir
from relayish.dataflow import Executable, build_flow_graph, solve
from relayish.dataflow.lattice import Everywhere, same_value
from relayish.ir.nodes.node import field, node
from relayish.ir.registration.declarations import declared_temporarily
from relayish.tir.analysis import EVALUATIONS, ScalarConstants
from relayish.tir.ir.expr import Expr
from tests.support.depth import DEPTH
from tests.support.seeds import many, seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import arguments, random_func
from tests.support.tir_trace import trace

SEEDS = seeds(25)
INPUTS = many(2, soak=10)

N = tir.Var("n")
C = tir.Var("c", "bool")


def scalar(name: str, dtype: str = "int32") -> tir.Var:
    return tir.Var(name, dtype)


def store(var: tir.Var, value: object) -> tir.Store:
    return tir.Store(var, tir.const(value) if isinstance(value, int) else value, ())


def after(*stmts: tir.Stmt, var: tir.Var) -> object:
    """Return what is known of a variable before the last of some statements."""
    block = tir.Block(stmts)
    [constants] = solve([ScalarConstants()], block)
    return constants.before(stmts[-1]).get(var)


def test_branch_that_is_taken_tells_a_value() -> None:
    x, y = scalar("x"), scalar("y")
    branch = tir.IfThenElse(tir.EQ(x, 1), store(y, 2), store(y, 3))
    block = tir.Block((tir.Let(x, tir.const(1)), tir.Let(y), branch, store(y, y)))
    executable, constants = solve([Executable(), ScalarConstants()], block)
    assert constants.before(block.stmts[-1])[y] == 2
    [otherwise] = executable.graph.occurrences(branch.false_case)
    assert not executable.is_reached(otherwise)


def loop_that_keeps(x: tir.Var, loop: str) -> tir.Stmt:
    body = tir.IfThenElse(tir.EQ(x, 1), store(x, 1), store(x, 2))
    if loop == "for":
        return tir.For(tir.Var("i"), 0, N, body)
    i = tir.Var("i")
    return tir.PolyFor(i, tir.const(0), C, tir.const(1), body)


def test_kind_of_another_package_is_evaluated_by_its_rule() -> None:
    with declared_temporarily():

        @node("doubled")
        class Doubled(Expr):
            value: Expr = field()

            derive_type = attrgetter("value.type")

        x = scalar("x")
        stmts = (tir.Let(x, Doubled(tir.const(4))), store(x, x))
        assert after(*stmts, var=x) is None
        EVALUATIONS.register(Doubled, lambda _, value: None if value is None else 2 * value)
        assert after(*stmts, var=x) == 8


def test_nested_loops_take_visits_linear_in_depth() -> None:
    x = scalar("x")
    visits = []
    for depth in range(1, 13):
        body: tir.Stmt = loop_that_keeps(x, "for")
        for _ in range(depth):
            body = tir.For(tir.Var("i"), 0, N, tir.Block((body, store(x, 1))))
        [found] = solve([ScalarConstants()], tir.Block((tir.Let(x, tir.const(1)), body)))
        visits.append(found.visits)
    growth = np.diff(visits)
    assert growth.max() <= growth.min() + 2


@pytest.mark.parametrize("extent", [tir.const(4), N])
def test_nested_loops_with_conditions_take_visits_linear_in_depth(extent: tir.Expr) -> None:
    visits = []
    for depth in range(1, 13):
        body: tir.Stmt = tir.Block()
        for _ in range(depth):
            i = tir.Var("i")
            body = tir.PolyFor(i, tir.const(0), tir.LT(i, extent), tir.const(1), body)
        [found] = solve([ScalarConstants()], body)
        visits.append(found.visits)
    assert len(set(np.diff(visits))) == 1


@pytest.mark.deep
def test_deep_nests_are_analysed() -> None:
    x = scalar("x")
    body: tir.Stmt = store(x, 1)
    for _ in range(DEPTH):
        body = tir.IfThenElse(tir.EQ(x, 1), tir.Block((body,)), store(x, 2))
    assert after(tir.Let(x, tir.const(1)), body, store(x, x), var=x) == 1


def wrong_value(func: tir.LoweredFunc, analysis: ScalarConstants) -> tuple[object, int]:
    """Return the first variable that holds something else than ``analysis`` says, and a count."""
    graph = build_flow_graph(func)
    [solution] = solve([analysis], graph)
    wrong: list[object] = []
    checked = 0

    def check(moment: object) -> None:
        nonlocal checked
        start = graph.start(moment.point)
        state = solution.after(moment.point) if moment.is_after else solution.before(start)
        if isinstance(state, Everywhere):
            wrong.append((moment.point, "is run"))
            return
        for var, held in moment.values.items():
            known = state.get(var)
            if known is None or held is None:
                continue
            checked += 1
            if not same_value(var.type.numpy.type(known), var.type.numpy.type(held)):
                wrong.append((moment.point, var.name, known, held))

    for seed in range(INPUTS):
        trace(func, arguments(func, seed), check, graph)
    return (wrong[0] if wrong else None), checked


def program(seed: int) -> tir.LoweredFunc:
    if seed % 2:
        return random_counters(seed)
    more = ("rebinding", "same_names") if seed % 4 == 2 else ()
    return random_func(seed, size=25, more=more, faulty=seed % 3 == 0)


def test_every_variable_holds_the_value_that_is_known() -> None:
    checked = 0
    for seed in SEEDS:
        wrong, count = wrong_value(program(seed), ScalarConstants())
        assert wrong is None, (seed, wrong)
        checked += count
    assert checked > len(SEEDS)


class ForgetsStores(ScalarConstants):
    """Unsound: assignments change nothing."""

    def visit_store(self, store: tir.Store, state: object) -> object:
        return state


def test_wrong_transfer_is_caught() -> None:
    assert any(wrong_value(program(seed), ForgetsStores())[0] for seed in SEEDS)
