"""Available and very busy expressions: what has been computed, and what will be, on all paths."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from relayish.dataflow.analyses.value_numbers import ValueNumbers
from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.control_flow import has_control_flow
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.mod_ref import WRITING, ModRef, mod_ref_of
from relayish.dataflow.graph.point import Action
from relayish.dataflow.lattice import AnySet, MustPowerset, PersistentSet
from relayish.dataflow.registry import register_analysis
from relayish.dataflow.solver.analysis import Transfer
from relayish.dataflow.solver.analysis_by_kind import AnalysisByKind
from relayish.ir.nodes.node import ATOMS, Node
from relayish.ir.nodes.traversal import EVERYTHING

Expressions = AnySet[Node]
"""Representatives of expressions, as :class:`.ValueNumbers` has them."""

_NONE: Final[PersistentSet[Node]] = PersistentSet()


class _ExpressionAnalysis(AnalysisByKind[Expressions]):
    """What both analyses need: which expressions points evaluate, and which they kill.

    Attributes:
        numbers: The representatives of expressions.
    """

    lattice = MustPowerset[Node]()
    numbers: ValueNumbers
    _below: dict[Node, PersistentSet[Node]]  # what is evaluated with a node, itself included
    _evaluated: Sequence[PersistentSet[Node]]  # by point
    _dependent: Mapping[Node, PersistentSet[Node]]  # what depends on a variable or place
    _readers: PersistentSet[Node]  # what depends on memory that others may reach
    _indirect: PersistentSet[Node]  # of these, what reads it without naming the place
    _aliased: AnySet[Node]  # the places that these may read

    def boundary(self, _procedure: object) -> Expressions:
        return _NONE

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        self.numbers, self._below = ValueNumbers(), {}
        self._evaluated = [self._find_evaluated(number) for number in range(len(graph))]
        self._index()
        return super().transfers(graph)

    def transfer_of(self, action: Action, kind: type[Node], _is_tree: bool) -> Transfer | None:
        match action:
            case Action.YIELD | Action.EXIT:
                return None
            case Action.ENTRY:
                return self._kill_bound
            case _:
                return None if kind in ATOMS else self._step

    @abstractmethod
    def _step(self, node: Node, state: Expressions) -> Expressions:
        """Transfer a point at which something is evaluated or bound."""

    def evaluated_at(self, number: int) -> PersistentSet[Node]:
        """Return the representatives of the expressions that a point evaluates."""
        return self._evaluated[number]

    def _find_evaluated(self, number: int) -> PersistentSet[Node]:
        graph = self.graph
        node, action = graph.nodes[number], graph.actions[number]
        if action is not Action.EVALUATE and action is not Action.ENTER:
            return _NONE
        if type(node) in ATOMS:
            return _NONE
        if graph.accesses.is_tree_at(number):
            return self._find_below(node)
        return self._below.setdefault(node, self._alone(node, _NONE))

    def _find_below(self, root: Node) -> PersistentSet[Node]:
        """Return the representatives of ``root`` and of what it evaluates without points."""
        known = self._below

        def is_done(node: Node) -> bool:
            has_points = node is not root and has_control_flow(node)
            return node in known or type(node) in ATOMS or has_points

        def before(node: Node) -> Sequence[Node]:
            return () if is_done(node) else mod_ref_of(node).evaluates

        for node in EVERYTHING.order_after(root, before):
            if is_done(node):
                continue
            found = _NONE
            for operand in mod_ref_of(node).evaluates:
                found = found.update(known.get(operand, _NONE))
            if node is root and has_control_flow(node):
                return self._alone(node, found)  # not noted: it has points, where it is an operand
            known[node] = self._alone(node, found)
        return known[root]

    def _alone(self, node: Node, found: PersistentSet[Node]) -> PersistentSet[Node]:
        number = self.numbers.number(node)
        return found if number is None else found.add(number)

    def _index(self) -> None:
        """Note which expressions depend on what."""
        numbers, aliased = self.numbers, self.graph.accesses.aliased
        dependent: dict[Node, list[Node]] = {}
        readers: list[Node] = []
        indirect: list[Node] = []
        for number in dict.fromkeys([numbers.number(node) for node in self._below]):
            if number is None:
                continue
            depends = numbers.depends_on(number)
            for place in depends:
                dependent.setdefault(place, []).append(number)
            if numbers.reads_memory(number):
                indirect.append(number)
            elif any(place in aliased for place in depends):
                readers.append(number)
        self._dependent = {place: PersistentSet(found) for place, found in dependent.items()}
        self._readers = PersistentSet([*readers, *indirect])
        self._indirect, self._aliased = PersistentSet(indirect), aliased

    def _kill(self, state: Expressions, accessed: ModRef) -> Expressions:
        """Return the state without what depends on places that are written."""
        for places in (accessed.overwrites, accessed.changes, accessed.clears):
            if places:
                state = self._kill_places(state, places)
        if accessed.effect and accessed.effect & WRITING:
            state = state.difference(self._readers)
        return state

    def _kill_places(self, state: Expressions, places: Iterable[Node]) -> Expressions:
        for place in places:
            dependent = self._dependent.get(place)
            if dependent is not None:
                state = state.difference(dependent)
            if self._indirect and place in self._aliased:
                state = state.difference(self._indirect)
        return state

    def _kill_bound(self, _node: Node, state: Expressions) -> Expressions:
        return self._kill_places(state, self.bound)


@register_analysis()
class AvailableExpressions(_ExpressionAnalysis):
    """Available expressions: what every path to a point has computed, and would compute again.

    Expressions compare by structure and go by representatives: see :class:`.ValueNumbers`. An
    expression is killed where a variable that it mentions is bound or assigned, where memory that
    it reads is written, and, if it reads memory that others may reach, where anything may be.

    Source:
        Aho et al., *Compilers*, 9.2.6.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow import solve
        >>> c, x, y, out = [tir.Var(name) for name in ("c", "x", "y", "out")]
        >>> branching = tir.IfThenElse(c < 1, tir.Store(out, x + y), tir.Store(out, (x + y) * c))
        >>> use = tir.Store(out, x + y)
        >>> [found] = solve([AvailableExpressions()], tir.Block((branching, use)))
        >>> sorted(map(str, found.before(use)))
        ['(c < 1)', '(x + y)']
    """

    direction = Direction.FORWARD

    def _step(self, node: Node, state: Expressions) -> Expressions:  # noqa: ARG002
        evaluated = self._evaluated[self.number]
        if evaluated:
            state = state.update(evaluated)
        state = self._kill(state, self.accessed)
        bound = self.bound
        return self._kill_places(state, bound) if bound else state


@register_analysis()
class VeryBusyExpressions(_ExpressionAnalysis):
    """Very busy expressions: what every path from a point computes, as it would be there.

    What is very busy where control forks is computed in all branches, and could be before them.
    Expressions go by representatives, and are killed, as those of :class:`AvailableExpressions`.

    Source:
        Nielson, Nielson and Hankin, *Principles of Program Analysis*, 2.1.3.

    Example:
        >>> from relayish import tir
        >>> from relayish.dataflow import solve
        >>> c, x, y, out = [tir.Var(name) for name in ("c", "x", "y", "out")]
        >>> branching = tir.IfThenElse(c < 1, tir.Store(out, x + y), tir.Store(out, (x + y) * c))
        >>> [found] = solve([VeryBusyExpressions()], branching)
        >>> sorted(map(str, found.entry))
        ['(c < 1)', '(x + y)']
    """

    direction = Direction.BACKWARD

    def _step(self, node: Node, state: Expressions) -> Expressions:
        bound, accessed = self.bound, self.accessed
        if bound:
            state = self._kill_places(state, bound)
        state = self._kill(state, accessed)
        evaluated = self._evaluated[self.number]
        if not evaluated:
            return state
        if accessed[3:] == mod_ref_of(node)[3:]:
            return state.update(evaluated)
        kept: Expressions = state | self._kill(evaluated, accessed)  # as if an operand wrote first
        return kept
