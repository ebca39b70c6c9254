"""Measurements of candidates: compiled, compared bit for bit, then timed, each in its own process.

Nothing a candidate does ends the search: what cannot be compiled, crashes, runs for too long or
computes something else is a measurement of that kind.
"""

from __future__ import annotations

import json
import math
import pickle
import signal
import subprocess
import sys
import tempfile
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from relayish._support.this_machine import processor_name
from relayish.codegen.c.call_backs import CALL_BACK
from relayish.codegen.c.loops.functions import STACK
from relayish.codegen.c.program import CSource, to_c
from relayish.codegen.c.toolchain import FLAGS, find_toolchain, flags_for
from relayish.errors import CodegenError, RelayishError
from relayish.passes.relay.to_loops.fold_constant_loops import without_constant_loops
from relayish.tir.interpreter.access import constant
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.ir.tensor import Buffer
from relayish.tuning.finishing import finished
from relayish.tuning.trial_process import Answer, Request


class Verdict(Enum):
    """What became of a candidate."""

    RIGHT = "right"
    """It computes the same, and was timed."""
    WRONG = "wrong"
    """It computes something else."""
    CRASH = "crash"
    """It ended its process."""
    TIMEOUT = "timeout"
    """It did not end in time."""
    REFUSED = "refused"
    """It cannot be compiled."""
    LOST = "lost"
    """Nobody knows: the worker that had it was lost."""


class Limits(NamedTuple):
    """How candidates are measured.

    Attributes:
        exact: Whether they are timed as ``tir.build`` compiles them; else as networks are, whose
            sums are added in any order. What they compute is compared as it is exactly.
        seconds: How long each is run again and again.
        limit: Seconds that compiling one may take, and seconds of the processor for running it.
        seed: What the memory that they are run on is drawn from.
    """

    exact: bool = True
    seconds: float = 0.1
    limit: float = 20.0
    seed: int = 0


class Trial(NamedTuple):
    """A candidate, for a worker.

    Attributes:
        func: The candidate.
        reference: The pickled function whose results it must have; ``None`` of one that is
            compiled as it is, which is trusted: it may take other arguments, and add in any order.
        limits: How it is measured.
        enough: What takes longer is run once.
    """

    func: LoweredFunc
    reference: bytes | None
    limits: Limits
    enough: float = math.inf


class Measurement(NamedTuple):
    """What was found of a candidate.

    Attributes:
        verdict: Whether it is right.
        seconds: Of the fastest run; infinite where it is not right.
        reason: What is wrong.
        machine: The processor it ran on.
    """

    verdict: Verdict
    seconds: float = math.inf
    reason: str = ""
    machine: str = ""


def measure(trial: Trial) -> Measurement:
    """Return what becomes of a candidate: in a worker, in processes that it starts.

    What it computes of arguments alone that are noted as constant is not timed, as networks have
    it computed beforehand.

    Raises:
        CodegenError: If there is no compiler, or the function that it is compared with cannot be
            measured: why.
    """
    limits = trial.limits
    flags = flags_for(exact=limits.exact)
    func = timed = trial.func
    is_timed = False
    try:
        if trial.reference is not None:
            func = _finished(func)
            timed = without_constant_loops(func)
            expected = _expected(trial.reference, limits)
            is_timed = timed is func and flags == FLAGS
            seconds = limits.seconds if is_timed else None
            found = _run(func, limits, FLAGS, seconds, trial.enough)
            if (found["status"], found["digest"]) != expected:
                reason = "it computes something else than the function it is made of"
                return _measurement(Verdict.WRONG, reason=reason)
        if not is_timed:
            found = _run(timed, limits, flags, limits.seconds, trial.enough)
        if found["status"]:
            return _measurement(Verdict.WRONG, reason="a check fails on random arguments")
    except _FailedError as failed:
        return _measurement(failed.verdict, reason=str(failed))
    return _measurement(Verdict.RIGHT, min(found["seconds"]))


def _finished(func: LoweredFunc) -> LoweredFunc:
    """Return a candidate as it is compiled.

    Raises:
        _FailedError: If a pass refuses it.
    """
    try:
        return finished(func)
    except RelayishError as error:
        raise _FailedError(Verdict.REFUSED, str(error)) from error


def _measurement(verdict: Verdict, seconds: float = math.inf, reason: str = "") -> Measurement:
    return Measurement(verdict, seconds, reason, processor_name())


class _FailedError(Exception):
    """A candidate came to no end."""

    def __init__(self, verdict: Verdict, reason: str) -> None:
        super().__init__(reason)
        self.verdict = verdict


@lru_cache(maxsize=64)
def _expected(reference: bytes, limits: Limits) -> tuple[int, str]:
    """Return the status and the digest that a function gives, as it is."""
    func: LoweredFunc = pickle.loads(reference)  # noqa: S301 - of whoever sends candidates
    try:
        found = _run(func, limits, FLAGS, None)
    except _FailedError as failed:
        raise CodegenError(f"function {func.name!r} cannot be measured: {failed}") from failed
    if found["status"]:
        raise CodegenError(
            f"function {func.name!r} cannot be measured: a check fails on random arguments; tune "
            f"one that takes any, or tune by hand"
        )
    return found["status"], found["digest"]


def _run(
    func: LoweredFunc,
    limits: Limits,
    flags: tuple[str, ...],
    seconds: float | None,
    enough: float = math.inf,
) -> Answer:
    """Compile a function and run it in a process.

    Raises:
        _FailedError: If that comes to no end.
        CodegenError: If there is no compiler.
    """
    toolchain = find_toolchain(flags)._replace(longest=limits.limit)
    with tempfile.TemporaryDirectory(prefix="relayish-tuning-") as folder:
        source, made = Path(folder, "source.c"), Path(folder, "made.so")
        try:
            written = to_c(func)
            request = _request(written, func, made, limits, seconds, enough)
            source.write_text(written.text, encoding="utf-8")
            toolchain.compile(source, made)
        except RelayishError as error:
            raise _FailedError(Verdict.REFUSED, str(error)) from error
        return _ask(request)


def _request(
    written: CSource,
    func: LoweredFunc,
    made: Path,
    limits: Limits,
    seconds: float | None,
    enough: float,
) -> Request:
    """Return what the process is told.

    Raises:
        CodegenError: If it cannot run the function: why.
    """
    signature = written.functions[func.name]
    if CALL_BACK in written.text:
        raise CodegenError("it calls functions of Python, which are not there")
    buffers = []
    for each in signature.params:
        if not isinstance(each, Buffer):
            raise CodegenError(
                f"argument {each.name!r} is a number that nobody tells; give sizes that are known"
            )
        counts = [constant(size) for size in (*each.shape, *each.strides, each.elem_offset)]
        if None in counts[: len(each.shape)] or each.strides or counts[-1]:
            raise CodegenError(f"memory of argument {each.name!r} is not of a known size")
        buffers.append(
            (each.dtype.element, math.prod([size or 0 for size in counts[: len(each.shape)]]))
        )
    behind: list[int | None] = [None] * len(signature.tracked)
    behind += [STACK] if signature.is_counted else []
    return {
        "library": str(made),
        "function": signature.name,
        "buffers": buffers,
        "behind": behind,
        "seed": limits.seed,
        "seconds": seconds,
        "enough": min(enough, sys.float_info.max),
        "limit": limits.limit,
    }


_PATIENCE: Final = 20
"""So many times the seconds of the processor that it may take, a process may be waited for."""
_PROCESS: Final = Path(__file__).with_name("trial_process.py")


def _ask(request: Request) -> Answer:
    """Run a process to its end.

    Raises:
        _FailedError: If it runs for too long, or crashes.
    """
    call = [sys.executable, "-P", str(_PROCESS)]
    told = f"it ran for more than {request['limit']:g} s"
    try:
        done = subprocess.run(  # noqa: S603 - our own
            call,
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=_PATIENCE * request["limit"],
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _FailedError(Verdict.TIMEOUT, told) from None
    code = done.returncode
    if code < 0:
        name = signal.Signals(-code).name
        if name == "SIGPROF":  # as it asked for
            raise _FailedError(Verdict.TIMEOUT, told)
        raise _FailedError(Verdict.CRASH, f"its process was ended by {name}")
    try:
        found: Answer = json.loads(done.stdout)
    except ValueError:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        told = f"its process ended with exit code {code}"
        raise _FailedError(Verdict.CRASH, f"{told}: {said[-1]}" if said else told) from None
    return found
