"""Call graphs: a box for each function of a module, edges to those it refers to."""

from __future__ import annotations

from collections import Counter
from typing import Any

from relayish._support.graph import components
from relayish.dataflow.call_graph import CallGraph, CallGraphEntry
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge, EdgeKind
from relayish.draw.readers.box_text import full_type, wrapped
from relayish.draw.readers.table import READERS
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.ir.expr import Call


@READERS.register(CallGraph)
def read_call_graph(graph: CallGraph[Any], *, title: str = "") -> Diagram:  # Any: of any language
    """Return the diagram of a call graph: callers above what they call.

    An edge tells how often one function refers to another, where that is more than once; calls of
    loops by name are among these. Names that the module does not define have boxes of their own.

    Args:
        graph: The call graph.
        title: What stands above the diagram.

    Complexity:
        Linear in the functions, their nodes, and the references between them.
    """
    diagram = Diagram(title or "call graph")
    inside = {entry.name: PROGRAM.post_order(entry.function) for entry in graph}
    references = {
        name: Counter(graph[name].callees) + _calls_by_name(nodes, graph)
        for name, nodes in inside.items()
    }
    order = [name for group in components(references) for name in group][::-1]
    boxes = {name: diagram.add(_box_of(graph[name], len(inside[name]))) for name in order}
    for caller in order:
        for callee, count in references[caller].items():
            label = f"{count} times" if count > 1 else ""
            edge = Edge(boxes[caller], boxes[callee], label=label, kind=EdgeKind.CONTROL)
            diagram.connect(edge)
        for name in graph[caller].undefined:
            if name not in boxes:
                lines = ("not defined here",)
                boxes[name] = diagram.add(
                    Box(BoxKind.OUTPUT, f"@{name}", key=f"undefined @{name}", lines=lines)
                )
            diagram.connect(Edge(boxes[caller], boxes[name], kind=EdgeKind.CONTROL))
    return diagram


def _calls_by_name(nodes: list[Node], graph: CallGraph[Any]) -> Counter[str]:  # Any: as above
    """Return how often loops call what the module defines, which they do by text."""
    return Counter([n.name for n in nodes if isinstance(n, Call) and n.name in graph])


def _box_of(entry: CallGraphEntry[Any], nodes: int) -> Box:  # Any: as above
    function = entry.function
    attributes = _attributes_of(function)
    shown = [full_type(function), f"{nodes:,} nodes"]
    shown += [f"{name} = {text}" for name, text in attributes.items()]
    lines = [line for each in shown for line in wrapped(each)]
    details = Details(
        one_line(function),
        at_span(function).removeprefix(" at "),
        attributes,
        type=full_type(function),
        notes={"recursive": "yes" if entry.is_recursive else "no"},
    )
    title = f"@{entry.name}"
    return Box(
        BoxKind.FUNCTION, title, key=title, family="call", lines=tuple(lines), details=details
    )


def _attributes_of(function: Node) -> dict[str, str]:
    attrs = getattr(function, "attrs", None)  # of those languages whose functions have some
    return {} if attrs is None else {str(name): str(value) for name, value in attrs.items()}
