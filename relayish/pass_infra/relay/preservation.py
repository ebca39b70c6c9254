"""Preserved analyses: whether what an analysis finds is the same before a pass and after it."""

from __future__ import annotations

from typing import Any

from relayish.dataflow.registry import AnalysisEntry
from relayish.dataflow.results import preserved_entries
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.dataflow.state_text import state_text
from relayish.errors import PassError
from relayish.ir.modules.module import AnyModule, Module
from relayish.ir.nodes.node import Node
from relayish.pass_infra.base.info import PassInfo


def check_preserved(given: AnyModule, returned: AnyModule, info: PassInfo) -> None:
    """Raise an error if a pass that made one module of another lies about what it preserves.

    Raises:
        PassError: As ``PreservedAnalysesInstrument``.
        UnknownNameError: As well.
    """
    if given is returned:
        return
    pairs: list[tuple[str, Node | Module[Any], Node | Module[Any]]] = [("", given, returned)]
    for key in returned.get_global_vars():
        name = str(returned.name_of(key))
        if name in given and given[name] is not returned[name]:
            pairs.append((f"in @{name} ", given[name], returned[name]))
    for entry in preserved_entries(info.name, info.preserves):
        for where, before, after in reversed(pairs):
            problem = _difference(entry, before, after)
            if problem:
                raise PassError(
                    f"pass {info.name} does not preserve {entry.name}: {where}{problem}"
                )


def _difference(
    entry: AnalysisEntry,
    before: Node | Module[Any],  # Any: what names functions
    after: Node | Module[Any],
) -> str:
    """Return what is wrong with saying that an analysis finds the same; ``""`` if that is right."""
    [old], [new] = solve([entry.build({})], before), solve([entry.build({})], after)
    if not old.graph.has_same_points(new.graph):
        return _describe_graphs(old, new)
    point = old.first_difference(new)
    if point is None:
        return ""
    sides = ("before", "after") if old.is_reached(point) and new.is_reached(point) else ()
    for side in sides:
        was, found = getattr(old, side)(point), getattr(new, side)(point)
        if not old.analysis.lattice.equal(was, found):
            return (
                f"it is {_shown(found)} {side} {new.graph.point(point.number)} "
                f"(point {point.number}), and was {_shown(was)}"
            )
    reached = "is reached now" if new.is_reached(point) else "is reached no more"
    return f"{point} (point {point.number}) {reached}"


def _describe_graphs(old: Solution[Any], new: Solution[Any]) -> str:
    """Return where the points or edges of two flow graphs begin to differ."""
    for one, other in zip(old.graph.points, new.graph.points, strict=False):
        same_edges = old.graph.successors(one.number) == new.graph.successors(one.number)
        if one.action is not other.action or not same_edges:
            return f"point {one.number} is {other}, and was {one}"
    return f"there are {len(new.graph)} points, and were {len(old.graph)}"


def _shown(state: object) -> str:
    return state_text(state, dict[Node, str]().get)
