"""Analyses: what the solver asks of a data-flow analysis."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Edge, Procedure
from relayish.dataflow.lattice import Lattice
from relayish.dataflow.lattice.symbols import Unreachable
from relayish.dataflow.solver.calls import Callee, CallSite, CallSites

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
        interprocedural: Whether states go into what is called and come back.
        entries: For that, the definitions of a module that are called from outside, by name;
            ``None``: not said.
    """

    name: ClassVar[str]
    lattice_field: ClassVar[str] = "lattice"
    """The attribute in which a class says its lattice, or that of the values in its states."""
    lattice: Lattice[S]
    direction: ClassVar[Direction]
    widen_after: int = 3
    narrowing: int = 2
    interprocedural: bool = False
    entries: Collection[str] | None = None
    outside: S | None = None
    """The state where what is analysed is entered, for a backward analysis left, if it is given."""
    number: int = 0
    """The number of the point that is being transferred."""
    graph: FlowGraph
    """The graph that is being solved."""
    calls: CallSites | None = None
    """In an interprocedural run, the calls of the program."""
    own_transfers: Sequence[Transfer | None] = ()
    """In an interprocedural run, the transfers of points, as though all calls were unknown."""

    def __init_subclass__(cls, **options: Any) -> None:  # Any: passed on to other bases
        super().__init_subclass__(**options)
        if "name" not in cls.__dict__:
            cls.name = cls.__name__

    def running(self) -> AbstractContextManager[object]:
        """Return a context in which the analysis is to be solved: by default, nothing changes."""
        return nullcontext()

    @abstractmethod
    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        """Return for each point of ``graph`` its transfer; ``None``: the state stays what it is."""

    def end(self) -> None:
        """Be told that the solver has found everything, or failed."""

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

    def enter_call(self, site: CallSite, callee: Callee, state: S, /) -> S | Unreachable:  # noqa: ARG002
        """Return what enters a procedure that is called in ``state``.

        By default what reaches it from outside, which has to hold whoever calls: then nothing is
        known in the callee of who does. Whoever says more has to mind that the callee may be called
        again before it returns, and that a variable it captures is that of the time when the
        function was made, not of the call.
        """
        return self.boundary(callee.procedure)

    def leave_call(
        self,
        site: CallSite,
        callee: Callee,  # noqa: ARG002
        state: S,
        at_end: S,  # noqa: ARG002
        /,
    ) -> S | Unreachable:
        """Return what comes back from a procedure.

        By default what :meth:`unknown_call` gives, which has to hold whatever is called.

        Args:
            site: The call.
            callee: What it called.
            state: The state in which it was called; for a backward analysis, that after the call.
            at_end: The state in which the callee is left; for a backward analysis, entered.
        """
        return self.unknown_call(site, state)

    def unknown_call(self, site: CallSite, state: S, /) -> S | Unreachable:
        """Return what comes back from a call of something that is not known.

        By default what the transfer of the call gives. A call inside of a statement has none of its
        own: the transfer of the statement follows after all calls in it.
        """
        own = self.own_transfers[site.point] if site.is_point else None
        return state if own is None else cast("S", own(site.node, state))

    @property
    def is_forward(self) -> bool:
        """Whether states flow with control."""
        return self.direction is Direction.FORWARD

    @property
    def refines(self) -> bool:
        """Whether edges refine states."""
        return type(self).refine is not Analysis.refine
