"""``relayish b2c``: programs of loops, or of AIR's core, as C."""

from __future__ import annotations

import argparse

from relayish._support.collector import freeze_heap
from relayish.cli.files import read_program, write_result
from relayish.codegen.c import core_to_c, to_c
from relayish.core.ir.family import Definition


def run(args: argparse.Namespace) -> int:
    """Run the command."""
    mod, _ = read_program(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with freeze_heap():
        is_core = any(isinstance(each, Definition) for each in mod.functions.values())
        text = core_to_c(mod).text if is_core else to_c(mod).text
    write_result(text, args.output)
    return 0
