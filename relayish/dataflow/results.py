"""Results of analyses: kept by analysis, program and boundary; carried over passes.

Programs are immutable, so a result is right as long as it is kept. Kept are the results asked for
last, up to a number of program points.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple, TypeAlias

from relayish._support import hooks
from relayish.dataflow.graph.build import build_flow_graph
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.registry import ANALYSES, AnalysisEntry, read_analysis
from relayish.dataflow.solver.analysis import Analysis
from relayish.dataflow.solver.claims import check_analysis
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.errors import AnalysisError, OptionError, UnknownNameError, add_note, indefinite
from relayish.ir.kinds.one_line import one_line
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.nodes.node import Node
from relayish.ir.registration.declarations import (
    Redo,
    Undo,
    declared_temporarily,
    watch_declarations,
)

MOST_POINTS: Final = 2**18
"""How many program points flow graphs and results are kept of, over all: some 50 MB."""

Program: TypeAlias = Node | Module[Any]
"""What results are about, and kept by: its identity."""


def analyse(
    program: Program,
    analysis: str | Analysis[Any],  # Any: with states of its own, as in all of this file
    *,
    boundary: object = None,
    **options: object,
) -> Solution[Any]:
    """Return what an analysis finds about a program, or what it has found before.

    Args:
        program: A function, an expression, a statement or a module.
        analysis: The name of a registered analysis, which may carry options as in a list of these:
            ``"intervals{widen_after=5}"``; or an analysis that has been made.
        boundary: The state where the program is entered, for a backward analysis left; that of
            the analysis if not given.
        options: Those of the analysis.

    Returns:
        The same object where the same was asked before of the same program, and is still kept.

    Raises:
        UnknownNameError: If no analysis goes by that name.
        PipelineError: If the options are not those of the analysis.
        DeclarationError: If it is neither a name nor an analysis.
        AnalysisError: If it does not come to rest, or this is no program.

    Complexity:
        Constant where the result is kept; else that of the flow graph and of the solver.
    """
    given: object = program  # still to be checked
    if not isinstance(given, (Node, Module)):
        raise AnalysisError(
            f"analyses are about nodes and modules; found {indefinite(type(given))}"
        )
    question = _question(analysis, boundary, options)
    kept = _RESULTS.find(program, question.key)
    if kept is not None and kept.is_bound:
        return kept.solution
    graph = _RESULTS.graph(program)
    if kept is not None and _can_rebind(kept.solution, graph):
        solution = kept.solution.rebind(graph)
    else:
        solution = _solve(question.make(), graph, boundary)
    return _RESULTS.keep(program, question, solution)


def flow_graph(program: Program) -> FlowGraph:
    """Return the flow graph of a program: that over which :func:`analyse` solves, as it is kept."""
    return _RESULTS.graph(program)


def forget_results() -> None:
    """Forget all results and flow graphs that are kept."""
    _RESULTS.clear()


def _solve(analysis: Analysis[Any], graph: FlowGraph, boundary: object) -> Solution[Any]:
    _check_language(analysis, graph)
    before, analysis.outside = analysis.outside, boundary
    try:
        [solution] = solve([analysis], graph)
    finally:
        analysis.outside = before
    return solution


def _can_rebind(solution: Solution[Any], graph: FlowGraph) -> bool:
    """Return whether a result is one over ``graph``; what it tells of calls is of its own."""
    return solution.calls is None and solution.graph.has_same_points(graph)


def _check_language(analysis: Analysis[Any], graph: FlowGraph) -> None:
    """Refuse a program of which nothing is in the language that a functor has handlers for."""
    language = getattr(getattr(analysis, "family", Node), "language_", None)
    spoken = {type(procedure.node).language_ for procedure in graph.procedures}
    if language is None or language in spoken or not spoken or language is Node.language_:
        return
    names = " and ".join(sorted([each.name for each in spoken]))
    kind = re.split("(?=[A-Z])", analysis.name)[-1]  # that of CoreIntervals is Intervals
    alike = [
        e.name for e in ANALYSES.entries() if e.name.endswith(kind) and e.name != analysis.name
    ]
    instead = f"; see also {', '.join(alike)}" if alike else ""
    raise AnalysisError(
        f"{analysis.name} analyses programs of {language.name}; found one of {names}, "
        f"{one_line(graph.nodes[0])}{instead}"
    )


class _Question(NamedTuple):
    """What is asked of a program.

    Attributes:
        key: The analysis with its options, and the state at the boundary; hashable.
        entry: What is registered; ``None`` for an analysis that has been made.
        make: Makes the analysis.
    """

    key: tuple[object, ...]
    entry: AnalysisEntry | None
    make: Callable[[], Analysis[Any]]


def _question(
    analysis: str | Analysis[Any], boundary: object, options: dict[str, object]
) -> _Question:
    if not isinstance(analysis, str):
        check_analysis(analysis)
        if options:
            raise OptionError(
                f"analysis {analysis.name} has been made, so it takes no options any more; found "
                f"{', '.join(options)}; give its name, or make another"
            )
        return _Question((_ByIdentity(analysis), _hashable(boundary)), None, lambda: analysis)
    entry, written = read_analysis(analysis)
    given = {**written, **options}
    settled = {option.name: option.default for option in entry.options} | given
    values = [_hashable(settled[name]) for name in sorted(settled)]
    return _Question((entry, *values, _hashable(boundary)), entry, lambda: entry.build(given))


class _ByIdentity:
    """Stands in a key for what is told apart by identity, or cannot be hashed; keeps it alive."""

    __slots__ = ("thing",)

    def __init__(self, thing: object) -> None:
        self.thing = thing

    def __hash__(self) -> int:
        return id(self.thing)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByIdentity) and self.thing is other.thing


def _hashable(thing: object) -> object:
    """Return ``thing`` for use in a key: 1, 1.0 and ``True`` are three options."""
    try:
        hash(thing)
    except TypeError:
        return _ByIdentity(thing)
    return type(thing), thing


class _Kept(NamedTuple):
    """A result that is kept.

    Attributes:
        solution: The result; one that is carried over is bound to the graph of another program.
        entry: The analysis, if it is registered.
        is_bound: Whether it is bound to the flow graph of the program that it is kept for.
    """

    solution: Solution[Any]
    entry: AnalysisEntry | None
    is_bound: bool = True


class _About:
    """What is kept about one program."""

    __slots__ = ("graph", "kept")

    def __init__(self) -> None:
        self.graph: FlowGraph | None = None
        self.kept: dict[tuple[object, ...], _Kept] = {}

    @property
    def points(self) -> int:
        """What it counts for: points of graphs and results, and something for being there."""
        own = 0 if self.graph is None else len(self.graph)
        return _LEAST + own + sum([len(each.solution.graph) for each in self.kept.values()])


_LEAST: Final = 64


class _Results:
    """Results by program, those asked for last behind the others; safe in threads."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._about: OrderedDict[Program, _About] = OrderedDict()
        self._points = 0

    def find(self, program: Program, key: tuple[object, ...]) -> _Kept | None:
        with self._lock:
            about = self._about.get(program)
            if about is None:
                return None
            self._about.move_to_end(program)
            return about.kept.get(key)

    def graph(self, program: Program) -> FlowGraph:
        with self._lock:
            about = self._about.get(program)
            if about is not None and about.graph is not None:
                return about.graph
        made = build_flow_graph(program)
        with self._changed(program) as about:
            if about.graph is None:
                about.graph = made
            return about.graph

    def keep(self, program: Program, question: _Question, solution: Solution[Any]) -> Solution[Any]:
        """Keep a result, unless another thread has found it meanwhile; return what is kept."""
        with self._changed(program) as about:
            kept = about.kept.get(question.key)
            if kept is not None and kept.is_bound:
                return kept.solution
            about.kept[question.key] = _Kept(solution, question.entry)
            return solution

    def carry(self, given: Program, returned: Program, entries: Sequence[AnalysisEntry]) -> None:
        """Keep what some analyses found about one program for another, which has the same."""
        with self._lock:
            about = self._about.get(given)
            if about is None or given is returned:
                return
            carried = {
                key: kept._replace(is_bound=False)
                for key, kept in about.kept.items()
                if kept.entry in entries
            }
            if carried:
                with self._changed(returned) as own:
                    own.kept = carried | own.kept

    def clear(self) -> None:
        with self._lock:
            self._about.clear()
            self._points = 0

    @contextmanager
    def _changed(self, program: Program) -> Iterator[_About]:
        """Give what is kept about a program to be changed; then forget the oldest if it is much."""
        with self._lock:
            about = self._about.setdefault(program, _About())
            self._about.move_to_end(program)
            before = about.points if about.graph is not None or about.kept else 0
            yield about
            self._points += about.points - before
            while self._points > MOST_POINTS and len(self._about) > 1:
                _, oldest = self._about.popitem(last=False)
                self._points -= oldest.points


_RESULTS: Final = _Results()


def carry_preserved(
    given: AnyModule, returned: AnyModule, pass_name: str, preserves: Sequence[str]
) -> None:
    """Keep for a module, and for its functions, what a pass says it preserves.

    Raises:
        UnknownNameError: If the pass names an analysis that is not registered.
    """
    entries = preserved_entries(pass_name, preserves)
    _RESULTS.carry(given, returned, entries)
    for key in returned.get_global_vars():
        name = str(returned.name_of(key))
        if name in given:
            _RESULTS.carry(given[name], returned[name], entries)


def preserved_entries(pass_name: str, preserves: Sequence[str]) -> tuple[AnalysisEntry, ...]:
    """Return the analyses that a pass preserves.

    Raises:
        UnknownNameError: If it names one that is not registered; a note names the pass.
    """
    try:
        return tuple([ANALYSES.get(name) for name in preserves])
    except UnknownNameError as error:
        add_note(error, f"preserved by pass {pass_name}")
        raise


def _forget_with_declarations(_context: declared_temporarily) -> Undo:
    """Forget results where declarations are forgotten that they may follow from."""

    def undo() -> Redo:
        _RESULTS.clear()
        return _RESULTS.clear

    return undo


watch_declarations(_forget_with_declarations)
hooks.result_keepers.append(carry_preserved)
