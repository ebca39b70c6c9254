"""Trees of dominators: of the points of a flow graph, and of expressions."""

from __future__ import annotations

from relayish.analysis.dominators import PostDominators
from relayish.dataflow.analyses.dominator_tree import PointDominators
from relayish.draw.diagram import Box, BoxKind, Details, Diagram, Edge, EdgeKind
from relayish.draw.readers.box_text import family_of, full_type, wrapped
from relayish.draw.readers.flow_graph import add_points
from relayish.draw.readers.table import READERS
from relayish.ir.kinds.one_line import one_line
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.span import at_span


@READERS.register(PointDominators)
def read_point_dominators(tree: PointDominators, *, title: str = "") -> Diagram:
    """Return the tree of dominators of program points: each below its immediate dominator.

    Complexity:
        Linear in the points.
    """
    diagram = Diagram(title or ("post-dominators" if tree.is_post else "dominators"))
    boxes = add_points(diagram, tree.graph, is_reversed=tree.is_post)
    for number, box in boxes.items():
        above = tree.immediate(number)
        if above is not None:
            diagram.connect(Edge(boxes[above], box, kind=EdgeKind.CONTROL))
    return diagram


@READERS.register(PostDominators)
def read_post_dominators(tree: PostDominators, *, title: str = "") -> Diagram:
    """Return the tree of post-dominators of expressions: each below its immediate post-dominator.

    Complexity:
        Linear in the expressions.
    """
    diagram = Diagram(title or "post-dominators")
    order = list(tree)[::-1]  # dominators first
    roots = [above for above in tree.values() if above not in tree]
    boxes: dict[Node, int] = {}
    for number, node in enumerate(dict.fromkeys([*roots, *order])):
        boxes[node] = diagram.add(_box_of(node, number))
    for node in order:
        diagram.connect(Edge(boxes[tree[node]], boxes[node], kind=EdgeKind.CONTROL))
    return diagram


def _box_of(node: Node, number: int) -> Box:
    text = one_line(node)
    first, *more = wrapped(text) or ("",)
    details = Details(text, at_span(node).removeprefix(" at "), type=full_type(node))
    family = family_of(node)
    return Box(BoxKind.POINT, first, str(number), family=family, lines=tuple(more), details=details)
