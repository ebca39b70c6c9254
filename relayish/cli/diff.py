"""``relayish diff``: how two models of ONNX differ, or two programs, of whatever kind."""

from __future__ import annotations

import argparse
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final

from relayish._support.collector import freeze_heap
from relayish._support.printable import escape
from relayish.analysis.operator_counts import list_op_freqs
from relayish.cli.any_file import GivenFile, read_any
from relayish.cli.differences import DiffReport, count_changes, largest_difference, render_diff
from relayish.cli.each_file import check_once
from relayish.cli.forms import Form, text_of
from relayish.cli.json_form import render_json
from relayish.cli.onnx.statistics import count_model
from relayish.cli.report import Verbosity, tell, tell_marked, verbosity
from relayish.cli.tables import is_coloured
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.instruments.coloured_diff import colour_lines, pair_changes
from relayish.pass_infra.instruments.line_changes import renumber
from relayish.pass_infra.instruments.line_diff import diff_lines
from relayish.text.relay.brief_text import ConstantNames, brief_text

EXIT_DIFFERENT: Final = 1
"""The exit code when there is a difference."""
RESULT: Final = DiffReport
_MODELS: Final = "relayish.cli.onnx.differences"
_NOTES: Final = "relayish.cli.onnx.notes"
_DIGEST: Final = re.compile(r"\w+\[[\d, ]*\]#[0-9a-f]{6}\b")
"""A constant in a brief text."""


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    check_once([args.before, args.after])
    given = [
        read_any(name, allow_unknown_ops=args.allow_unknown_ops)
        for name in (args.before, args.after)
    ]
    with freeze_heap():
        are_models = all(each.model is not None for each in given)
        report = (_diff_models if are_models else _diff_programs)(given[0], given[1], args)
        if args.json:
            tell(render_json(report))
        elif verbosity() is not Verbosity.QUIET:
            plain = map(escape, render_diff(report, values=args.values))
            lines = colour_lines(plain) if is_coloured(sys.stdout, args.color) else plain
            tell_marked("".join([f"{line}\n" for line in lines]))
    return 0 if report.equal else EXIT_DIFFERENT


def _diff_models(before: GivenFile, after: GivenFile, args: argparse.Namespace) -> DiffReport:
    # loaded for models alone, as what reads them
    models = importlib.import_module(_MODELS)
    files = before.model, after.model
    changes = tuple(
        models.diff_models(
            *files, types=args.types, metadata=args.metadata, values=args.values, names=args.names
        )
    )
    old, new = [count_model(each.proto) for each in files]
    return DiffReport(
        before.name,
        after.name,
        not changes,
        total=(old.total, new.total),
        operators=count_changes(old.operators, new.operators),
        constant_bytes=(old.constant_bytes, new.constant_bytes),
        changes=changes,
    )


def _diff_programs(before: GivenFile, after: GivenFile, args: argparse.Namespace) -> DiffReport:
    """Return how texts of programs differ, of which one may be a model."""
    constants = ConstantNames()
    first, second = [_lines(each, constants, args) for each in (before, after)]
    if not args.names:
        second = renumber(first, second)
    lines = tuple(diff_lines(first, second, (before.name, after.name)))
    counts = [list_op_freqs(each.mod) if "main" in each.mod else {} for each in (before, after)]
    return DiffReport(
        before.name,
        after.name,
        not lines,
        total=(sum(counts[0].values()), sum(counts[1].values())),
        operators=count_changes(*counts),
        lines=lines,
        notes=tuple(dict.fromkeys(_notes(lines, constants))),
    )


def _lines(given: GivenFile, constants: ConstantNames, args: argparse.Namespace) -> list[str]:
    """Return the text of a program as it is compared."""
    mod = given.mod
    if given.model is not None and not args.metadata:
        without_notes = importlib.import_module(_NOTES).without_notes
        mod = without_notes(mod)
    if args.values or given.form in (Form.FUNCTIONS, Form.MODULE):
        return text_of(mod, given.form).splitlines()
    return _brief(mod, constants, args).splitlines()


def _brief(mod: IRModule, constants: ConstantNames, args: argparse.Namespace) -> str:
    return brief_text(mod, constants, show_types=args.types, show_results=args.types)


def _notes(lines: Sequence[str], constants: ConstantNames) -> Iterator[str]:
    """Yield by how much constants differ, in lines of which one became the other."""
    gone: list[str] = []
    new: list[str] = []
    for line in (*lines, "@@"):
        if line.startswith("-") and not new:
            gone.append(line[1:])
        elif line.startswith("+"):
            new.append(line[1:])
        else:
            for pair in pair_changes(gone, new):
                yield from _changes(gone[pair.before], new[pair.after], constants)
            gone, new = ([line[1:]], []) if line.startswith("-") else ([], [])


def _changes(before: str, after: str, constants: ConstantNames) -> Iterator[str]:
    names = _DIGEST.findall(before), _DIGEST.findall(after)
    if len(names[0]) != len(names[1]):
        return
    for was, now in zip(*names, strict=True):
        if was == now:
            continue
        difference = largest_difference(constants.named(was), constants.named(now))
        if difference is not None:
            yield f"constant {was} -> {now}: largest difference {difference:.2g}"
