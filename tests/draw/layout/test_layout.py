"""Where boxes and edges of pictures are."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import pytest

from relayish.draw.diagram import Box, BoxKind, Diagram, Edge
from relayish.draw.layout.nesting import Layout, Size, lay_out
from tests.support.seeds import seeds


def diagram_of(parents: list[int | None], edges: list[tuple[int, int]]) -> Diagram:
    diagram = Diagram("")
    for number, parent in enumerate(parents):
        diagram.add(Box(BoxKind.OPERATOR, str(number), parent=parent))
    for start, end in edges:
        diagram.connect(Edge(start, end))
    return diagram


def drawn(count: int, edges: list[tuple[int, int]]) -> Layout:
    return lay_out(diagram_of([None] * count, edges), [Size(40.0, 20.0, 40.0)] * count)


def middles(found: Layout) -> list[float]:
    return [each.x + each.width / 2 for each in found.rectangles]


def test_nothing_takes_no_place() -> None:
    found = drawn(0, [])
    assert (found.rectangles, found.paths) == ([], [])


def test_a_chain_goes_straight_down() -> None:
    found = drawn(4, [(0, 1), (1, 2), (2, 3)])
    assert len({round(x, 6) for x in middles(found)}) == 1
    assert len({round(b.y - a.y, 6) for a, b in pairwise(found.rectangles)}) == 1


def test_what_hangs_on_nothing_stands_above_what_needs_it() -> None:
    found = drawn(5, [(0, 1), (1, 2), (2, 4), (3, 4)])
    assert found.rectangles[3].y == found.rectangles[2].y


def test_an_edge_over_layers_goes_around_the_boxes_between() -> None:
    found = drawn(4, [(0, 1), (1, 2), (2, 3), (0, 3)])
    for box in found.rectangles[1:3]:
        beside = [x for x, y in found.paths[3].points if box.y <= y <= box.y + box.height]
        assert beside
        assert all(x <= box.x or x >= box.x + box.width for x in beside)


def test_edges_that_need_not_cross_do_not() -> None:
    # two chains, whose second boxes are numbered the other way round
    found = middles(drawn(6, [(0, 3), (1, 2), (3, 4), (2, 5)]))
    assert (found[0] < found[1]) == (found[3] < found[2]) == (found[4] < found[5])


@pytest.mark.parametrize("seed", seeds(12))
def test_boxes_keep_apart_lie_in_their_holders_and_edges_go_down(seed: int) -> None:
    rng = random.Random(seed)
    parents: list[int | None] = [None]
    for number in range(1, 50):
        parents.append(rng.choice([None, None, number - 1, parents[-1]]))
    holders = set(parents)
    leaves = [number for number in range(len(parents)) if number not in holders]
    edges = [tuple(sorted(rng.sample(leaves, 2))) for _ in range(40)]
    sizes = [Size(width := rng.uniform(30, 150), rng.uniform(20, 60), width) for _ in parents]
    found = lay_out(diagram_of(parents, edges), sizes)  # type: ignore[arg-type]  # pairs
    for one, other in combinations(range(len(parents)), 2):
        a, b = found.rectangles[one], found.rectangles[other]
        apart_across = a.x + a.width <= b.x or b.x + b.width <= a.x
        apart = apart_across or a.y + a.height <= b.y or b.y + b.height <= a.y
        if parents[one] == parents[other]:
            assert apart
        if parents[other] == one:
            assert a.x <= b.x
            assert b.x + b.width <= a.x + a.width + 1e-6
            assert a.y + sizes[one].height <= b.y + 1e-6
            assert b.y + b.height <= a.y + a.height + 1e-6
    for path, (start, end) in zip(found.paths, edges, strict=True):
        first, last = found.rectangles[start], found.rectangles[end]
        assert path.points[0][1] == pytest.approx(first.y + first.height)
        assert path.points[-1][1] == pytest.approx(last.y)
    assert max(each.x + each.width for each in found.rectangles) <= found.width + 1e-6


@pytest.mark.deep
def test_a_long_chain_is_laid_out() -> None:
    count = 10_000
    found = drawn(count, [(number, number + 1) for number in range(count - 1)])
    assert [each.y for each in found.rectangles] == sorted({each.y for each in found.rectangles})
