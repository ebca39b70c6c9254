"""Nodes that a program evaluates: its own, and those that compute elements of inline tensors."""

from __future__ import annotations

from collections.abc import Iterator

from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM
from relayish.tir.analysis.regions.elements import body_of_element


def nodes_reached(root: Node) -> Iterator[Node]:
    """Yield the nodes in ``root``, then those by which inline tensors that are loaded are computed.

    Complexity:
        Linear in what is yielded: what computes elements is visited once for each root.
    """
    pending, seen = [root], {root}
    while pending:
        for each in PROGRAM.pre_order(pending.pop()):
            yield each
            body = body_of_element(each)
            if body is not None and body not in seen:
                seen.add(body)
                pending.append(body)
