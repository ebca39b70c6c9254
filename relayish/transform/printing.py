"""Printing of programs before and after passes."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TextIO

from relayish.ir.module import IRModule
from relayish.transform.info import PassInfo, short_name
from relayish.transform.instrument import PassInstrument


class PassPrintingInstrument(PassInstrument):
    """Print the module before some passes, and after some.

    Args:
        print_before_pass_names: Passes before which to print.
        print_after_pass_names: Passes after which to print.
        file: Where to print; standard output, as it is at that time, if not given.
    """

    def __init__(
        self,
        print_before_pass_names: Collection[str] = (),
        print_after_pass_names: Collection[str] = (),
        *,
        file: TextIO | None = None,
    ) -> None:
        self.before = frozenset(short_name(name) for name in print_before_pass_names)
        self.after = frozenset(short_name(name) for name in print_after_pass_names)
        self.file = file

    def prints_before(self, info: PassInfo) -> bool:
        """Return whether to print before this pass."""
        return short_name(info.name) in self.before

    def prints_after(self, info: PassInfo) -> bool:
        """Return whether to print after this pass."""
        return short_name(info.name) in self.after

    def run_before_pass(self, mod: IRModule, info: PassInfo) -> None:
        if self.prints_before(info):
            self._print("before", mod, info)

    def run_after_pass(self, mod: IRModule, info: PassInfo) -> None:
        if self.prints_after(info):
            self._print("after", mod, info)

    def _print(self, when: str, mod: IRModule, info: PassInfo) -> None:
        # imported here, though it stands below: who prints nothing need not wait for the printer
        from relayish.text.printer import astext  # noqa: PLC0415

        # the heading is a comment of Relay text: what is printed can be parsed
        program = astext(mod).rstrip("\n")
        print(f"// {when} {info.name}\n{program}\n", file=self.file or sys.stdout)


class PrintBeforeAll(PassPrintingInstrument):
    """Print the module before every pass."""

    def __init__(self, *, file: TextIO | None = None) -> None:
        super().__init__(file=file)

    def prints_before(self, info: PassInfo) -> bool:  # noqa: ARG002 - every pass
        return True


class PrintAfterAll(PassPrintingInstrument):
    """Print the module after every pass."""

    def __init__(self, *, file: TextIO | None = None) -> None:
        super().__init__(file=file)

    def prints_after(self, info: PassInfo) -> bool:  # noqa: ARG002 - every pass
        return True
