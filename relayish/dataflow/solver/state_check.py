"""A check of an analysis while it is solved: states are states, and stay what they are.

A transfer that returns something else, or changes the state it is given, and a lattice whose join
is not above both states, make results wrong without any error; here they are told, with the point.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, TypeVar, cast

from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.lattice import Lattice
from relayish.dataflow.lattice.laws import shown
from relayish.dataflow.lattice.symbols import UNREACHABLE
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.errors import AnalysisError
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import PROGRAM

S = TypeVar("S")


class StateCheck:
    """Looks at what the transfers and the lattice of an analysis are given and return."""

    def __init__(self, analysis: Analysis[Any], graph: FlowGraph) -> None:
        self.analysis, self.graph = analysis, graph
        self._nodes = {id(node): node for node in PROGRAM.pre_order(graph.nodes)}

    def transfers(self, steps: Sequence[Transfer | None]) -> list[Transfer | None]:
        """Return transfers that do what ``steps`` do, and are looked at."""
        return [None if step is None else self._checked(step) for step in steps]

    def _checked(self, step: Transfer) -> Transfer:
        def transfer(node: Node, state: Any) -> Any:  # Any: states
            found = self.call("the transfer", lambda given: step(node, given), state)
            if found is not None and found is not UNREACHABLE:
                self.require_state("the transfer", found)
            return found

        return transfer

    def call(self, what: str, function: Callable[..., S], *states: Any) -> S:
        """Return what a function makes of states, which it has to leave as they are."""
        before = [self._copy(state) for state in states]
        found = function(*states)
        for state, copy in zip(states, before, strict=True):
            if copy is not None and not self.analysis.lattice.equal(copy, state):
                self.refuse(
                    f"{what} changed its state in place, from {shown(copy)} to {shown(state)}; "
                    f"states are shared, so return a new one"
                )
        return found

    def _copy(self, state: Any) -> Any:  # Any: a state
        """Return a copy of a state; ``None`` where copies are told from what they are of.

        What it holds of the program stays.
        """
        try:
            copy = deepcopy(state, cast("dict[int, Any]", ChainMap({}, self._nodes)))
        except TypeError:  # it holds what has no copies, such as a generator
            return None
        if copy is state or not self.analysis.lattice.equal(copy, state):
            return None
        return copy

    def require_state(self, what: str, found: object) -> None:
        """Raise unless something is a state."""
        lattice = self.analysis.lattice
        if not lattice.is_state(found):
            self.refuse(
                f"{what} returned {shown(found)}, of type {type(found).__name__}, which is no "
                f"state of {shown(lattice)}; return a state, or say in is_state(given) of the "
                f"lattice that it is one"
            )

    def refuse(self, found: str) -> None:
        """Raise an error that names the point that is, or was last, transferred."""
        number = self.analysis.number
        raise AnalysisError(
            f"{self.analysis.name} at {self.graph.point(number)} (point {number}): {found}"
        )


class CheckedLattice(Lattice[S]):
    """A lattice whose operations are looked at."""

    finite_height = False

    def __init__(self, lattice: Lattice[S], check: StateCheck) -> None:
        self.lattice, self.check = lattice, check
        self.bottom, self.top = lattice.bottom, lattice.top

    def join(self, a: S, b: S) -> S:
        return self._above("join", self.lattice.join, a, b)

    def meet(self, a: S, b: S) -> S:
        return self.check.call("meet", self.lattice.meet, a, b)

    def leq(self, a: S, b: S) -> bool:
        return self.lattice.leq(a, b)

    def equal(self, a: S, b: S) -> bool:
        return self.lattice.equal(a, b)

    def widen(self, old: S, new: S) -> S:
        return self._above("widen", self.lattice.widen, old, new)

    def narrow(self, old: S, new: S) -> S:
        found = self.check.call("narrow", self.lattice.narrow, old, new)
        self.check.require_state("narrow", found)
        return found

    def _above(self, name: str, function: Callable[[S, S], S], a: S, b: S) -> S:
        found = self.check.call(name, function, a, b)
        self.check.require_state(name, found)
        if not (self._is_below(a, found) and self._is_below(b, found)):
            self.check.refuse(
                f"{name} of {shown(a)} and {shown(b)} is {shown(found)}, which is not above both; "
                f"mend {name} of {shown(self.lattice)}"
            )
        return found

    def _is_below(self, a: S, b: S) -> bool:
        """Return whether ``a`` is below ``b``; meet is asked too: ``leq`` may be made of join."""
        lattice = self.lattice
        return lattice.leq(a, b) and lattice.equal(lattice.meet(a, b), a)
