"""Pass infrastructure for Relay: function passes, checks, steps of delta debugging."""

from __future__ import annotations

from collections.abc import Callable

from relayish._support import hooks
from relayish.ir.modules.module import AnyModule
from relayish.ir.relay.module import IRModule


def _write(mod: IRModule) -> str:
    # imported when needed: who prints nothing need not wait for the printer
    from relayish.text.relay.printer import astext  # noqa: PLC0415

    return astext(mod)


def _write_file(mod: IRModule, path: str, phase: str) -> None:
    from relayish.pass_infra.relay.program_file import write_file  # noqa: PLC0415 - as above

    write_file(mod, path, phase)


def _read_file(path: str) -> tuple[IRModule, str]:
    from relayish.pass_infra.relay.program_file import read_file  # noqa: PLC0415 - as above

    return read_file(path)


def _make_brief_writer(*, types: bool) -> Callable[[AnyModule], str]:
    from relayish.text.relay.brief_text import ConstantNames, brief_text  # noqa: PLC0415 - as above

    constants = ConstantNames()
    return lambda mod: brief_text(mod, constants, show_types=types, show_results=types)


if hooks.writer is repr:
    hooks.writer = _write
    hooks.brief_writer = _make_brief_writer
hooks.program_writer = _write_file
hooks.program_reader = _read_file
