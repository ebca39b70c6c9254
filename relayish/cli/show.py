"""``relayish show``: what a file holds, as a summary, as text, as pictures or a page."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import Any, Final

import relayish.analysis.liveness
import relayish.interpreter.constants
import relayish.passes.core.lowering.values
import relayish.tir.analysis  # noqa: F401 - registers analyses, as those above do
from relayish._support.collector import freeze_heap
from relayish.cli.any_file import GivenFile, read_any
from relayish.cli.files import write_result
from relayish.cli.forms import text_of
from relayish.cli.onnx.summary import render_summary, summarise, summary_as_json
from relayish.cli.program_summary import program_as_json, render_program, summarise_program
from relayish.cli.report import tell
from relayish.dataflow.analyses.dominator_tree import find_dominators, find_post_dominators
from relayish.dataflow.call_graph import CallGraph
from relayish.dataflow.results import analyse, flow_graph
from relayish.draw.drawing import Drawing, draw
from relayish.errors import OptionError
from relayish.text import astext

PICTURES: Final = ("svg", "dot", "html", "tree")
"""The options that ask for a picture."""
_GRAPHS: Final[Mapping[str, Callable[[Any], object]]] = {  # Any: a module or a definition
    "flow": flow_graph,
    "dominators": find_dominators,
    "post-dominators": find_post_dominators,
}


def run(args: argparse.Namespace) -> int:
    """Run the command; what is asked for is written whole or not at all."""
    _check(args)
    given = read_any(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        if args.text:
            write_result(_text(given), None)
        if args.json or not (args.text or _is_drawn(args)):
            tell(_summary(given, as_json=args.json))
        if _is_drawn(args):
            _write_pictures(given, args)
    return 0


def _is_drawn(args: argparse.Namespace) -> bool:
    return args.tree or any(getattr(args, form) is not None for form in PICTURES[:-1])


def _check(args: argparse.Namespace) -> None:
    if args.graph != "program" and args.analysis is not None:
        raise OptionError(
            f"--analysis draws states on the flow graph; found --graph {args.graph} as well; "
            f"leave one of them out"
        )
    chosen = [
        name
        for name, is_given in (
            ("--graph", args.graph != "program"),
            ("--analysis", args.analysis is not None),
            ("--only", args.only is not None),
            ("--scopes", args.scopes),
        )
        if is_given
    ]
    if chosen and not _is_drawn(args):
        raise OptionError(
            f"{chosen[0]} says what is drawn, but no picture is asked for; write --svg FILE, "
            f"--dot FILE, --html FILE or --tree"
        )
    if args.graph == "call" and args.only is not None:
        raise OptionError("a call graph is of all that a module defines; leave --only out")


def _text(given: GivenFile) -> str:
    if given.model is not None:
        return astext(given.mod, show_meta_data=False)
    return text_of(given.mod, given.form)


def _summary(given: GivenFile, *, as_json: bool) -> str:
    if given.model is not None:
        summary = summarise(given.model.proto)
        told = summary_as_json if as_json else render_summary
        return told(summary, given.name)
    program = summarise_program(given.mod)
    render = program_as_json if as_json else render_program
    return render(program, given.name)


def _write_pictures(given: GivenFile, args: argparse.Namespace) -> None:
    drawing = _draw(given, args, scopes=args.scopes)
    if args.svg is not None:
        write_result(drawing.to_svg(), args.svg)
    if args.dot is not None:
        write_result(drawing.to_dot(), args.dot)
    if args.html is not None:
        page = _draw(given, args, scopes=True)
        page.diagram.notes = _about(given)
        write_result(page.to_html(), args.html)
    if args.tree:
        write_result(drawing.to_text(), None)


def _draw(given: GivenFile, args: argparse.Namespace, *, scopes: bool) -> Drawing:
    if args.graph == "call":
        return draw(CallGraph(given.mod))
    if args.graph == "program" and args.analysis is None:
        return draw(given.mod, only=args.only, scopes=scopes)
    program = given.mod if args.only is None else given.mod[args.only]
    if args.analysis is not None:
        return draw(analyse(program, args.analysis))
    return draw(_GRAPHS[args.graph](program))


def _about(given: GivenFile) -> dict[str, str]:
    """Return what a page tells of the whole, by label."""
    if given.model is not None:
        rows = summarise(given.model.proto).rows(given.name)
    else:
        rows = summarise_program(given.mod).rows(given.name)
    found: dict[str, list[str]] = {}
    label = ""
    for name, text in rows:
        label = name or label
        found.setdefault(label, []).append(text)
    return {name: "\n".join(texts) for name, texts in found.items()}
