"""Pictures of what a file holds, as ``relayish show`` writes them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import relayish.analysis.liveness
import relayish.interpreter.constants
import relayish.passes.core.lowering.values
import relayish.tir.analysis  # noqa: F401 - registers analyses, as those above do
from relayish.cli.any_file import GivenFile
from relayish.cli.files import write_result
from relayish.dataflow.analyses.dominator_tree import find_dominators, find_post_dominators
from relayish.dataflow.call_graph import CallGraph
from relayish.dataflow.results import analyse, flow_graph
from relayish.draw.drawing import Drawing, draw

_GRAPHS: Final[Mapping[str, Callable[[Any], object]]] = {  # Any: a module or a definition
    "flow": flow_graph,
    "dominators": find_dominators,
    "post-dominators": find_post_dominators,
}

_FORMS: Final[Mapping[str, Callable[[Drawing], str]]] = {
    "svg": Drawing.to_svg,
    "dot": Drawing.to_dot,
    "html": Drawing.to_html,
}


def write_pictures(
    given: GivenFile,
    args: argparse.Namespace,
    places: Mapping[str, str],
    about: Iterable[tuple[str, str]],
) -> None:
    """Write the pictures that are asked for.

    Args:
        given: What is drawn.
        args: What the command line says.
        places: Where they go, by option; a directory is made if there is none.
        about: Labels with what they say, for the page; below one without a label, what belongs to
            that before it.
    """
    drawing = _draw(given, args)
    drawing.diagram.notes = _notes(about)
    for option, path in places.items():
        if path != getattr(args, option):  # in a directory, for several
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_result(_FORMS[option](drawing), path)
    if args.tree:
        write_result(drawing.to_text(), None)


def _draw(given: GivenFile, args: argparse.Namespace) -> Drawing:
    if args.graph == "call":
        return draw(CallGraph(given.mod))
    if args.graph == "program" and args.analysis is None:
        return draw(given.mod, only=args.only, scopes=args.scopes or None, work=args.work)
    program = given.mod if args.only is None else given.mod[args.only]
    if args.analysis is not None:
        return draw(analyse(program, args.analysis))
    return draw(_GRAPHS[args.graph](program))


def _notes(about: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    label = ""
    for name, text in about:
        label = name or label
        found.setdefault(label, []).append(text)
    return {name: "\n".join(texts) for name, texts in found.items()}
