"""Rules of functions: their arguments and bodies."""

from __future__ import annotations

from relayish.ir.verification.rules import VERIFY_RULES, Report
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.verifier.statements import check_realized
from relayish.tir.verifier.violation import Rule


@VERIFY_RULES.register(LoweredFunc)
def check_function(func: LoweredFunc, report: Report) -> None:
    """A function says of all of its arguments or of none whether it reads or writes them."""
    if func.args_io and len(func.args_io) != len(func.args):
        report(
            Rule.STRUCTURE,
            func,
            f"function {func.name!r} has {len(func.args)} arguments, and args_io says how "
            f"{len(func.args_io)} are used; say it of each, or of none",
        )
    sizes = func.cuda_axis_info
    if sizes is not None and min(*sizes.grid, *sizes.block) < 1:
        report(
            Rule.STRUCTURE,
            func,
            f"function {func.name!r} runs on the grid {sizes.grid} of blocks {sizes.block}; "
            f"expected sizes of 1 or more",
        )
    check_realized(func, func.body, report)
