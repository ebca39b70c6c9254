"""Edges between statements, against reaching definitions of random programs of loops."""

from __future__ import annotations

import pytest

from relayish._support.graph import reachable
from relayish.dataflow.analyses import UseDefChains, find_use_def_chains
from relayish.dataflow.graph.point import Action
from relayish.draw.diagram import BoxKind, EdgeKind
from relayish.draw.readers.statements import _Statements
from relayish.ir.nodes.node import Node
from tests.support.seeds import seeds
from tests.support.tir_programs import random_func


class Noted(_Statements):
    """Makes a diagram, and notes which boxes nodes have."""

    def __init__(self, root: Node) -> None:
        super().__init__(root, "")
        self.boxes: dict[Node, list[int]] = {}

    def add_node(self, kind: BoxKind, node: Node, inputs: tuple[str, ...] = ()) -> int:
        box = super().add_node(kind, node, inputs)
        self.boxes.setdefault(node, []).append(box)
        return box

    def around(self, box: int | None) -> list[int]:
        found = []
        while box is not None:
            found.append(box)
            box = self.diagram.boxes[box].parent
        return found


def written_and_read(chains: UseDefChains, walk: Noted) -> list[tuple[int, int]]:
    """Return the boxes of a definition and of a use that may take its value."""
    graph, found = chains.graph, []
    for point in range(len(graph)):
        if graph.actions[point] not in (Action.EVALUATE, Action.ENTER):
            continue
        for place in graph.accesses.at(point).reads:
            for definition in chains.definitions(point, place):
                boxes = [walk.boxes.get(graph.nodes[each], []) for each in (definition, point)]
                if graph.actions[definition] is not Action.ENTRY and list(map(len, boxes)) == [
                    1,
                    1,
                ]:
                    found.append((boxes[0][0], boxes[1][0]))
    return found


@pytest.mark.parametrize("seed", seeds(12))
def test_what_may_reach_a_read_leads_there(seed: int) -> None:
    func = random_func(seed)
    walk = Noted(func)
    walk.run([func])
    edges = [e for e in walk.diagram.edges if e.kind in (EdgeKind.VALUE, EdgeKind.MEMORY)]
    following: dict[int, list[int]] = {}
    for edge in edges:
        following.setdefault(edge.source, []).append(edge.target)
    for writer, reader in written_and_read(find_use_def_chains(func), walk):
        # of many arms the box around them stands for what is in it
        begins = [box for each in walk.around(writer) for box in following.get(each, [])]
        is_inside = writer in walk.around(reader)  # no edge leads to what lies in its own box
        assert is_inside or reader in reachable(begins, lambda box: following.get(box, []))
