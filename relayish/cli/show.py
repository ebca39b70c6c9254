"""``relayish show``: what a file holds, as a summary, as text, as pictures or a page."""

from __future__ import annotations

import argparse
import importlib
import os

from relayish._support.collector import freeze_heap
from relayish.cli.any_file import GivenFile, read_any
from relayish.cli.files import write_result
from relayish.cli.forms import text_of
from relayish.cli.onnx.example import given_file
from relayish.cli.onnx.summary import Summary, render_summary, summarise, summary_as_json
from relayish.cli.program_summary import (
    ProgramSummary,
    program_as_json,
    render_program,
    summarise_program,
)
from relayish.cli.report import tell
from relayish.errors import OptionError
from relayish.text import astext


def run(args: argparse.Namespace) -> int:
    """Run the command; what is asked for is written whole or not at all."""
    is_drawn = args.tree or any(each is not None for each in (args.svg, args.dot, args.html))
    args.file = given_file(args)
    _check(args, is_drawn=is_drawn)
    given = read_any(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        if args.text:
            write_result(_text(given), None)
        if args.json or not (args.text or is_drawn):
            tell(_told(_summary(given), given.name, as_json=args.json))
        if is_drawn:
            # what draws is loaded when it is needed
            pictures = importlib.import_module("relayish.cli.pictures")
            about = _summary(given).rows(given.name) if args.html is not None else ()
            pictures.write_pictures(given, args, about)
    return 0


def _check(args: argparse.Namespace, *, is_drawn: bool) -> None:
    if args.graph != "program" and args.analysis is not None:
        raise OptionError(
            f"--analysis draws states on the flow graph; found --graph {args.graph} as well; "
            f"leave one of them out"
        )
    chosen = {
        "--graph": args.graph != "program",
        "--analysis": args.analysis is not None,
        "--only": args.only is not None,
        "--scopes": args.scopes,
    }
    needless = next((name for name, is_given in chosen.items() if is_given), None)
    if needless is not None and not is_drawn:
        raise OptionError(
            f"{needless} says what is drawn, but no picture is asked for; write --svg FILE, "
            f"--dot FILE, --html FILE or --tree"
        )
    _check_files(args)
    if args.graph == "call" and args.only is not None:
        raise OptionError("a call graph is of all that a module defines; leave --only out")


def _check_files(args: argparse.Namespace) -> None:
    """Check that no picture is written over what is read, or over another one."""
    printed = [name for name in ("text", "json", "tree") if getattr(args, name)]
    piped = [name for name in ("svg", "dot", "html") if getattr(args, name) == "-"]
    if printed and len(printed) + len(piped) > 1 and (args.json or piped):
        told = ", ".join([*(f"--{name}" for name in printed), *(f"--{name} -" for name in piped)])
        raise OptionError(
            f"{told} would stand on standard output one behind the other; write a picture into a "
            f"file, or call show twice"
        )
    seen: dict[str, str] = {} if args.file == "-" else {os.path.realpath(args.file): "FILE"}
    for option in ("svg", "dot", "html"):
        path = getattr(args, option)
        if path is None:
            continue
        real = path if path == "-" else os.path.realpath(path)
        if real in seen:
            raise OptionError(
                f"--{option} {path}: that is {seen[real]} as well, of which nothing would be left; "
                f"write another name"
            )
        seen[real] = f"--{option}"


def _text(given: GivenFile) -> str:
    if given.model is not None:
        return astext(given.mod, show_meta_data=False)
    return text_of(given.mod, given.form)


def _summary(given: GivenFile) -> Summary | ProgramSummary:
    return summarise_program(given.mod) if given.model is None else summarise(given.model.proto)


def _told(summary: Summary | ProgramSummary, name: str, *, as_json: bool) -> str:
    if isinstance(summary, ProgramSummary):
        return program_as_json(summary, name) if as_json else render_program(summary, name)
    return summary_as_json(summary, name) if as_json else render_summary(summary, name)
