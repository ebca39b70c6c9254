"""The document of a page: what its script is to show, in what JSON has.

Boxes have their layers and their order already; the script measures texts and finds places.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from relayish._support import printable
from relayish.draw.diagram import Box, Details, Diagram, Edge, EdgeKind
from relayish.draw.families import FAMILIES
from relayish.draw.layout.level import Level
from relayish.draw.layout.levels import order_levels
from relayish.draw.page.folding import choose_folded
from relayish.draw.page.values import summarize

LONGEST: Final = 300
"""How many characters of a title, a line or a name are told."""
LONGEST_TEXT: Final = 4_000
"""How many of a text in full."""


def make_document(
    diagram: Diagram, levels: Mapping[int | None, Level] | None = None
) -> dict[str, object]:
    """Return the document of a diagram.

    Args:
        diagram: The diagram; keys need not be distinct, those of the document are.
        levels: How boxes lie in boxes; computed if it is not given.
    """
    levels = order_levels(diagram) if levels is None else levels
    names = {box.family for box in diagram.boxes}
    families = {name: number for number, name in enumerate(n for n in FAMILIES if n in names)}
    keys = _distinct(box.key or box.title or box.kind.value for box in diagram.boxes)
    return {
        "title": _short(diagram.title),
        "about": _texts(diagram.notes),
        "families": [{"name": name, **FAMILIES[name]._asdict()} for name in families],
        "boxes": [
            {"key": key, **_box(box), "family": families.get(box.family, -1)}
            for box, key in zip(diagram.boxes, keys, strict=True)
        ],
        "edges": _edges(diagram.edges),
        "levels": [_level(box, level) for box, level in levels.items()],
        "folded": choose_folded(diagram, diagram.children()),
    }


def _short(text: str, longest: int = LONGEST) -> str:
    if len(text) > longest:
        text = f"{text[:longest]}…"
    return printable.escape_lines(text)


def _distinct(keys: Iterable[str]) -> list[str]:
    """Return the keys; one that was there already gets a number."""
    found: dict[str, int] = {}
    distinct = []
    for key in map(printable.escape, keys):
        name = key
        while name in found:
            found[key] += 1
            name = f"{key}~{found[key]}"
        found[name] = 1
        distinct.append(name)
    return distinct


def _box(box: Box) -> dict[str, object]:
    told = {
        "parent": box.parent,
        "lines": [_short(line) for line in box.lines],
        "inputs": [_short(name) for name in box.inputs],
        "mark": box.mark,
        "details": _details(box.details),
    }
    filled = {name: value for name, value in told.items() if value not in ("", [], {}, None)}
    return {"kind": box.kind.value, "title": _short(box.title), **filled}


def _edges(edges: Sequence[Edge]) -> list[list[object]]:
    """Return the edges; where all are of control, as in flow graphs, none is to be told apart."""
    is_flow = all(edge.kind is EdgeKind.CONTROL for edge in edges)
    return [
        [
            edge.source,
            edge.output,
            edge.target,
            edge.input,
            EdgeKind.VALUE.value if is_flow else edge.kind.value,
            _short(edge.label),
        ]
        for edge in edges
    ]


def _details(details: Details) -> dict[str, object]:
    told = {
        "text": _short(details.text, LONGEST_TEXT),
        "place": _short(details.place),
        "type": _short(details.type, LONGEST_TEXT),
        "attributes": _texts(details.attributes),
        "outputs": [_short(name) for name in details.outputs],
        "notes": _texts(details.notes),
        "values": [summarize(_short(name), value) for name, value in details.values.items()],
    }
    return {name: value for name, value in told.items() if value not in ("", [], {})}


def _texts(texts: Mapping[str, str]) -> dict[str, str]:
    return {_short(name): _short(text, LONGEST_TEXT) for name, text in texts.items()}


def _level(box: int | None, level: Level) -> dict[str, object]:
    used = {item for route in level.routes for item in route.items}  # the others come last
    return {
        "box": box,
        "children": level.children,
        "count": level.count,
        "layers": [sorted(layer, key=lambda item: item not in used) for layer in level.layers],
        "routes": [[route.edge, int(route.is_reversed), *route.items] for route in level.routes],
    }
