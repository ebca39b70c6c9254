"""``relayish check``: read programs and say whether they are well formed and well typed."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from relayish._support.collector import freeze_heap
from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_well_formed
from relayish.cli.any_file import GivenFile, read_any
from relayish.cli.each_file import FailedFile, Outcome, run_each
from relayish.cli.report import (
    Verbosity,
    describe_diagnostic,
    describe_error,
    tell,
    tell_error,
    verbosity,
)
from relayish.errors import ModelError, TypeInferenceError, WellFormedError

EXIT_INVALID: Final = 1
"""The exit code for a program that is not well formed or ill-typed."""
_MODELS: Final = "relayish.cli.onnx.reading"


@dataclass(frozen=True, slots=True)
class CheckReport:
    """What was found of a file.

    Attributes:
        file: Its name.
        functions: How many there are.
        well_formed: Whether it is.
        well_typed: Whether it is; ``None`` where nobody asked, or it is not even well formed.
        errors: What is wrong.
    """

    file: str
    functions: int
    well_formed: bool = True
    well_typed: bool | None = None
    errors: tuple[str, ...] = ()


RESULT: Final = CheckReport | list[CheckReport | FailedFile]
"""What ``--json`` prints: of one file, or of several."""


def run(args: argparse.Namespace) -> int:
    """Run the command; a program that cannot even be read is an error with its place."""

    def check(name: str) -> Outcome:
        given = read_any(name, allow_unknown_ops=args.allow_unknown_ops)
        with freeze_heap():
            report = check_file(given, has_types=not args.no_types)
        if not args.json:
            _tell(report)
        return Outcome(EXIT_INVALID if report.errors else 0, report)

    return run_each(args.files, check, is_json=args.json, has_traceback=args.traceback)


def check_file(given: GivenFile, *, has_types: bool = True) -> CheckReport:
    """Return what is wrong with the program in a file; a model has to keep the rules of ONNX too.

    Args:
        given: What the file holds.
        has_types: Whether types are inferred as well.
    """
    name, count = given.name, len(given.mod)
    try:
        if given.model is not None:
            # loaded for models alone, as what reads them
            importlib.import_module(_MODELS).check_model(
                given.model.path, given.model.proto, given.model.name
            )
        check_well_formed(given.mod)
    except WellFormedError as error:
        return CheckReport(name, count, False, errors=(f"{name}: {_not(error)}",))
    except ModelError as error:
        return CheckReport(name, count, False, errors=(describe_error(error),))
    if not has_types:
        return CheckReport(name, count)
    try:
        infer_type(given.mod)
    except TypeInferenceError as error:
        return CheckReport(name, count, True, False, tuple(_diagnoses(error, given.source)))
    return CheckReport(name, count, True, True)


def _not(error: WellFormedError) -> str:
    return f"not well formed: {describe_error(error)}"


def _diagnoses(error: TypeInferenceError, source: str) -> Iterator[str]:
    lines = source.split("\n")
    for diagnostic in error.diagnostics:
        yield describe_diagnostic(diagnostic, lines)


def _tell(report: CheckReport) -> None:
    """Say what is wrong with a program, or that nothing is."""
    for error in report.errors:
        tell_error(f"{error}\n")
    if report.well_typed is False:
        count = len(report.errors)
        tell_error(f"{report.file}: ill-typed, {count} error{'' if count == 1 else 's'}\n")
    if report.errors or verbosity() is Verbosity.QUIET:
        return
    found = "well formed and well typed" if report.well_typed else "well formed"
    count = report.functions
    tell(f"{report.file}: {found}, {count} function{'' if count == 1 else 's'}\n")
