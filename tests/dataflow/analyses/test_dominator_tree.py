"""Dominators and post-dominators, beside those found by the equations that define them."""

from __future__ import annotations

from typing import Any

import pytest

from relayish import tir
from relayish.dataflow import FlowGraph, build_flow_graph
from relayish.dataflow.analyses import PointDominators, find_dominators, find_post_dominators
from relayish.ir.relay.expr import If, Let, Var
from tests.support.declared import known_in_tests
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.loop_programs import DECLARED, random_loop_module
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func

_kinds = known_in_tests(DECLARED)

X, N = tir.Var("x"), tir.Var("n")


def solved(graph: FlowGraph, *, is_post: bool) -> list[frozenset[int]]:
    """The dominators of each point, by a fixpoint of sets."""
    coming = graph.successors if is_post else graph.predecessors
    found = [frozenset(range(len(graph)))] * len(graph)
    order = range(len(graph))[::-1] if is_post else range(len(graph))
    changed = True
    while changed:
        changed = False
        for point in order:
            sets = [found[each] for each in coming(point)]
            new = (frozenset.intersection(*sets) if sets else frozenset()) | {point}
            if new != found[point]:
                found[point], changed = new, True
    return found


def check(found: PointDominators) -> None:
    """Compare with sets: who dominates whom, immediate dominators, frontiers."""
    graph = found.graph
    expected = solved(graph, is_post=found.is_post)
    coming = graph.successors if found.is_post else graph.predecessors
    for point in range(len(graph)):
        assert {p for p in range(len(graph)) if found.dominates(p, point)} == expected[point]
        strict = expected[point] - {point}
        immediate = found.immediate(point)
        assert (immediate is None) is not bool(strict)
        if immediate is not None:
            assert expected[immediate] == strict
        frontier = {
            joint
            for joint in range(len(graph))
            if any(point in expected[each] for each in coming(joint))
            and not (point != joint and point in expected[joint])
        }
        assert set(found.frontier(point)) == frontier


@each("seed", seeds(15))
def test_dominators_of_loops_are_those_of_the_sets(seed):
    graph = build_flow_graph(random_func(seed, size=8))
    check(find_dominators(graph))
    check(find_post_dominators(graph))


@each("seed", seeds(10))
def test_dominators_of_relay_and_kinds_declared_outside_are_those_of_the_sets(seed):
    graph = build_flow_graph(random_loop_module(seed, 12))
    check(find_dominators(graph))
    check(find_post_dominators(graph))


def test_branch_dominates_its_arms_and_its_merge_post_dominates_them():
    graph = build_flow_graph(If(Var("c"), Var("x"), Var("y")))
    dominators, post = find_dominators(graph), find_post_dominators(graph)
    assert [dominators.immediate(p) for p in range(6)] == [None, 0, 1, 1, 1, 4]
    assert [post.immediate(p) for p in range(6)] == [1, 4, 4, 4, 5, None]


def test_header_of_a_loop_is_in_its_own_frontier():
    graph = build_flow_graph(tir.For(tir.Var("i"), 0, N, tir.Store(X, 1)))
    [header] = [point.number for point in graph.points if graph.is_header(point.number)]
    assert find_dominators(graph).frontier(header) == (header,)


def test_points_of_other_functions_dominate_nothing():
    x = Var("x")
    inner: Any = Let(Var("f"), x, x)
    graph = build_flow_graph(inner)
    found = find_dominators(graph)
    assert found.immediate(0) is None


@pytest.mark.deep
def test_dominators_go_deep():
    nest: tir.Stmt = tir.Store(X, 1)
    for _ in range(DEPTH):
        nest = tir.IfThenElse(X < 1, nest)
    found = find_dominators(nest)
    assert found.dominates(0, len(found.graph) - 1)
    assert find_post_dominators(found.graph).dominates(len(found.graph) - 1, 0)
