"""A liveness that a user writes: short, and right for both languages."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import relayish as relay
from relayish import tir
from relayish.dataflow import BackwardDataFlow, build_flow_graph, solve
from relayish.dataflow.analyses import Liveness
from relayish.dataflow.lattice import Powerset
from relayish.ir.relay.expr import Var
from tests.support.each import each
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func


class Live(BackwardDataFlow):
    """The variables that may be used later."""

    lattice = Powerset()

    def visit_var(self, var, live):
        return live.add(var)

    def visit_store(self, store, live):
        if isinstance(store.tensor, tir.Var):
            live = live.discard(store.tensor)
        for part in (*store.indices, store.value):
            live = self.visit(part, live)
        return live

    def bind(self, node, variables, live):
        return live.difference(variables)

    def overwritten(self, node, places, live):
        return live


def test_liveness_of_a_user_has_at_most_25_lines():
    tree = ast.parse(Path(__file__).read_text(encoding="utf-8"))
    [written] = [each for each in tree.body if isinstance(each, ast.ClassDef)]
    assert written.end_lineno is not None
    assert written.end_lineno - written.lineno + 1 <= 25


def check_alike(program: Any) -> None:
    """Compare the scalars that both hold live, before and after each point."""
    graph = build_flow_graph(program)
    users, ours = solve([Live(), Liveness()], graph)
    for point in range(len(graph)):
        for side in ("before", "after"):
            mine = {v for v in getattr(ours, side)(point) if isinstance(v, (Var, tir.Var))}
            assert set(getattr(users, side)(point)) == mine, graph.point(point)


@each("seed", seeds(15))
def test_liveness_of_a_user_finds_what_ours_does_on_relay(seed):
    check_alike(random_module(seed)["main"])


@each("seed", seeds(15))
def test_liveness_of_a_user_finds_what_ours_does_on_loops(seed):
    check_alike(random_func(seed, without=("reduce", "schedule_block", "inline", "symbolic")))


def test_variable_that_is_the_whole_body_of_a_function_is_captured():
    x, y, f = relay.var("x"), relay.var("y"), relay.var("f")
    check_alike(relay.Function([x], relay.Let(f, relay.Function([y], x), relay.Call(f, [x]))))
