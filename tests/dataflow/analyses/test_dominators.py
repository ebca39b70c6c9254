"""Dominators and post-dominators as states, beside the trees of them."""

from __future__ import annotations

import pytest

from relayish.dataflow import build_flow_graph, flow_graph, solve
from relayish.dataflow.analyses import (
    Dominators,
    PostDominators,
    find_dominators,
    find_post_dominators,
)
from tests.support.deep import let_body
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func


@each("seed", seeds(10))
def test_states_are_the_ancestors_in_the_trees(seed):
    program = random_func(seed, size=8) if seed % 2 else random_module(seed, 20)
    graph = build_flow_graph(program)
    before, after = solve([Dominators(), PostDominators()], graph)
    tree, post_tree = find_dominators(graph), find_post_dominators(graph)
    for point in range(len(graph)):
        others = [other for other in range(len(graph)) if other != point]
        assert before.before(point) == {p for p in others if tree.dominates(p, point)}
        assert after.after(point) == {p for p in others if post_tree.dominates(p, point)}


@pytest.mark.deep
def test_each_point_of_a_long_chain_is_visited_once():
    graph = flow_graph(let_body(DEPTH))
    [found] = solve([Dominators()], graph)
    assert found.visits == len(graph)
    assert len(found.exit) == len(graph)
