"""Diagrams as SVG, one below the other, with all they need inside."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from relayish._support import printable
from relayish.cli.onnx.drawing.diagram import MOST_CHARACTERS, Box, Diagram
from relayish.cli.onnx.drawing.layout import Layout, lay_out

LINE: Final = 15.0
"""The height of a line of text."""
CHARACTER: Final = 6.7
"""The width of a character: a little more than what fonts need."""
BOLD: Final = 7.8
"""The same in the first line of a box."""
MARGIN: Final = 16.0
TITLE: Final = 26.0

_STYLE: Final = """\
text { font: 11px sans-serif; fill: #222 }
.title { font-weight: bold; font-size: 12px }
.heading { font-weight: bold; font-size: 15px }
.label { fill: #777; font-size: 9px }
path { fill: none; stroke: #999 }
rect { stroke: #555; stroke-width: .7 }
"""


def to_svg(diagrams: Sequence[Diagram]) -> str:
    """Return diagrams as one picture, which needs no font and no file from elsewhere."""
    parts: list[str] = []
    y, width = MARGIN, 0.0
    for diagram in map(_printable, diagrams):
        layout = lay_out(
            [_size(box) for box in diagram.boxes], [(a, b) for a, b, _ in diagram.edges]
        )
        heading = f'<text class="heading" x="0" y="{LINE:g}">{escape(diagram.title)}</text>'
        parts.append(f'<g transform="translate({MARGIN:g} {y:g})">{heading}')
        parts.append(f'<g transform="translate(0 {TITLE:g})">')
        parts += _draw(diagram, layout)
        parts.append("</g></g>")
        y += TITLE + layout.height + 2 * MARGIN
        width = max(width, layout.width, len(diagram.title) * 9.0)
    whole = f"{width + 2 * MARGIN:.0f}", f"{y:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole[0]}" height="{whole[1]}" '
        f'viewBox="0 0 {whole[0]} {whole[1]}"><style>{_STYLE}</style>'
        f'<rect width="100%" height="100%" style="fill: white; stroke: none"/>'
    )
    return "\n".join([head, *parts, "</svg>", ""])


def _printable(diagram: Diagram) -> Diagram:
    """Return a diagram without the characters that XML does not have, or nobody sees."""
    boxes = [
        Box(
            box.kind,
            printable.escape(box.title),
            tuple([printable.escape(line) for line in box.lines]),
            printable.escape_lines(box.details),
        )
        for box in diagram.boxes
    ]
    edges = [(start, end, printable.escape(label)) for start, end, label in diagram.edges]
    return Diagram(printable.escape(diagram.title), boxes, edges)


def _size(box: Box) -> tuple[float, float]:
    longest = max(len(box.title) * BOLD, *[len(line) * CHARACTER for line in ("", *box.lines)])
    width = max(min(longest, MOST_CHARACTERS * CHARACTER) + 16, 56.0)
    return width, LINE * (1 + len(box.lines)) + 8


def _draw(diagram: Diagram, layout: Layout) -> Iterator[str]:
    for (_, _, label), points in zip(diagram.edges, layout.paths, strict=True):
        yield f'<path d="{_curve(points)}"/>'
        if label:
            x, y = points[0]
            yield f'<text class="label" x="{x + 4:.1f}" y="{y + 10:.1f}">{escape(label)}</text>'
    for number, box in enumerate(diagram.boxes):
        yield from _draw_box(box, layout.x[number], layout.y[number])


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """Return a path that goes down through the points, and straight through layers."""
    x, y = points[0]
    found = [f"M{x:.1f} {y:.1f}"]
    for number, (to_x, to_y) in enumerate(points[1:], 1):
        if number % 2 == 0 or to_x == x:
            found.append(f"L{to_x:.1f} {to_y:.1f}")
        else:
            half = (y + to_y) / 2
            found.append(f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}")
        x, y = to_x, to_y
    return " ".join(found)


def _draw_box(box: Box, x: float, y: float) -> Iterator[str]:
    width, height = _size(box)
    rounded = 3 if box.kind == "node" else 11
    yield (
        f'<g><rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" '
        f'rx="{rounded}" fill="{_colour(box)}"/>'
    )
    if box.details:
        yield f"<title>{escape(box.details)}</title>"
    for number, line in enumerate((box.title, *box.lines)):
        shown = line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 1]}…"
        style = ' class="title"' if number == 0 else ""
        yield (
            f'<text{style} text-anchor="middle" x="{x:.1f}" '
            f'y="{y + LINE * (number + 1):.1f}">{escape(shown)}</text>'
        )
    yield "</g>"


def _colour(box: Box) -> str:
    """Return the fill of a box: a hue of its own for each operator, grey for what is no node."""
    if box.kind != "node":
        return "#e8e8e8"
    hue = zlib.crc32(box.title.encode()) % 360 / 360
    red, green, blue = colorsys.hls_to_rgb(hue, 0.88, 0.6)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
