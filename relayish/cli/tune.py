"""``relayish tune``: search for schedules of a network's loops, or of those in a file."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from relayish._support.collector import freeze_heap
from relayish._support.files import check_writable
from relayish.cli.any_file import read_any
from relayish.cli.executors import executor_of, opened
from relayish.cli.exit_codes import INTERRUPTED
from relayish.cli.json_form import render_json
from relayish.cli.onnx.reading import parse_shapes
from relayish.cli.progress import Bar, shown_bar
from relayish.cli.report import Verbosity, tell, tell_error, verbosity
from relayish.cli.tables import tell_parts
from relayish.cli.tuning.report import TunedFunction, TuneReport, tables_of
from relayish.errors import CodegenError, UnknownNameError, suggest
from relayish.parallel.engines import Workers
from relayish.tir.tune import TuneOptions, TuneProgress, TuneResult
from relayish.tuning.networks import Workload, divide, workloads_of
from relayish.tuning.search import search

RESULT: Final = TuneReport
"""What ``--json`` prints."""


def run(args: argparse.Namespace) -> int:
    """Run the command; what was found is kept if it is interrupted."""
    begin = time.perf_counter()
    executor = executor_of(args)
    if args.records is not None:
        check_writable(Path(args.records))
    given = read_any(
        args.file,
        allow_unknown_ops=args.allow_unknown_ops,
        shapes=parse_shapes(args.input_shape),
        freeze_params=True,
    )
    with freeze_heap():
        found = workloads_of(given.mod, opt_level=args.opt_level, exact=args.exact)
        workloads = _chosen(found, args.function)
    with tempfile.TemporaryDirectory() as folder, opened(executor) as workers:
        path = Path(folder, "records.jsonl") if args.records is None else Path(args.records)
        work = _Work(args, workers, path, workloads)
        functions = work.tuned()
    seconds = time.perf_counter() - begin
    report = TuneReport(args.file, functions, args.records, seconds, work.is_interrupted)
    if args.json:
        tell(render_json(report))
    elif verbosity() is not Verbosity.QUIET:
        tell_parts(tables_of(report))
    if work.is_interrupted:
        kept = "" if args.records is None else "; the same command goes on from there"
        tell_error(f"relayish: interrupted{kept}\n")
        return INTERRUPTED
    return 0


def _chosen(workloads: Sequence[Workload], name: str | None) -> Sequence[Workload]:
    """Return the workloads, or the one that is named.

    Raises:
        UnknownNameError: If none is called so.
    """
    if name is None:
        return workloads
    found = [each for each in workloads if name in each.names]
    if not found:
        known = [name for each in workloads for name in each.names]
        raise UnknownNameError(f"no function of loops is called {name!r}{suggest(name, known)}")
    return found


class _Work:
    """The searches, one after the other.

    Attributes:
        is_interrupted: Whether Ctrl-C ended them.
    """

    def __init__(
        self,
        args: argparse.Namespace,
        workers: Workers,
        path: Path,
        workloads: Sequence[Workload],
    ) -> None:
        self._args = args
        self._workers = workers
        self._path = path
        self._workloads = workloads
        self.is_interrupted = False
        self._done = 0

    def tuned(self) -> list[TunedFunction]:
        """Return what becomes of each function: those that take most of the time have most trials.

        How long each takes is measured first.
        """
        with shown_bar(len(self._workloads) + self._args.trials, 0) as bar:
            found = [self._tune(bar, each, 1) for each in self._workloads]
            weights = [each.calls * _known(each.baseline) for each in found]
            shares = divide(self._args.trials, weights)
            order = sorted(range(len(found)), key=lambda at: -weights[at])
            for at in order:
                if shares[at] and not self.is_interrupted:
                    found[at] = self._tune(bar, self._workloads[at], shares[at])
        return found

    def _tune(self, bar: Bar, workload: Workload, trials: int) -> TunedFunction:
        names, calls = workload.names, workload.calls
        if self.is_interrupted:
            return TunedFunction(names, calls, error="interrupted before")

        def show(progress: TuneProgress) -> None:
            bar.step(_shown(names[0], progress))

        args = self._args
        options = TuneOptions(
            trials=trials,
            executor=self._workers,
            records=self._path,
            seed=args.seed,
            exact=args.exact or workload.default is workload.func,
            limit=args.limit,
            progress=show,
        )
        try:
            found = search(workload.func, options, default=workload.default)
        except CodegenError as error:  # of this function alone
            return TunedFunction(names, calls, error=str(error))
        self.is_interrupted |= found.is_interrupted
        return _told(names, calls, found)


def _told(names: Sequence[str], calls: int, found: TuneResult) -> TunedFunction:
    return TunedFunction(names, calls, found.baseline, found.seconds, found.verdicts, found.refused)


def _known(seconds: float) -> float:
    return seconds if 0 <= seconds < float("inf") else 0.0


def _shown(name: str, progress: TuneProgress) -> str:
    told = f"{name}: {progress.done} of {progress.trials}"
    if progress.best == float("inf"):
        return told
    faster = progress.baseline / progress.best
    return f"{told}, {progress.best * 1e3:.4f} ms, {faster:.2f} times as fast"
