"""``relayish b2c``: programs of loops, or of AIR's core, as C."""

from __future__ import annotations

import argparse

from relayish._support.collector import freeze_heap
from relayish.cli.files import read_program, write_result
from relayish.codegen.c.program import to_c


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    mod, _ = read_program(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        text = to_c(mod).text
    write_result(text, args.output)
    return 0
