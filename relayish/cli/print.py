"""``relayish print``: read programs and print them."""

from __future__ import annotations

import argparse
import importlib

from relayish._support.collector import freeze_heap
from relayish._support.printable import escape
from relayish.cli.any_file import read_any, write_like
from relayish.cli.each_file import Outcome, run_each
from relayish.cli.files import STANDARD, write_result
from relayish.cli.report import tell
from relayish.errors import OptionError
from relayish.ir.relay.module import IRModule


def run(args: argparse.Namespace) -> int:
    """Run the command; above each of several programs stands the name of its file."""
    are_many = len(args.files) > 1
    if are_many and args.output not in (None, STANDARD):
        raise OptionError(
            f"-o {args.output} is one file for {len(args.files)} programs; print them one by one, "
            f"or leave -o out"
        )

    def show(name: str) -> Outcome:
        given = read_any(name, allow_unknown_ops=args.allow_unknown_ops)
        if are_many:
            tell(f"{'#' if args.as_ == 'python' else '//'} {escape(name)}\n")
        if args.as_ != "python":
            write_like(given, given.mod, args.output)
            return Outcome()
        with freeze_heap():
            result = _as_python(given.mod)
        write_result(result, args.output)
        return Outcome()

    return run_each(args.files, show, has_traceback=args.traceback)


def _as_python(mod: IRModule) -> str:
    """Return the source of ``main`` in Python; what writes it is loaded when it is needed."""
    codegen = importlib.import_module("relayish.codegen")
    program: str = codegen.to_python(mod).text
    return program
