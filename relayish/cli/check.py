"""``relayish check``: read a program and say whether it is well formed and well typed."""

from __future__ import annotations

import argparse
from typing import Final

from relayish._support.collector import freeze_heap
from relayish.analysis.infer_type import infer_type
from relayish.analysis.well_formed import check_well_formed
from relayish.cli.files import read_with_source
from relayish.cli.report import describe_diagnostic, describe_error, tell, tell_error
from relayish.errors import TypeInferenceError, WellFormedError
from relayish.ir.relay.module import IRModule

EXIT_INVALID: Final = 1
"""The exit code for a program that is not well formed or ill-typed."""


def run(args: argparse.Namespace) -> int:
    """Run the command; a program that cannot even be read is an error with its place."""
    mod, _, source = read_with_source(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        return _check(mod, source, args)


def _check(mod: IRModule, source: str, args: argparse.Namespace) -> int:
    """Say what is wrong with a program, or that nothing is; return the exit code."""
    try:
        check_well_formed(mod)
    except WellFormedError as error:
        tell_error(f"{args.file}: not well formed: {describe_error(error)}\n")
        return EXIT_INVALID
    count = f"{len(mod)} function{'' if len(mod) == 1 else 's'}"
    if args.no_types:
        tell(f"{args.file}: well formed, {count}\n")
        return 0
    try:
        infer_type(mod)
    except TypeInferenceError as error:
        lines = source.split("\n")
        for diagnostic in error.diagnostics:
            tell_error(f"{describe_diagnostic(diagnostic, lines)}\n")
        found = f"{len(error.diagnostics)} error{'' if len(error.diagnostics) == 1 else 's'}"
        tell_error(f"{args.file}: ill-typed, {found}\n")
        return EXIT_INVALID
    tell(f"{args.file}: well formed and well typed, {count}\n")
    return 0
