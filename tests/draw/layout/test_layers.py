"""Layers of pictures: what stands above what, and ways around boxes."""

from __future__ import annotations

from itertools import pairwise

import pytest

from relayish.draw.diagram import Box, BoxKind, Diagram, Edge
from relayish.draw.layout.nesting import Layout, Size, lay_out


def drawn(count: int, edges: list[tuple[int, int]]) -> Layout:
    diagram = Diagram("")
    for number in range(count):
        diagram.add(Box(BoxKind.OPERATOR, str(number)))
    for start, end in edges:
        diagram.connect(Edge(start, end))
    return lay_out(diagram, [Size(40.0, 20.0, 40.0)] * count)


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


@pytest.mark.deep
def test_a_long_chain_is_laid_out() -> None:
    count = 10_000
    found = drawn(count, [(number, number + 1) for number in range(count - 1)])
    assert [each.y for each in found.rectangles] == sorted({each.y for each in found.rectangles})
