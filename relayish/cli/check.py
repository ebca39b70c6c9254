"""``relayish check``: read a program and say whether it is sound."""

from __future__ import annotations

import argparse
import sys

from relayish.cli.files import read_module


def run(args: argparse.Namespace) -> int:
    """Run the command; a program that cannot be read is an error with its place."""
    mod = read_module(args.file, allow_unknown_ops=args.allow_unknown_ops)
    count = len(mod)
    sys.stdout.write(f"{args.file}: {count} function{'' if count == 1 else 's'}, sound\n")
    return 0
