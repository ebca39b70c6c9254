"""Functions to tune, spaces of a few choices, and measurers that run nothing."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from relayish import tir
from relayish._support.this_machine import processor_name
from relayish.errors import WorkerLostError
from relayish.tir.schedule.records import program_of
from relayish.tuning.measuring import Measurement, Trial, Verdict


def scaled(size: int = 4096) -> tir.LoweredFunc:
    """A function of one loop."""
    A = tir.placeholder("A", (size,))
    B = tir.compute((size,), lambda i: A[i] * 3, "B")
    return tir.lower("scaled", [A, B])


def product(size: int = 32) -> tir.LoweredFunc:
    """The product of two matrices."""
    A, B = tir.placeholder("A", (size, size)), tir.placeholder("B", (size, size))
    k = tir.reduce_axis("k", size)
    C = tir.compute((size, size), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
    return tir.lower("product", [A, B, C])


def tiles(schedule: tir.Schedule) -> None:
    """Choose one of some hundred tiles."""
    loop = schedule.get_loops()[0]
    schedule.split(loop, schedule.sample_perfect_tile(loop, 4, 64))


def few(schedule: tir.Schedule) -> None:
    """Choose one of two programs."""
    (loop,) = schedule.get_loops("B")
    if schedule.sample_categorical([0, 1], [1, 1]):
        schedule.unroll(loop)


def right(seconds: float) -> Measurement:
    return Measurement(Verdict.RIGHT, seconds, "", processor_name())


def by_program(trial: Trial) -> Measurement:
    """Say of each program how long it takes, always the same, without running it."""
    return right(1e-6 * (1 + int(program_of(trial.func), 16) % 1000))


def as_bad_as_can_be(trial: Trial) -> Measurement:
    """Say that programs are wrong, crash, take too long, or are right."""
    number = int(program_of(trial.func), 16) % 5
    if trial.reference is None or number == 0:
        return by_program(trial)
    verdicts = (Verdict.WRONG, Verdict.CRASH, Verdict.TIMEOUT, Verdict.REFUSED)
    return Measurement(verdicts[number - 1], reason="as bad as can be", machine=processor_name())


def losing(trial: Trial) -> Measurement:
    """Be lost with every candidate but the function as it is."""
    if trial.reference is not None:
        raise WorkerLostError("it ended")
    return by_program(trial)


class Interrupting:
    """Raise what Ctrl-C does at the so-many-th trial."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __call__(self, trial: Trial) -> Measurement:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return by_program(trial)


class KilledOnce:
    """End the process that measures, once, in the midst of a trial."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __call__(self, trial: Trial) -> Measurement:
        time.sleep(0.02)
        if trial.reference is not None:
            try:
                with self.file.open("x") as file:
                    file.write(str(os.getpid()))
                    file.flush()
                    os.kill(os.getpid(), signal.SIGKILL)
            except FileExistsError:
                pass
        return by_program(trial)
