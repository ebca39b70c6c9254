"""Writing the program into a directory, after every pass."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path
from typing import Final

from relayish._support.files import replace_file
from relayish._support.per_thread import PerThread
from relayish.errors import PassError, add_note
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.base.info import PassInfo, short_name
from relayish.pass_infra.instruments.program_text import ProgramTexts
from relayish.pass_infra.instruments.running import NestingInstrument, RunningPass

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")
_LONGEST_NAME: Final = 80


class DumpInstrument(NestingInstrument):
    """Write ``0_init.relay``, the program as it is given, and one file after every pass.

    The files are ``1_InferType.relay``, ``2_FoldConstant.relay``, … in the order in which passes
    end. Numbers go on as long as the instrument is used. A program that is not what the pass
    before returned is written as well, ``5_init.relay``. A pass whose result is that of the passes
    inside it, a ``Sequential``, has no file. Each file appears whole or not at all.

    Args:
        directory: Where to write. It is made when the context is entered; if it is there, it must
            hold nothing but what this instrument wrote.

    Raises:
        PassError: When the context is entered, if the directory holds other files.
        OSError: If it cannot be made or written to.
    """

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        super().__init__()
        self.directory = Path(directory)
        self.written: list[Path] = []
        """The files written so far, in order."""
        self._numbers = itertools.count()
        self._texts = ProgramTexts()
        self._last = _Last()

    def enter_pass_ctx(self) -> None:
        self.directory.mkdir(parents=True, exist_ok=True)
        own = {path.name for path in self.written}
        others = sorted(path.name for path in self.directory.iterdir() if path.name not in own)
        if others:
            more = f" and {len(others) - 1} more" if len(others) > 1 else ""
            raise PassError(
                f"directory {str(self.directory)!r} holds {others[0]!r}{more}, which this "
                f"instrument did not write; give an empty directory, or one that does not exist"
            )
        super().enter_pass_ctx()
        self._last.mod = None

    def exit_pass_ctx(self) -> None:
        self._texts.forget()

    def begins(self, running: RunningPass) -> None:
        if self._last.mod is not running.mod:
            self._write("init", running.mod)

    def ends(self, running: RunningPass | None, out: AnyModule, info: PassInfo) -> None:
        if running is None or not running.is_pure_composition(out):
            self._write(make_safe_name(info.name), out)

    def fails(self, running: RunningPass | None, info: PassInfo, error: BaseException) -> None:
        if running is not None and running.mod is self._last.mod:
            add_note(error, f"the program before pass {info.name} is in {self.written[-1]}")

    def _write(self, name: str, mod: AnyModule) -> None:
        path = self.directory / f"{next(self._numbers)}_{name}.relay"
        with replace_file(path) as file:
            file.write(self._texts.of(mod).encode())
        self.written.append(path)
        self._last.mod = mod


class _Last(PerThread):
    """The module written last, of each thread its own."""

    mod: AnyModule | None = None


def make_safe_name(name: str) -> str:
    """Return the name of a pass as part of the name of a file on any system.

    Example:
        >>> make_safe_name("relayish.pass_.FoldConstant"), make_safe_name("../a b")
        ('FoldConstant', '_a_b')
    """
    return _UNSAFE.sub("_", short_name(name))[:_LONGEST_NAME]
