"""Printing of programs before and after passes."""

from __future__ import annotations

import sys
from collections.abc import Collection
from typing import TextIO

from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo, short_name
from relayish.pass_infra.instruments.program_text import ProgramTexts
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass


class PassPrintingInstrument(NestingInstrument):
    """Print the module before some passes, and after some.

    Args:
        print_before_pass_names: Passes before which to print.
        print_after_pass_names: Passes after which to print.
        only_changed: After a pass, print the module only if its text is another than before, and
            one line, ``// after FoldConstant (unchanged)``, if not. After a pass whose result is
            that of a pass inside it, a ``Sequential``, there is a line as well.
        file: Where to print; standard output, as it is at that time, if not given.
    """

    def __init__(
        self,
        print_before_pass_names: Collection[str] = (),
        print_after_pass_names: Collection[str] = (),
        *,
        only_changed: bool = False,
        file: TextIO | None = None,
    ) -> None:
        super().__init__()
        self.before = frozenset(short_name(name) for name in print_before_pass_names)
        self.after = frozenset(short_name(name) for name in print_after_pass_names)
        self.only_changed = only_changed
        self.file = file
        self._texts = ProgramTexts()

    def prints_before(self, info: PassInfo) -> bool:
        """Return whether to print before this pass."""
        return short_name(info.name) in self.before

    def prints_after(self, info: PassInfo) -> bool:
        """Return whether to print after this pass."""
        return short_name(info.name) in self.after

    def exit_pass_ctx(self) -> None:
        self._texts.forget()

    def begins(self, running: RunningPass) -> None:
        if self.prints_before(running.info):
            self._print(f"before {running.info.name}", running.mod)

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        if not self.prints_after(info):
            return
        why = self._explain_silence(running, out)
        if why:
            print(f"// after {info.name} ({why})\n", file=self.file or sys.stdout)
        else:
            self._print(f"after {info.name}", out)

    def _explain_silence(self, running: RunningPass | None, out: AnyModule) -> str:
        """Return why what a pass returned is not to be printed, ``""`` if it is."""
        if not self.only_changed or running is None:
            return ""
        if running.mod is out or self._texts.of(running.mod) == self._texts.of(out):
            return "unchanged"
        return "as after the last pass inside" if running.is_pure_composition(out) else ""

    def _print(self, when: str, mod: AnyModule) -> None:
        # the heading is a comment of Relay text: what is printed can be parsed
        program = self._texts.of(mod).rstrip("\n")
        print(f"// {when}\n{program}\n", file=self.file or sys.stdout)


class PrintBeforeAll(PassPrintingInstrument):
    """Print the module before every pass."""

    def __init__(self, *, file: TextIO | None = None) -> None:
        super().__init__(file=file)

    def prints_before(self, info: PassInfo) -> bool:  # noqa: ARG002 - every pass
        return True


class PrintAfterAll(PassPrintingInstrument):
    """Print the module after every pass, or after those that changed it."""

    def __init__(self, *, only_changed: bool = False, file: TextIO | None = None) -> None:
        super().__init__(only_changed=only_changed, file=file)

    def prints_after(self, info: PassInfo) -> bool:  # noqa: ARG002 - every pass
        return True
