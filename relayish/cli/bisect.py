"""``relayish bisect``: find the pass of a pipeline that is at fault, and the least program."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Final

from relayish import text
from relayish.cli.files import read_module, write_result
from relayish.cli.setting import context_of, pipeline_of
from relayish.ir.module import IRModule
from relayish.transform.bisect import Fault, bisect
from relayish.transform.fault import failing_check, failing_command, other_value

FOUND: Final = 1
"""The exit code when a pass is at fault."""


def run(args: argparse.Namespace) -> int:
    """Run the command; the least program is written where the result goes."""
    pipeline = pipeline_of(args)
    ctx = context_of(args, pipeline)
    mod = read_module(args.file, allow_unknown_ops=args.allow_unknown_ops)
    with ctx:
        culprit = bisect(pipeline, mod, _fault(args), most_tries=args.tries)
    if culprit is None:
        sys.stderr.write("relayish: nothing is wrong after any pass\n")
        return 0
    sys.stderr.write(
        f"relayish: {culprit.name} is at fault, after {culprit.position} other passes: "
        f"{culprit.message}\n"
    )
    write_result(text.astext(culprit.shrunk), args.output)
    return FOUND


def _fault(args: argparse.Namespace) -> Fault:
    """Return the fault to look for: any of those that are asked for."""
    faults = [failing_check(name) for name in args.check]
    if args.value:
        faults.append(other_value(args.entry, seed=args.seed, rtol=args.rtol, atol=args.atol))
    if args.command_line is not None:
        faults.append(failing_command(shlex.split(args.command_line), timeout=args.timeout))
    if not faults:
        faults = [failing_check("well_formed"), failing_check("well_typed")]

    def first(before: IRModule, after: IRModule) -> str | None:
        return next((told for fault in faults if (told := fault(before, after)) is not None), None)

    return first
