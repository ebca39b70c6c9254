"""``relayish print``: read a program and print it."""

from __future__ import annotations

import argparse
import importlib

from relayish._support.collector import freeze_heap
from relayish.cli.files import read_program, write_program, write_result
from relayish.ir.relay.module import IRModule


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    mod, form = read_program(args.file, allow_unknown_ops=args.allow_unknown_ops)
    if args.as_ != "python":
        write_program(mod, form, args.output)
        return 0
    with freeze_heap():
        result = _as_python(mod)
    write_result(result, args.output)
    return 0


def _as_python(mod: IRModule) -> str:
    """Return the source of ``main`` in Python; what writes it is loaded when it is needed."""
    codegen = importlib.import_module("relayish.codegen")
    program: str = codegen.to_python(mod).text
    return program
