"""Initial folding: so much is folded when a page opens that few boxes are seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush
from typing import Final

from relayish.draw.diagram import BoxKind, Diagram

FEW: Final = 300
"""How many boxes may be seen."""
TOO_FEW: Final = 12
"""Where so few would be seen, the next box is unfolded, however many there are in it."""


def choose_folded(diagram: Diagram, children: Mapping[int | None, Sequence[int]]) -> list[int]:
    """Return the boxes that are folded first: none, while few boxes are seen.

    Otherwise they are unfolded from the outside in, scopes last, as long as few are seen.
    """
    if len(diagram.boxes) <= FEW:
        return []
    folded = {box for box in children if box is not None}
    seen = len(children[None])
    waiting: list[tuple[bool, int, int]] = []  # scopes last, then by depth, then by number

    def wait_for(boxes: Sequence[int], depth: int) -> None:
        for box in boxes:
            if box in folded:
                is_scope = diagram.boxes[box].kind is BoxKind.SCOPE
                heappush(waiting, (is_scope, depth, box))

    wait_for(children[None], 0)
    while waiting:
        _, depth, box = heappop(waiting)
        if seen + len(children[box]) <= FEW or seen < TOO_FEW:
            folded.remove(box)
            seen += len(children[box])
            wait_for(children[box], depth + 1)
    return sorted(folded)
