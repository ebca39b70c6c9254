"""Search for schedules: candidates of a space are measured, and the fastest one is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from os import PathLike
from typing import NamedTuple, TypeAlias

from relayish._support import hooks
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.records import ScheduleRecord
from relayish.tir.schedule.schedule import Schedule

Space: TypeAlias = Callable[[Schedule], None]
"""What makes choices by ``sample_perfect_tile`` and ``sample_categorical`` of a schedule, and takes
steps with them."""


class TuneOptions(NamedTuple):
    """How a search goes; see :func:`tune`."""

    space: Space | None = None
    trials: int = 64
    executor: Executor | Callable[[], Executor] | str | None = None
    records: str | PathLike[str] | None = None
    seed: int = 0
    batch: int = 16
    exact: bool = True
    seconds: float = 0.1
    limit: float = 20.0
    progress: Callable[[TuneProgress], None] | None = None


@dataclass(frozen=True, slots=True)
class TuneProgress:
    """How far a search is.

    Attributes:
        done: How many trials have an outcome.
        trials: How many there are to be at most.
        best: The seconds of the fastest right program so far; infinite before there is one.
        baseline: Those of the function as it was; infinite before they are known.
        record: The last outcome.
    """

    done: int
    trials: int
    best: float
    baseline: float
    record: ScheduleRecord


@dataclass(frozen=True, slots=True)
class TuneResult:
    """What a search found.

    Attributes:
        func: The fastest right program, as it was compiled: schedule blocks are gone, and loops
            that are marked so are unrolled.
        schedule: The schedule that makes it; ``None`` where no candidate was faster than the
            function as it was.
        seconds: Of the fastest run of it.
        baseline: Of the fastest run of the function as it was.
        verdicts: How many trials came out how: ``right``, ``wrong``, ``crash``, ``timeout``,
            ``refused`` by the compiler, or ``lost`` with a worker.
        refused: How many candidates schedules refused, which were no trials.
        measured: How many trials were measured, and not known from records.
        is_exhausted: Whether the space had no more candidates.
        is_interrupted: Whether Ctrl-C ended the search.
    """

    func: LoweredFunc
    schedule: Schedule | None
    seconds: float
    baseline: float
    verdicts: Mapping[str, int] = field(default_factory=dict)
    refused: int = 0
    measured: int = 0
    is_exhausted: bool = False
    is_interrupted: bool = False

    @property
    def speedup(self) -> float:
        """How many times as fast as the function as it was."""
        return self.baseline / self.seconds


def tune(
    func: LoweredFunc,
    *,
    space: Space | None = None,
    trials: int = 64,
    executor: Executor | Callable[[], Executor] | str | None = None,
    records: str | PathLike[str] | None = None,
    seed: int = 0,
    batch: int = 16,
    exact: bool = True,
    seconds: float = 0.1,
    limit: float = 20.0,
    progress: Callable[[TuneProgress], None] | None = None,
) -> TuneResult:
    """Search for a fast schedule of a function, by measuring candidates.

    Candidates are sampled from the space, then those that were fast are changed and crossed; a
    model of costs, made of counts and of the times that are known, tells which are measured. Each
    is compiled, and run in a process of its own on random arguments: only what computes the same,
    bit for bit, is timed. What crashes, takes too long or computes something else is a trial that
    came out so, and ends nothing.

    Which candidates are tried depends on the seed and on what was measured, not on how many
    workers measure. Ctrl-C ends the search, and what was found is returned.

    Args:
        func: A function of loops whose sizes are known.
        space: What there is to choose; by default tiles, the order of loops, vectors, unrolling.
        trials: How many candidates are measured, the function as it is among them.
        executor: Who measures: an executor of ``concurrent.futures``, Dask's and Ray's included,
            what makes one, or a name as ``"processes:2"``, ``"dask:tcp://host:8786"``; as for
            :meth:`relayish.transform.Pass.map`. By default one after the other.
        records: A file to which each outcome is added at once. What it knows of this function,
            measured on such a processor, is not measured again; what others found is tried first.
        seed: What chance is drawn from.
        batch: How many candidates are chosen at once, and are on the way at most.
        exact: Whether candidates are timed as :func:`relayish.tir.build` compiles them; else as
            parts of networks, in which sums of floats may be added in any order.
        seconds: How long each candidate is run again and again. Times are of the processor, to
            which others that use it add little.
        limit: Seconds that compiling a candidate may take, and running it.
        progress: Called with each outcome.

    Raises:
        CodegenError: If the function cannot be measured: it has arguments of unknown size, or
            there is no compiler.
        OptionError: If a number is none that makes sense.
        ParallelError: If there is no such executor.

    Complexity:
        That of replaying some hundred schedules for each batch, beside what trials take.

    Source:
        TVM ``meta_schedule.tune_tir``, CINN ``auto_schedule``.

    Example:
        >>> from relayish import tir
        >>> A = tir.placeholder("A", (64, 64))
        >>> B = tir.compute((64, 64), lambda i, j: A[j, i], "B")
        >>> def space(schedule):
        ...     i, j = schedule.get_loops("B")
        ...     outer, inner = schedule.split(j, schedule.sample_perfect_tile(j, 2, 16))
        ...     schedule.reorder([outer, i, inner])
        >>> found = tune(tir.lower("transpose", [A, B]), space=space, trials=2, seconds=0)
        >>> found.verdicts
        {'right': 2}
    """
    options = TuneOptions(
        space, trials, executor, records, seed, batch, exact, seconds, limit, progress
    )
    found: TuneResult = hooks.tune_loops(func, options)
    return found
