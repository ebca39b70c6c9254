"""Analyses whose transfers follow from the action of a point and the kind of its node."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Generic, TypeAlias, TypeVar

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.mod_ref import ModRef
from relayish.dataflow.graph.point import Action
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.ir.nodes.node import Node
from relayish.ir.nodes.traversal import ByKind

S = TypeVar("S")

TransferOf: TypeAlias = Callable[[Action, type[Node], bool], Transfer | None]
"""``transfer_of(action, kind, is_tree)``: see :meth:`AnalysisByKind.transfer_of`."""


class AnalysisByKind(Analysis[S], Generic[S]):
    """A base of analyses that ask of each kind of node once what its points do to states."""

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        return transfers_by_kind(graph, self.transfer_of)

    @abstractmethod
    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool, /) -> Transfer | None:
        """Return the transfer of points of an action at nodes of a kind; ``None``: none.

        Args:
            action: What happens there.
            kind: The class of nodes.
            is_tree: Whether the expressions in a node have no points of their own.
        """

    @property
    def accessed(self) -> ModRef:
        """What is accessed at the point that is being transferred."""
        return self.graph.accesses.at(self.number)

    @property
    def bound(self) -> tuple[Node, ...]:
        """The variables that come into scope there."""
        return self.graph.binders.get(self.number, ())


def transfers_by_kind(graph: FlowGraph, transfer_of: TransferOf) -> list[Transfer | None]:
    """Return for each point the transfer of its action and the kind of its node.

    Complexity:
        Linear in points; ``transfer_of`` is asked once for each action and kind.
    """

    def table(action: Action, is_tree: bool) -> ByKind:
        return ByKind(lambda kind: transfer_of(action, kind, is_tree))

    tables = {
        is_tree: {action: table(action, is_tree) for action in Action}
        for is_tree in set(graph.is_tree)
    }
    found: list[Transfer | None] = []
    for procedure, is_tree in zip(graph.procedures, graph.is_tree, strict=True):
        steps = tables[is_tree]
        points = slice(procedure.entry, procedure.exit + 1)
        found += [
            steps[action][type(node)]
            for action, node in zip(graph.actions[points], graph.nodes[points], strict=True)
        ]
    return found
