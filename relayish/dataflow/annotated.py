"""Annotated text: a program with the states before and after each of its lines in comments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from relayish._support import hooks
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.graph.point import Action
from relayish.dataflow.lattice import PersistentMap
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.sparse import SparseSolution
from relayish.dataflow.state_text import StateText
from relayish.errors import AnalysisError, indefinite
from relayish.ir.modules.module import Module
from relayish.ir.nodes.getters import scope_fields
from relayish.ir.nodes.node import ATOMS, Node
from relayish.text.line_notes import LineKind, NameOf, Place


def annotated_text(
    solutions: Solution[Any] | Sequence[Solution[Any]],  # Any: with states of its own, as below
    program: object = None,
) -> str:
    """Return the text of a program with the states before and after each line in comments.

    The text parses back to the program. A state stands on a line of its own, ``// before: {%a}`` or
    ``// after: {%a}``; what was said after a line is not said again before the next. States of
    several analyses stand beside each other, each behind its name. How states are shown is told by
    :func:`~relayish.dataflow.state_text.state_text`.

    Args:
        solutions: What analyses found about one program, over the same flow graph.
        program: What to write: what was analysed, if not given; else something that holds it, or a
            part of it. What was not analysed stands without comments.

    Raises:
        AnalysisError: If there is no solution, if they are about several graphs, or if the language
            of the program has no text.

    Complexity:
        That of writing the program; states are cut to a bounded length.

    Example:
        >>> from relayish.dataflow import BackwardDataFlow, analyse
        >>> from relayish.dataflow.lattice import Powerset
        >>> from relayish.text import parse_expr
        >>> class Live(BackwardDataFlow):
        ...     lattice = Powerset()
        ...     def visit_var(self, var, live):
        ...         return live.add(var)
        ...     def bind(self, node, variables, live):
        ...         return live.difference(variables)
        >>> program = parse_expr("fn (%a: int32) { let %b = %a + 1; %b * %a }")
        >>> print(annotated_text(analyse(program, Live())))
        fn (%a: int32) {
          // before: {%a}
          let %b = add(%a, 1);
          // after: {%a, %b}
          multiply(%b, %a)
          // after: {}
        }
    """
    found = [solutions] if isinstance(solutions, Solution) else list(solutions)
    if not found:
        raise AnalysisError("no analysis is given whose states were to be written; give some")
    for other in found:
        given: object = other  # still to be checked
        if not isinstance(given, Solution):
            raise AnalysisError(
                f"expected what analyse or solve found; found {indefinite(type(given))}; write "
                f"annotated_text(analyse(program, name))"
            )
        if other.graph is not found[0].graph:
            raise AnalysisError(
                f"states of one flow graph can stand beside each other; found {found[0]!r} and "
                f"{other!r}; solve both over one graph"
            )
    thing = found[0].graph.root if program is None else program
    language, written = _language_of(thing)
    annotator = hooks.annotators.get(language)
    if annotator is None:
        raise AnalysisError(
            f"language {language!r} has no text with comments; there are "
            f"{', '.join(sorted(hooks.annotators)) or 'none'}; import the package that writes it"
        )
    return annotator(written, LineStates(found))


def _language_of(thing: Any) -> tuple[str, Any]:  # Any: a node, some, or a module
    """Return the language in which to write, and what to write."""
    if isinstance(thing, Module):
        languages = {type(definition).language_ for definition in thing.functions.values()}
        if len(languages) == 1 and (only := next(iter(languages))).is_tree:
            return only.name, thing
        return "relay", thing
    first = thing if isinstance(thing, Node) else next(iter(thing))
    return type(first).language_.name, thing


class _Span(NamedTuple):
    """The points at which lines begin, and those at which they end."""

    first: Sequence[int]
    last: Sequence[int]


class LineStates:
    """The states around lines, as notes about these."""

    def __init__(self, solutions: Sequence[Solution[Any]]) -> None:
        self._solutions = solutions
        self._graph: FlowGraph = solutions[0].graph
        self._bindings: dict[Node, list[int]] = {}
        self._results: dict[tuple[Node | None, int], list[int]] = {}
        self._shown: list[tuple[object, str]] = [(None, "")] * len(solutions)
        self._texts = [StateText() for _ in solutions]
        self._index()

    def before(self, place: Place, name_of: NameOf) -> str:
        span = self._span(place)
        return "" if span is None else self._show(span.first, name_of, is_before=True)

    def after(self, place: Place, name_of: NameOf) -> str:
        span = self._span(place)
        if span is None:
            return ""
        bound = [v for point in span.last for v in self._graph.binders.get(point, ())]
        known = bound if place.kind is LineKind.BINDING else [place.node]
        return self._show(span.last, name_of, is_before=False, known=known)

    def _index(self) -> None:
        """Find where lets bind, and where scopes give what they do."""
        graph = self._graph
        for number, (node, action) in enumerate(zip(graph.nodes, graph.actions, strict=True)):
            if action is Action.BIND:
                self._bindings.setdefault(node, []).append(number)
            elif action is Action.LEAVE:
                self._note_results(node, number)
        for procedure in graph.procedures:
            if procedure.entry < procedure.exit:
                owner = None if procedure.scope is None else procedure.node
                ends = self._results.setdefault((owner, procedure.scope or 0), [])
                ends += graph.predecessors(procedure.exit)

    def _note_results(self, owner: Node, number: int) -> None:
        for case, end in enumerate(sorted(self._graph.predecessors(number))):
            self._results.setdefault((owner, case), []).append(end)

    def _span(self, place: Place) -> _Span | None:
        """Return the points that lines are about; ``None`` if there are none."""
        match place.kind:
            case LineKind.BINDING:
                return self._span_of_binding(place.node)
            case LineKind.RESULT:
                return self._span_of_result(place)
            case LineKind.VALUE:
                return self._span_of_value(place)

    def _span_of_value(self, place: Place) -> _Span | None:
        kind = type(place.node)
        fields = scope_fields(kind)
        if fields.blocks and not fields.outside and not fields.binders:
            return None  # a block, whose lines say all
        points = self._graph.occurrences(place.node)
        if kind.language_.is_tree:
            points = points[place.again : place.again + 1]
        if not points:
            return None
        return _Span([self._graph.begin(point) for point in points], points)

    def _span_of_binding(self, let: Node) -> _Span | None:
        graph = self._graph
        points = self._bindings.get(let)
        if not points:
            return None
        values = scope_fields(type(let)).recursive
        first = []
        for point in points:
            is_value = bool(values) and graph.nodes[point - 1] is getattr(let, values[0].name)
            is_done = graph.actions[point - 1] in (Action.EVALUATE, Action.LEAVE)
            first.append(graph.start(point - 1) if is_value and is_done else point)
        return _Span(first, points)

    def _span_of_result(self, place: Place) -> _Span | None:
        graph = self._graph
        points = [
            point
            for point in self._results.get((place.owner, place.case), ())
            if graph.nodes[point] is place.node
        ]
        if not points:  # a scope after which another one runs, as in loops
            return None if type(place.node) in ATOMS else self._span_of_value(place)
        is_given = graph.actions[points[0]] is Action.YIELD
        return _Span(points if is_given else [graph.start(point) for point in points], points)

    def _show(
        self,
        points: Sequence[int],
        name_of: NameOf,
        *,
        is_before: bool,
        known: Sequence[Node] = (),
    ) -> str:
        """Return the states of all analyses on one side of some points.

        Of sparse ones also what they know of the nodes that have been evaluated there.
        """
        shown = []
        for place, solution in enumerate(self._solutions):
            if not any(solution.is_reached(point) for point in points):
                text = "unreachable"
            else:
                side = solution.before if is_before else solution.after
                state = _joined(solution, [side(point) for point in points])
                if isinstance(solution, SparseSolution):
                    state = _with_values(solution, state, known)
                last, text = self._shown[place]
                if state is not last or not text:
                    text = self._texts[place].of(state, name_of)
                    self._shown[place] = (state, text)
            shown.append(text if len(self._solutions) == 1 else f"{solution.analysis.name} {text}")
        return "; ".join(shown)


def _with_values(solution: SparseSolution[Any], state: Any, nodes: Sequence[Node]) -> Any:
    """Return a state with the values of some nodes, as far as anything is known of them."""
    values = solution.analysis.values
    for node in nodes:
        value = solution.value(node)
        if isinstance(state, PersistentMap) and not values.equal(value, values.top):
            state = state.set(node, value)
    return state


def _joined(solution: Solution[Any], states: Iterable[Any]) -> Any:  # Any: states
    first, *others = states
    for state in others:
        first = solution.analysis.lattice.join(first, state)
    return first
