"""``relayish bisect``: find the pass of a pipeline that is at fault, and the least program."""

from __future__ import annotations

import argparse
import shlex
from dataclasses import dataclass
from typing import Final

from relayish._support.collector import freeze_heap
from relayish.cli.any_file import read_any, write_like
from relayish.cli.files import STANDARD
from relayish.cli.json_form import render_json
from relayish.cli.pipeline_options import context_of, driver_context, named_pipeline, usual_pipeline
from relayish.cli.report import Verbosity, tell, tell_error, tell_note, verbosity
from relayish.domain.driver import Driver
from relayish.errors import ConfigError
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.debug.bisect import Culprit, Fault, bisect
from relayish.pass_infra.debug.failure import failing_check, failing_command
from relayish.pass_infra.instruments.verify import USUAL_CHECKS
from relayish.pass_infra.relay.value import compute, other_value

EXIT_FOUND: Final = 1
"""The exit code when a pass is at fault."""


@dataclass(frozen=True, slots=True)
class BisectResult:
    """Which pass is at fault.

    Attributes:
        file: The name of the program.
        culprit: The pass; null if nothing is wrong after any.
        position: How many others run before it.
        function: The function at fault, if it is one alone.
        message: What is wrong behind the pass.
    """

    file: str
    culprit: str | None = None
    position: int | None = None
    function: str | None = None
    message: str | None = None


RESULT: Final = BisectResult
"""What ``--json`` prints."""


def run(args: argparse.Namespace) -> int:
    """Run the command; the least program is written where the result goes."""
    driven = driver_context(args)
    named = named_pipeline(args)
    given = read_any(args.file, allow_unknown_ops=args.allow_unknown_ops)
    mod = given.mod
    pipeline = usual_pipeline(args, given.form) if named is None else named
    ctx = context_of(args, pipeline)
    fault = _fault(args)
    if args.value:
        compute(mod, args.entry, args.seed)  # if nothing can be computed, nothing can be compared
    with ctx, freeze_heap():
        driver = Driver(pipeline.passes, driven, name=pipeline.info.name)
        culprit = bisect(driver, mod, fault, most_tries=args.tries)
    if culprit is not None and (args.output is not None or not args.json):
        write_like(given, culprit.shrunk, args.output)
    if args.json:
        (tell_error if args.output == STANDARD else tell)(render_json(_result(args.file, culprit)))
        return 0 if culprit is None else EXIT_FOUND
    if culprit is None:
        if verbosity() is not Verbosity.QUIET:
            tell_error("relayish: nothing is wrong after any pass\n")
        return 0
    others = f"{culprit.position} other pass{'' if culprit.position == 1 else 'es'}"
    where = "" if culprit.function is None else f"; the function at fault is @{culprit.function}"
    tell_error(f"relayish: {culprit.name} is at fault, after {others}: {culprit.message}\n")
    tell_note(f"opt --skip-after={culprit.position} leaves it out{where}")
    return EXIT_FOUND


def _result(file: str, culprit: Culprit[IRModule] | None) -> BisectResult:
    if culprit is None:
        return BisectResult(file)
    return BisectResult(file, culprit.name, culprit.position, culprit.function, culprit.message)


def _fault(args: argparse.Namespace) -> Fault:
    """Return the fault to look for: any of those that are asked for."""
    faults = [failing_check(name) for name in args.check]
    if args.value:
        faults.append(other_value(args.entry, seed=args.seed, rtol=args.rtol, atol=args.atol))
    if args.command_line is not None:
        faults.append(failing_command(_words(args.command_line), timeout=args.timeout))
    if not faults:
        faults = [failing_check(name) for name in USUAL_CHECKS]

    def first(before: IRModule, after: IRModule) -> str | None:
        return next((told for fault in faults if (told := fault(before, after)) is not None), None)

    return first


def _words(command_line: str) -> list[str]:
    try:
        return shlex.split(command_line)
    except ValueError as error:
        raise ConfigError(f"cannot read the command {command_line!r}: {error}") from None
