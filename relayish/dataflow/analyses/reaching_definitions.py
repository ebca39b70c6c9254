"""Reaching definitions: at which points variables may have got the values they have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.accesses import touches
from relayish.dataflow.graph.control_flow import is_let
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.mod_ref import WRITING
from relayish.dataflow.graph.point import Action
from relayish.dataflow.lattice import AnySet, MapLattice, PersistentSet, Powerset
from relayish.dataflow.lattice.map_lattice import MapState
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.ir.nodes.node import Node
from relayish.ir.scopes.scoping import bound_by

Definitions = MapState[Node, AnySet[int]]
"""For each variable, the numbers of the points that may have defined it."""


@register_analysis()
class ReachingDefinitions(AnalysisByKind[Definitions]):
    """Reaching definitions: for each variable, the points that may have given it its value.

    Definitions are bindings, also of parameters, which the entry of their function defines, and
    writes. A write of the whole kills the definitions before it; one of a part, or one that may
    happen, as at a call of unknown effect, adds to them. Memory that is allocated or freed is
    defined by that. What a variable or memory from outside holds already is a definition too, at
    the entry of the procedure. The variable of a loop has none after it.

    Complexity:
        Where others may be written, linear in the places that others may reach.

    Source:
        Aho et al., *Compilers*, 9.2.4.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow import solve
        >>> x, c, out = tir.Var("x"), tir.Var("c"), tir.Var("out")
        >>> first, second, use = tir.Store(x, 1), tir.Store(x, 2), tir.Store(out, x)
        >>> program = tir.Block((first, tir.IfThenElse(c < 1, second), use))
        >>> [found] = solve([ReachingDefinitions()], program)
        >>> reaching = found.before(use)[x]
        >>> sorted(str(found.graph.point(number)) for number in reaching)
        ['evaluate x[] = 1', 'evaluate x[] = 2']
    """

    direction = Direction.FORWARD
    lattice = MapLattice[Node, AnySet[int]](Powerset[int]())

    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:
        match action:
            case Action.ENTRY:
                return self._enter
            case Action.BIND:
                return self._define if is_tree or not is_let(kind) else self._define_bound
            case Action.LEAVE if is_tree:
                return self._leave
            case Action.EVALUATE | Action.ENTER | Action.LOOP | Action.LEAVE:
                if is_tree or touches(kind):
                    return self._define
                return self._define_bound if action is Action.EVALUATE else None
            case _:
                return None

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        times = Counter(chain.from_iterable(graph.binders.values()))
        once = {variable for variable, count in times.items() if count == 1}
        for number in range(len(graph)) if once else ():
            accessed = graph.accesses.at(number)
            once.difference_update(accessed.overwrites, accessed.changes, accessed.clears)
        self._bound_once = once
        return super().transfers(graph)

    def _enter(self, _node: Node, state: Definitions) -> Definitions:
        """Define parameters, and what comes from outside with what it holds."""
        procedure = self.graph.procedure_of(self.number)
        here: PersistentSet[int] = PersistentSet((self.number,))
        for variable in (*self.graph.accesses.from_outside(procedure), *self.bound):
            state = state.set(variable, here)
        return state

    def _leave(self, node: Node, state: Definitions) -> Definitions:
        """Forget what loops and schedule blocks bind, which nothing after them can name.

        So what comes back to a loop differs little from what enters it, however many are inside.
        """
        state = self._define(node, state)
        for variable in bound_by(node):
            if variable in self._bound_once:  # else one around the loop may be of the same name
                state = state.discard(variable)
        return state

    def _define_bound(self, _node: Node, state: Definitions) -> Definitions:
        bound = self.bound
        if bound:
            here: PersistentSet[int] = PersistentSet((self.number,))
            for variable in bound:
                state = state.set(variable, here)
        return state

    def _define(self, node: Node, state: Definitions) -> Definitions:
        accessed, number = self.accessed, self.number
        aliased = accessed.effect and accessed.effect & WRITING
        for place in self.graph.accesses.aliased if aliased else ():
            state = _add(state, place, number)
        for place in accessed.changes:
            state = _add(state, place, number)
        here: PersistentSet[int] = PersistentSet((number,))
        for places in (accessed.clears, accessed.overwrites):
            for place in places:
                state = state.set(place, here)
        return self._define_bound(node, state)


def _add(state: Definitions, place: Node, number: int) -> Definitions:
    before = state.get(place)
    if before is None:
        return state.set(place, PersistentSet((number,)))
    return state.set(place, before.add(number))
