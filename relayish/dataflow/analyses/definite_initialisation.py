"""Definite initialisation: which variables hold a value, whatever way control came."""

from __future__ import annotations

from collections.abc import Iterator

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.control_flow import is_let
from relayish.dataflow.graph.mod_ref import names_places, without_value
from relayish.dataflow.graph.point import Action, Point, Procedure
from relayish.dataflow.lattice import AnySet, MustPowerset, PersistentSet
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.dataflow.solver.solution import Solution
from relayish.ir.nodes.node import Node

Initialised = AnySet[Node]


@register_analysis()
class DefiniteInitialisation(AnalysisByKind[Initialised]):
    """Definite initialisation: the variables that hold a value on every path to a point.

    A binding gives a value, but for a declaration without one, and for memory that is local to a
    function. Memory that is allocated holds nothing until something is stored in it, and nothing
    again when it is freed. It counts as a whole: any store to a part of it initialises it, so this
    finds memory of which nothing was written, and not elements of which nothing was. What may be
    written at a call of unknown effect is taken not to be. Variables from outside hold values.

    Source:
        Aho et al., *Compilers*, 9.2; definite assignment in the specification of Java, chapter 16.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow import solve
        >>> x, c, out = tir.Var("x"), tir.Var("c"), tir.Var("out")
        >>> use = tir.Store(out, x)
        >>> branching = tir.IfThenElse(c < 1, tir.Store(x, 1))
        >>> program = tir.Block((tir.Let(x), branching, use))
        >>> [found] = solve([DefiniteInitialisation()], program)
        >>> x in found.before(use), x in found.after(branching.true_case)
        (False, True)
        >>> [(var.name, str(point)) for var, point in uninitialised_uses(found)]
        [('x', 'evaluate out[] = x')]
    """

    direction = Direction.FORWARD
    lattice = MustPowerset[Node]()

    def boundary(self, procedure: Procedure) -> Initialised:
        graph = self.graph
        points = range(procedure.entry, procedure.exit + 1)
        bound = {var for number in points for var in graph.binders.get(number, ())}
        free: dict[Node, None] = {}
        for number in points:
            accessed = graph.accesses.at(number)
            for places in (accessed.uses, accessed.reads, accessed.overwrites, accessed.changes):
                free.update(dict.fromkeys(places))
        return PersistentSet([variable for variable in free if variable not in bound])

    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:
        match action:
            case Action.ENTRY:
                return self._bind
            case Action.BIND:
                return self._write if is_tree or not is_let(kind) else self._bind
            case Action.EVALUATE | Action.ENTER:
                return self._write if is_tree or names_places(kind) else self._bind
            case Action.LOOP | Action.LEAVE:
                return self._write if names_places(kind) else None
            case _:
                return None

    def _bind(self, node: Node, state: Initialised) -> Initialised:
        bound = self.bound
        if not bound:
            return state
        state = state.update(bound)
        without = without_value(node)
        return state.difference(without) if without else state

    def _write(self, node: Node, state: Initialised) -> Initialised:
        accessed = self.accessed
        if accessed.clears:
            state = state.difference(accessed.clears)
        if accessed.overwrites:
            state = state.update(accessed.overwrites)
        if accessed.changes:
            exposed = accessed.exposes  # it may be written by whoever knows of it, or may not
            state = state.update([place for place in accessed.changes if place not in exposed])
        return self._bind(node, state)


def uninitialised_uses(solution: Solution[Initialised]) -> Iterator[tuple[Node, Point]]:
    """Yield the variables that a point may use without a value, each with the point, in order.

    Args:
        solution: Of :class:`DefiniteInitialisation`.
    """
    graph = solution.graph
    for point in graph.points:
        if not solution.is_reached(point):
            continue
        accessed, state = graph.accesses.at(point.number), solution.before(point)
        for variable in dict.fromkeys((*accessed.uses, *accessed.reads)):
            if variable not in state:
                yield variable, point
