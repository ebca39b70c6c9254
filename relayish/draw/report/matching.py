"""Matching of diagrams: boxes that are the same in both, and what became of the others."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, TypeAlias

from relayish.draw.diagram import Box, BoxKind, Diagram, EdgeKind
from relayish.pass_infra.instruments.line_diff import pair_lines

Operand: TypeAlias = tuple[int, int, int]
"""Which operand, which result of the source, the box at the other end."""

TRIED: Final = 8
"""So many boxes of one name are looked at for one that fits."""
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


def match_diagrams(
    before: Diagram, after: Diagram, name_value: Callable[[object], str] = repr
) -> Matching:
    """Find the boxes of a diagram in another one, and mark what differs.

    Boxes are the same that compute the same of the same; where that leaves several, or none, those
    of one name, and those that stand in the same order. A box is changed if it says something
    else, or takes a value that was there before from another box; where only a neighbour is new,
    the neighbour alone is marked.

    Args:
        before: The first.
        after: The second.
        name_value: Names values that boxes hold: the same name for the same values.

    Complexity:
        Linear in boxes and edges, but for a logarithm.
    """
    sides = _Side(before, name_value), _Side(after, name_value)
    found = _Pairing(*sides).run()
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

    def __init__(self, diagram: Diagram, name_value: Callable[[object], str]) -> None:
        self.boxes: Sequence[Box] = diagram.boxes
        self.operands: list[list[Operand]] = [[] for _ in diagram.boxes]
        self.users: list[list[Operand]] = [[] for _ in diagram.boxes]
        for edge in diagram.edges:
            if edge.kind in (EdgeKind.VALUE, EdgeKind.CAPTURE):
                self.operands[edge.target].append((edge.input, edge.output, edge.source))
                self.users[edge.source].append((edge.input, edge.output, edge.target))
        self.said: list[tuple[object, ...]] = [
            (
                box.kind.value,
                "" if box.kind is BoxKind.CAPTURE else box.title,  # which tells its source
                box.lines,
                *[(name, name_value(value)) for name, value in box.details.values.items()],
            )
            for box in diagram.boxes
        ]
        self.origins: list[int] = []
        for number, said in enumerate(self.said):
            self.operands[number].sort()
            taken = [(each[0], each[1], self._origin(each[2])) for each in self.operands[number]]
            self.origins.append(hash((said, tuple(taken))))

    def _origin(self, source: int) -> int:
        return self.origins[source] if source < len(self.origins) else 0  # in a cycle


class _Pairing:
    """Boxes of two diagrams that are the same, found by what is sure first."""

    def __init__(self, first: _Side, second: _Side) -> None:
        self.sides = first, second
        self.found: dict[int, int] = {}
        self.back: dict[int, int] = {}

    def run(self) -> dict[int, int]:
        """Pair what can be paired."""
        self._by_name(lambda side, number: (side.origins[number], side.boxes[number].key))
        self._by_name(lambda side, number: side.origins[number])
        self._by_name(_name_of_last)
        self._grow()
        self._by_name(lambda side, number: (side.said[number], side.boxes[number].key), self._fit)
        self._grow()
        self._by_order()
        self._grow()
        self._by_name(
            lambda side, number: (side.boxes[number].kind, side.boxes[number].key), self._fit
        )
        self._by_name(
            lambda side, number: (side.boxes[number].kind, side.boxes[number].title), self._fit
        )
        return self.found

    def _by_name(
        self,
        name: Callable[[_Side, int], Hashable],
        fit: Callable[[int, int], bool] = lambda _one, _two: True,
    ) -> None:
        """Pair boxes of one name, in their order."""
        first, second = self.sides
        waiting: dict[Hashable, deque[int]] = defaultdict(deque)
        for number in self._left()[0]:
            waiting[name(first, number)].append(number)
        for number in self._left()[1]:
            fitting = waiting.get(name(second, number), deque())
            for place, each in enumerate(islice(fitting, TRIED)):
                if fit(each, number):
                    del fitting[place]
                    self._enter(each, number)
                    break

    def _grow(self) -> None:
        """Pair what says the same and stands at the same side of boxes that are paired."""
        first, second = self.sides
        pending = deque(self.found.items())
        while pending:
            number, other = pending.popleft()
            sides = (
                (first.operands[number], second.operands[other]),
                (first.users[number], second.users[other]),
            )
            for near, other_near in sides:
                waiting: dict[Hashable, deque[int]] = defaultdict(deque)
                for *place, each in near:
                    if each not in self.found:
                        waiting[*place, first.said[each]].append(each)
                for *place, each in other_near if waiting else ():
                    fitting = waiting.get((*place, second.said[each]))
                    if fitting and each not in self.back and fitting[0] not in self.found:
                        pending.append((fitting[0], each))
                        self._enter(fitting.popleft(), each)

    def _by_order(self) -> None:
        """Pair boxes that say the same and come one after the other in both."""
        first, second = self.sides
        left, other_left = self._left()
        said = [repr(first.said[number]) for number in left]
        other_said = [repr(second.said[number]) for number in other_left]
        counts = Counter(said), Counter(other_said)
        for place, other in pair_lines(said, other_said):
            is_single = counts[0][said[place]] == counts[1][said[place]] == 1
            if is_single or self._fit(left[place], other_left[other]):
                self._enter(left[place], other_left[other])

    def _left(self) -> tuple[list[int], list[int]]:
        first, second = self.sides
        return (
            [number for number in range(len(first.boxes)) if number not in self.found],
            [number for number in range(len(second.boxes)) if number not in self.back],
        )

    def _enter(self, number: int, other: int) -> None:
        self.found[number] = other
        self.back[other] = number

    def _fit(self, number: int, other: int) -> bool:
        """Return whether boxes have a name, a neighbour or the lack of operands in common."""
        first, second = self.sides
        if first.boxes[number].key == second.boxes[other].key and _is_named(first.boxes[number]):
            return True
        operands, others = first.operands[number], second.operands[other]
        if not operands and not others:
            return True
        places = {each[:2]: each[2] for each in others}
        if any(self._is_pair(each[2], places.get(each[:2])) for each in operands):
            return True
        users = {each[2] for each in second.users[other]}
        return any(self.found.get(each[2]) in users for each in first.users[number])

    def _is_pair(self, number: int, other: int | None) -> bool:
        return other is not None and self.found.get(number) == other


def _is_named(box: Box) -> bool:
    """Return whether a box has its key by a name that was given, not by what it does."""
    return not box.key.rpartition("/")[2].startswith(box.title)


def _name_of_last(side: _Side, number: int) -> Hashable:
    """Return the name of a box that nothing uses, by what it says or, of a result, its key."""
    box = side.boxes[number]
    if side.users[number]:
        return side, number  # of no box of the other side
    return box.key if box.kind is BoxKind.OUTPUT else side.said[number]


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
