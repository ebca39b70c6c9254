"""Strong liveness: which declarations and stores of loops are needed for what they write.

What only writes is needed if what it writes is live after it, and only what needed statements read
is live. So of computations that serve only one another, as a sum that nobody reads, none is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias, cast

from relayish.dataflow import Action, FlowGraph, build_flow_graph, solve
from relayish.dataflow.analyses.liveness import Live, Liveness
from relayish.dataflow.graph.mod_ref import ModRef
from relayish.dataflow.solver.analysis import Transfer
from relayish.ir.nodes.node import Node
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.stmt import Let
from relayish.tir.ir.tensor import Store

IsHarmless: TypeAlias = Callable[[Node], bool]
"""``is_harmless(stmt)``: whether all that a statement evaluates may as well not be evaluated."""


def find_unneeded(func: LoweredFunc, is_harmless: IsHarmless) -> set[Node]:
    """Return the declarations and stores of ``func`` that may go, all of them at once.

    Those that stand in several places stay, and those of variables that are bound in several.

    Complexity:
        Linear in statements, but where loops carry what is live in turns; no recursion.
    """
    graph = build_flow_graph(func)
    analysis = _Needed(graph, is_harmless)
    solve([analysis], graph)
    return {node for node in analysis.removable if node not in analysis.needed}


class _Needed(Liveness):
    """Liveness by what is needed.

    Where a variable is written, states also hold a pair that asks for its declaration.

    Attributes:
        removable: The statements that may go if they are not needed.
        needed: Those of which something is, as far as is known.
    """

    def __init__(self, graph: FlowGraph, is_harmless: IsHarmless) -> None:
        self.needed: set[Node] = set()
        bound = Counter(variable for binders in graph.binders.values() for variable in binders)
        rebound = {variable for variable, count in bound.items() if count > 1}
        self.removable = {
            node
            for number, node in enumerate(graph.nodes)
            if graph.actions[number] is Action.EVALUATE
            and isinstance(node, (Let, Store))
            and _only_writes(graph.accesses.at(number))
            and rebound.isdisjoint(_written_by(node, graph.accesses.at(number)))
            and len(graph.occurrences(node)) == 1
            and is_harmless(node)
        }

    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:
        if action is Action.EVALUATE:
            return self._evaluate
        return super().transfer_of(action, kind, is_tree)

    def _evaluate(self, node: Node, live: Live) -> Live:
        written = _written_by(node, self.accessed)
        if node in self.removable:
            if isinstance(node, Let):
                written = (*written, _declared(node.symbol))
            if not any(place in live for place in written):
                return live
            self.needed.add(node)
        live = self._access(node, live)
        if isinstance(node, Let):
            return live.discard(_declared(node.symbol))
        for place in written:
            live = live.add(_declared(place))
        return live


def _declared(place: Node) -> Node:
    """Return what stands in states for a variable whose declaration is needed."""
    return cast("Node", ("declared", place))


def _written_by(node: Node, accessed: ModRef) -> tuple[Node, ...]:
    """Return what a statement declares, or else writes."""
    if isinstance(node, Let):
        return (node.symbol,)
    return (*accessed.overwrites, *accessed.changes)


def _only_writes(accessed: ModRef) -> bool:
    return not (accessed.effect or accessed.exposes or accessed.clears)
