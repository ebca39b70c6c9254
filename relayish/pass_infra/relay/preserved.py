"""Checks of what passes say they preserve: by finding it again, and comparing."""

from __future__ import annotations

from typing import Any

from relayish.dataflow.registry import AnalysisEntry
from relayish.dataflow.results import preserved_entries
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.solver.solve import solve
from relayish.dataflow.state_text import state_text
from relayish.errors import PassError
from relayish.ir.module import AnyModule, Module
from relayish.ir.node import Node
from relayish.pass_infra.base.info import PassInfo
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.instruments.running import RunningPasses


class PreservedAnalysesInstrument(PassInstrument):
    """Refuse passes that do not preserve the analyses they say they preserve.

    What a pass names in ``preserves`` is found of the module it is given and of the one it returns,
    and of each function that it changed; the states have to be the same at each program point.

    Raises:
        PassError: After the pass; names it, the analysis, and the first point that differs.
        UnknownNameError: If the pass names an analysis that is not registered.

    Complexity:
        That of each analysis, up to four times for a pass; nothing for passes that preserve nothing
        or change nothing.

    Example:
        >>> from relayish.ir.relay.expr import Function, Var
        >>> from relayish.ir.relay.module import IRModule
        >>> from relayish.pass_infra import PassContext, create_module_pass
        >>> x, y = Var("x"), Var("y")
        >>> other = IRModule({"main": Function((x, y), y)})
        >>> lie = create_module_pass(lambda m, c: other, 0, "Lie", preserves=("Liveness",))
        >>> with PassContext(instruments=[PreservedAnalysesInstrument()]):
        ...     lie(IRModule({"main": Function((x, y), x)}))
        Traceback (most recent call last):
        ...
        relayish.errors.PassError: pass Lie does not preserve Liveness: in @main it is {%y} after \
entry fn (%x, %y) {...} (point 0), and was {%x}
    """

    def __init__(self) -> None:
        self._running = RunningPasses()

    def enter_pass_ctx(self) -> None:
        self._running.forget()

    def run_before_pass(self, mod: AnyModule, info: PassInfo) -> None:
        self._running.begin(mod, info)

    def run_after_pass(self, mod: AnyModule, info: PassInfo) -> None:
        running = self._running.end(info, mod)
        if running is not None and info.preserves:
            check_preserved(running.mod, mod, info)

    def run_on_failure(self, mod: AnyModule, info: PassInfo, error: BaseException) -> None:  # noqa: ARG002 - a hook
        self._running.end(info)


def check_preserved(given: AnyModule, returned: AnyModule, info: PassInfo) -> None:
    """Raise an error if a pass that made one module of another lies about what it preserves.

    Raises:
        PassError: As :class:`PreservedAnalysesInstrument`.
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
