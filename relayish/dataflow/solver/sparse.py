"""Sparse analyses: a value for each node and variable, rather than a state for each point."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Generic, NoReturn, Self, TypeVar

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action, Point, Procedure
from relayish.dataflow.lattice import TOP, Lattice, MapLattice, PersistentMap
from relayish.dataflow.lattice.map_lattice import MapState
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.dataflow.solver.solution import Solution
from relayish.errors import AnalysisError
from relayish.ir.nodes.node import ATOMS, NAMES, VARIABLES, Node

V = TypeVar("V")


class SparseAnalysis(Analysis[MapState[Node, V]], Generic[V]):
    """A sparse forward analysis: an abstract value for each node that is evaluated.

    What operators do is told by :func:`~.transfer_rules.TRANSFERS`, for each operator or
    kind. Variables have the values that they are bound to, branches and matches join those of the
    arms that control reaches: what :func:`~relayish.dataflow.VALUE_FLOW` says of kinds.
    Anything else is the top of :attr:`values`.

    A condition of which the analysis knows :meth:`truth` makes the other branch unreachable; what
    it says of other values holds in its branch: :func:`~.transfer_rules.REFINEMENTS`. So
    states, which say what else is known at a point, are maps from nodes to values.

    Only for languages whose variables never change (those of dataflow graphs): in others, a value
    depends on where it is asked for.

    Args:
        strict: Whether an operator without a transfer is refused, which else may give anything.

    Attributes:
        values: The lattice of values.
        operators: The kinds of nodes that name operators.

    Source:
        Wegman and Zadeck's sparse conditional constants; MLIR's sparse analyses.

    Example:
        >>> from relayish.dataflow import TRANSFERS, solve
        >>> from relayish.dataflow.lattice import Flat
        >>> from relayish.ir.relay.expr import Constant, If, Let, Tuple, Var
        >>> class Lengths(SparseAnalysis):
        ...     values = Flat()
        >>> @TRANSFERS.register(Lengths, Tuple)
        ... def length(tup, *fields):
        ...     return len(fields)
        >>> x, y = Var("x"), Var("y")
        >>> pair = Let(x, Tuple((y, y)), If(y, x, Tuple((x, y))))
        >>> [lengths] = solve([Lengths()], pair)
        >>> lengths.value(x), lengths.value(y), lengths.value(pair)
        (2, TOP, 2)
    """

    direction = Direction.FORWARD
    lattice_field = "values"
    values: Lattice[V]
    operators: tuple[type[Node], ...] = ()

    found: Mapping[Node, V] = MappingProxyType({})
    """The values, once they were found."""

    def __init__(self, *, strict: bool = False) -> None:
        self.strict = strict

    @cached_property
    def lattice(self) -> MapLattice[Node, V]:  # type: ignore[override]
        """Return the lattice of states: what is known of some nodes beyond their values."""
        return MapLattice(self.values, default=TOP)

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:  # noqa: ARG002
        """Refuse: only the solver keeps what sparse analyses find."""
        self._refuse("has transfers of nodes, not of points")

    # What a domain says

    def literal(self, node: Node) -> V:  # noqa: ARG002
        """Return the value of a literal."""
        return self.values.top

    def parameter(self, procedure: Procedure, variable: Node) -> V:  # noqa: ARG002
        """Return the value of a parameter of a procedure that is called from outside."""
        return self.values.top

    def free(self, node: Node) -> V:  # noqa: ARG002
        """Return the value of a variable that nothing binds, or of a name."""
        return self.values.top

    def of_atom(self, node: Node) -> V:
        """Return the value of an atom that nothing binds: what is free, or a literal."""
        is_free = type(node) in VARIABLES or type(node) in NAMES
        return self.free(node) if is_free else self.literal(node)

    def created(self, node: Node, parts: Mapping[Hashable, V]) -> V:  # noqa: ARG002
        """Return the value of what consists of parts that never change, as a tuple does."""
        return self.values.top

    def part(self, value: V, key: Hashable) -> V:  # noqa: ARG002
        """Return the value of a part of what has ``value``."""
        return self.values.top

    def truth(self, value: V) -> bool | None:  # noqa: ARG002
        """Return whether a condition of that value holds; ``None`` where it may or may not."""
        return None

    def of_truth(self, truth: bool) -> V | None:  # noqa: ARG002
        """Return the value of a condition that holds, or that does not."""
        return None

    def operator_transfer(self, operator: Node) -> Callable[..., V] | None:  # noqa: ARG002
        """Return the transfer of an operator that has none registered, if there is one."""
        return None

    def with_values(self, graph: FlowGraph, found: dict[Node, V]) -> Self:
        """Return the analysis with the values that it found in a graph."""
        own = copy.copy(self)
        own.graph, own.found = graph, MappingProxyType(found)
        return own

    def _refuse(self, why: str) -> NoReturn:
        raise AnalysisError(
            f"{self.name} {why}: it is a sparse analysis; give it to relayish.dataflow.solve"
        )


class SparseSolution(Solution[MapState[Node, V]], Generic[V]):
    """What a sparse analysis found; never changed.

    States before and after points are what branches say of nodes there.
    """

    __slots__ = ()

    analysis: SparseAnalysis[V]

    @property
    def values(self) -> Mapping[Node, V]:
        """The value of each node and variable that was evaluated; unreachable ones have none."""
        return self.analysis.found

    def value(self, node: Node, point: Point | int | None = None) -> V:
        """Return the value of a node, joined over all its evaluations.

        Args:
            node: An expression or a variable.
            point: Where it is used, if what branches around there say is to count too.

        Returns:
            The bottom of the lattice for what is never evaluated.
        """
        analysis = self.analysis
        if point is not None:
            refined = self.before(point).get(node)
            if refined is not None and self.is_reached(point):
                known: V = refined
                return known
        found = self.values.get(node)
        if found is None and type(node) in ATOMS and node not in self.graph.bound:
            return analysis.of_atom(node)
        return analysis.values.bottom if found is None else found

    def after(self, point: Point | Node | int) -> MapState[Node, V]:
        """Return what is known after a point beyond values, and the values that it gives.

        Those are of the node that is evaluated there, or of the variables that come into scope.
        """
        state = super().after(point)
        given: Sequence[Node] = ()
        if isinstance(point, Node):
            given = (point,)
        else:
            number = point.number if isinstance(point, Point) else point
            if self.is_reached(number):
                given = self.graph.binders.get(number, ()) or (self.graph.nodes[number],)
        for node in given:
            value = self.values.get(node)
            if value is not None:
                state = self.analysis.lattice.set(state, node, value)
        return state

    def first_difference(self, other: Solution[MapState[Node, V]]) -> Point | None:
        """Return the first point at which ``other`` has another state, or other values."""
        found = super().first_difference(other)
        if found is not None or not isinstance(other, SparseSolution):
            return found
        bottom, equal = self.analysis.values.bottom, self.analysis.values.equal
        for number, nodes in enumerate(zip(self.graph.nodes, other.graph.nodes, strict=True)):
            bound = (graph.binders.get(number, ()) for graph in (self.graph, other.graph))
            gives = self.graph.actions[number] in (Action.EVALUATE, Action.LEAVE)
            for ours, theirs in (*[nodes] * gives, *zip(*bound, strict=True)):
                values = self.values.get(ours, bottom), other.values.get(theirs, bottom)
                if not equal(*values):
                    return self.graph.point(number)
        return None

    def rebind(self, graph: FlowGraph) -> Self:
        """Return the same values for the nodes at the points of ``graph``."""
        rebound = super().rebind(graph)
        images = dict(zip(self.graph.nodes, graph.nodes, strict=True))
        for number, bound in self.graph.binders.items():
            images.update(zip(bound, graph.binders[number], strict=True))
        values = {images[n]: value for n, value in self.values.items() if n in images}
        analysis = rebound.analysis.with_values(graph, values)
        states: dict[int, Any] = {}  # Any: states
        for state in (*self._incoming, *self._outgoing.values()):
            if isinstance(state, PersistentMap) and id(state) not in states:
                kept = [(images[n], value) for n, value in state.items() if n in images]
                states[id(state)] = PersistentMap(kept)
        incoming = [states.get(id(state), state) for state in self._incoming]
        outgoing = {point: states.get(id(s), s) for point, s in self._outgoing.items()}
        return type(self)(analysis, graph, incoming, outgoing, 0)
