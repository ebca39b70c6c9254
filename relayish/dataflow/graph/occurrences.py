"""The occurrences that program points stand for: paths through the program."""

from __future__ import annotations

from collections import Counter
from typing import Final

from relayish._support.collector import pause_collection
from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action, Procedure
from relayish.dataflow.occurrence import Occurrence
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.scopes.scoping import scope_roots, scopes

_ENDS: Final = frozenset({Action.EVALUATE, Action.LEAVE})


def find_occurrences(graph: FlowGraph, direction: Direction) -> dict[int, Occurrence]:
    """Return the occurrence that has been evaluated at each point where one has, by number.

    Args:
        graph: Program points.
        direction: Which of several places of a node in its parent is the first: the one that
            analyses of that direction visit first.

    Complexity:
        Linear in the points.
    """
    found: dict[int, Occurrence] = {}
    functions: dict[Node, Occurrence] = {}
    is_made_in = {procedure.parent for procedure in graph.procedures}
    with pause_collection():
        for procedure in graph.procedures:
            _Finder(graph, direction, found).find(procedure, functions)
            if procedure.number in is_made_in:
                for number in range(procedure.entry, procedure.exit):
                    if number in found:
                        functions.setdefault(graph.nodes[number], found[number])
    return found


class _Inside:
    """What an occurrence evaluates in scopes of its own, while the points of these are walked.

    Attributes:
        occurrence: The occurrence; ``None`` around all.
        node: What stands there.
        start: Its first point, or that of its operands.
        is_entered: Whether its own first point says so; else it begins with what it binds.
        roots: What its scopes evaluate: at how many places, not met yet, each stands.
        counts: At how many places each stands that stands at several.
        root: The one that was met last; what else the scope evaluates is for it.
    """

    __slots__ = ("counts", "is_entered", "node", "occurrence", "root", "roots", "start")

    def __init__(
        self,
        occurrence: Occurrence | None,
        node: Node,
        start: int,
        roots: tuple[Node, ...],
        *,
        is_entered: bool,
    ) -> None:
        self.occurrence = occurrence
        self.node = node
        self.start = start
        self.is_entered = is_entered
        self.roots = dict.fromkeys(roots, 1)
        self.counts: dict[Node, int] | None = None
        if len(self.roots) < len(roots):
            self.roots = Counter(roots)
            self.counts = dict(self.roots)
        self.root = occurrence


class _Finder:
    """Walks the points of a procedure backward, so that what uses something is met before it."""

    def __init__(
        self, graph: FlowGraph, direction: Direction, found: dict[int, Occurrence]
    ) -> None:
        self._graph = graph
        self._is_backward = direction is Direction.BACKWARD
        self._found = found
        self._stack: list[_Inside] = []

    def find(self, procedure: Procedure, functions: dict[Node, Occurrence]) -> None:
        graph, stack, node = self._graph, self._stack, procedure.node
        around: Occurrence | None = None
        roots: tuple[Node, ...] = (node,)
        if procedure.scope is not None:
            around = functions.get(node) or Occurrence(node)
            roots = scopes(node)[procedure.scope].roots
        stack.append(_Inside(around, node, procedure.entry, roots, is_entered=True))
        for number in range(procedure.exit - 1, procedure.entry, -1):
            node, action = graph.nodes[number], graph.actions[number]
            if action in _ENDS and type(node) not in ATOMS:
                self._found[number] = self._end(number)
            elif action is Action.BIND and node is stack[-1].node and not stack[-1].is_entered:
                stack.pop()
            while stack[-1].start == number:
                stack.pop()

    def _end(self, number: int) -> Occurrence:
        """Return what has been evaluated at a point, and go into it if it has points inside."""
        graph, around = self._graph, self._stack[-1]
        node = graph.nodes[number]
        left = around.roots.get(node)
        if left is None and around.root is not None:
            occurrence = Occurrence(node, around.root)
        else:
            place = 0
            if around.counts is not None and left is not None:
                around.roots[node] = left - 1
                place = around.counts[node] - left if self._is_backward else left - 1
            occurrence = around.root = Occurrence(node, around.occurrence, place)
        if graph.actions[number] is Action.LEAVE:
            start = graph.start(number)
            is_entered = graph.nodes[start] is node and graph.actions[start] is Action.ENTER
            inside = _Inside(occurrence, node, start, scope_roots(node), is_entered=is_entered)
            self._stack.append(inside)
        return occurrence
