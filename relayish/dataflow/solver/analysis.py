"""Analyses: what the solver asks of a data-flow analysis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph, Procedure
from relayish.dataflow.graph.point import Edge
from relayish.dataflow.lattice import Lattice
from relayish.dataflow.lattice.symbols import Unreachable

S = TypeVar("S")


Transfer: TypeAlias = Callable[[Any, Any], Any]  # Any: a node of one kind, states
"""``transfer(node, state)``: the state on the other side of a point."""


class Analysis(Generic[S]):
    """A dense data-flow analysis: a state before and after each program point.

    Attributes:
        name: What errors and reports call it; that of the class by default.
        lattice: The lattice that its states are elements of.
        direction: Whether states flow with control or against it.
        widen_after: How often the state at the header of a loop grows before it is widened.
        narrowing: How many descending passes follow where states were widened.
    """

    name: ClassVar[str]
    lattice: Lattice[S]
    direction: ClassVar[Direction]
    widen_after: int = 3
    narrowing: int = 2
    outside: S | None = None
    """The state where what is analysed is entered, for a backward analysis left, if it is given."""
    number: int = 0
    """The number of the point that is being transferred."""
    graph: FlowGraph
    """The graph that is being solved."""

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    @abstractmethod
    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        """Return for each point of ``graph`` its transfer; ``None``: the state stays what it is."""

    def boundary(self, procedure: Procedure) -> S:  # noqa: ARG002
        """Return the state where a procedure is entered; for a backward analysis, left."""
        return self.lattice.bottom

    def reaching(self, procedure: Procedure) -> S:
        """Return what reaches a procedure from outside: the state given, or its boundary."""
        is_outermost = procedure.parent is None and self.outside is not None
        return cast("S", self.outside) if is_outermost else self.boundary(procedure)

    def refine(self, edge: Edge, state: S) -> S | Unreachable:  # noqa: ARG002
        """Return what is known of ``state`` where an edge with a branch is taken."""
        return state

    @property
    def refines(self) -> bool:
        """Whether edges refine states."""
        return type(self).refine is not Analysis.refine
