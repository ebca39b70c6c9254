"""Write-only references, by escape analysis: those whose content nothing reads."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Let, RefCreate, RefWrite
from relayish.ir.scopes.scoping import PROGRAM


def find_unobserved_refs(nodes: Iterable[Node]) -> set[Node]:
    """Return the variables that stand for a new reference and are used to write to it only.

    Nothing can come of such writes: the reference is never read, given to a function, returned, put
    into a tuple or into another reference.

    Args:
        nodes: All nodes of a program; every use of its variables is below one of them.

    Complexity:
        Linear in the number of nodes and edges; no recursion.
    """
    nodes = list(nodes)
    refs: set[Node] = {n.var for n in nodes if type(n) is Let and type(n.value) is RefCreate}
    if not refs:
        return refs
    for node in nodes:
        kind = type(node)
        for child in PROGRAM.children(node):
            if child not in refs:
                continue
            if kind is RefWrite and child is not node.value:  # type: ignore[attr-defined]
                continue
            if kind is Let and child is node.var and child is not node.body:  # type: ignore[attr-defined]
                continue
            refs.discard(child)
    return refs
