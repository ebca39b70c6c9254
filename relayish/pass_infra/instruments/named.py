"""Instruments of the library by name; what they tell goes to standard error."""

from __future__ import annotations

import sys

from relayish.errors import OptionError
from relayish.pass_infra.base.instrument import PassInstrument
from relayish.pass_infra.composition.check import get_check
from relayish.pass_infra.composition.instruments import register_instrument
from relayish.pass_infra.composition.registry import pass_entry
from relayish.pass_infra.instruments.counting import PassCountInstrument
from relayish.pass_infra.instruments.diff import DiffInstrument
from relayish.pass_infra.instruments.dump import DumpInstrument
from relayish.pass_infra.instruments.immutable import ImmutableModuleInstrument
from relayish.pass_infra.instruments.printing import (
    PassPrintingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
)
from relayish.pass_infra.instruments.timing import PassTimingInstrument
from relayish.pass_infra.instruments.verify import USUAL_CHECKS, VerifyInstrument

register_instrument("Immutable")(ImmutableModuleInstrument)


@register_instrument("Timing")
class TimingAtEnd(PassTimingInstrument):
    """Print how long passes took, those inside others below them."""

    def exit_pass_ctx(self) -> None:
        super().exit_pass_ctx()
        sys.stderr.write(self.render())


@register_instrument("Count")
class CountAtEnd(PassCountInstrument):
    """Print how often each pass ran, and how often it changed the program."""

    def exit_pass_ctx(self) -> None:
        sys.stderr.write(self.render())


@register_instrument("Diff")
def show_differences(
    *,
    passes: tuple[str, ...] = (),
    types: bool = False,
    context: int = 3,
    colour: bool = False,
) -> PassInstrument:
    """Print what passes change, line by line."""
    names = _checked(passes) or None
    return DiffInstrument(names, types=types, context=context, colour=colour, file=sys.stderr)


@register_instrument("PrintBefore")
def print_before(*, passes: tuple[str, ...] = ()) -> PassInstrument:
    """Print the program before these passes, or before all."""
    if not passes:
        return PrintBeforeAll(file=sys.stderr)
    return PassPrintingInstrument(_checked(passes), file=sys.stderr)


@register_instrument("PrintAfter")
def print_after(*, passes: tuple[str, ...] = (), only_changed: bool = False) -> PassInstrument:
    """Print the program after these passes, or after all."""
    if not passes:
        return PrintAfterAll(only_changed=only_changed, file=sys.stderr)
    return PassPrintingInstrument((), _checked(passes), only_changed=only_changed, file=sys.stderr)


@register_instrument("Dump")
def dump(*, folder: str) -> PassInstrument:
    """Write the program after every pass to a file of its own in a new directory."""
    if not folder:
        raise OptionError('instrument Dump: folder is empty; write Dump{folder="passes"}')
    return DumpInstrument(folder)


@register_instrument("Verify")
def verify(*, checks: tuple[str, ...] = USUAL_CHECKS) -> PassInstrument:
    """Check the program after every pass, and say which broke it."""
    for name in checks:
        get_check(name)
    return VerifyInstrument(checks)


def _checked(passes: tuple[str, ...]) -> tuple[str, ...]:
    """Return names of passes; one that is misspelt would silently have no effect."""
    for name in passes:
        pass_entry(name)
    return passes
