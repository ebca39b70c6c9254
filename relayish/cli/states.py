"""A program with what data-flow analyses find around each line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from relayish._support.collector import freeze_heap
from relayish.cli.analyse import PointStates
from relayish.cli.any_file import read_any
from relayish.cli.files import write_result
from relayish.cli.forms import Form, written_as
from relayish.dataflow.annotated import annotated_text
from relayish.dataflow.registry import parse_analyses
from relayish.dataflow.results import analyse
from relayish.dataflow.solver.solution import Solution
from relayish.dataflow.state_text import StateText
from relayish.errors import OptionError
from relayish.ir.relay.module import IRModule


def print_states(args: argparse.Namespace) -> int:
    """Print what is asked for; the names of analyses are read before the file."""
    if args.analyses is None:
        raise OptionError(
            "no analysis is named; write -a liveness,... (`relayish analyse --list` lists all)"
        )
    if args.file is None:
        raise OptionError("no file is given; write relayish analyse FILE, or - for standard input")
    analyses = parse_analyses(args.analyses)
    given = read_any(args.file, allow_unknown_ops=args.allow_unknown_ops)
    mod = given.mod
    program = mod if args.function is None else mod[args.function]
    with freeze_heap():
        found = [analyse(program, each) for each in analyses]
        shown = render_json(found) if args.json else _render(found, mod, given.form, args.function)
    write_result(shown, args.output)
    return 0


def _render(
    found: Sequence[Solution[Any]],  # Any: with states of its own, as in all of this file
    mod: IRModule,
    form: Form,
    function: str | None,
) -> str:
    return annotated_text(found, written_as(mod, form) if function is None else None)


def render_json(found: Sequence[Solution[Any]]) -> str:
    """Return the states before and after each program point as JSON: a list of objects."""
    texts = [StateText() for _ in found]
    names = _names(found)
    points = []
    for point in found[0].graph.points:
        before: dict[str, str] = {}
        after: dict[str, str] = {}
        for name, solution, text in zip(names, found, texts, strict=True):
            if solution.is_reached(point):
                before[name] = text.of(solution.before(point), _unnamed)
                after[name] = text.of(solution.after(point), _unnamed)
        told: PointStates = {
            "point": point.number,
            "what": str(point),
            "before": before,
            "after": after,
        }
        points.append(json.dumps(told))
    return "[\n" + ",\n".join(points) + "\n]\n"


def _names(found: Sequence[Solution[Any]]) -> list[str]:
    """Return what analyses are called, with a number where one is asked for again."""
    names: list[str] = []
    for solution in found:
        name = solution.analysis.name
        again = sum(each.split(" ")[0] == name for each in names)
        names.append(f"{name} ({again + 1})" if again else name)
    return names


def _unnamed(_node: object) -> None:
    """Let things go by their own names."""
