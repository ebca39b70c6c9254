"""Abstract values of nodes, while they are found, and the basic blocks that ask for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action
from relayish.dataflow.solver.sparse import SparseAnalysis
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.scopes.scoping import operands, scope_roots

Value: TypeAlias = Any  # an abstract value of whichever analysis


class AbstractValues:
    """The values found so far; a block is visited again when one that it asked for changes.

    Attributes:
        found: The value of each node; none for what has not been evaluated yet.
        place: The block that is being visited.
        blocks: The basic blocks, by place.
        enqueue: Lets a block be visited again, if it was visited before.
    """

    blocks: Sequence[range]
    enqueue: Callable[[int], None]

    def __init__(self, analysis: SparseAnalysis[Any], graph: FlowGraph) -> None:
        self.found: dict[Node, Value] = {}
        self.place = -1
        self._sparse = analysis
        self._graph = graph
        self._lattice = analysis.values
        self._bottom = analysis.values.bottom
        self._bound = graph.bound
        self._asked: dict[Node, dict[int, None]] = {}  # blocks that ask for what may change
        self._asked_early: dict[Node, dict[int, None]] = {}  # ... for what has no value yet
        self._users: dict[Node, dict[int, None]] | None = None
        self._grown: dict[Node, int] = {}

    def first(self, node: Node) -> Value:
        """Return the value of an atom, which no point gives, or note that somebody waits for it."""
        if type(node) in ATOMS and node not in self._bound:
            value = self.found[node] = self._sparse.of_atom(node)
            return value
        self._asked_early.setdefault(node, {})[self.place] = None
        return self._bottom

    def ask(self, node: Node) -> None:
        """Let the block be visited again when the value of a node changes."""
        if type(node) not in ATOMS or node in self._bound:
            self._asked.setdefault(node, {})[self.place] = None

    def put(self, node: Node, value: Value) -> None:
        """Join ``value`` to that of a node; who asked for it is visited again if it changes."""
        if value is self._bottom:
            return
        old = self.found.get(node)
        if old is None:
            self.found[node] = value
            if node in self._asked_early:
                for place in self._asked_early.pop(node):
                    self.enqueue(place)
            return
        if old is value:
            return
        lattice = self._lattice
        joined = lattice.join(old, value)
        if joined is old or lattice.equal(joined, old):
            return
        grown = self._grown[node] = self._grown.get(node, 0) + 1
        if grown > self._sparse.widen_after:
            joined = lattice.widen(old, joined)
            if joined is old or lattice.equal(joined, old):
                return
        self.found[node] = joined
        if self._users is None:
            self._users = self._find_users()
        for table in (self._users, self._asked):
            for place in table.get(node, ()):
                self.enqueue(place)

    def _find_users(self) -> dict[Node, dict[int, None]]:
        """Return the blocks that use each node."""
        found: dict[Node, dict[int, None]] = {}
        graph = self._graph
        for place, block in enumerate(self.blocks):
            for number in block:
                node, action = graph.nodes[number], graph.actions[number]
                if action is Action.LEAVE:
                    used = scope_roots(node)
                elif action in _USING:
                    used = operands(node)
                else:
                    continue
                for each in used:
                    found.setdefault(each, {})[place] = None
        return found


_USING: Final = (Action.EVALUATE, Action.ENTER, Action.BIND)
