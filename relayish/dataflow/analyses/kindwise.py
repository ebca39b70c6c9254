"""Analyses whose transfers follow from the action of a point and the kind of its node."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Generic, TypeVar

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.mod_ref import ModRef
from relayish.dataflow.graph.point import Action
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.ir.getters import scope_fields
from relayish.ir.node import Node
from relayish.ir.roles import Runs
from relayish.ir.scoping import has_parts
from relayish.ir.traversal import ByKind

S = TypeVar("S")


class KindwiseAnalysis(Analysis[S], Generic[S]):
    """A base of analyses that ask of each kind of node once what its points do to states."""

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        found: list[Transfer | None] = []
        for procedure, is_tree in zip(graph.procedures, graph.is_tree, strict=True):
            steps = {action: self._steps(action, is_tree) for action in Action}
            points = slice(procedure.entry, procedure.exit + 1)
            found += [
                steps[action][type(node)]
                for action, node in zip(graph.actions[points], graph.nodes[points], strict=True)
            ]
        return found

    def _steps(self, action: Action, is_tree: bool) -> ByKind:
        return ByKind(lambda kind: self.transfer_of(action, kind, is_tree))

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


def evaluates_operands_alone(kind: type[Node]) -> bool:
    """Return whether nodes of a kind neither bind nor capture variables, nor have parts."""
    fields = scope_fields(kind)
    defers = any(f.runs is Runs.DEFERRED for f in fields.scopes)
    return not fields.binders and not defers and not has_parts(kind)
