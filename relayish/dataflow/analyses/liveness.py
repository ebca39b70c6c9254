"""Live-variable analysis: which variables may be used later, before they are assigned again."""

from __future__ import annotations

from collections.abc import Iterable

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.accesses import touches
from relayish.dataflow.graph.control_flow import defers, is_let
from relayish.dataflow.graph.mod_ref import READING, names_places
from relayish.dataflow.graph.point import Action, Procedure
from relayish.dataflow.lattice import AnySet, PersistentSet, Powerset
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.ir.nodes.getters import NodesGetter, compile_getter, scope_fields
from relayish.ir.nodes.node import ATOMS, VARIABLES, Node
from relayish.ir.scopes.scoping import has_parts, operands_of

Live = AnySet[Node]


@register_analysis()
class Liveness(AnalysisByKind[Live]):
    """Live-variable analysis: what is live at a point may be read later, as it is there.

    Variables count by identity, of whatever sort: of lets, loops and functions, scalars that are
    assigned to, and memory, which goes by the variable that names it. A variable is dead before it
    is bound, or overwritten as a whole; a store to a part of it, as to an element, uses nothing
    and leaves alive what is alive. Variables that a function captures are used where it is made.

    What evaluates nothing but what some place holds, such as a call of unknown effect, may read
    whatever others may reach. Where a function is left, variables from outside that are written
    anywhere are live, and memory of its caller.

    Source:
        The example of TVM's request #4468; Aho et al., *Compilers*, 9.2.5.

    Example:
        >>> from relayish.dataflow import solve
        >>> from relayish.ir.relay.expr import If, Let, Var
        >>> c, x, y = Var("c"), Var("x"), Var("y")
        >>> branching = If(c, x, y)
        >>> [found] = solve([Liveness()], Let(x, y, branching))
        >>> sorted(var.name_hint for var in found.before(branching))
        ['c', 'x', 'y']
        >>> sorted(var.name_hint for var in found.entry)
        ['c', 'y']
        >>> from relayish import tir
        >>> a = tir.Var("a")
        >>> again, twice = tir.Store(a, a + 1), tir.Store(a, 2)
        >>> [found] = solve([Liveness.with_live_out([a])], tir.Block((again, twice)))
        >>> found.after(again), found.after(twice) == {a}
        (PersistentSet(), True)
    """

    direction = Direction.BACKWARD
    lattice = Powerset[Node]()

    _live_out: Live = PersistentSet()

    @classmethod
    def with_live_out(cls, live_out: Iterable[Node]) -> Liveness:
        """Return the analysis of a program at whose end, no function's, ``live_out`` is live."""
        made = cls()
        made._live_out = PersistentSet(live_out)
        return made

    def boundary(self, procedure: Procedure) -> Live:
        outliving = self.graph.accesses.outliving(procedure)
        begun = self._live_out if procedure.parent is None else PersistentSet[Node]()
        return begun.update(outliving) if outliving else begun

    def transfer_of(self, action: Action, kind: type[Node], is_tree: bool) -> Transfer | None:
        if kind in ATOMS and action not in (Action.ENTRY, Action.EXIT, Action.LEAVE):
            return self._use if kind in VARIABLES else None
        match action:
            case Action.EVALUATE | Action.ENTER:
                if is_tree or self._accesses_places(kind) or not _evaluates_operands_alone(kind):
                    return self._access
                return _using(operands_of(kind)) if scope_fields(kind).outside else None
            case Action.BIND:
                if is_tree:
                    return self._access
                return self._let(kind) if is_let(kind) else self._bind
            case Action.LOOP | Action.LEAVE:
                return self._access if self._accesses_places(kind) else None
            case Action.ENTRY:
                return self._bind
            case _:
                return None

    def _accesses_places(self, kind: type[Node]) -> bool:
        return names_places(kind) or (touches(kind) and bool(self.graph.accesses.aliased))

    def _use(self, variable: Node, live: Live) -> Live:
        return live.add(variable)

    def _bind(self, _node: Node, live: Live) -> Live:
        bound = self.bound
        return live.difference(bound) if bound else live

    def _let(self, kind: type[Node]) -> Transfer:
        use = _using(compile_getter(scope_fields(kind).recursive))

        def bind(node: Node, live: Live) -> Live:
            used: Live = use(node, live.difference(self.bound))
            return used

        return bind

    def _access(self, _node: Node, live: Live) -> Live:
        """Transfer whatever may happen at a point."""
        accessed, bound = self.accessed, self.bound
        if bound:
            live = live.difference(bound)
        if accessed.overwrites:
            live = live.difference(accessed.overwrites)
        if accessed.clears:
            live = live.difference(accessed.clears)
        if accessed.effect and accessed.effect & READING:
            live = live.update(self.graph.accesses.aliased)
        for used in (accessed.reads, accessed.uses):
            for variable in used:
                live = live.add(variable)
        return live


def _evaluates_operands_alone(kind: type[Node]) -> bool:
    """Return whether nodes of a kind neither bind nor capture variables, nor have parts."""
    return not scope_fields(kind).binders and not defers(kind) and not has_parts(kind)


def _using(held: NodesGetter) -> Transfer:
    """Return the transfer that uses those of some operands that are variables."""
    variables = VARIABLES

    def use(node: Node, live: Live) -> Live:
        for operand in held(node):
            if type(operand) in variables:
                live = live.add(operand)
        return live

    return use
