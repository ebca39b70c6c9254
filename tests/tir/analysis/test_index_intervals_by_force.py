"""Intervals of variables against what they hold when random programs are run."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.dataflow import UNREACHABLE, build_flow_graph, solve
from relayish.tir.analysis import IndexIntervals, Interval
from relayish.tir.analysis.flow.environments import Environments, interval_held
from tests.support.seeds import many, seeds
from tests.support.tir_counters import random_counters
from tests.support.tir_programs import arguments, random_func
from tests.support.tir_trace import trace

SEEDS = seeds(25)
INPUTS = many(2, soak=10)
"""On how many inputs each."""


def outside(func, analysis, inputs=INPUTS):
    """Return the first variable that is not where ``analysis`` says when ``func`` is run."""
    graph = build_flow_graph(func)
    [solution] = solve([analysis], graph)
    states, wrong, checked = {}, [], [0]

    def check(moment):
        key = moment.point, moment.is_after
        if key not in states:
            start = graph.start(moment.point)
            found = solution.after(moment.point) if moment.is_after else solution.before(start)
            states[key] = found
        state = states[key]
        if state is UNREACHABLE:
            wrong.append((moment.point, "is run"))
            return
        for var, held in moment.values.items():
            known = interval_held(state.get(var))
            if known is None or held is None:
                continue
            checked[0] += 1
            if not all(known.holds(value) for value in np.atleast_1d(held).tolist()):
                wrong.append((moment.point, var.name, known, held))

    for seed in range(inputs):
        trace(func, arguments(func, seed), check, graph)
    return wrong[0] if wrong else None, checked[0]


def program(seed):
    """A program over scalars that are assigned, or of all kinds of statements, in turn."""
    if seed % 2:
        return random_counters(seed)
    more = ("rebinding", "same_names") if seed % 4 == 2 else ()
    return random_func(seed, size=25, more=more, faulty=seed % 3 == 0)


def test_every_value_is_in_the_interval_of_its_variable():
    checked = 0
    for seed in SEEDS:
        wrong, count = outside(program(seed), IndexIntervals())
        assert wrong is None, (seed, wrong)
        checked += count
    assert checked > 100 * len(SEEDS)


class ForgetsBackEdges(IndexIntervals):
    """Takes each loop to run once."""

    class Lattice(Environments):
        def join(self, a, b):
            return b if a is UNREACHABLE else a

    def __init__(self):
        super().__init__()
        self.lattice = self.Lattice()


class IgnoresStores(IndexIntervals):
    """Keeps what is assigned as if it were not assigned again."""

    def visit_store(self, store, state):
        return state if store.is_addr_scalar else super().visit_store(store, state)


class EndsLoopsEarly(IndexIntervals):
    """Takes loops to be one shorter than they are."""

    def _range(self, loop, state):
        found = super()._range(loop, state)
        return None if found is None else Interval(found.low, max(found.low, found.high - 1))


class StepsNowhere(IndexIntervals):
    """Takes variables of loops with conditions to stay what they are."""

    def _advance(self, loop, before):
        return lambda node, state: state if before is None else before(node, state)


class AssumesTheOpposite(IndexIntervals):
    """Takes each branch for the other."""

    def assume(self, condition, truth, state):
        return super().assume(condition, not truth, state)


@pytest.mark.parametrize(
    "broken",
    [ForgetsBackEdges, IgnoresStores, EndsLoopsEarly, StepsNowhere, AssumesTheOpposite],
    ids=lambda kind: kind.__name__,
)
def test_broken_transfer_is_caught(broken):
    assert any(outside(program(seed), broken(), 1)[0] is not None for seed in SEEDS)
