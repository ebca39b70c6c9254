"""Post-dominators, beside those found by taking expressions away."""

from __future__ import annotations

import random

import pytest

from relayish._support.dominators import Dominators, DominatorTree
from relayish.analysis import post_dominators
from relayish.ir.relay.expr import Expr, Tuple, Var
from relayish.ir.relay.traversal import EXPRESSIONS
from tests.support.deep import DEEP_NESTS
from tests.support.depth import DEPTH
from tests.support.each import each
from tests.support.random_exprs import random_module
from tests.support.seeds import seeds


def reached_without(expr: Expr, start: object, removed: object) -> bool:
    """Return whether ``start`` is still found below ``expr`` when ``removed`` is not entered."""
    seen, stack = {removed}, [expr]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        if node is start:
            return True
        seen.add(node)
        stack += EXPRESSIONS.children(node)
    return False


def slow_post_dominators(expr: Expr) -> dict[Expr, Expr]:
    order = [node for node in EXPRESSIONS.post_order(expr) if isinstance(node, Expr)]
    strict = {
        node: [d for d in order if d is not node and not reached_without(expr, node, d)]
        for node in order
    }
    strict[expr] = []
    # the immediate one is dominated by all the others
    return {
        node: max(found, key=lambda d: len(strict[d])) for node, found in strict.items() if found
    }


@each("seed", seeds(10))
def test_post_dominators_are_what_every_way_out_leads_through(seed: int) -> None:
    expr = random_module(seed, 14)["main"]
    assert post_dominators(expr) == slow_post_dominators(expr)


def random_dag(seed: int, count: int) -> list[list[tuple[int, int]]]:
    """Return for each vertex from 1 on its edges, to earlier ones, or to the outside, 0."""
    choose = random.Random(seed)
    near = choose.choice((2, 5, count))
    edges: list[list[tuple[int, int]]] = []
    for vertex in range(1, count):
        ends = [max(0, vertex - choose.randint(1, near)) for _ in range(choose.randint(1, 3))]
        edges.append([(end, choose.randrange(9)) for end in ends])
    return edges


def between(edges: list[list[tuple[int, int]]], vertex: int, sink: int) -> tuple[set[int], int]:
    """Return what lies strictly between, and the heaviest edge on the ways."""
    seen: set[int] = set()
    stack, heaviest = [vertex], 0
    while stack:
        here = stack.pop()
        for end, weight in edges[here - 1]:
            heaviest = max(heaviest, weight)
            if end not in (sink, *seen):
                seen.add(end)
                stack.append(end)
    return seen, heaviest


@each("seed", seeds(20))
def test_tree_keeps_the_heaviest_edge_and_counts_no_vertex_too_many(seed: int) -> None:
    edges = random_dag(seed, 60)
    tree = DominatorTree()
    for vertex, leads in enumerate(edges, 1):
        assert tree.add(leads) == vertex
        parent = tree.parent[vertex]
        if parent:
            inner, heaviest = between(edges, vertex, parent)
            assert heaviest == tree.heaviest[vertex]
            assert tree.inside[vertex] <= len(inner)


def test_tree_counts_every_vertex_of_nested_skips() -> None:
    tree = DominatorTree()
    up = [tree.add([(0, 0)])]
    for _ in range(50):
        up.append(tree.add([(up[-1], 0)]))
    down = tree.add([(up[-1], 0)])
    for level, join in enumerate(reversed(up), 1):
        down = tree.add([(down, 0), (join, 0)])
        assert tree.parent[down] == join
        assert tree.inside[down] == 2 * level - 1


@each("seed", seeds(10))
def test_dominator_is_any_node_that_cannot_be_gone_around(seed: int) -> None:
    expr = random_module(seed, 8)["main"]
    order = EXPRESSIONS.post_order(expr)[::-1]
    dominators = Dominators(order, EXPRESSIONS.children)
    for above in order:
        for below in order:
            around = below is not above and reached_without(expr, below, above)
            assert dominators.dominates(above, below) is not around


def test_root_has_no_dominator() -> None:
    root = Tuple((Var("x"),))
    dominators = Dominators(EXPRESSIONS.post_order(root)[::-1], EXPRESSIONS.children)
    assert dominators.immediate(root) is None
    assert dominators.immediate(root.fields[0]) is root


@pytest.mark.deep
@pytest.mark.parametrize("nest", DEEP_NESTS)
def test_depth_is_no_limit(nest: str) -> None:
    expr = Tuple((DEEP_NESTS[nest](min(DEPTH, 30_000), Var("leaf")),))
    assert post_dominators(expr)[expr.fields[0]] is expr


def test_unused_edges_lead_outside() -> None:
    tree = DominatorTree()
    assert tree.parent[tree.add([])] == 0
