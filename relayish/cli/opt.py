"""``relayish opt``: run a pipeline of passes over a program."""

from __future__ import annotations

import argparse
import importlib
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from relayish._support.collector import freeze_heap
from relayish.cli.any_file import GivenFile, read_any, write_like
from relayish.cli.files import STANDARD
from relayish.cli.forms import Form
from relayish.cli.json_form import render_json
from relayish.cli.onnx.counting import PassCost, PassCostInstrument, count_calls
from relayish.cli.pass_report import check_report, recorded
from relayish.cli.pipeline_options import (
    context_of,
    driver_context,
    named_pipeline,
    render_run,
    usual_pipeline,
)
from relayish.cli.progress import shown_bar
from relayish.cli.report import tell, tell_error
from relayish.cli.tables import is_coloured
from relayish.domain.driver import Driver, DriverCtx
from relayish.errors import OptionError, PassError
from relayish.ir.relay.module import IRModule
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.instruments.named import (
    dump,
    print_after,
    print_before,
    show_differences,
    verify,
)
from relayish.pass_infra.instruments.timing import PassTimingInstrument
from relayish.pass_infra.relay.program_file import phase_of


@dataclass(frozen=True, slots=True)
class OptResult:
    """What passes did to a program.

    Attributes:
        file: Its name.
        output: Where the result was written; null if nowhere.
        operators_before: How many calls of operators there were.
        operators_after: How many there are.
        seconds: How long reading, running passes and writing took.
        passes: Those that ran inside no other.
    """

    file: str
    output: str | None
    operators_before: int
    operators_after: int
    seconds: float
    passes: Sequence[PassCost]


RESULT: Final = OptResult
"""What ``--json`` prints."""


def run(args: argparse.Namespace) -> int:
    """Run the command; the result is written when every pass has succeeded."""
    return run_driven(args, driver_context(args))


def run_driven(args: argparse.Namespace, driven: DriverCtx) -> int:
    """Run the passes as a driver of the context ``driven``."""
    begin = time.perf_counter()
    named = named_pipeline(args)
    if args.print_pass:
        pipeline = usual_pipeline(args, Form.RELAY) if named is None else named
        with context_of(args, pipeline):
            tell(render_run(Driver(pipeline.passes, driven)))
        return 0
    check_report(args)
    if args.file is None:
        raise OptionError("no input files; the following arguments are required: FILE")
    given, phase = _read(args)
    mod = given.mod
    if args.why_not:
        return _tell_why_not(args, mod)
    pipeline = usual_pipeline(args, given.form) if named is None else named
    driver = Driver(pipeline.passes, driven, name=pipeline.info.name)
    timing, costs = PassTimingInstrument(), PassCostInstrument()
    watching = [*([timing] if args.timing else []), *_instruments(args)]
    measuring = [costs] if args.json else []
    with (
        recorded(args, driver, mod) as recording,
        shown_bar(0, 0 if watching else len(driver.plan())) as bar,
        context_of(args, pipeline, [*measuring, *watching, bar.watch(driver)], recording.around),
        freeze_heap(),
    ):
        # run as a driver, and not called, which would print and time the whole like one more pass
        out = driver.resume(mod, phase) if phase else driver(mod)
        tell_error(timing.render())
    if args.output is not None or not args.json:
        write_like(given, out, args.output)
    if not args.json:
        return 0
    counts = count_calls(mod), count_calls(out)
    result = OptResult(args.file, args.output, *counts, time.perf_counter() - begin, costs.costs)
    (tell_error if args.output == STANDARD else tell)(render_json(result))
    return 0


def _tell_why_not(args: argparse.Namespace, mod: IRModule) -> int:
    if args.passes is None:
        raise OptionError("--why-not asks about rules of passes; name these, as in -p SimplifyExpr")
    if args.json:
        raise OptionError("--why-not tells why, in words; leave out --json")
    # what rewrites by rules is imported by who has some
    why_not = importlib.import_module("relayish.rewriting").why_not
    for rule in args.why_not:
        tell(f"{why_not(f'{args.passes}/{rule}', mod)}\n")
    return 0


def _read(args: argparse.Namespace) -> tuple[GivenFile, str]:
    """Return what the file holds, and the pass behind which to go on, if any."""
    given = read_any(args.file, allow_unknown_ops=args.allow_unknown_ops)
    if not args.resume:
        return given, ""
    phase = "" if args.file == STANDARD else phase_of(args.file)
    if not phase:
        raise PassError(
            f"{args.file} does not tell of which pass it is the result; leave out --resume, or "
            f"write it with --keep, --dump-after PASS or PASS{{write_ir=FILE}}"
        )
    return given, phase


def _instruments(args: argparse.Namespace) -> list[PassInstrument]:
    """Return the instruments that are asked for; what they print goes to standard error."""
    before = () if args.print_ir_before_all else tuple(args.print_ir_before)
    after = () if args.print_ir_after_all else tuple(args.print_ir_after)
    changed = args.print_changed
    made: list[PassInstrument] = []
    if args.verify:
        made.append(verify(checks=tuple(args.verify)))
    if args.dump_ir is not None:
        made.append(dump(folder=args.dump_ir))
    if before or args.print_ir_before_all:
        made.append(print_before(passes=before))
    if after or args.print_ir_after_all or changed:
        made.append(print_after(passes=after, only_changed=changed))
    if args.diff or args.diff_types:
        colour = is_coloured(sys.stderr, args.color)
        made.append(show_differences(types=args.diff_types, colour=colour))
    return made
