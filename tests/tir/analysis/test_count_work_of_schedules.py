"""Counts of functions that were scheduled at random, against runs: of these none is a bound."""

from __future__ import annotations

from collections import Counter
from random import Random

import numpy as np

from relayish import tir
from relayish.dataflow.graph import build_flow_graph
from relayish.tir.analysis import count_work
from relayish.tuning.breeding import ScheduleBreeder
from relayish.tuning.space import default_space
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_trace import Moment, trace
from tests.support.tuning import product


def stores_run(func: tir.LoweredFunc) -> Counter[tir.Store]:
    """How often each store of a function runs."""
    graph, found = build_flow_graph(func), Counter[tir.Store]()

    def see(moment: Moment) -> None:
        node = graph.nodes[moment.point]
        if isinstance(node, tir.Store) and not moment.is_after:
            found[node] += 1

    shapes = [[int(size.value) for size in buffer.shape] for buffer in func.args]
    assert trace(func, [np.ones(shape, "float32") for shape in shapes], see, graph) is None
    return found


@each("seed", seeds(6))
def test_stores_of_a_schedule_are_counted_as_they_run(seed: int) -> None:
    func = product(7)
    candidate = ScheduleBreeder(func, default_space).sampled(Random(seed))
    if candidate is None:
        return
    work, told = count_work(candidate.func), Counter[tir.Store]()
    for access in work.accesses:
        if isinstance(access.access, tir.Store):
            assert access.count.is_exact
            told[access.access] += int(access.count)
    assert told == stores_run(candidate.func)
    told_of = {part.buffer.name: str(part.elements) for part in work.footprints}
    assert {buffer.name: told_of[buffer.name] for buffer in func.args} == {
        buffer.name: "49" for buffer in func.args
    }
