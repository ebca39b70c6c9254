"""Measures of texts and boxes, in pixels, for whoever has no font to ask."""

from __future__ import annotations

from typing import Final

from relayish.draw.diagram import Box, BoxKind, Diagram
from relayish.draw.layout.nesting import Size
from relayish.draw.layout.placing import GAP

LINE: Final = 15.0
"""The height of a line of text."""
CHARACTER: Final = 6.7
"""The width of a character of a line: a little more than what fonts need."""
BOLD: Final = 7.8
"""The same in the first line of a box."""
SMALL: Final = 5.6
"""The same in names of operands, and on edges."""
PORT_ROW: Final = 11.0
"""The height of the names of operands."""
MOST_CHARACTERS: Final = 40
"""Of a line in a box; what is longer is cut, and told where the pointer rests."""
LEAST_WIDTH: Final = 56.0


def cut(text: str) -> str:
    """Return a line as it is shown in a box."""
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 1]}…"


def has_ports(box: Box) -> bool:
    """Return whether the names of a box's operands are written in it."""
    return len(box.inputs) > 1 and any(box.inputs) and box.kind is BoxKind.OPERATOR


def measure_boxes(diagram: Diagram) -> list[Size]:
    """Return what each box needs for its texts, and for the labels of edges that begin there."""
    labels = [0] * len(diagram.boxes)
    for edge in diagram.edges:
        labels[edge.source] = max(labels[edge.source], len(edge.label))
    return [_measure(box, label) for box, label in zip(diagram.boxes, labels, strict=True)]


def _measure(box: Box, label: int) -> Size:
    longest = max(
        len(cut(box.title)) * BOLD, *[len(cut(line)) * CHARACTER for line in ("", *box.lines)]
    )
    height = LINE * (1 + len(box.lines)) + 8
    if has_ports(box):
        widest = max(len(cut(name)) for name in box.inputs)
        longest = max(longest, len(box.inputs) * (widest * SMALL + 6))
        height += PORT_ROW
    width = max(longest + 16, LEAST_WIDTH)
    footprint = 2 * (label * SMALL + 6) - GAP if label else 0.0
    return Size(width, height, max(width, footprint))
