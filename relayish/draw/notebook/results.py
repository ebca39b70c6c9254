"""Results in notebooks: of analyses, and of pipelines that were reported on."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from itertools import islice
from typing import Any, Final

from relayish.analysis.dominators import PostDominators
from relayish.analysis.effects import Effects
from relayish.analysis.memory_plan.plan import MemoryPlan
from relayish.dataflow.analyses.dominator_tree import PointDominators
from relayish.dataflow.annotated import annotated_text
from relayish.dataflow.call_graph import CallGraph, CallGraphEntry
from relayish.dataflow.graph.flow_graph import FlowGraph
from relayish.dataflow.solver.solution import Solution
from relayish.draw.drawing import Drawing
from relayish.draw.notebook.frame import ROWS, bar, code, fold, note, plain, safe, table
from relayish.draw.notebook.pictures import picture
from relayish.draw.notebook.table import SHOWN, Shown
from relayish.draw.report.page import make_page
from relayish.draw.report.report import Report
from relayish.draw.report.steps import Outcome
from relayish.interpreter.value import Closure, ConstructorValue, RefValue
from relayish.ir.fields.effect import Effect
from relayish.ir.kinds.one_line import one_line

MOST_POINTS: Final = 10_000
"""States of programs with more points are not written."""
MOST_BOXES: Final = 1_000
"""Pictures of more boxes are not shown."""
MOST_PARTS: Final = 400
"""So many parts of a value are shown."""
LARGEST_PAGE: Final = 150_000
"""A page of more characters is not shown inside a cell."""


@SHOWN.register(Solution)
def show_solution(solution: Solution[Any]) -> Shown:  # Any: with states of its own
    """Show what an analysis found: the program with the states around its lines."""
    points = len(solution.graph.nodes)
    told = f"{solution.analysis.name}: {points:,} points, {solution.visits:,} visits"
    if points > MOST_POINTS:
        return Shown(note(f"{told}; too many to be shown here"), repr(solution))
    text = annotated_text(solution)
    return Shown(note(told) + code(text), plain(text))


@SHOWN.register(FlowGraph)
def show_flow_graph(graph: FlowGraph) -> Shown:
    """Show the points of a program, and its picture if it is small."""
    points = [str(point) for point in graph.points] if len(graph.nodes) <= MOST_POINTS else []
    listed = fold("program points", code("\n".join(points))) if points else ""
    return Shown(note(repr(graph)) + picture(graph, len(graph.nodes)) + listed, repr(graph))


@SHOWN.register(CallGraph)
def show_call_graph(graph: CallGraph[Any]) -> Shown:  # Any: names of any class
    """Show which definitions refer to which, as a table and as a picture."""
    entries = graph.topological_order()[::-1]
    rows = [
        (
            safe(f"@{entry.name}"),
            safe(
                ", ".join(
                    [
                        f"@{name}" if n == 1 else f"@{name} ({n} times)"
                        for name, n in entry.callees.items()
                    ]
                )
            ),
            f"{entry.ref_count:,}",
            "yes" if entry.is_recursive else "",
        )
        for entry in entries
    ]
    html = table(("definition", "refers to", "references", "recursive"), rows, right=(2,))
    return Shown(html + picture(graph, len(entries)), plain(str(graph).rstrip("\n")))


@SHOWN.register(CallGraphEntry)
def show_call_graph_entry(entry: CallGraphEntry[Any]) -> Shown:  # Any: as above
    """Show what one definition refers to."""
    rows = [(safe(f"@{name}"), f"{count:,}") for name, count in entry.callees.items()]
    return Shown(note(repr(entry)) + table(("refers to", "times"), rows, right=(1,)), repr(entry))


@SHOWN.register(PointDominators)
def show_point_dominators(tree: PointDominators) -> Shown:
    """Show which points dominate which, as a picture."""
    what = "post-dominators" if tree.is_post else "dominators"
    told = f"{what} of {tree.graph!r}"
    return Shown(note(told) + picture(tree, len(tree.graph.nodes)), told)


@SHOWN.register(PostDominators)
def show_post_dominators(tree: PostDominators) -> Shown:
    """Show where the uses of expressions come together, as a table and as a picture."""
    pairs = list(islice(tree.items(), ROWS))
    rows = [(safe(one_line(node)), safe(one_line(above))) for node, above in pairs]
    told = f"post-dominators of {len(tree):,} expressions"
    html = picture(tree, len(tree)) + table(("expression", "post-dominated by"), rows)
    return Shown(note(told) + html, told)


@SHOWN.register(Effects)
def show_effects(effects: Effects) -> Shown:
    """Show what of a program does more than give a value, and what that is."""
    acting = sorted(effects.effectful_nodes(), key=one_line)
    if not acting:
        return Shown(note("no effects"), "no effects")
    rows = [(safe(one_line(node)), safe(_name_effect(effects.of(node)))) for node in acting[:ROWS]]
    told = f"{len(acting):,} expressions do more than give a value"
    return Shown(note(told) + table(("expression", "may"), rows), told)


def _name_effect(effect: Effect) -> str:
    return ", ".join([str(each.name).lower().replace("_", " ") for each in effect])


@SHOWN.register(MemoryPlan)
def show_memory_plan(plan: MemoryPlan) -> Shown:
    """Show the storages of a function: how large they are, and what lives in them when."""
    count = max(1, len(plan.steps))
    rows = [
        (
            str(storage.number),
            safe(storage.origin.name.lower()),
            f"{storage.size:,}",
            f"{storage.since} to {storage.until}",
            bar((min(storage.until, count) - max(0, storage.since) + 1) / count),
            safe(
                "; ".join([one_line(plan.tensors[number].expr) for number in storage.tensors[:4]])
            ),
        )
        for storage in plan.storages
    ]
    told = (
        f"{plan.peak_after:,} bytes at most; {plan.peak_freed:,} if nothing shared memory, "
        f"{plan.peak_before:,} if nothing was given back"
    )
    heads = ("storage", "of", "bytes", "steps", "", "holds")
    return Shown(note(told) + table(heads, rows, right=(0, 2)), repr(plan))


@SHOWN.register(Drawing)
def show_drawing(drawing: Drawing) -> Shown:
    """Show a picture, unless it is very large."""
    if len(drawing.diagram.boxes) > MOST_BOXES:
        return Shown(note(f"{drawing!r}; .save('picture.html') writes a page"), repr(drawing))
    return Shown("", repr(drawing), drawing.to_svg())


@SHOWN.register(RefValue)
@SHOWN.register(ConstructorValue)
@SHOWN.register(Closure)
def show_value(value: object) -> Shown:
    """Show a value that is none of numpy's: what it is built of, as far as it is not too much."""
    text = _spell_value(value)
    return Shown(code(text), text)


def _spell_value(value: object) -> str:
    parts: list[str] = []
    pending: list[object] = [value]
    while pending and len(parts) < MOST_PARTS:
        each = pending.pop()
        if isinstance(each, _Mark):
            parts.append(each)
        elif isinstance(each, ConstructorValue):
            pending += _listed(f"{each.constructor.name_hint}(", each.fields, ")")[::-1]
        elif isinstance(each, tuple):
            pending += _listed("(", each, ")")[::-1]
        elif isinstance(each, RefValue):
            pending += _listed("ref(", (each.value,), ")")[::-1]
        else:
            parts.append(f"{each!r:.200}")
    return "".join(parts) + (" ..." if pending else "")


class _Mark(str):
    """What stands between parts of a value."""

    __slots__ = ()


def _listed(begin: str, parts: Sequence[object], end: str) -> list[object]:
    between = [item for part in parts for item in (_Mark(", "), part)][1:]
    return [_Mark(begin), *between, _Mark(end)]


@SHOWN.register(Report)
def show_report(report: Report) -> Shown:
    """Show what passes did: a table, and behind it the page, in a frame of its own."""
    longest = max([step.seconds for step in report.steps], default=0.0) or 1.0
    rows = []
    for step in report.steps:
        before, after = step.size_before, step.size_after
        name = safe(str(step))
        depth = len(step.inside) + bool(step.needed_by)
        quiet = step.outcome in (Outcome.EQUAL, Outcome.RETYPED)
        rows.append(
            (
                "&emsp;" * depth + (f'<span class="quiet">{name}</span>' if quiet else name),
                f"{step.seconds * 1000:,.2f}",
                bar(0.0 if step.is_group else step.seconds / longest),
                _change(after.operators - before.operators),
                _change(after.constant_bytes - before.constant_bytes),
                safe(step.error or step.outcome.value),
            )
        )
    heads = ("pass", "ms", "", "operators", "bytes of constants", "")
    html = table(heads, rows, right=(1, 3, 4))
    page = escape(make_page(report, has_pictures=False))
    if len(page) <= LARGEST_PAGE:
        html += fold("step through", f'<iframe srcdoc="{page}"></iframe>')
    html += note('report.save("report.html") writes the page with pictures')
    return Shown(html, str(report))


def _change(number: int) -> str:
    return f"{number:+,}" if number else ""
