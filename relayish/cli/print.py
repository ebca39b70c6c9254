"""``relayish print``: read a program and print it."""

from __future__ import annotations

import argparse

from relayish import text
from relayish._support.collector import freeze_heap
from relayish.cli.files import read_module, write_result


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    mod = read_module(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        result = text.astext(mod)
    write_result(result, args.output)
    return 0
