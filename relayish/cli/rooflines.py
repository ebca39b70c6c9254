"""Rooflines of the functions of loops in a file, as ``relayish show --roofline`` prints them."""

from __future__ import annotations

from relayish.cli.any_file import GivenFile
from relayish.cli.files import show_name
from relayish.errors import OptionError
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.roofline import roofline


def rooflines_of(given: GivenFile) -> str:
    """Return a table for each function of loops.

    Raises:
        OptionError: If there is none.
        EvaluationError: If sizes that are not known decide what one does.
    """
    functions = given.mod.functions_of(LoweredFunc).values()
    if not functions:
        raise OptionError(
            f"--roofline is of functions of loops; {show_name(given.name)} holds none; "
            f"relayish compile --emit loops writes those of a network"
        )
    return "\n".join([f"{roofline(func)}\n" for func in functions])
