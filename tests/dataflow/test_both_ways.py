"""The solver finds for handlers what they find that walk by themselves, on random programs."""

from __future__ import annotations

import os
from typing import Any

import pytest

from relayish import tir
from relayish.dataflow import BeforeAfter, Occurrence, RecordingFunctor
from relayish.dataflow.lattice import PersistentSet
from relayish.ir.node import Node
from relayish.transform import get_pass
from tests.support.live_functors import (
    LoopFlow,
    LoopInitialised,
    LoopInitialisedFlow,
    LoopLive,
    RelayFlow,
    RelayLive,
)
from tests.support.random_exprs import random_module
from tests.support.tir_programs import random_func

EXAMPLES = int(os.environ.get("EXAMPLES", "20"))
UNHANDLED = {"alloc", "inline", "poly_for", "reduce", "schedule_block", "root"}


def states(
    functor: type, root: Node, outside: PersistentSet[Node]
) -> dict[Occurrence, BeforeAfter[Any]]:
    recording = RecordingFunctor(functor)
    recording.visit(root, outside)
    return recording.before_after()


@pytest.mark.parametrize("seed", range(EXAMPLES))
@pytest.mark.parametrize(
    ("by_hand", "by_solver"), [(LoopLive, LoopFlow), (LoopInitialised, LoopInitialisedFlow)]
)
def test_loops_have_the_same_states_both_ways(by_hand, by_solver, seed):
    more = {"same_names", "rebinding"} if seed % 2 else ()
    func = random_func(seed, size=25, without=UNHANDLED, more=more)
    outside = PersistentSet(func.args[:1])
    walked, solved = states(by_hand, func.body, outside), states(by_solver, func.body, outside)
    assert solved == {at: walked[at] for at in solved}
    statements = {at for at in walked if not isinstance(at.node, tir.Expr)}
    assert statements <= solved.keys()


@pytest.mark.parametrize("seed", range(EXAMPLES))
def test_functions_in_a_normal_form_have_the_same_states_both_ways(seed):
    """Where nothing is shared but by name; the bodies of closures only the solver goes into."""
    module = get_pass("ToANormalForm")(random_module(seed, 60))
    for function in module.functions.values():
        walked = states(RelayLive, function.body, PersistentSet())
        solved = states(RelayFlow, function.body, PersistentSet())
        both = walked.keys() & solved.keys()
        assert both or len(walked) == 1
        assert {at: solved[at] for at in both} == {at: walked[at] for at in both}
