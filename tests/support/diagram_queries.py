"""Questions about diagrams: which box is titled so, what leads to it, where it lies."""

from __future__ import annotations


def titled(diagram, title, kind=None):
    found = [
        number
        for number, box in enumerate(diagram.boxes)
        if box.title == title and kind in (None, box.kind)
    ]
    assert len(found) == 1, [box.title for box in diagram.boxes]
    return found[0]


def edges_into(diagram, target):
    return [
        (diagram.boxes[each.source].title, each.output, each.kind)
        for each in sorted(diagram.edges, key=lambda each: each.input)
        if each.target == target
    ]


def path_of(diagram, box):
    """Return the titles of the boxes that a box lies in, from the outermost in."""
    titles = []
    while (box := diagram.boxes[box].parent) is not None:
        titles.insert(0, diagram.boxes[box].title)
    return titles


def pieces(diagram):
    """Return how many parts a diagram falls into, boxes in boxes taken as one."""
    leader = list(range(len(diagram.boxes)))

    def find(box):
        while leader[box] != box:
            box = leader[box]
        return box

    for number, box in enumerate(diagram.boxes):
        if box.parent is not None:
            leader[find(number)] = find(box.parent)
    for edge in diagram.edges:
        leader[find(edge.source)] = find(edge.target)
    return len({find(box) for box in range(len(diagram.boxes))})
