"""``relayish check``: read a program and say whether it is well formed."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from relayish.analysis import check_well_formed
from relayish.cli.files import read_module
from relayish.cli.report import describe_error
from relayish.errors import WellFormedError

WANTING: Final = 1
"""The exit code for a program that is not well formed."""


def run(args: argparse.Namespace) -> int:
    """Run the command; a program that cannot even be read is an error with its place."""
    mod = read_module(args.file, allow_unknown_ops=args.allow_unknown_ops)
    try:
        check_well_formed(mod)
    except WellFormedError as error:
        sys.stderr.write(f"{args.file}: not well formed: {describe_error(error)}\n")
        return WANTING
    count = len(mod)
    sys.stdout.write(f"{args.file}: well formed, {count} function{'' if count == 1 else 's'}\n")
    return 0
