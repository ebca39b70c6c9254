"""Strong liveness of core by the solver of data-flow problems: what is not needed reads nothing."""

from __future__ import annotations

from relayish.core.ir.definition import FuncEntry
from relayish.dataflow import Action, build_flow_graph, solve
from relayish.dataflow.analyses.liveness import Live, Liveness
from relayish.dataflow.solver.analysis import Transfer
from relayish.ir.nodes.node import Node
from relayish.passes.core.cleanup.candidates import STORES, Candidates


def find_needed(func: FuncEntry) -> set[Node]:
    """Return the stores of a function that are needed, or that are no candidates for removal.

    Complexity:
        Linear in statements and distinct expressions, but where loops carry what is live in turns.
    """
    graph = build_flow_graph(func)
    exposed = {
        place for number in range(len(graph.nodes)) for place in graph.accesses.at(number).exposes
    }
    analysis = _Needed(Candidates(func, exposed))
    solve([analysis], graph)
    return analysis.needed


class _Needed(Liveness):
    """Liveness by what is needed: a store that nobody needs reads nothing.

    Attributes:
        needed: The stores of what is read, as far as is known, and those that stay in any case.
    """

    def __init__(self, candidates: Candidates) -> None:
        self._candidates = candidates
        self.needed: set[Node] = set()

    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:
        if action is Action.EVALUATE and issubclass(kind, STORES):
            return self._store
        return super().transfer_of(action, kind, is_tree)

    def _store(self, node: Node, live: Live) -> Live:
        if not self._candidates.is_needed(node, live):
            return live
        self.needed.add(node)
        return self._access(node, live)
