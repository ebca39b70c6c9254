"""``relayish b2c``: programs of loops, or of AIR's core, as C."""

from __future__ import annotations

import argparse

from relayish._support.collector import freeze_heap
from relayish.cli.any_file import read_any
from relayish.cli.files import show_name, write_result
from relayish.codegen.c import core_to_c, to_c
from relayish.core.ir.family import Definition
from relayish.errors import OptionError


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Raises:
        OptionError: If the file holds a network, a model of ONNX or functions of Relay alone.
    """
    given = read_any(args.file, allow_unknown_ops=args.allow_unknown_ops)
    languages = {each.language_.name for each in given.mod.functions.values()}
    if given.model is not None or languages == {"relay"}:
        what = "Relay" if given.model is None else "a model of ONNX"
        raise OptionError(
            f"{show_name(args.file)} holds {what}; b2c writes loops and core as C, and relayish "
            f"compile a network"
        )
    with freeze_heap():
        is_core = any(isinstance(each, Definition) for each in given.mod.functions.values())
        text = core_to_c(given.mod).text if is_core else to_c(given.mod).text
    write_result(text, args.output)
    return 0
