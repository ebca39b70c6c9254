"""Call graphs: a box for each function of a module, edges to those it refers to."""

from __future__ import annotations

from typing import Any

from relayish.dataflow.call_graph import CallGraph, CallGraphEntry
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge, EdgeKind
from relayish.draw.readers.box_text import type_text, wrapped
from relayish.draw.readers.table import READERS
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span
from relayish.ir.scopes.scoping import PROGRAM


@READERS.register(CallGraph)
def read_call_graph(
    graph: CallGraph[Any], *, title: str = ""
) -> Diagram:  # Any: names of any language
    """Return the diagram of a call graph: callers above what they call.

    An edge tells how often one function refers to another, where that is more than once. Names that
    the module does not define have boxes of their own.

    Complexity:
        Linear in the functions, their nodes, and the references between them.
    """
    diagram = Diagram(title or "call graph")
    boxes: dict[str, int] = {}
    order = graph.topological_order()[::-1]
    for entry in order:
        boxes[entry.name] = diagram.add(_box_of(entry))
    for entry in order:
        for callee, count in entry.callees.items():
            label = f"{count} times" if count > 1 else ""
            edge = Edge(boxes[entry.name], boxes[callee], label=label, kind=EdgeKind.CONTROL)
            diagram.connect(edge)
        for name in entry.undefined:
            if name not in boxes:
                lines = ("not defined here",)
                boxes[name] = diagram.add(
                    Box(BoxKind.OUTPUT, f"@{name}", key=f"undefined @{name}", lines=lines)
                )
            diagram.connect(Edge(boxes[entry.name], boxes[name], kind=EdgeKind.CONTROL))
    return diagram


def _box_of(entry: CallGraphEntry[Any]) -> Box:  # Any: as above
    function = entry.function
    attributes = _attributes_of(function)
    shown = [type_text(function), f"{len(PROGRAM.post_order(function)):,} nodes"]
    shown += [f"{name} = {text}" for name, text in attributes.items()]
    lines = [line for each in shown for line in wrapped(each)]
    references = f"{entry.ref_count} to it, {entry.global_call_count} from it"
    details = Details(
        one_line(function),
        at_span(function).removeprefix(" at "),
        attributes,
        type=type_text(function),
        notes={"references": references, "recursive": "yes" if entry.is_recursive else "no"},
    )
    title = f"@{entry.name}"
    return Box(
        BoxKind.FUNCTION, title, key=title, family="call", lines=tuple(lines), details=details
    )


def _attributes_of(function: Node) -> dict[str, str]:
    attrs = getattr(function, "attrs", None)  # of those languages whose functions have some
    return {} if attrs is None else {str(name): str(value) for name, value in attrs.items()}
