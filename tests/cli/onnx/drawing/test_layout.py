"""Where boxes and edges of pictures are."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from relayish.cli.onnx.drawing.layout import DROP, GAP, Layout, lay_out
from tests.support.seeds import seeds


def drawn(count: int, edges: list[tuple[int, int]]) -> Layout:
    return lay_out([(40.0, 20.0)] * count, edges)


def test_nothing_takes_no_place() -> None:
    found = lay_out([], [])
    assert (found.width, found.height, found.x, found.paths) == (0, 0, [], [])


def test_a_chain_goes_straight_down() -> None:
    found = drawn(4, [(0, 1), (1, 2), (2, 3)])
    assert len(set(found.x)) == 1
    assert [b - a for a, b in pairwise(found.y)] == [20 + DROP] * 3
    assert found.height == 4 * 20 + 3 * DROP


def test_what_hangs_on_nothing_stands_above_what_needs_it() -> None:
    found = drawn(5, [(0, 1), (1, 2), (2, 4), (3, 4)])
    assert found.y[3] == found.y[2]


def test_an_edge_over_layers_goes_around_the_boxes_between() -> None:
    found = drawn(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    path = found.paths[3]
    assert len(path) == 6
    for box, (x, _) in zip((1, 2), (path[1], path[3]), strict=True):
        assert abs(x - found.x[box]) >= 20


def test_edges_that_need_not_cross_do_not() -> None:
    # two chains, whose second boxes are numbered the other way round
    found = drawn(6, [(0, 3), (1, 2), (3, 4), (2, 5)])
    assert (found.x[0] < found.x[1]) == (found.x[3] < found.x[2]) == (found.x[4] < found.x[5])


@pytest.mark.parametrize("seed", seeds(20))
def test_boxes_keep_apart_and_edges_go_down(seed: int) -> None:
    rng = random.Random(seed)
    count = 60
    sizes = [(rng.uniform(10, 200), rng.uniform(10, 60)) for _ in range(count)]
    edges = [
        (start, end) for end in range(1, count) for start in rng.sample(range(end), min(end, 2))
    ]
    found = lay_out(sizes, edges)
    for start, end in edges:
        assert found.y[start] + sizes[start][1] < found.y[end]
    for path in found.paths:
        assert all(above[1] <= below[1] for above, below in pairwise(path))
    for one in range(count):
        for other in range(one):
            if found.y[one] == found.y[other]:
                apart = abs(found.x[one] - found.x[other])
                assert apart >= (sizes[one][0] + sizes[other][0]) / 2 + GAP - 1e-6
    lefts = [x - width / 2 for x, (width, _) in zip(found.x, sizes, strict=True)]
    assert min(lefts) >= 0
    assert max(x + w / 2 for x, (w, _) in zip(found.x, sizes, strict=True)) <= found.width


@pytest.mark.deep
def test_a_long_chain_is_laid_out() -> None:
    count = 10_000
    found = drawn(count, [(number, number + 1) for number in range(count - 1)])
    assert found.y[-1] == (count - 1) * (20 + DROP)
