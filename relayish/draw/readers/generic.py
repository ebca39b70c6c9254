"""Readers of nodes of any language, told from the roles of their fields alone."""

from __future__ import annotations

from relayish.draw.diagram import Diagram
from relayish.draw.readers.box_text import BOX_TEXTS
from relayish.draw.readers.expressions import add_expression
from relayish.draw.readers.operations import read_operations
from relayish.draw.readers.statements import holds_statements, read_statements
from relayish.draw.readers.table import READERS
from relayish.ir.nodes.node import Node


@READERS.register(Node)
def read_node(node: Node, *, title: str = "") -> Diagram:
    """Return the diagram of a node: of statements, or of what an expression computes.

    Args:
        node: A node of any language.
        title: What stands above the diagram; what the node says, if not given.

    Complexity:
        Linear in the program; no recursion.
    """
    kind = type(node)
    if not kind.language_.is_tree:
        diagram = Diagram(title or BOX_TEXTS[kind](node).title)
        add_expression(diagram, node)
        return diagram
    return read_statements(node, title) if holds_statements(kind) else read_operations(node, title)
