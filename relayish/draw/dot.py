"""Diagrams in graphviz's language, which other tools read as well."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from relayish._support import printable
from relayish.draw.diagram import Box, BoxKind, Diagram, Edge, EdgeKind
from relayish.draw.families import FAMILIES
from relayish.draw.tooltip import Tooltips

_PLAIN: Final = "#eceff2"
_STYLES: Final = {
    EdgeKind.VALUE: "",
    EdgeKind.CAPTURE: "style=dashed",
    EdgeKind.CONTROL: "style=dotted",
    EdgeKind.MEMORY: 'color="#b0793c"',
}
_ROUNDED: Final = frozenset({BoxKind.INPUT, BoxKind.OUTPUT, BoxKind.CAPTURE, BoxKind.CONSTANT})
_MARKS: Final = {"added": "#1a9850", "removed": "#d73027", "changed": "#e08a00"}
_MOST_INDENT: Final = 20
_QUOTED: Final = re.compile(r'(["\\])')


def to_dot(diagram: Diagram) -> str:
    """Return a diagram in graphviz's language: boxes as clusters, operands as ports.

    Complexity:
        Linear; no recursion.
    """
    holders = {box.parent for box in diagram.boxes if box.parent is not None}
    boxes = diagram.boxes
    crosses = any(boxes[each.source].parent != boxes[each.target].parent for each in diagram.edges)
    ranks = " newrank=true;" if crosses else ""  # else graphviz stops at cycles between clusters
    lines = [
        "digraph {",
        f"  label={_quote(diagram.title)}; labelloc=t; labeljust=l; compound=true;{ranks}",
        '  fontname="Helvetica"; fontsize=15;',
        '  node [shape=plain, fontname="Helvetica", fontsize=11];',
        '  edge [color="#8b949d", fontname="Helvetica", fontsize=9, arrowsize=.6];',
        *_draw_boxes(diagram, holders),
    ]
    spans = _spans(diagram)
    lines += [f"  {_draw_edge(diagram, edge, holders, spans)}" for edge in diagram.edges]
    return "\n".join([*lines, "}", ""])


def _draw_boxes(diagram: Diagram, holders: set[int]) -> Iterator[str]:
    children, tooltips = diagram.children(), Tooltips()
    stack: list[tuple[int | None, Iterator[int], int]] = [(None, iter(children[None]), 1)]
    while stack:
        holder, boxes, depth = stack[-1]
        number = next(boxes, None)
        if number is None:
            stack.pop()
            if holder is not None:
                yield f"{'  ' * min(depth - 1, _MOST_INDENT)}}}"
            continue
        box = diagram.boxes[number]
        indent = "  " * min(depth, _MOST_INDENT)
        if number not in holders:
            yield f"{indent}n{number} [label=<{_table(box)}>{_tooltip(box, tooltips)}];"
            continue
        yield f"{indent}subgraph cluster_{number} {{"
        title = "\n".join([box.title, *box.lines])
        colour = _MARKS.get(box.mark, "#67717b")
        yield (
            f'{indent}  label={_quote(title)}; fontsize=11; style="rounded,filled"; '
            f'fillcolor="#0f2b460b"; color="{colour}";'
        )
        yield f"{indent}  n{number} [style=invis, shape=point, width=0, height=0];"
        stack.append((number, iter(children[number]), depth + 1))


def _table(box: Box) -> str:
    """Return the label of a box: names of operands, title, lines."""
    fill = FAMILIES[box.family].light if box.family else _PLAIN
    colour = _MARKS.get(box.mark, "#67717b")
    span = max(len(box.inputs), 1)
    rows = ""
    if box.inputs:
        ports = "".join(
            f'<td port="i{number}" sides="b"><font point-size="8">{_show(name) or " "}</font></td>'
            for number, name in enumerate(box.inputs)
        )
        rows += f"<tr>{ports}</tr>"
    style = ' style="rounded"' if box.kind in _ROUNDED else ""
    rows += f'<tr><td colspan="{span}" border="0"><b>{_show(box.title) or " "}</b></td></tr>'
    for line in box.lines:
        rows += f'<tr><td colspan="{span}" border="0">{_show(line) or " "}</td></tr>'
    return (
        f'<table border="1" cellborder="0" cellspacing="0" bgcolor="{fill}" color="{colour}"'
        f"{style}>{rows}</table>"
    )


def _tooltip(box: Box, tooltips: Tooltips) -> str:
    text = "\n".join(tooltips.lines(box.details))
    return f", tooltip={_quote(text)}" if text else ""


def _spans(diagram: Diagram) -> list[range]:
    """Return of each box the places of those in it, and its own, in an order by nesting."""
    children = diagram.children()
    spans = [range(0)] * len(diagram.boxes)
    sizes = [1] * len(diagram.boxes)
    for number in range(len(diagram.boxes) - 1, -1, -1):
        parent = diagram.boxes[number].parent
        if parent is not None:
            sizes[parent] += sizes[number]
    starts: list[tuple[int | None, int]] = [(None, 0)]
    while starts:
        holder, start = starts.pop()
        for number in children.get(holder, ()):
            spans[number] = range(start, start + sizes[number])
            starts.append((number, start + 1))
            start += sizes[number]
    return spans


def _draw_edge(diagram: Diagram, edge: Edge, holders: set[int], spans: Sequence[range]) -> str:
    target = diagram.boxes[edge.target]
    port = f":i{edge.input}" if edge.input < len(target.inputs) else ""
    ends = []
    # graphviz draws no edge to the border of a cluster from inside it
    if edge.source in holders and spans[edge.target].start not in spans[edge.source]:
        ends.append(f"ltail=cluster_{edge.source}")
    if edge.target in holders:
        if spans[edge.source].start not in spans[edge.target]:
            ends.append(f"lhead=cluster_{edge.target}")
        port = ""
    label = f"label={_quote(edge.label)}" if edge.label else ""
    told = ", ".join([each for each in (label, *ends, _STYLES[edge.kind]) if each])
    return f"n{edge.source} -> n{edge.target}{port}{f' [{told}]' if told else ''};"


def _show(text: str) -> str:
    return escape(printable.escape(text))


def _quote(text: str) -> str:
    shown = _QUOTED.sub(r"\\\1", printable.escape_lines(text.expandtabs()))
    return '"' + shown.replace("\n", "\\l") + '"'
