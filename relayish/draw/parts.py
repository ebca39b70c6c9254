"""Parts of a model as boxes: what exporters tell of nodes by names, ``/layer.3/attn/MatMul``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from relayish.draw.diagram import Box, BoxKind, Diagram
from relayish.draw.keys import join_key

_Place = tuple[int | None, tuple[str, ...]]
"""A part: the box around it that is none of a part, and its name from the outermost in."""


def put_into_parts(diagram: Diagram) -> Diagram:
    """Return a diagram in which boxes lie in boxes for the parts of the model that they tell.

    A part with one box has none of its own; one in which there is but another part shares the box
    of that.

    Returns:
        The same diagram where no part has a box.

    Complexity:
        Linear in boxes, edges and the parts that are told.
    """
    counts: Counter[_Place] = Counter()
    for box in diagram.boxes:
        counts.update((box.parent, box.parts[:end]) for end in range(1, len(box.parts) + 1))
    if max(counts.values(), default=0) < 2:
        return diagram
    made = Diagram(diagram.title, notes=diagram.notes)
    number: list[int] = []  # of each box, in the diagram that is made
    holders: dict[_Place, int] = {}
    for box in diagram.boxes:
        parent = None if box.parent is None else number[box.parent]
        path = "" if box.parent is None else diagram.boxes[box.parent].key
        for place, title in _shown(box, counts):
            if place not in holders:
                key = join_key(path, "/".join(place[1]))
                holders[place] = made.add(Box(BoxKind.SCOPE, title, key, parent))
            parent = holders[place]
        number.append(made.add(replace(box, parent=parent)))
    for edge in diagram.edges:
        made.connect(replace(edge, source=number[edge.source], target=number[edge.target]))
    return made


def _shown(box: Box, counts: Counter[_Place]) -> Iterator[tuple[_Place, str]]:
    """Yield the parts around a box that have boxes, and what these are called."""
    names, title = box.parts, ""
    for end in range(1, len(names) + 1):
        place = box.parent, names[:end]
        if counts[place] == 1:
            return
        title = f"{title}/{names[end - 1]}" if title else names[end - 1]
        if end < len(names) and counts[box.parent, names[: end + 1]] == counts[place]:
            continue
        yield place, title
        title = ""
