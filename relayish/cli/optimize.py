"""``relayish optimize``: shrink models of ONNX by named passes, and prove the results equal."""

from __future__ import annotations

import argparse
import importlib
import os
from pathlib import Path
from typing import Final

from relayish._support.files import check_writable
from relayish.cli.files import STANDARD, check_binary_output
from relayish.cli.json_form import render_json
from relayish.cli.onnx.example import given_files
from relayish.cli.onnx.report import OptimizeResult, parts_of, result_of
from relayish.cli.optimizing.one import TEST_SHAPE, optimise_model, pipeline_of
from relayish.cli.optimizing.results import ModelResult
from relayish.cli.pass_report import check_report
from relayish.cli.pipeline_options import context_of, driver_context, render_run
from relayish.cli.report import Verbosity, tell, tell_error, tell_note, verbosity
from relayish.cli.tables import tell_parts
from relayish.domain.driver import Driver
from relayish.errors import OptionError

RESULT: Final = OptimizeResult | list[ModelResult]
"""What ``--json`` prints: of one model, or of those that go to a folder."""


def run(args: argparse.Namespace) -> int:
    """Run the command; results are put in place when they were proven equal."""
    args.file = args.files[0] if args.files else None
    if args.print_pass:
        pipeline = pipeline_of(args)
        with context_of(args, pipeline):
            tell(render_run(Driver(pipeline.passes, driver_context(args))))
        return 0
    args.files = given_files(args)
    _check_options(args)
    if _is_for_many(args):
        # loaded with what runs processes, when there are several
        code: int = importlib.import_module("relayish.cli.optimizing.many").optimise_many(args)
        return code
    (args.file,) = args.files
    _check_output(args)
    report, code, _ = optimise_model(args)
    for note in report.notes:
        if code:  # of what is wrong
            tell_error(f"relayish: note: {note}\n")
        else:
            tell_note(note)
    on_error = args.output == STANDARD
    if args.json:
        (tell_error if on_error else tell)(render_json(result_of(report)))
    elif verbosity() is not Verbosity.QUIET:
        tell_parts(parts_of(report), on_error=on_error)
    return code


def _is_for_many(args: argparse.Namespace) -> bool:
    """Return whether a command is about several models, or a folder of results."""
    output = args.output
    is_folder = output not in (None, STANDARD) and (
        output.endswith(("/", os.sep)) or Path(output).is_dir()
    )
    return (
        is_folder
        or len(args.files) > 1
        or (args.jobs, args.executor) != (None, None)
        or any(Path(each).is_dir() for each in args.files if each != STANDARD)
    )


def _check_options(args: argparse.Namespace) -> None:
    """Find what is wrong with the options before anything is done."""
    check_report(args)
    for option, given in ((TEST_SHAPE, args.test_input_shape), ("--input-data", args.input_data)):
        if given and not args.verify:
            raise OptionError(f"{option} is for verification, and --verify 0 asks for none")
    if args.test_input_shape and args.input_data:
        raise OptionError(f"{TEST_SHAPE} says what to draw, and --input-data not to; write one")


def _check_output(args: argparse.Namespace) -> None:
    if args.output == STANDARD:
        check_binary_output("a model")
    elif args.output is not None:
        folder = Path(args.output).absolute().parent
        if not folder.is_dir():
            raise OptionError(f"-o {args.output}: there is no directory {str(folder)!r}")
        if Path(args.output).exists() and not Path(args.output).is_file():
            raise OptionError(f"-o {args.output} is a device or a pipe; expected a file")
        check_writable(Path(args.output))
