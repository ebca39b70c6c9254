"""The solver finds for handlers what they find that walk by themselves, on random programs."""

from __future__ import annotations

from typing import Any

from relayish import tir
from relayish.dataflow import BeforeAfter, Direction, Occurrence, RecordingFunctor, solve
from relayish.dataflow.analyses import Liveness
from relayish.dataflow.graph.occurrences import find_occurrences
from relayish.dataflow.lattice import PersistentSet
from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function
from relayish.transform import get_pass
from tests.support.each import each
from tests.support.live_functors import (
    LoopFlow,
    LoopInitialised,
    LoopInitialisedFlow,
    LoopLive,
    RelayFlow,
    RelayLive,
)
from tests.support.loop_programs import DECLARED, random_loop_module
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

SEEDS = seeds(12)
UNHANDLED = {"inline"}


def states(
    functor: type, root: Node, outside: PersistentSet[Node]
) -> dict[Occurrence, BeforeAfter[Any]]:
    recording = RecordingFunctor(functor)
    recording.visit(root, outside)
    return recording.before_after()


@each("seed", SEEDS)
@each(
    ("by_hand", "by_solver", "unhandled"),
    [
        (LoopLive, LoopFlow, ()),
        (LoopInitialised, LoopInitialisedFlow, {"alloc", "poly_for", "schedule_block", "root"}),
    ],
)
def test_loops_have_the_same_states_both_ways(by_hand, by_solver, unhandled, seed):
    more = {"same_names", "rebinding"} if seed % 2 else ()
    func = random_func(seed, size=25, without=UNHANDLED.union(unhandled), more=more)
    outside = PersistentSet(func.args[:1])
    walked, solved = states(by_hand, func.body, outside), states(by_solver, func.body, outside)
    both = walked.keys() & solved.keys()  # an expression of a statement is on another path
    assert both >= {at for at in walked if not isinstance(at.node, tir.Expr)}
    alike = {at for at in both if not isinstance(at.node, tir.Expr)}
    assert {at: solved[at] for at in alike} == {at: walked[at] for at in alike}
    leq = by_solver.lattice.leq  # what stands beside a reduction has the point of the statement
    for at in both - alike:
        assert all(map(leq, walked[at], solved[at])), at


def in_a_normal_form(seed: int) -> list[Node]:
    """Bodies of random functions, in which nothing is shared but by name."""
    module = get_pass("ToANormalForm")(random_module(seed, 60))
    return [function.body for function in module.functions.values()]


def without_functions(
    states: dict[Occurrence, BeforeAfter[Any]],
) -> dict[Occurrence, BeforeAfter[Any]]:
    """But at functions: whether one that calls itself uses its own name is a matter of words."""
    return {at: found for at, found in states.items() if not isinstance(at.node, Function)}


@each("seed", SEEDS)
def test_functions_have_the_same_states_both_ways(seed):
    for body in in_a_normal_form(seed):
        walked = without_functions(states(RelayLive, body, PersistentSet()))
        solved = without_functions(states(RelayFlow, body, PersistentSet()))
        both = walked.keys() & solved.keys()  # only the solver goes into closures
        assert both or len(walked) == 1
        assert {at: solved[at] for at in both} == {at: walked[at] for at in both}


def states_of_the_library(root: Node) -> dict[Occurrence, BeforeAfter[Any]]:
    [found] = solve([Liveness()], root)
    return {
        at: BeforeAfter(found.before(found.graph.begin(number)), found.after(number))
        for number, at in find_occurrences(found.graph, Direction.BACKWARD).items()
    }


def scalars(states: BeforeAfter[Any]) -> list[set[Node]]:
    return [{each for each in state if isinstance(each, tir.Var)} for state in states]


@each("seed", SEEDS)
def test_scalars_of_loops_are_live_where_the_liveness_of_the_library_says(seed):
    func = random_func(seed, size=25, without=UNHANDLED)
    walked = states(LoopLive, func.body, PersistentSet())
    for at, known in states_of_the_library(func.body).items():
        if at in walked:
            found, expected = scalars(walked[at]), scalars(known)
            if isinstance(at.node, tir.Expr):  # as above
                assert all(a <= b for a, b in zip(found, expected, strict=True))
            else:
                assert found == expected


def check_liveness_of_the_library(body: Node) -> None:
    solved = without_functions(states(RelayFlow, body, PersistentSet()))
    assert solved == without_functions(states_of_the_library(body))


@each("seed", SEEDS)
def test_variables_of_relay_are_live_where_the_liveness_of_the_library_says(seed):
    for body in in_a_normal_form(seed):
        check_liveness_of_the_library(body)
    for function in random_module(seed, 60).functions.values():  # graphs, as they are
        check_liveness_of_the_library(function.body)


@each("seed", SEEDS)
def test_variables_of_kinds_from_outside_are_live_where_the_library_says(seed):
    """Loops of a package, of which the handlers know nothing."""
    with DECLARED:
        for function in random_loop_module(seed, 60).functions.values():
            check_liveness_of_the_library(function.body)
