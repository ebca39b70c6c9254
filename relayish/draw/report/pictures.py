"""Pictures of the programs before and after a step, with what changed marked in both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from relayish.draw.diagram import Box, Diagram
from relayish.draw.page.document import make_document
from relayish.draw.readers.table import READERS, read
from relayish.draw.report.matching import Matching, match_diagrams
from relayish.draw.report.steps import Step
from relayish.ir.modules.module import AnyModule

Json: TypeAlias = Any  # Any: whatever JSON can hold
MOST_BOXES: Final = 2_500
"""Of a larger picture only what changed is shown, and what is near."""
MOST_NODES: Final = 100_000
"""Programs of more nodes are not drawn at all."""
IN_ALL: Final = 12_000
"""So many boxes are shown in all pictures of a page together; behind them, what changed alone."""


@dataclass(frozen=True, slots=True)
class _Drawn:
    """The whole picture of a program, by the number of its document if it is in the page."""

    diagram: Diagram
    document: int | None


class Pictures:
    """The pictures of a report, each once."""

    def __init__(self) -> None:
        self.documents: list[Json] = []
        self._known: dict[AnyModule, _Drawn] = {}
        self._left = IN_ALL

    def of(self, step: Step) -> Json:
        """Return the pictures of a step, with marks and boxes that are the same; or ``None``.

        There is none where nobody can draw such a program, or it is too large.
        """
        assert step.after is not None
        for mod, size in ((step.before, step.size_before), (step.after, step.size_after)):
            if READERS.find(type(mod)) is None or size.nodes > MOST_NODES:
                return None
        before, after = self._draw(step.before), self._draw(step.after)
        found = match_diagrams(before.diagram, after.diagram, step.views.constants.of)
        if before.document is not None and after.document is not None:
            views = [
                {"picture": before.document, "marks": _by_mark(found.before)},
                {"picture": after.document, "marks": _by_mark(found.after)},
            ]
            return {"views": views, "pairs": found.pairs, "note": ""}
        return self._near(before.diagram, after.diagram, found)

    def _draw(self, mod: AnyModule) -> _Drawn:
        drawn = self._known.get(mod)
        if drawn is None:
            diagram = read(mod)
            count = len(diagram.boxes)
            fits = count <= min(MOST_BOXES, self._left)
            drawn = _Drawn(diagram, self._add(diagram) if fits else None)
            self._known[mod] = drawn
        return drawn

    def _add(self, diagram: Diagram) -> int:
        self._left -= len(diagram.boxes)
        self.documents.append(make_document(diagram))
        return len(self.documents) - 1

    def _near(self, before: Diagram, after: Diagram, found: Matching) -> Json:
        """Return what changed and what is near, as far as that is few, of too large pictures."""
        most = min(MOST_BOXES, self._left // 2)
        for near in (2, 1, 0):
            kept, other_kept = _surround(before, after, found, near)
            first, numbers = _cut(before, kept)
            second, other_numbers = _cut(after, other_kept)
            if max(len(first.boxes), len(second.boxes)) <= most:
                break
        else:
            return None
        note = (
            f"{len(first.boxes):,} of {len(before.boxes):,} boxes and {len(second.boxes):,} of "
            f"{len(after.boxes):,}: what changed{', and what is near' if near else ''}"
        )
        views = [
            {"picture": self._add(part), "marks": _by_mark(_renumbered(marks, of))}
            for part, marks, of in (
                (first, found.before, numbers),
                (second, found.after, other_numbers),
            )
        ]
        kept_pairs = [
            (numbers[one], other_numbers[two])
            for one, two in found.pairs
            if one in numbers and two in other_numbers
        ]
        return {"views": views, "pairs": kept_pairs, "note": note}


def _by_mark(marks: Mapping[int, str]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, mark in marks.items():
        found.setdefault(mark, []).append(number)
    return found


def _renumbered(marks: Mapping[int, str], numbers: Mapping[int, int]) -> dict[int, str]:
    return {numbers[each]: mark for each, mark in marks.items() if each in numbers}


def _surround(
    before: Diagram, after: Diagram, found: Matching, near: int
) -> tuple[set[int], set[int]]:
    """Return boxes that are marked, those so many edges away, and those that are the same."""
    pairs = dict(found.pairs)
    back = {other: number for number, other in found.pairs}
    first = _spread(before, found.before, near)
    second = _spread(after, found.after, near)
    return (
        first | {back[each] for each in second if each in back},
        second | {pairs[each] for each in first if each in pairs},
    )


def _spread(diagram: Diagram, marked: Iterable[int], near: int) -> set[int]:
    reached = set(marked)
    for _ in range(near):
        reached |= {
            one
            for edge in diagram.edges
            for one, other in ((edge.source, edge.target), (edge.target, edge.source))
            if other in reached
        }
    return reached


def _cut(diagram: Diagram, wanted: Collection[int]) -> tuple[Diagram, dict[int, int]]:
    """Return a part of a diagram, with what its boxes lie in, and the new numbers by the old."""
    kept = set(wanted)
    for number in wanted:
        parent = diagram.boxes[number].parent
        while parent is not None and parent not in kept:
            kept.add(parent)
            parent = diagram.boxes[parent].parent
    numbers: dict[int, int] = {}
    part = Diagram(diagram.title)
    for number in sorted(kept):
        box: Box = diagram.boxes[number]
        parent = None if box.parent is None else numbers[box.parent]
        numbers[number] = part.add(replace(box, parent=parent))
    for edge in diagram.edges:
        if edge.source in numbers and edge.target in numbers:
            moved = replace(edge, source=numbers[edge.source], target=numbers[edge.target])
            part.connect(moved)
    return part, numbers
