"""``relayish show``: what files hold, as summaries, as text, as pictures or pages."""

from __future__ import annotations

import argparse
import importlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeAlias

from relayish._support.collector import freeze_heap
from relayish._support.printable import escape
from relayish.cli import program_summary
from relayish.cli.any_file import GivenFile, read_any
from relayish.cli.each_file import FailedFile, Outcome, run_each
from relayish.cli.files import STANDARD, show_name, write_result
from relayish.cli.forms import text_of
from relayish.cli.onnx import summary
from relayish.cli.onnx.example import given_files
from relayish.cli.onnx.summary import ModelSummary, render_rows
from relayish.cli.program_summary import ProgramSummary
from relayish.cli.report import tell
from relayish.errors import OptionError
from relayish.text import astext

Rows: TypeAlias = Sequence[tuple[str, str]]
_PICTURES: Final = ("svg", "dot", "html")
_MODEL_NOTES: Final = "relayish.cli.onnx.notes"
RESULT: Final = ModelSummary | ProgramSummary | list[ModelSummary | ProgramSummary | FailedFile]
"""What ``--json`` prints: of one file, or of several."""


def run(args: argparse.Namespace) -> int:
    """Run the command; what is asked for of a file is written whole or not at all."""
    is_drawn = args.tree or any(getattr(args, each) is not None for each in _PICTURES)
    args.files = given_files(args)
    _check(args, is_drawn=is_drawn)
    places = _places(args)
    shown: list[str] = []

    def show(name: str) -> Outcome:
        given = read_any(name, allow_unknown_ops=args.allow_unknown_ops)
        with freeze_heap():
            return _show(given, args, places[name], shown, is_drawn=is_drawn)

    return run_each(args.files, show, is_json=args.json, has_traceback=args.traceback)


def _show(
    given: GivenFile,
    args: argparse.Namespace,
    places: Mapping[str, str],
    shown: list[str],
    *,
    is_drawn: bool,
) -> Outcome:
    """Show what one file holds; ``shown`` are those before it, and it is added there."""
    is_told = not (args.text or args.roofline or is_drawn)
    has_text = args.text or args.roofline or args.tree
    if len(args.files) > 1 and not args.json and (is_told or has_text):
        if shown:
            tell("\n")
        if has_text:
            tell(f"// {escape(show_name(given.name))}\n")
    shown.append(given.name)
    if args.text:
        write_result(_text(given, has_metadata=args.metadata), None)
    if args.roofline:
        # likewise what counts
        rooflines = importlib.import_module("relayish.cli.rooflines")
        write_result(rooflines.rooflines_of(given), None)
    needs_summary = is_told or args.json or args.html is not None
    told, rows, operators = _summary(given) if needs_summary else (None, (), {})
    if is_told and not args.json:
        tell(render_rows(rows, operators))
    if is_drawn:
        # what draws is loaded when it is needed
        pictures = importlib.import_module("relayish.cli.pictures")
        pictures.write_pictures(given, args, places, rows)
    return Outcome(told=told)


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
        "--work": args.work,
    }
    needless = next((name for name, is_given in chosen.items() if is_given), None)
    if needless is not None and not is_drawn:
        raise OptionError(
            f"{needless} says what is drawn, but no picture is asked for; write --svg FILE, "
            f"--dot FILE, --html FILE or --tree"
        )
    if args.metadata and not args.text:
        raise OptionError("--metadata is for --text; a summary tells of it anyway")
    _check_output(args)
    if args.graph == "call" and args.only is not None:
        raise OptionError("a call graph is of all that a module defines; leave --only out")


def _check_output(args: argparse.Namespace) -> None:
    """Check that what stands on standard output can be told apart."""
    printed = [name for name in ("text", "roofline", "json", "tree") if getattr(args, name)]
    piped = [name for name in _PICTURES if getattr(args, name) == STANDARD]
    if printed and len(printed) + len(piped) > 1 and (args.json or piped):
        told = ", ".join([*(f"--{name}" for name in printed), *(f"--{name} -" for name in piped)])
        raise OptionError(
            f"{told} would stand on standard output one behind the other; write a picture into a "
            f"file, or call show twice"
        )
    if piped and len(args.files) > 1:
        raise OptionError(
            f"--{piped[0]} - would put {len(args.files)} pictures one behind the other; write "
            f"--{piped[0]} DIR/"
        )


def _places(args: argparse.Namespace) -> dict[str, dict[str, str]]:
    """Return where the pictures of each file go, by file and option.

    Raises:
        OptionError: If one would be written over what is read, or over another one.
    """
    seen = {os.path.realpath(name): "FILE" for name in args.files if name != STANDARD}
    found: dict[str, dict[str, str]] = {name: {} for name in args.files}
    for option in _PICTURES:
        asked = getattr(args, option)
        if asked is None:
            continue
        is_folder = asked.endswith(("/", os.sep)) or Path(asked).is_dir()
        if len(args.files) > 1 and not is_folder:
            raise OptionError(
                f"--{option} {asked} is one picture for {len(args.files)} files; write a "
                f"directory, --{option} {asked}/"
            )
        for name, own in found.items():
            path = asked
            if is_folder:
                stem = "stdin" if name == STANDARD else Path(name).stem
                path = str(Path(asked, f"{stem}.{option}"))
            real = path if path == STANDARD else os.path.realpath(path)
            if real in seen:
                raise OptionError(
                    f"--{option} {path}: that is {seen[real]} as well, of which nothing would be "
                    f"left; write another name"
                )
            seen[real] = f"--{option}" if len(args.files) == 1 else f"--{option} of {name}"
            own[option] = path
    return found


def _text(given: GivenFile, *, has_metadata: bool) -> str:
    if given.model is None:
        return text_of(given.mod, given.form)
    mod = given.mod
    if not has_metadata:
        mod = importlib.import_module(_MODEL_NOTES).without_notes(mod)
    return astext(mod, show_meta_data=False)


def _summary(given: GivenFile) -> tuple[ModelSummary | ProgramSummary, Rows, Mapping[str, int]]:
    """Return what is told of a file: as JSON, as rows, and how often there are operators."""
    if given.model is not None:
        model = summary.summarise(given.model.proto, given.name)
        return model, tuple(summary.rows_of(model)), model["operators_by_type"]
    program = program_summary.summarise_program(given.mod, given.name)
    return program, tuple(program_summary.rows_of(program)), program["operators_by_type"]
