"""What random programs consist of that abstract states are compared with."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.dataflow import build_flow_graph
from relayish.ir.relay.expr import RefRead, RefWrite
from tests.support.sound_programs import SEEDS, loop_program, occurring_actions, relay_program

RELAY = """if enter, if leave, match bind, let bind, ref_create evaluate, ref_read evaluate,
ref_write evaluate, function evaluate, call evaluate, tuple evaluate"""

LOOPS = """if_then_else enter, for loop, for bind, poly_for loop, reduce loop, store evaluate,
let evaluate, alloc evaluate, alloc enter, free evaluate, schedule_block_realize bind"""


def occurring(program) -> set[str]:
    return {pair for seed in SEEDS for pair in occurring_actions(build_flow_graph(program(seed)))}


@pytest.mark.parametrize(("program", "expected"), [(relay_program, RELAY), (loop_program, LOOPS)])
def test_programs_consist_of(program, expected):
    assert occurring(program) >= {" ".join(each.split()) for each in expected.split(",")}


@pytest.mark.parametrize("kind", [RefRead, RefWrite])
def test_closures_use_references_that_they_capture(kind):
    found = 0
    for seed in SEEDS:
        graph = build_flow_graph(relay_program(seed))
        for number, node in enumerate(graph.nodes):
            function = graph.procedure_of(number).node
            found += type(node) is kind and node.ref in graph.captured(function)
    assert found > 10


def test_loops_run_in_loops():
    nested = 0
    for seed in SEEDS:
        depth = 0
        graph = build_flow_graph(loop_program(seed))
        for node, action in zip(graph.nodes, graph.actions, strict=True):
            if isinstance(node, (tir.For, tir.PolyFor)):
                depth += {"enter": 1, "leave": -1}.get(action.value, 0)
                nested += depth == 2 and action.value == "enter"
    assert nested > 30
