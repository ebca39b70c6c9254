"""A search by one worker of Dask, by two, and by two of which one is killed: times and records.

python -m tests.support.tuning_workers --trials 64 --rounds 2

Candidates are tiles of a loop over a long expression, unrolled: to compile one takes far longer
than to make it, or to run it. Programs that are run have one thread, and their time is that of the
processor, so two that are measured at once disturb each other by caches and memory alone.
It is an error, and the exit status 1, if a trial is lost or records are not of one kind: as many,
with the same fields, verdicts that are alike, and equal programs in those batches that depend on no
time.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from relayish import tir
from relayish.tir.schedule.records import ScheduleRecord, read_records
from relayish.tir.tune import TuneOptions, TuneProgress, TuneResult
from relayish.tuning.search import search
from tests.support.dask_cluster import Cluster, cluster

BATCH = 8


def polynomial(degree: int = 150, size: int = 4096) -> tir.LoweredFunc:
    """Values of a polynomial, by Horner's rule."""
    A = tir.placeholder("A", (size,))

    def value(i: tir.Expr) -> tir.Expr:
        found: tir.Expr = A[i]
        for at in range(degree):
            found = found * A[i] + float(at)
        return found

    return tir.lower("polynomial", [A, tir.compute((size,), value, "B")])


def unrolled(schedule: tir.Schedule) -> None:
    """Choose one of some tiles, whose innermost loop is unrolled."""
    (loop,) = schedule.get_loops()
    *_, inner = schedule.split(loop, schedule.sample_perfect_tile(loop, 4, 32))
    schedule.unroll(inner)


class Round(NamedTuple):
    """One search.

    Attributes:
        seconds: On the wall.
        client: Seconds of the processor that picking candidates took, in the process that searches.
        workers: Those of all workers, with what they started.
        found: The result.
        records: What its file holds.
        load: Of the machine in the last minute.
    """

    seconds: float
    client: float
    workers: float
    found: TuneResult
    records: list[ScheduleRecord]
    load: float


def searched(folder: Path, workers: int, trials: int, *, kills: bool = False) -> Round:
    """Search by new workers, the first of which is killed in the midst if ``kills``."""
    folder.mkdir()
    before = _of_children()
    with cluster(folder, workers) as made:
        with made.wait(workers):
            pass
        options = TuneOptions(
            space=unrolled,
            trials=trials,
            batch=BATCH,
            seconds=0.02,
            records=folder / "records.jsonl",
            executor=f"dask:{made.address}",
            progress=_Killing(made, trials // 3) if kills else None,
        )
        begin, own = time.perf_counter(), time.process_time()
        found = search(polynomial(), options)
        seconds, client = time.perf_counter() - begin, time.process_time() - own
        ended = [each.poll() is not None for each in made.workers]
    assert ended.count(True) == kills
    records = list(read_records(folder / "records.jsonl"))
    load = os.getloadavg()[0]
    return Round(seconds, client, _of_children() - before, found, records, load)


def _of_children() -> float:
    """Return the seconds of the processor of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class _Killing:
    """Kills a worker once so many trials are done, a little later, while it has one."""

    def __init__(self, made: Cluster, at: int) -> None:
        self._made, self._at = made, at

    def __call__(self, progress: TuneProgress) -> None:
        if progress.done == self._at:
            threading.Timer(0.1, self._made.workers[0].kill).start()


def differences(one: Round, other: Round) -> list[str]:
    """Return in what two searches differ that must not: not in which programs were fast."""
    first = [{each.program for each in made.records[: 1 + BATCH]} for made in (one, other)]
    told = [
        ("programs of the first batch", *[sorted(each) for each in first]),
        ("how many records", len(one.records), len(other.records)),
        ("functions", *[{each.workload for each in made.records} for made in (one, other)]),
        ("verdicts", set(one.found.verdicts), set(other.found.verdicts)),
        ("processors", *[{each.machine for each in made.records} for made in (one, other)]),
    ]
    return [name for name, mine, others in told if mine != others]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=2, help="ways alternate")
    args = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    wrong = 0
    with tempfile.TemporaryDirectory() as work:
        first: Round | None = None
        for number in range(args.rounds):
            for name, workers, kills in (
                ("one worker", 1, False),
                ("two workers", 2, False),
                ("two, one killed", 2, True),
            ):
                made = searched(Path(work, f"{name} {number}"), workers, args.trials, kills=kills)
                first = first or made
                differ = differences(first, made)
                lost = args.trials - len(made.records) + made.found.verdicts.get("lost", 0)
                wrong += bool(differ) + lost
                sys.stdout.write(
                    f"{name:16} {made.seconds:6.1f} s, load {made.load:.1f}, of processors: "
                    f"client {made.client:.1f} s, workers {made.workers:.1f} s, {lost} lost, "
                    f"{dict(Counter(each.verdict for each in made.records))}, "
                    f"{made.found.speedup:.2f} times as fast as before, differ: {differ}\n"
                )
                sys.stdout.flush()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
