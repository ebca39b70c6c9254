"""Failure predicates for :mod:`bisect`: what may be wrong with a transformed program."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Final

from relayish._support.files import name_in_errors
from relayish.errors import PassError, RelayishError
from relayish.ir.modules.module import AnyModule
from relayish.pass_infra.composition.check import get_check, run_check
from relayish.pass_infra.debug.bisect import Fault
from relayish.pass_infra.instruments.program_text import ProgramTexts

LINES_OF_OUTPUT: Final = 5
"""So many lines of what a failing command wrote are told."""


def failing_check(name: str) -> Fault:
    """Return the fault that the registered check ``name`` does not hold.

    Raises:
        UnknownNameError: If no such check is registered.
    """
    get_check(name)

    def fault(_: AnyModule, after: AnyModule) -> str | None:
        try:
            run_check(name, after)
        except RelayishError as error:
            return str(error)
        return None

    return fault


def failing_command(command: list[str], *, timeout: float | None = None) -> Fault:
    """Return the fault that a command does not leave with 0 when it is given the program.

    Args:
        command: Program and arguments; ``{}`` stands for the file that holds the text of the
            program, which is put at the end where there is no ``{}``.
        timeout: Seconds after which the command is taken to fail.

    Raises:
        PassError: If the command is empty.
    """
    if not command:
        raise PassError("expected a program and its arguments; found an empty command")

    texts = ProgramTexts()

    def fault(_: AnyModule, after: AnyModule) -> str | None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "program.relay"
            with name_in_errors(path):
                path.write_text(texts.of(after), encoding="utf-8")
            filled = [part.replace("{}", str(path)) for part in command]
            if filled == command:
                filled.append(str(path))
            try:
                done = subprocess.run(  # noqa: S603 - what the user asked for
                    filled, capture_output=True, text=True, timeout=timeout, check=False
                )
            except subprocess.TimeoutExpired:
                return f"{command[0]} did not end within {timeout} s"
        if done.returncode == 0:
            return None
        told = (done.stderr or done.stdout).strip().splitlines()[-LINES_OF_OUTPUT:]
        return "\n".join([f"{command[0]} left with {done.returncode}", *told])

    return fault
