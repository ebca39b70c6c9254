"""The search: batches of candidates go to workers, outcomes into a file, and back to what picks."""

from __future__ import annotations

import json
import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from relayish._support.this_machine import processor_name
from relayish.errors import CodegenError, OptionError, WorkerLostError
from relayish.parallel.engines import find_engine
from relayish.parallel.map_over import map_over
from relayish.parallel.outcome import Outcome
from relayish.tir.ir.function import LoweredFunc
from relayish.tir.schedule.records import (
    ScheduleRecord,
    add_record,
    read_records,
    workload_of,
)
from relayish.tir.tune import TuneOptions, TuneProgress, TuneResult
from relayish.tuning.breeding import ScheduleBreeder, candidate_of
from relayish.tuning.evolution import Candidate, Evolution
from relayish.tuning.finishing import finished
from relayish.tuning.measuring import (
    Limits,
    Measurement,
    Trial,
    Verdict,
    measure,
)
from relayish.tuning.space import default_space

FOUNDERS: Final = 8
"""So many schedules that others found to be fast are tried first."""
_RETRIES: Final = 1
"""How often a candidate whose worker was lost is tried again."""


_SLOW: Final = 3.0
"""What takes so many times as long as the fastest is not run again to see how long exactly."""


class _Item(NamedTuple):
    """A trial on its way.

    Attributes:
        number: Of the trial, from 0.
        trial: What is to be measured; ``None`` where that is known.
        known: What is known of it.
    """

    number: int
    trial: Trial | None
    known: Measurement | None


def search(
    func: LoweredFunc,
    options: TuneOptions,
    *,
    default: LoweredFunc | None = None,
    measurer: Callable[[Trial], Measurement] = measure,
) -> TuneResult:
    """Search for a fast schedule.

    Args:
        func: A function of loops.
        options: As :func:`relayish.tir.tune` takes them.
        default: What is compiled where nothing is tuned; ``func`` itself if not given.
        measurer: What measures a trial, in a worker.

    Raises:
        CodegenError, OptionError, ParallelError: As :func:`relayish.tir.tune`.
    """
    for name, least in (("trials", 1), ("batch", 1), ("seconds", 0), ("limit", 0)):
        value = getattr(options, name)
        if not value >= least:
            raise OptionError(f"{name} must be a number from {least}; found {value!r}")
    find_engine(options.executor)  # what is wrong with it is told before anything is made
    return _Search(func, options, func if default is None else default).run(measurer)


class _Search:
    """One search.

    Attributes:
        measured: The outcome of each trial that has one, by its number.
    """

    def __init__(self, func: LoweredFunc, options: TuneOptions, default: LoweredFunc) -> None:
        self._func = func
        self._options = options
        self._default = default
        self._limits = Limits(options.exact, options.seconds, options.limit, options.seed)
        self._path = None if options.records is None else Path(options.records)
        self._workload = workload_of(func)
        self._breeder = ScheduleBreeder(func, options.space or default_space)
        known = [
            each
            for each in ([] if self._path is None else read_records(self._path))
            if each.workload == self._workload and each.exact == options.exact
        ]
        self._known = _known_here(known)
        founders = self._founders([each for each in known if each.program not in self._known])
        self._evolution = Evolution(
            self._breeder, seed=options.seed, batch=options.batch, founders=founders
        )
        self._candidates: list[Candidate] = []
        self.measured: dict[int, Measurement] = {}
        self._fresh = 0
        self._is_exhausted = False

    def run(self, measurer: Callable[[Trial], Measurement]) -> TuneResult:
        """Try candidates until there are enough of them, or no more, or Ctrl-C says so."""
        executor = self._options.executor
        outcomes = map_over(
            executor,
            partial(_work_on, measurer),
            self._items(),
            retries=_RETRIES,
            window=1 if executor is None else self._options.batch,
            progress=self._note,
        )
        is_interrupted = False
        try:
            for outcome in outcomes:
                if outcome.error is not None and _verdict_of(outcome) is None:
                    raise outcome.error
                first = self.measured[0]
                if first.verdict is not Verdict.RIGHT:
                    raise CodegenError(
                        f"function {self._func.name!r} cannot be measured: {first.reason}"
                    )
        except KeyboardInterrupt:
            is_interrupted = True
        finally:
            outcomes.close()  # type: ignore[attr-defined]  # it is a generator
        return self._result(is_interrupted=is_interrupted)

    def _items(self) -> Iterator[_Item]:
        """Yield trials: first the function as it is compiled otherwise, then batch after batch.

        When trial n is asked for, the outcomes of all up to n - batch are there, however many
        workers there are; no other is looked at, so that the search is the same.
        """
        reference = pickle.dumps(self._func)
        batch = [candidate_of(self._default, None)]
        while True:
            for candidate in batch[: self._options.trials - len(self._candidates)]:
                number = len(self._candidates)
                self._candidates.append(candidate)
                known = self._known.get(candidate.key)
                compared = None if candidate.trace is None else reference
                trial = Trial(candidate.func, compared, self._limits, self._enough(number))
                yield _Item(number, None if known is not None else trial, known)
            if len(self._candidates) == self._options.trials:
                return
            told = self._settled(len(self._candidates))
            batch = self._evolution.pick(
                [(self._candidates[number], found.seconds) for number, found in told if number]
            )
            if not batch:
                self._is_exhausted = True
                return

    def _settled(self, number: int) -> list[tuple[int, Measurement]]:
        """Return the outcomes that are there for sure when a trial is asked for."""
        last = number - self._options.batch
        return [(at, self.measured[at]) for at in sorted(self.measured) if at <= last]

    def _enough(self, number: int) -> float:
        return _SLOW * min([each.seconds for _, each in self._settled(number)], default=math.inf)

    def _note(self, outcome: Outcome[_Item, Measurement]) -> None:
        """Take in an outcome as soon as it is there, and write it down."""
        number, _, known = outcome.item
        found = outcome.value if outcome.error is None else _verdict_of(outcome)
        if found is None:
            return  # it is raised
        self.measured[number] = found
        record = self._record(self._candidates[number], found)
        if known is None:
            self._fresh += 1
            if self._path is not None:
                add_record(self._path, record)
        if self._options.progress is not None:
            best = min([each.seconds for each in self.measured.values()])
            done = len(self.measured)
            baseline = self._baseline()
            self._options.progress(TuneProgress(done, self._options.trials, best, baseline, record))

    def _baseline(self) -> float:
        return self.measured[0].seconds if 0 in self.measured else math.inf

    def _record(self, candidate: Candidate, found: Measurement) -> ScheduleRecord:
        return ScheduleRecord(
            function=self._func.name,
            workload=self._workload,
            program=candidate.key,
            steps=None if candidate.trace is None else json.loads(candidate.trace.to_json()),
            verdict=found.verdict.value,
            seconds=found.seconds if math.isfinite(found.seconds) else None,
            reason=found.reason,
            machine=found.machine,
            exact=self._options.exact,
        )

    def _founders(self, records: list[ScheduleRecord]) -> list[Candidate]:
        """Return candidates that were fast elsewhere."""
        records.sort(key=lambda each: each.time)
        made: list[Candidate] = []
        for each in records:
            if len(made) == FOUNDERS or each.time == math.inf:
                break
            found = None if each.steps is None else self._breeder.replayed(each.trace)
            if found is not None:
                made.append(found)
        return made

    def _result(self, *, is_interrupted: bool) -> TuneResult:
        verdicts = Counter([each.verdict.value for each in self.measured.values()])
        best = min(self.measured, key=lambda at: (self.measured[at].seconds, at), default=0)
        found = TuneResult(
            self._default,
            None,
            self._baseline(),
            self._baseline(),
            dict(verdicts),
            self._breeder.refused,
            self._fresh,
            self._is_exhausted,
            is_interrupted,
        )
        trace = self._candidates[best].trace if self.measured else None
        if trace is None:
            return found
        schedule = trace.replay(self._func)
        seconds = self.measured[best].seconds
        return replace(found, func=finished(schedule.func), schedule=schedule, seconds=seconds)


def _work_on(measurer: Callable[[Trial], Measurement], item: _Item) -> Measurement:
    """Return what is known of an item, or what is found by measuring: in a worker."""
    if item.known is not None:
        return item.known
    assert item.trial is not None
    return measurer(item.trial)


def _verdict_of(outcome: Outcome[Any, Any]) -> Measurement | None:
    """Return what an error says of a candidate; ``None`` where it says that no search is of use."""
    if isinstance(outcome.error, WorkerLostError):
        return Measurement(Verdict.LOST, reason=str(outcome.error))
    return None


def _known_here(records: list[ScheduleRecord]) -> Mapping[str, Measurement]:
    """Return what was found on such a processor, by program; the last counts."""
    here = processor_name()
    return {
        each.program: Measurement(Verdict(each.verdict), each.time, each.reason, each.machine)
        for each in records
        if each.machine == here and each.verdict != Verdict.LOST.value
    }
