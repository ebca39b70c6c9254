"""Dead-code elimination leaves nothing that liveness and effects would find."""

from __future__ import annotations

import pytest

from relayish.analysis.effects import has_effect
from relayish.dataflow import Action, build_flow_graph, solve
from relayish.dataflow.analyses import Liveness
from relayish.ir.relay.expr import Let
from relayish.passes.relay.cleanup.dead_code_elimination import eliminate_dead_code
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds

SEEDS = seeds(25)


def dead_lets(expr) -> list[Let]:
    """The lets whose variable is dead where it is bound, and whose value does nothing."""
    graph = build_flow_graph(expr)
    [live] = solve([Liveness()], graph)
    return [
        node
        for number, node in enumerate(graph.nodes)
        if graph.actions[number] is Action.BIND
        and isinstance(node, Let)
        and node.var not in live.after(number)
        and not has_effect(node.value)
    ]


@pytest.mark.parametrize("size", [30, 100])
def test_dead_code_elimination_leaves_no_let_that_is_dead_by_liveness(size):
    found = 0
    for seed in SEEDS:
        expr = random_module(seed, size)["main"]
        found += len(dead_lets(expr))
        assert dead_lets(eliminate_dead_code(expr)) == [], seed
    assert found > 0
