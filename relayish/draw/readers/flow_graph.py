"""Flow graphs: a box for each program point, in order of control, with the states there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import relayish.draw.readers.looks  # noqa: F401 - registers what Relay's nodes look like
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Branch, Point
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.state_text import StateText
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge, EdgeKind
from relayish.draw.readers.box_text import BOX_TEXTS, family_of, full_type, whole_line, wrapped
from relayish.draw.readers.table import READERS
from relayish.draw.readers.walk import named_scopes
from relayish.ir.fields.naming import display_name
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import Module
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span


@READERS.register(FlowGraph)
def read_flow_graph(graph: FlowGraph, *, title: str = "") -> Diagram:
    """Return the diagram of a flow graph: a box for each point, in the order in which they run.

    Complexity:
        Linear in points and edges.
    """
    return _read(graph, title or "flow graph", lambda _: ())


@READERS.register(Solution)
def read_solution(
    solution: Solution[Any], *, title: str = ""
) -> Diagram:  # Any: with states of its own
    """Return the diagram of the flow graph of an analysis, with the state on both sides of points.

    Complexity:
        Linear in points and edges; states are cut to a bounded length.
    """
    before, after = StateText(), StateText()

    def states(point: Point) -> Sequence[str]:
        if not solution.is_reached(point):
            return ("unreachable",)
        return (
            f"before: {before.of(solution.before(point), _own_name)}",
            f"after: {after.of(solution.after(point), _own_name)}",
        )

    return _read(solution.graph, title or solution.analysis.name, states)


def _own_name(_node: Node) -> None:
    """Let things go by their own names."""


def _read(graph: FlowGraph, title: str, states: Callable[[Point], Sequence[str]]) -> Diagram:
    diagram = Diagram(title)
    boxes = add_points(diagram, graph, states)
    for source in boxes:
        for number, target in enumerate(graph.successors(source)):
            branch = graph.edge(source, target).branch
            label = "" if branch is None else name_of_branch(branch)
            diagram.connect(Edge(boxes[source], boxes[target], 0, number, label, EdgeKind.CONTROL))
    return diagram


def add_points(
    diagram: Diagram,
    graph: FlowGraph,
    states: Callable[[Point], Sequence[str]] = lambda _: (),
    *,
    is_reversed: bool = False,
) -> dict[int, int]:
    """Add a box for each point, within one for each procedure; return the box of each point.

    Args:
        diagram: Where to.
        graph: The points.
        states: What else is to be told of a point.
        is_reversed: Add the last point of each procedure first.
    """
    for kind in set(map(type, graph.nodes)):
        READERS.find(kind)  # which loads what is written in boxes of the language
    boxes: dict[int, int] = {}
    names = _names(graph)
    keys: set[str] = set()
    for procedure in graph.procedures:
        name = names.get(procedure.node) or one_line(procedure.node)
        holder = None
        key = f"procedure {procedure.number}"
        if len(graph.procedures) > 1:
            key = name if name in names.values() and name not in keys else key
            box = Box(BoxKind.FUNCTION, name, key=key, details=_details(procedure.node, ""))
            holder = diagram.add(box)
        keys.add(key)
        numbers = range(procedure.entry, procedure.exit + 1)
        for number in reversed(numbers) if is_reversed else numbers:
            point = graph.point(number)
            told = tuple([line for each in states(point) for line in wrapped(each)])
            box = _box_of(point, told)
            box.key, box.parent = f"{key}/{number - procedure.entry}", holder
            boxes[number] = diagram.add(box)
    return boxes


def _box_of(point: Point, states: tuple[str, ...]) -> Box:
    lines = wrapped(whole_line(point.node))
    if point.binders:
        lines += wrapped(f"binds {', '.join([display_name(each) for each in point.binders])}")
    return Box(
        BoxKind.POINT,
        f"{point.number}: {point.action.value}",
        family=family_of(point.node),
        lines=(*lines, *states),
        details=_details(point.node, str(point)),
    )


def _details(node: Node, text: str) -> Details:
    return Details(text or one_line(node), at_span(node).removeprefix(" at "), type=full_type(node))


def _names(graph: FlowGraph) -> dict[Node, str]:
    """Return what the functions of a module are called."""
    root = graph.root
    if not isinstance(root, Module):
        return {}
    return {root[key]: f"@{root.name_of(key)}" for key in root.get_global_vars()}


def name_of_branch(branch: Branch) -> str:
    """Return what a branch is called: the scope that is chosen, or that there is none."""
    scopes = named_scopes(branch.node, BOX_TEXTS[type(branch.node)](branch.node).scopes)
    if branch.case is not None:
        return scopes[branch.case][0]
    return "done" if any(s.runs is Runs.REPEATEDLY for _, _, s in scopes) else "otherwise"
