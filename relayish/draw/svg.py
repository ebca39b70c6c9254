"""Diagrams as SVG, with all they need inside: no font, no script, no file from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final, Literal

from relayish._support import printable
from relayish.draw.diagram import Box, BoxKind, Diagram, Edge, EdgeKind
from relayish.draw.families import FAMILIES
from relayish.draw.layout.nesting import (
    Layout,
    Path,
    Rectangle,
    iterate_parts,
    lay_out,
    port_place,
)
from relayish.draw.measures import (
    CHARACTER,
    LINE,
    PORT_ROW,
    cut,
    has_ports,
    measure_boxes,
)
from relayish.draw.tooltip import Tooltips

Theme = Literal["auto", "light", "dark"]
"""Which colours: those that the reader's system asks for, or one of the two."""

MARGIN: Final = 16.0
TITLE: Final = 28.0
_SWATCH: Final = 12.0

_STYLE: Final = """\
.rd text { font: 11px "DejaVu Sans", Verdana, sans-serif; fill: var(--ink) }
.rd .t { font-weight: bold }
.rd .h { font-weight: bold; font-size: 15px }
.rd .e, .rd .p { fill: var(--faint); font-size: 9px }
.rd .e, .rd .o { paint-order: stroke; stroke: var(--paper); stroke-width: 3px }
.rd path { fill: none; stroke: var(--line) }
.rd .a { fill: var(--line); stroke: none }
.rd .capture { stroke-dasharray: 5 3 }
.rd .control { stroke-dasharray: 1.5 2.5 }
.rd .memory { stroke: var(--memory) }
.rd rect { stroke: var(--border); stroke-width: .8; fill: var(--plain) }
.rd .outer { fill: var(--outer) }
.rd .added { stroke: #1a9850; stroke-width: 2.5 }
.rd .removed { stroke: #d73027; stroke-width: 2.5 }
.rd .changed { stroke: #e08a00; stroke-width: 2.5 }
.rd .paper { fill: var(--paper); stroke: none }
"""
LIGHT: Final = (
    "--ink: #1d2329; --faint: #66707a; --line: #8b949d; --border: #67717b; --paper: #ffffff; "
    "--plain: #eceff2; --outer: #0f2b460b; --memory: #b0793c"
)
DARK: Final = (
    "--ink: #e3e7eb; --faint: #98a2ac; --line: #77828c; --border: #8d97a1; --paper: #14181c; "
    "--plain: #2a3036; --outer: #d6e6ff0e; --memory: #c9975c"
)
_ROUNDED: Final = frozenset({BoxKind.INPUT, BoxKind.OUTPUT, BoxKind.CAPTURE, BoxKind.CONSTANT})


def to_svg(diagram: Diagram, *, theme: Theme = "auto", legend: bool = True) -> str:
    """Return a diagram as a picture.

    Names and texts are shown with escapes for what no reader would see; the picture is well-formed
    XML, whatever they hold.

    Args:
        diagram: What is to be drawn.
        theme: Which colours; ``auto`` follows the reader's system.
        legend: Whether to say what colours mean.
    """
    layout = lay_out(diagram, measure_boxes(diagram))
    title = _show(diagram.title)
    families = _families(diagram) if legend else []
    width = max(layout.width, len(title) * 9.5, 160.0)
    rows = _legend_rows(families, width)
    height = TITLE + layout.height + (len(rows) * LINE + MARGIN if rows else 0.0)
    whole = f"{width + 2 * MARGIN:.0f}", f"{height + 2 * MARGIN:.0f}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="rd" width="{whole[0]}" '
        f'height="{whole[1]}" viewBox="0 0 {whole[0]} {whole[1]}">'
    )
    parts = [
        f"{head}<style>{_style(theme, diagram)}</style>",
        '<rect class="paper" width="100%" height="100%"/>',
        f'<g transform="translate({MARGIN:g} {MARGIN:g})">',
        f'<text class="h" x="0" y="{LINE:g}">{title}</text>',
        f'<g transform="translate({max((width - layout.width) / 2, 0.0):.1f} {TITLE:g})">',
        *_draw(diagram, layout),
        "</g>",
        *_draw_legend(rows, TITLE + layout.height + MARGIN),
        "</g></svg>",
        "",
    ]
    return "\n".join(parts)


def _show(text: str) -> str:
    return escape(printable.escape(text))


def _style(theme: Theme, diagram: Diagram) -> str:
    light, dark = [LIGHT], [DARK]
    rules = []
    for name in _families(diagram):
        colour = f"--{_class_of(name)}"
        light.append(f"{colour}: {FAMILIES[name].light}")
        dark.append(f"{colour}: {FAMILIES[name].dark}")
        rules.append(f".rd .{_class_of(name)} {{ fill: var({colour}) }}\n")
    return base_style(theme, light, dark) + "".join(rules)


def base_style(theme: Theme, light: Sequence[str] = (LIGHT,), dark: Sequence[str] = (DARK,)) -> str:
    """Return the style of texts and lines of any picture, with its colours in light and in dark."""
    bright, dim = f".rd {{ {'; '.join(light)} }}\n", f".rd {{ {'; '.join(dark)} }}\n"
    colours = {
        "light": bright,
        "dark": dim,
        "auto": f"{bright}@media (prefers-color-scheme: dark) {{ {dim}}}\n",
    }[theme]
    return colours + _STYLE


def _class_of(family: str) -> str:
    """Return the class of boxes of a family; edges of kinds called alike have another."""
    return f"f-{family}" if family else ""


def _families(diagram: Diagram) -> list[str]:
    """Return the families of the boxes of a diagram, in the order of the table."""
    holders = {box.parent for box in diagram.boxes}
    found = {box.family for number, box in enumerate(diagram.boxes) if number not in holders}
    return [name for name in FAMILIES if name in found]


def _draw(diagram: Diagram, layout: Layout) -> Iterator[str]:
    holders = {box.parent for box in diagram.boxes}
    tooltips = Tooltips()
    for number, box in enumerate(diagram.boxes):
        if number in holders:
            yield from _draw_rectangle(box, layout.rectangles[number], "outer", tooltips)
    for edge, path in zip(diagram.edges, layout.paths, strict=True):
        yield from _draw_edge(diagram, edge, path)
    for number, box in enumerate(diagram.boxes):
        if number in holders:
            yield from _draw_texts(box, layout.rectangles[number], is_holder=True)
            continue
        yield from _draw_rectangle(box, layout.rectangles[number], _class_of(box.family), tooltips)
        yield from _draw_texts(box, layout.rectangles[number], is_holder=False)
        yield "</g>"
    yield from _draw_labels(diagram, layout)


def _draw_labels(diagram: Diagram, layout: Layout) -> Iterator[str]:
    """Yield what is written where edges begin: types, and how many edges are too long to draw."""
    labelled: set[tuple[int, int]] = set()
    jumps: dict[tuple[float, float], int] = {}
    for edge, path in zip(diagram.edges, layout.paths, strict=True):
        result = (edge.source, edge.output)
        if edge.label and result not in labelled:
            labelled.add(result)
            x, y = path.points[0]
            yield _note(x + 4, y + 10 + 10 * (edge.output % 3), edge.label)
        if path.gap is not None:
            start = path.points[path.gap]
            jumps[start] = jumps.get(start, 0) + 1
    for (x, y), count in jumps.items():
        yield _note(x - 3, y + 22, f"↓ {count} more {'use' if count == 1 else 'uses'}")


def _draw_edge(diagram: Diagram, edge: Edge, path: Path) -> Iterator[str]:
    kind = "" if edge.kind is EdgeKind.VALUE else f' class="{edge.kind.value}"'
    yield f'<path{kind} d="{_curve(path)}"/>'
    x, y = path.points[-1]
    before = path.points[-2]
    if edge.source == edge.target:
        tip = f"M{x:.1f} {y:.1f}l5 -2.5v5z"
    elif before[1] > y:
        tip = f"M{x:.1f} {y:.1f}l-2.5 5h5z"
    else:
        tip = f"M{x:.1f} {y:.1f}l-2.5 -5h5z"
    yield f'<path class="a" d="{tip}"/>'
    if path.gap is not None:
        x, y = path.points[path.gap + 1]
        yield _note(x + 3, y - 12, f"↑ {cut(diagram.boxes[edge.source].title)}")


def _note(x: float, y: float, text: str) -> str:
    return f'<text class="e" x="{x:.1f}" y="{y:.1f}">{_show(text)}</text>'


def _curve(path: Path) -> str:
    """Return a path that bends between layers and goes straight through them."""
    found: list[str] = []
    last: tuple[float, float] | None = None
    is_down = False  # whether the last part was straight down, so that another lengthens it
    for (x, y), (to_x, to_y), is_straight in iterate_parts(path):
        if (x, y) != last:
            found.append(f"M{x:.1f} {y:.1f}")
            is_down = False
        if x == to_x:
            if is_down:
                found.pop()
            found.append(f"V{to_y:.1f}")
        elif is_straight:
            found.append(f"L{to_x:.1f} {to_y:.1f}")
        else:
            half = (y + to_y) / 2
            found.append(f"C{x:.1f} {half:.1f} {to_x:.1f} {half:.1f} {to_x:.1f} {to_y:.1f}")
        last, is_down = (to_x, to_y), x == to_x
    if path.gap is not None:
        (x, y), (to_x, to_y) = path.points[path.gap], path.points[path.gap + 1]
        found.append(f"M{x:.1f} {y:.1f}v14M{to_x:.1f} {to_y - 14:.1f}v14")
    return " ".join(found)


def _draw_rectangle(box: Box, place: Rectangle, classes: str, tooltips: Tooltips) -> Iterator[str]:
    rounded = 11 if box.kind in _ROUNDED else 3
    named = " ".join(each for each in (classes, box.mark) if each)
    chosen = f' class="{named}"' if named else ""
    dashed = ' stroke-dasharray="5 3"' if box.kind is BoxKind.CAPTURE else ""
    yield (
        f'<g><rect{chosen}{dashed} x="{place.x:.1f}" y="{place.y:.1f}" '
        f'width="{place.width:.1f}" height="{place.height:.1f}" rx="{rounded}"/>'
    )
    told = "\n".join(escape(printable.escape_lines(line)) for line in tooltips.lines(box.details))
    if told:
        yield f"<title>{told}</title>"
    if classes == "outer":
        yield "</g>"


def _draw_texts(box: Box, place: Rectangle, *, is_holder: bool) -> Iterator[str]:
    y = place.y
    if not is_holder and has_ports(box):
        y += PORT_ROW
        for number, name in enumerate(box.inputs):
            x = place.x + port_place(place.width, len(box.inputs), number)
            yield (
                f'<text class="p" text-anchor="middle" x="{x:.1f}" y="{place.y + 10:.1f}">'
                f"{_show(cut(name))}</text>"
            )
    anchor, x = ("start", place.x + 8) if is_holder else ("middle", place.x + place.width / 2)
    for number, line in enumerate((box.title, *box.lines)):
        classes = " ".join(["t"] * (number == 0) + ["o"] * is_holder)
        chosen = f' class="{classes}"' if classes else ""
        yield (
            f'<text{chosen} text-anchor="{anchor}" x="{x:.1f}" '
            f'y="{y + LINE * (number + 1):.1f}">{_show(cut(line))}</text>'
        )


def _legend_rows(families: Sequence[str], width: float) -> list[list[tuple[float, str]]]:
    """Return the entries of the legend, row by row, with where each begins."""
    rows: list[list[tuple[float, str]]] = []
    x = width
    for name in families:
        needs = _SWATCH + 6 + len(FAMILIES[name].label) * CHARACTER + 14
        if not rows or x + needs > width:
            rows.append([])
            x = 0.0
        rows[-1].append((x, name))
        x += needs
    return rows


def _draw_legend(rows: Sequence[Sequence[tuple[float, str]]], top: float) -> Iterator[str]:
    for number, row in enumerate(rows):
        y = top + number * LINE
        for x, name in row:
            yield (
                f'<rect class="{_class_of(name)}" x="{x:.1f}" y="{y:.1f}" width="{_SWATCH:g}" '
                f'height="{_SWATCH - 2:g}" rx="2"/>'
                f'<text class="p" x="{x + _SWATCH + 5:.1f}" y="{y + 9:.1f}">'
                f"{escape(FAMILIES[name].label)}</text>"
            )
