"""The dependence graph of regions and of the other nodes of an expression."""

from __future__ import annotations

from relayish.ir.nodes.node import Node
from relayish.ir.relay.expr import Function, Let
from relayish.ir.relay.traversal import EXPRESSIONS
from relayish.passes.relay.offload.contraction import Contraction
from relayish.passes.relay.offload.regions import Region, Regions


class RegionGraph:
    """The nodes of an expression, those of one region together, in the order they can be computed.

    Attributes:
        vertex_of: The vertex of each node.
        nodes: The nodes of each vertex, children first.
        contraction: The vertices, with edges to those that take a value from them.

    Raises:
        PassError: If a region depends on itself by way of something else.

    Complexity:
        Linear in distinct nodes and edges; no recursion.
    """

    def __init__(self, regions: Regions) -> None:
        self._order = regions.order
        self.vertex_of: dict[Node, int] = {}
        self.nodes: list[list[Node]] = []
        numbers: dict[Region, int] = {}
        for node in regions.order:
            region = regions.of(node)
            if region is not None and region in numbers:
                self.vertex_of[node] = numbers[region]
                self.nodes[numbers[region]].append(node)
                continue
            if region is not None:
                numbers[region] = len(self.nodes)
            self.vertex_of[node] = len(self.nodes)
            self.nodes.append([node])
        self._successors = self._find_successors()
        self.contraction = Contraction(self._successors)

    def _find_successors(self) -> list[list[int]]:
        """Return for each vertex those that take a value from it; a variable takes that of its let.

        Variables of functions do not: a function may refer to its own. What is simply given,
        parameters and constants, has no successors: nothing leads to it.
        """
        vertex_of = self.vertex_of
        found: list[list[int]] = [[] for _ in self.nodes]
        given = {node for node in self._order if not EXPRESSIONS.children(node)}
        given.difference_update(node.var for node in self._order if type(node) is Let)
        for node in self._order:
            user = vertex_of[node]
            for child in EXPRESSIONS.children(node):
                if child not in given and vertex_of[child] != user:
                    found[vertex_of[child]].append(user)
            if type(node) is Let and type(node.value) is not Function:
                found[vertex_of[node.value]].append(vertex_of[node.var])
        return found

    def closures(self) -> list[int]:
        """Return for each vertex the innermost let of a function that it depends on, by number.

        What the function of an inner let holds on to depends on outer lets only. So, where two
        vertices depend on the same one, no way leads from one to the other by what functions hold.
        """
        found = [0] * len(self.nodes)
        for number, node in enumerate(reversed(self._order), 1):
            if type(node) is Let and type(node.value) is Function:
                found[self.vertex_of[node.var]] = number
        for vertex in self.contraction.order:
            for successor in self._successors[vertex]:
                found[successor] = max(found[successor], found[vertex])
        return found
