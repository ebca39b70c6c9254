"""``relayish print``: read a program and print it."""

from __future__ import annotations

import argparse

from relayish import text
from relayish.cli.files import read_module, write_result


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    mod = read_module(args.file, allow_unknown_ops=args.allow_unknown_ops)
    write_result(text.astext(mod), args.output)
    return 0
