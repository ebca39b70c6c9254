"""Matching of diagrams: boxes that are the same in both, and what became of the others."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from relayish.draw.diagram import Box, BoxKind, Diagram, EdgeKind
from relayish.pass_infra.instruments.line_diff import pair_lines

Operand: TypeAlias = tuple[int, int, int]
"""Which operand, which result of the source, the source."""

_HOLDERS: Final = {
    BoxKind.FUNCTION,
    BoxKind.BRANCH,
    BoxKind.LOOP,
    BoxKind.BLOCK,
    BoxKind.SCOPE,
}
"""What holds others, which tell themselves how they changed."""


@dataclass(slots=True)
class Matching:
    """How two diagrams go together.

    Attributes:
        pairs: Boxes that are the same, or the same but for what is marked: number in the first,
            number in the second.
        before: Marks of boxes of the first: ``removed``, ``changed``.
        after: Of the second: ``added``, ``changed``.
    """

    pairs: list[tuple[int, int]] = field(default_factory=list)
    before: dict[int, str] = field(default_factory=dict)
    after: dict[int, str] = field(default_factory=dict)


def match_diagrams(before: Diagram, after: Diagram) -> Matching:
    """Find the boxes of a diagram in another one, and mark what differs.

    Boxes are the same that compute the same of the same; where that leaves several, or none, those
    of one name, and those that stand in the same order. A box is changed if it says something
    else, or takes a value that was there before from another box; where only a neighbour is new,
    the neighbour alone is marked.

    Complexity:
        Linear in boxes and edges, but for a logarithm.
    """
    sides = _Side(before), _Side(after)
    found = _pair(sides)
    back = {other: number for number, other in found.items()}
    matching = Matching(sorted(found.items()))
    for number, box in enumerate(before.boxes):
        if number not in found:
            matching.before[number] = "removed"
        elif _is_changed(number, sides, found, back) and box.kind not in _HOLDERS:
            matching.before[number] = matching.after[found[number]] = "changed"
    for number in range(len(after.boxes)):
        if number not in back:
            matching.after[number] = "added"
    return matching


class _Side:
    """A diagram, with what boxes say, what they take, and a name for what they compute."""

    def __init__(self, diagram: Diagram) -> None:
        self.boxes: Sequence[Box] = diagram.boxes
        self.operands: list[list[Operand]] = [[] for _ in diagram.boxes]
        for edge in diagram.edges:
            if edge.kind in (EdgeKind.VALUE, EdgeKind.CAPTURE):
                self.operands[edge.target].append((edge.input, edge.output, edge.source))
        self.said: list[tuple[object, ...]] = [
            (box.kind.value, box.title, box.lines) for box in diagram.boxes
        ]
        self.origins: list[int] = []
        for number, said in enumerate(self.said):
            self.operands[number].sort()
            taken = [(each[0], each[1], self._origin(each[2])) for each in self.operands[number]]
            self.origins.append(hash((said, tuple(taken))))

    def _origin(self, source: int) -> int:
        return self.origins[source] if source < len(self.origins) else 0  # in a cycle


def _pair(sides: tuple[_Side, _Side]) -> dict[int, int]:
    first, second = sides
    found: dict[int, int] = {}
    taken: set[int] = set()

    def pair_by(name: Callable[[_Side, int], Hashable]) -> None:
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for number in range(len(first.boxes)):
            if number not in found:
                waiting[name(first, number)].append(number)
        for number in range(len(second.boxes)):
            fitting = waiting.get(name(second, number)) if number not in taken else None
            if fitting:
                enter(fitting.popleft(), number)

    def enter(number: int, other: int) -> None:
        found[number] = other
        taken.add(other)

    pair_by(lambda side, number: (side.origins[number], side.boxes[number].key))
    pair_by(lambda side, number: side.origins[number])
    pair_by(lambda side, number: (side.said[number], side.boxes[number].key))
    left = [number for number in range(len(first.boxes)) if number not in found]
    other_left = [number for number in range(len(second.boxes)) if number not in taken]
    said = [repr(first.said[number]) for number in left]
    other_said = [repr(second.said[number]) for number in other_left]
    for place, other in pair_lines(said, other_said):
        enter(left[place], other_left[other])
    pair_by(lambda side, number: (side.boxes[number].kind, side.boxes[number].key))
    return found


def _is_changed(
    number: int, sides: tuple[_Side, _Side], found: dict[int, int], back: dict[int, int]
) -> bool:
    first, second = sides
    other = found[number]
    if first.said[number] != second.said[other]:
        return True
    operands, others = first.operands[number], second.operands[other]
    if len(operands) != len(others):
        return True
    return any(_is_other(one, two, found, back) for one, two in zip(operands, others, strict=True))


def _is_other(one: Operand, two: Operand, found: dict[int, int], back: dict[int, int]) -> bool:
    """Return whether an operand is taken from another box, which was there before, too."""
    if one[:2] != two[:2]:
        return True
    return two[2] in back and back[two[2]] != one[2] and one[2] in found
