"""Layout: nothing overlaps, edges go down and around boxes, borders are crossed at points."""

from __future__ import annotations

import itertools
import random

from relayish.draw.diagram import Box, BoxKind, Diagram, Edge
from relayish.draw.layout.layering import POINTS_PER_ITEM, SPARE_POINTS
from relayish.draw.layout.level import JUMP
from relayish.draw.layout.levels import order_levels
from relayish.draw.layout.nesting import PADDING, Size, iterate_parts, lay_out
from tests.support.each import each


def diagram_of(parents, edges, kinds=()):
    diagram = Diagram("made up")
    for number, parent in enumerate(parents):
        kind = kinds[number] if kinds else BoxKind.OPERATOR
        diagram.add(Box(kind, f"b{number}", str(number), parent))
    for source, target in edges:
        diagram.connect(Edge(source, target))
    return diagram


def random_diagram(seed):
    """Boxes in boxes, with edges mostly down, some up, some to themselves, some across borders."""
    rng = random.Random(seed)
    parents = [None]
    for number in range(1, rng.randrange(2, 40)):
        parents.append(rng.choice([None, rng.randrange(number), *parents]))
    edges = []
    for _ in range(rng.randrange(60)):
        source, target = rng.randrange(len(parents)), rng.randrange(len(parents))
        edges.append((source, target) if rng.random() < 0.1 else tuple(sorted((source, target))))
    return diagram_of(parents, edges), rng


def sizes_of(diagram, rng):
    sizes = [(rng.randrange(20, 90), rng.randrange(10, 60)) for _ in diagram.boxes]
    return [Size(width, height, width) for width, height in sizes]


def overlap(one, other):
    apart = (
        one.x + one.width <= other.x
        or other.x + other.width <= one.x
        or one.y + one.height <= other.y
        or other.y + other.height <= one.y
    )
    return not apart


def holders_of(diagram, box):
    while box is not None:
        yield box
        box = diagram.boxes[box].parent


@each("seed", range(40))
def test_boxes_beside_one_another_do_not_overlap_and_lie_in_their_holder(seed):
    diagram, rng = random_diagram(seed)
    layout = lay_out(diagram, sizes_of(diagram, rng))
    for children in diagram.children().values():
        for one, other in itertools.combinations(children, 2):
            assert not overlap(layout.rectangles[one], layout.rectangles[other]), (one, other)
    for box, place in zip(diagram.boxes, layout.rectangles, strict=True):
        if box.parent is not None:
            holder = layout.rectangles[box.parent]
            assert holder.x + PADDING <= place.x + 1e-6
            assert place.x + place.width <= holder.x + holder.width - PADDING + 1e-6
            assert holder.y < place.y
            assert place.y + place.height < holder.y + holder.height


@each("seed", range(40))
def test_edges_begin_and_end_at_their_boxes(seed):
    diagram, rng = random_diagram(seed)
    layout = lay_out(diagram, sizes_of(diagram, rng))
    for edge, path in zip(diagram.edges, layout.paths, strict=True):
        for box, (x, y) in ((edge.source, path.points[0]), (edge.target, path.points[-1])):
            place = layout.rectangles[box]
            assert place.x - 1e-6 <= x <= place.x + place.width + 1e-6
            assert place.y - 1e-6 <= y <= place.y + place.height + 1e-6


@each("seed", range(40))
def test_bends_pass_no_box_but_those_they_join(seed):
    diagram, rng = random_diagram(seed)
    layout = lay_out(diagram, sizes_of(diagram, rng))
    for edge, path in zip(diagram.edges, layout.paths, strict=True):
        around = {*holders_of(diagram, edge.source), *holders_of(diagram, edge.target)}
        if edge.source == edge.target:
            continue
        for (x, y), (to_x, to_y), is_straight in iterate_parts(path):
            if is_straight:
                continue
            low, high = min(y, to_y), max(y, to_y)
            left, right = min(x, to_x), max(x, to_x)
            for number, place in enumerate(layout.rectangles):
                if number in around or diagram.boxes[number].parent not in {*around, None}:
                    continue
                beside = place.x + place.width <= left or right <= place.x
                assert beside or place.y + place.height <= low + 1e-6 or high <= place.y + 1e-6


def test_an_edge_goes_down_beside_a_taller_box_before_it_bends():
    diagram = diagram_of([None] * 3, [(0, 2), (1, 2)])
    layout = lay_out(diagram, [Size(20, 10, 20), Size(20, 100, 20), Size(20, 10, 20)])
    assert layout.paths[0].points[:2] == [
        (layout.rectangles[0].x + 10, 10),
        (layout.rectangles[0].x + 10, 100),
    ]


def test_an_edge_across_borders_enters_a_box_at_a_point_of_its_own():
    diagram = diagram_of([None, None, 1, 2], [(0, 3)])
    levels = order_levels(diagram)
    assert [len(level.routes) for level in levels.values()] == [1, 1, 1]
    assert levels[1].routes[0].items == (1, 0)  # the point comes behind the one box
    path = lay_out(diagram, [Size(20, 10, 20)] * 4).paths[0]
    downwards = [y for _, y in path.points]
    assert downwards == sorted(downwards)


def test_an_edge_that_leads_back_is_reversed():
    levels = order_levels(diagram_of([None] * 3, [(0, 1), (1, 2), (2, 0)]))
    assert [route.is_reversed for route in levels[None].routes] == [False, False, True]
    assert levels[None].layers[0] == [0]


def test_what_hangs_on_no_input_is_drawn_where_it_is_used():
    kinds = [BoxKind.INPUT, *[BoxKind.OPERATOR] * 5]
    # a chain 0 1 2 3, and a chain 4 5 that begins from nothing and is used by 3
    level = order_levels(diagram_of([None] * 6, [(0, 1), (1, 2), (2, 3), (4, 5), (5, 3)], kinds))[
        None
    ]
    layer = {item: number for number, items in enumerate(level.layers) for item in items}
    assert (layer[5], layer[4]) == (2, 1)


def test_operands_keep_their_order_where_edges_would_cross():
    diagram = diagram_of([None] * 4, [])
    for source, target, port in ((0, 1, 0), (0, 2, 0), (2, 3, 0), (1, 3, 1)):
        diagram.connect(Edge(source, target, port))
    level = order_levels(diagram)[None]
    assert level.layers[1] == [2, 1]


def test_edges_through_too_many_layers_jump():
    count = 3_000
    edges = [(number, number + 1) for number in range(count - 1)]
    edges += [(0, number) for number in range(2, count)]
    level = order_levels(diagram_of([None] * count, edges))[None]
    assert sum(len(route.items) for route in level.routes) < (
        SPARE_POINTS + POINTS_PER_ITEM * count + 3 * len(edges)
    )
    jumps = [route for route in level.routes if JUMP in route.items]
    assert jumps
    spans = [len(route.items) for route in level.routes if JUMP not in route.items]
    assert max(spans) > 50


def test_the_same_diagram_has_the_same_layout():
    diagram, rng = random_diagram(7)
    sizes = sizes_of(diagram, rng)
    assert lay_out(diagram, sizes) == lay_out(diagram, sizes)


def test_an_edge_that_leads_back_is_drawn_beside_the_one_that_leads_there():
    layout = lay_out(diagram_of([None] * 2, [(0, 1), (1, 0)]), [Size(40, 10, 40)] * 2)
    there, back = layout.paths
    assert {x for x, _ in there.points}.isdisjoint(x for x, _ in back.points)


def test_long_program_is_no_wider_than_a_short_one():
    # three branches, two of which are joined before the third: each time a little aside

    def width(times):
        edges = []
        for first in range(0, 6 * times, 6):
            edges += [(first, first + each) for each in (1, 2, 3)]
            edges += [(first + 1, first + 4), (first + 2, first + 4)]
            edges += [(first + 4, first + 5), (first + 3, first + 5), (first + 5, first + 6)]
        diagram = diagram_of([None] * (6 * times + 1), edges)
        return lay_out(diagram, [Size(40, 20, 90)] * len(diagram.boxes)).width

    assert width(40) < width(4) + 20
