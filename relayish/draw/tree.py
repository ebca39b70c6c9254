"""Diagrams as text for a terminal: boxes one below the other, with what they are made of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from relayish._support import printable
from relayish.draw.diagram import Box, BoxKind, Diagram, Edge, EdgeKind

_ARROWS: Final = {EdgeKind.CAPTURE: "⇠ ", EdgeKind.CONTROL: "⇢ ", EdgeKind.MEMORY: "◂ "}
_NAMED: Final = frozenset({EdgeKind.CONTROL, EdgeKind.MEMORY})
"""Edges of these kinds are labelled by what they are, others by the type of what they carry."""
_NUMBERED: Final = frozenset({BoxKind.OPERATOR, BoxKind.STATEMENT, BoxKind.POINT})
_MOST_DEPTH: Final = 30
"""How deep lines are set in; what lies deeper tells its depth."""


def to_tree(diagram: Diagram) -> str:
    """Return a diagram as a tree of text: each box with its number, operands, lines and type.

    Complexity:
        Linear; no recursion.
    """
    names = _names(diagram)
    into: list[list[Edge]] = [[] for _ in diagram.boxes]
    types: dict[int, str] = {}
    for edge in diagram.edges:
        into[edge.target].append(edge)
        if edge.label and edge.kind not in _NAMED:
            types.setdefault(edge.source, edge.label)
    lines = [printable.escape(diagram.title)]
    for number, lead in _walk(diagram):
        box = diagram.boxes[number]
        operands = ", ".join(_operand(box, edge, names) for edge in into[number])
        told = f" {names[number]} = {box.title}" if box.kind in _NUMBERED else f" {names[number]}"
        ty = f" : {types[number]}" if number in types else ""
        mark = f" [{box.mark}]" if box.mark else ""
        shown = f"({operands})" if operands else ""
        inside = f" {{{'; '.join(box.lines)}}}" if box.lines else ""
        lines.append(lead + printable.escape(f"{told}{shown}{inside}{ty}{mark}"))
    return "\n".join([*lines, ""])


def _names(diagram: Diagram) -> list[str]:
    """Return what each box is called where another tells of it: its value's name, or a number.

    Of boxes side by side that were called alike, all but the first have a number behind the name.
    """
    found, count = [], 0
    seen: Counter[tuple[int | None, str]] = Counter()
    for box in diagram.boxes:
        name = box.title
        if box.kind in _NUMBERED:
            outputs = box.details.outputs
            name = f"%{outputs[0]}" if outputs and outputs[0] else f"%{count}"
            count += 1
        seen[box.parent, name] += 1
        again = seen[box.parent, name]
        found.append(f"{name}#{again}" if again > 1 else name)
    return found


def _operand(box: Box, edge: Edge, names: list[str]) -> str:
    name = box.inputs[edge.input] if edge.input < len(box.inputs) else ""
    told = f"{name}=" if name and not name.isdigit() else ""
    source = f"{_ARROWS.get(edge.kind, '')}{names[edge.source]}"
    if edge.kind in _NAMED:
        return f"{told}{source} {edge.label}" if edge.label else f"{told}{source}"
    return f"{told}{source}.{edge.output}" if edge.output else f"{told}{source}"


def _walk(diagram: Diagram) -> Iterator[tuple[int, str]]:
    """Yield the boxes, each before those in it, with the lines that lead to it."""
    children = diagram.children()
    stack: list[tuple[list[int], int, str]] = [(children[None], 0, "")]
    while stack:
        boxes, place, lead = stack.pop()
        if place == len(boxes):
            continue
        is_last = place == len(boxes) - 1
        number = boxes[place]
        stack.append((boxes, place + 1, lead))
        depth = len(stack)
        shown = lead if depth <= _MOST_DEPTH else f"[{depth}] "
        yield number, f"{shown}{'└─' if is_last else '├─'}"
        if number in children:
            further = f"{lead}{'  ' if is_last else '│ '}" if depth < _MOST_DEPTH else lead
            stack.append((children[number], 0, further))
