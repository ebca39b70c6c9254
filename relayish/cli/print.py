"""``relayish print``: read a program and print it."""

from __future__ import annotations

import argparse

from relayish._support.collector import freeze_heap
from relayish.cli.files import read_program, write_result
from relayish.cli.forms import text_of


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    mod, form = read_program(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        result = text_of(mod, form)
    write_result(result, args.output)
    return 0
