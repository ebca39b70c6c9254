"""Alias analysis: which things the variables in scope may stand for, at each point."""

from __future__ import annotations

from relayish.dataflow.functor import ForwardDataFlow
from relayish.dataflow.lattice import AnySet, MapLattice, PersistentSet, Powerset
from relayish.dataflow.lattice.map_lattice import MapState
from relayish.dataflow.points_to.result import UNKNOWN, Site
from relayish.dataflow.registry import register_analysis
from relayish.ir.nodes.node import Node

State = MapState[Node, AnySet[Site]]


@register_analysis()
class Aliases(ForwardDataFlow[State]):
    """May-alias sets: for each variable in scope, the creation sites of what it may stand for.

    Two variables may stand for one thing where their sets meet. Left out are variables whose values
    have no identity, as those of tensors, and those of which nothing is known but that what they
    stand for was made outside; :meth:`~.points_to.result.PointsTo.may_alias` minds these.

    Args:
        entries: The definitions of a module that are called from outside; by default all are.

    Example:
        >>> from relayish.dataflow import solve
        >>> from relayish.ir.relay.expr import If, Let, RefCreate, RefRead, Var
        >>> c, r, s, t, x = Var("c"), Var("r"), Var("s"), Var("t"), Var("x")
        >>> end = RefRead(t)
        >>> program = Let(r, RefCreate(x), Let(s, RefCreate(x), Let(t, If(c, r, s), end)))
        >>> [solution] = solve([Aliases()], program)
        >>> {var.name_hint: len(sites) for var, sites in solution.before(end).items()}
        {'r': 1, 's': 1, 't': 2}
    """

    lattice = MapLattice(Powerset())
    interprocedural = True

    def __init__(self, *, entries: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.entries = entries or None

    def bind(self, node: Node, variables: tuple[Node, ...], state: State) -> State:  # noqa: ARG002
        assert self.calls is not None
        for variable in variables:
            sites = self.calls.points_to.of(variable)
            if not sites <= _UNKNOWN_ALONE:
                state = self.lattice.set(state, variable, PersistentSet(sites))
        return state

    def overwritten(self, node: Node, places: tuple[Node, ...], state: State) -> State:  # noqa: ARG002
        """Return the state unchanged: what is written was counted wherever a variable is bound."""
        return state


_UNKNOWN_ALONE: frozenset[Site] = frozenset([UNKNOWN])
