"""Abstract evaluation: what points give as values, and what branches know of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final, TypeAlias

from relayish.dataflow.direction import Direction
from relayish.dataflow.graph.control_flow import condition_of
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action, Edge, Procedure
from relayish.dataflow.lattice.symbols import UNREACHABLE, Unreachable
from relayish.dataflow.points_to.rules import VALUE_FLOW, flow_anywhere
from relayish.dataflow.solver.abstract_values import AbstractValues, Value
from relayish.dataflow.solver.analysis import Analysis, Transfer
from relayish.dataflow.solver.analysis_by_kind import transfers_by_kind
from relayish.dataflow.solver.calls import Callee, CallSite
from relayish.dataflow.solver.sparse import SparseAnalysis
from relayish.dataflow.solver.transfer_rules import (
    REFINEMENTS,
    TRANSFERS,
    Refinement,
    ValueTransfer,
    What,
    describe,
)
from relayish.dataflow.solver.value_flow import WHOLE, FlowOfNode, Source
from relayish.errors import AnalysisError
from relayish.ir.fields.roles import Runs
from relayish.ir.kinds.one_line import one_line_at
from relayish.ir.nodes.getters import is_declaration, scope_fields
from relayish.ir.nodes.node import ATOMS, NAMES, VARIABLES, Node
from relayish.ir.nodes.traversal import ByKind
from relayish.ir.scopes.scoping import (
    binders,
    has_parts,
    operands,
    operands_of,
    outer_operands,
    scope_roots,
    scopes,
)

Refined: TypeAlias = Any  # what is known of some nodes at a point: a persistent map
Arriving: TypeAlias = Callable[[], Sequence[Refined | None]]

MAX_FACTS: Final = 16
"""How much a branch learns from its condition at most."""


class AbstractEvaluator(Analysis[Any]):  # Any: maps from nodes to values
    """A sparse analysis at work, as the solver sees it: a dense one that keeps values aside.

    States say what branches know of nodes beyond their values.

    Attributes:
        values: The values found so far.
        arriving: For the first point of the block, the states that arrive by each edge; ``None``
            for edges that are not taken.
    """

    direction = Direction.FORWARD
    arriving: Arriving

    def __init__(self, analysis: SparseAnalysis[Any], graph: FlowGraph) -> None:
        self.sparse = analysis
        self.name = analysis.name  # type: ignore[misc] # of this one
        self.lattice = analysis.lattice
        self.widen_after, self.narrowing = analysis.widen_after, 0
        self.interprocedural = analysis.interprocedural
        self.graph = graph
        self.values = AbstractValues(analysis, graph)
        self._value_lattice = analysis.values
        self._bottom, self._top = analysis.values.bottom, analysis.values.top
        self._nothing: Refined = analysis.lattice.top
        self._bound = graph.bound
        self._definitions: dict[Node, Node | None] = {}
        self._refinements: dict[What, Refinement | None] = {}
        self._learnt: set[Node] = set()  # of which some branch knows something
        self._told: dict[Node, list[Source]] = {}  # of what is not left yet
        self._plans: dict[Node, ValueTransfer | None] = {}

    # Values

    def value(self, node: Node, refined: Refined) -> Value:
        """Return the value of a node at some point; the bottom where it has none yet."""
        if refined is not self._nothing and node in self._learnt:
            known = refined.get(node)
            if known is not None:
                return known
        known = self.values.found.get(node)
        return self.values.first(node) if known is None else known

    # The transfers of points

    def transfers(self, graph: FlowGraph) -> Sequence[Transfer | None]:
        for procedure, is_tree in zip(graph.procedures, graph.is_tree, strict=True):
            if is_tree:
                raise AnalysisError(
                    f"{self.name} is a sparse analysis, and variables of "
                    f"{one_line_at(procedure.node)} may change; write a dense one, such as a "
                    f"ForwardDataFlow"
                )
        return transfers_by_kind(graph, self._transfer_of)

    def _transfer_of(self, action: Action, kind: type[Node], _is_tree: bool) -> Transfer | None:
        match action:
            case Action.EVALUATE:
                evaluate = self._evaluating(kind)
                return self._declaring(evaluate) if evaluate and is_declaration(kind) else evaluate
            case Action.ENTER:
                return self._bind_all if _binds(kind) else None
            case Action.BIND:
                return self._binding(kind)
            case Action.LEAVE:
                return self._leave if may_branch(kind) else self._leave_scope
            case _:
                return None

    def boundary(self, procedure: Procedure) -> Refined:
        for variable in self.graph.binders.get(procedure.entry, ()):
            self.values.put(variable, self.sparse.parameter(procedure, variable))
        return self._nothing

    def _evaluating(self, kind: type[Node]) -> Transfer | None:
        """Return what evaluates nodes of a kind."""
        if kind in ATOMS:
            return None
        of_kind = TRANSFERS.find(type(self.sparse), kind)
        given, plans, names = operands_of(kind), self._plans, NAMES
        bottom, learnt = self._bottom, self._learnt
        get, first, put = self.values.found.get, self.values.first, self.values.put

        def evaluate(node: Node, refined: Refined) -> Refined:
            used = given(node)
            rule = of_kind
            if used and type(used[0]) in names:
                operator = used[0]
                try:
                    own = plans[operator]
                except KeyError:
                    own = plans[operator] = self._plan(operator)
                if own is not None:
                    rule, used = own, used[1:]
            if rule is None:
                put(node, self._flow(node, refined))
                return refined
            values = []
            if refined is self._nothing or learnt.isdisjoint(used):
                for each in used:
                    value = get(each)
                    if value is None:
                        value = first(each)
                    if value is bottom:
                        return refined
                    values.append(value)
            else:
                for each in used:
                    value = self.value(each, refined)
                    if value is bottom:
                        return refined
                    values.append(value)
            put(node, rule(node, *values))
            return refined

        return evaluate

    def _declaring(self, evaluate: Transfer) -> Transfer:
        """Return what evaluates a declaration, and gives the variables it declares their values."""

        def declare(node: Node, refined: Refined) -> Refined:
            refined = self._bind_all(node, evaluate(node, refined))
            for variable in binders(node):
                if variable in self._learnt:
                    refined = refined.discard(variable)
            return refined

        return declare

    def _plan(self, operator: Node) -> ValueTransfer | None:
        """Return the transfer of an operator."""
        found = TRANSFERS.find(type(self.sparse), operator)
        return self.sparse.operator_transfer(operator) if found is None else found

    def _flow(self, node: Node, refined: Refined) -> Value:
        """Return the value of a node as its value flow tells it."""
        flow = FlowOfNode(node)
        if node in flow.unknown:
            return self._unknown(node)
        if flow.created is not None:
            parts: dict[Hashable, Value] = {}
            for key, each in flow.created.items():
                value = parts[key] = self.value(each, refined)
                if value is self._bottom:
                    return value
            return self.sparse.created(node, parts)
        found = self._joined_sources(node, flow.sources, refined)
        return self._unknown(node) if found is None else found

    def _joined_sources(self, node: Node, sources: Sequence[Source], refined: Refined) -> Value:
        """Return the join of all that the value of ``node`` may be; ``None`` if nothing is told."""
        found: Value = None
        for target, source, key in sources:
            if target is node:
                value = self._part(self.value(source, refined), key)
                found = value if found is None else self._value_lattice.join(found, value)
        return found

    def _part(self, value: Value, key: Hashable) -> Value:
        return value if key is WHOLE or value is self._bottom else self.sparse.part(value, key)

    def _unknown(self, node: Node) -> Value:
        """Return the value of what nothing is said of; in strict mode, refuse operators."""
        if self.sparse.strict:
            used = operands(node)
            operator = used[0] if used and type(used[0]) in self.sparse.operators else None
            if operator is not None or VALUE_FLOW[type(node)] is flow_anywhere:
                what = type(node) if operator is None else operator
                self._refuse(node, describe(what))
        return self._top

    def _refuse(self, node: Node, what: str) -> None:
        raise AnalysisError(
            f"{self.name} has no transfer for {what}, in {one_line_at(node)}; call "
            f"{TRANSFERS.name}.register({type(self.sparse).__name__}, ..., rule), or leave out "
            f"strict=True, and its value may be any"
        )

    # Variables, branches and calls

    def _binding(self, kind: type[Node]) -> Transfer | None:
        """Return what binding variables does, for nodes of a kind."""
        if not _binds(kind):
            return None
        fields = scope_fields(kind)
        is_let = not (has_parts(kind) or fields.outside) and len(fields.scopes) == 1
        return self._bind_let if is_let else self._bind

    def _bind_let(self, let: Node, refined: Refined) -> Refined:
        """Give the variables of a let their values."""
        sources = self._told[let] = FlowOfNode(let).sources
        bound = self.graph.binders[self.number]
        for variable in bound:
            for target, source, key in sources:
                if target is variable:
                    self._define(variable, source, key)
                elif target is not let and target not in bound:
                    return self._bind(let, refined)
            found = self._joined_sources(variable, sources, refined)
            self.values.put(variable, self._top if found is None else found)
            if variable in self._learnt:
                refined = refined.discard(variable)
        return refined

    def _define(self, variable: Node, source: Node, key: Hashable) -> None:
        """Note what a variable stands for, if that is one thing wherever it is bound."""
        if key is WHOLE and self._definitions.setdefault(variable, source) is not source:
            self._definitions[variable] = None

    def _bind(self, node: Node, refined: Refined) -> Refined:
        """Give the variables of a node their values, unless they have them already."""
        if outer_operands(node):
            bound = self.graph.binders[self.number]
        else:
            self._bind_all(node, refined)
            bound = self.graph.binders.get(self.number, ())
        for variable in bound:
            if variable in self._learnt:
                refined = refined.discard(variable)
        return refined

    def _bind_all(self, node: Node, refined: Refined) -> Refined:
        """Give all variables that a node binds their values."""
        flow = FlowOfNode(node)
        found: dict[Node, Value] = {}
        lattice = self._value_lattice
        for target, source, key in flow.sources:
            if target is node:
                continue
            value = found.get(source)
            value = self._part(self.value(source, refined) if value is None else value, key)
            old = found.get(target)
            found[target] = value if old is None else lattice.join(old, value)
            if target in self._bound:
                self._define(target, source, key)
        bound = [variable for scope in scopes(node) for variable in scope.binders]
        if is_declaration(type(node)):
            bound = list(binders(node))
        for variable in dict.fromkeys(bound):
            self.values.put(variable, found.get(variable, self._top))
        return refined

    def _leave_scope(self, node: Node, refined: Refined) -> Refined:
        """Give a node, whose scopes have all run, its value."""
        sources = self._told.pop(node, None) or FlowOfNode(node).sources
        found = self._joined_sources(node, sources, refined)
        self.values.put(node, self._unknown(node) if found is None else found)
        return refined

    def _leave(self, node: Node, refined: Refined) -> Refined:
        """Give a branching its value: that of the scopes from which control comes."""
        if not _CHOOSES_ALONE[type(node)] and any(s.runs is not Runs.ONE_OF for s in scopes(node)):
            return self._leave_scope(node, refined)
        arriving = self.arriving() if self._begins_block() else [refined]
        roots = scope_roots(node)
        states: dict[Node, list[Refined]] = {root: [] for root in roots}
        for root, state in zip(roots, arriving, strict=False):
            if state is not None:
                states[root].append(state)
        around = arriving[len(roots) :]
        if around and any(state is not None for state in around):
            self.values.put(node, self._top)
            return refined
        is_told, found = False, self._bottom
        for target, source, key in FlowOfNode(node).sources:
            if target is node:
                is_told = True
                for state in states.get(source, [refined]):
                    value = self._part(self.value(source, state), key)
                    found = self._value_lattice.join(found, value)
        self.values.put(node, found if is_told else self._unknown(node))
        return refined

    def _begins_block(self) -> bool:
        return self.values.blocks[self.values.place][0] == self.number

    def refine(self, edge: Edge, state: Refined) -> Refined | Unreachable:
        assert edge.branch is not None
        condition = condition_of(edge.branch.node, edge.branch.case)
        if condition is None:
            return state
        value = self.value(condition.expr, state)
        if value is self._bottom:
            return UNREACHABLE
        self.values.ask(condition.expr)
        holds = self.sparse.truth(value)
        if holds is not None:
            return state if holds == condition.truth else UNREACHABLE
        return self._learn(condition.expr, condition.truth, state)

    def _learn(self, condition: Node, truth: bool, state: Refined) -> Refined:
        """Return what is known where a condition has a truth value."""
        pending: list[tuple[Node, Value]] = []
        value = self.sparse.of_truth(truth)
        if value is not None:
            pending.append((condition, value))
        done: set[Node] = set()
        while pending and len(done) < MAX_FACTS:
            node, value = pending.pop()
            if node in done or value is self._top:
                continue
            done.add(node)
            if type(node) not in ATOMS or type(node) in VARIABLES:
                state = state.set(node, value)
                self._learnt.add(node)
            definition = self._definitions.get(node)
            if definition is not None:
                pending.append((definition, value))
                continue
            holds = self.sparse.truth(value)
            if holds is not None and type(node) not in ATOMS:
                pending += self._facts(node, holds, state)
        return state

    def _facts(self, node: Node, truth: bool, state: Refined) -> Sequence[tuple[Node, Value]]:
        """Return what an operator says of its operands where its result is known."""
        used = operands(node)
        rule = None
        if used and type(used[0]) in NAMES:
            rule = self._refinement(used[0])
            used = used[1:] if rule is not None else used
        if rule is None:
            rule = self._refinement(type(node))
        if rule is None:
            return ()
        for each in used:
            self.values.ask(each)
        values = [self.value(each, state) for each in used]
        if any(value is self._bottom for value in values):
            return ()
        return list(rule(node, truth, *values))

    def _refinement(self, what: What) -> Refinement | None:
        if what not in self._refinements:
            self._refinements[what] = REFINEMENTS.find(type(self.sparse), what)
        return self._refinements[what]

    def enter_call(self, site: CallSite, callee: Callee, state: Refined) -> Refined | Unreachable:
        if len(callee.parameters) != len(site.arguments):
            return UNREACHABLE
        for parameter, argument in zip(callee.parameters, site.arguments, strict=True):
            self.values.ask(argument)
            self.values.put(parameter, self.value(argument, state))
        return self._nothing

    def leave_call(
        self, site: CallSite, callee: Callee, state: Refined, at_end: Refined
    ) -> Refined | Unreachable:
        if callee.result is None:
            self.values.put(site.node, self._top)
            return state
        self.values.ask(callee.result)
        self.values.put(site.node, self.value(callee.result, at_end))
        return state

    @property
    def refines(self) -> bool:
        return True


def may_branch(kind: type[Node]) -> bool:
    """Return whether nodes of a kind may choose one of several scopes."""
    return has_parts(kind) or any(f.runs is Runs.ONE_OF for f in scope_fields(kind).scopes)


def _chooses_alone(kind: type[Node]) -> bool:
    """Return whether nodes of a kind have scopes of which they choose one, and no others."""
    fields = scope_fields(kind).scopes
    return not has_parts(kind) and all(field.runs is Runs.ONE_OF for field in fields)


_CHOOSES_ALONE: Final = ByKind(_chooses_alone)


def _binds(kind: type[Node]) -> bool:
    """Return whether nodes of a kind may bind variables."""
    return has_parts(kind) or bool(scope_fields(kind).binders)
