"""What may be wrong with what passes made of a program: faults for :mod:`bisect`."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Final

import numpy as np

from relayish.errors import EvaluationError, PassError, RelayishError
from relayish.interpreter import evaluate, normalise, random_arguments, same_value
from relayish.interpreter.value import Evaluated
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.text.printer import astext
from relayish.transform.bisect import Fault
from relayish.transform.check import get_check, run_check

LINES_OF_OUTPUT: Final = 5
"""So many lines of what a failing command wrote are told."""


_NUMBERS: Final = (np.ndarray, np.generic)


def failing_check(name: str) -> Fault:
    """Return the fault that the registered check ``name`` does not hold.

    Raises:
        UnknownNameError: If no such check is registered.
    """
    get_check(name)

    def fault(_: IRModule, after: IRModule) -> str | None:
        try:
            run_check(name, after)
        except RelayishError as error:
            return str(error)
        return None

    return fault


def other_value(
    entry: str = "main", *, seed: int = 0, rtol: float = 1e-5, atol: float = 1e-5
) -> Fault:
    """Return the fault that the function ``entry`` computes something else than before.

    Both programs are evaluated with arguments drawn from ``seed``. Numbers may differ by ``atol``
    and ``rtol`` of the value before; a program without ``entry``, or whose parameters have no
    value that can be drawn, computes nothing that could be compared; :func:`compute` says why.
    """

    def value(mod: IRModule) -> Evaluated | str:
        try:
            return compute(mod, entry, seed)
        except RelayishError as error:
            return f"{type(error).__name__}: {error}"

    def fault(before: IRModule, after: IRModule) -> str | None:
        expected = value(before)
        if isinstance(expected, str):
            return None
        found = value(after)
        if isinstance(found, str):
            return f"the value cannot be computed any more: {found}"
        if _close(found, expected, rtol, atol):
            return None
        return f"the value was {expected!r} and is {found!r}"

    return fault


def compute(mod: IRModule, entry: str = "main", seed: int = 0) -> Evaluated:
    """Return what the function ``entry`` computes of arguments drawn from ``seed``.

    Raises:
        UnknownNameError: If there is no such function.
        EvaluationError: If no arguments can be drawn, or evaluation fails.
    """
    func = mod[entry]
    if not isinstance(func, Function):
        raise EvaluationError(f"@{entry} is no function, but a {type(func).__name__}")
    return evaluate(func, mod, random_arguments(func, seed))


def _close(found: Evaluated, expected: Evaluated, rtol: float, atol: float) -> bool:
    pending = [(normalise(found), normalise(expected))]
    while pending:
        one, other = pending.pop()
        if isinstance(one, tuple) and isinstance(other, tuple):
            if len(one) != len(other):
                return False
            pending += zip(one, other, strict=True)
        elif isinstance(one, np.ndarray | np.generic) and isinstance(
            other, np.ndarray | np.generic
        ):
            if one.dtype != other.dtype or one.shape != other.shape:
                return False
            wide = np.asarray(one, "float64"), np.asarray(other, "float64")
            if not np.allclose(*wide, rtol=rtol, atol=atol, equal_nan=True):
                return False
        elif not same_value(one, other):
            return False
    return True


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

    def fault(_: IRModule, after: IRModule) -> str | None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "program.relay"
            path.write_text(astext(after), encoding="utf-8")
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
