"""Several models, optimised by workers: each by itself, and none again that is there and right."""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from relayish._support.collector import Manner, collect_as_told
from relayish._support.per_thread import PerThread
from relayish._support.sealed_lines import Entry
from relayish.cli.executors import executor_of
from relayish.cli.files import STANDARD
from relayish.cli.loading import load, loaded
from relayish.cli.onnx.reading import external_files
from relayish.cli.onnx.report import result_of
from relayish.cli.onnx.runtime import Runtime
from relayish.cli.optimizing.one import optimise_model, pipeline_of
from relayish.cli.optimizing.record import (
    add_to_record,
    is_done,
    make_entry,
    options_of,
    read_record,
)
from relayish.cli.optimizing.results import ModelResult, tell_all
from relayish.cli.pipeline_options import context_of, driver_context
from relayish.cli.progress import Bar, shown_bar
from relayish.cli.report import (
    Verbosity,
    describe_error,
    tell_error,
    tell_failure,
    telling,
)
from relayish.errors import OptionError, add_note
from relayish.parallel import Outcome, map_over
from relayish.parallel.attempt import drop_trace

_SUFFIX: Final = ".onnx"
RETRIES: Final = 1
"""How often a model whose worker was lost is tried again: it may take all memory again."""


def optimise_many(args: argparse.Namespace) -> int:
    """Optimise the models, tell what became of each, and return the worst exit code.

    Results go into the folder under the names of their models, each whole or not at all, and a
    record says what they were made of. Where that is interrupted, what is done stays.

    Raises:
        OptionError: If options contradict each other, or results would have the same name.
        OSError: If the folder cannot be written.
    """
    executor = executor_of(args)  # what is wrong with it is told before anything is made
    _check_options(args)
    folder = None if args.output is None else Path(args.output)
    names = _names_of(args.files, folder)
    driver_context(args)
    with context_of(args, pipeline_of(args)):  # what is wrong with the passes is told once
        pass
    begin = time.perf_counter()
    told: list[ModelResult] = []
    with _written_into(folder) as scratch, shown_bar(len(names), 0) as bar:
        tasks = _tasks(args, names, folder, scratch)
        outcomes = map_over(executor, _work_on, tasks, ordered=False, retries=RETRIES)
        try:
            for outcome in outcomes:
                told.append(_note(outcome, folder))
                _show(bar, told, len(names))
        except BaseException:
            bar.end()
            if told:
                kept = "what is done is kept, and the same command goes on from there"
                tell_error(f"relayish: {len(told)} of {len(names)} models were done; {kept}\n")
            raise
    order = {name: place for place, name in enumerate(names)}
    told.sort(key=lambda each: order[each.name])
    tell_all(told, executor, time.perf_counter() - begin, is_json=args.json)
    return max([each.code for each in told], default=0)


def _check_options(args: argparse.Namespace) -> None:
    """Find what is wrong with the options of several models."""
    if args.report is not None:
        raise OptionError("--report tells of one model; leave it out, or name one model")
    if args.output == STANDARD or STANDARD in args.files:
        raise OptionError("- stands for one model; write files, and -o FOLDER/")
    if args.output is not None and Path(args.output).exists() and not Path(args.output).is_dir():
        raise OptionError(f"-o {args.output}: of several models the results go into a folder")


def _names_of(files: Sequence[str], folder: Path | None) -> dict[str, str]:
    """Return the models by the names of their results: of one in a folder its path there.

    Raises:
        OptionError: If two have one name, a result would replace its model, or there is none.
    """
    found: dict[str, str] = {}
    for given in map(Path, files):
        for path in _models_in(given, folder):
            name = path.name if path == given else str(path.relative_to(given))
            if name in found and Path(found[name]).absolute() != path.absolute():
                raise OptionError(
                    f"{found[name]} and {path} are both called {name}; name the folder that they "
                    f"are in, below which results keep their paths"
                )
            if folder is not None and (folder / name).resolve() == path.resolve():
                raise OptionError(f"the result of {path} would replace it; write -o another folder")
            found[name] = str(path)
    if not found:
        raise OptionError(f"there is no *{_SUFFIX} in {', '.join(files)}")
    return found


def _models_in(given: Path, folder: Path | None) -> list[Path]:
    """Return the models that an argument stands for: those in a folder, results in it left out.

    Hidden ones are left out as well, as a shell does: of a run that was killed, half a model stays.
    """
    if not given.is_dir():
        return [given]
    results = None if folder is None else folder.resolve()
    is_inside = results is not None and given.resolve() in results.parents
    return [
        path
        for path in sorted(given.rglob(f"*{_SUFFIX}"))
        if not any(part.startswith(".") for part in path.relative_to(given).parts)
        and not (is_inside and results is not None and path.resolve().is_relative_to(results))
    ]


@contextlib.contextmanager
def _written_into(folder: Path | None) -> Iterator[str | None]:
    """Make the folder of results, and a directory in it that goes with all that is half-written."""
    if folder is None:
        yield None
        return
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".relayish-", dir=folder) as scratch:
        yield str(Path(scratch).absolute())


class _Task(NamedTuple):
    """One model, for a worker.

    Attributes:
        args: Of the command, with this file and its output.
        given: The file as it was given.
        name: That of the result.
        scratch: Where to write first.
        options: Those on which the result depends.
        entry: What the record says of the result.
        load: Files and packages of users, which are loaded before.
    """

    args: argparse.Namespace
    given: str
    name: str
    scratch: str | None
    options: Entry
    entry: Entry | None
    load: tuple[str, ...]


def _tasks(
    args: argparse.Namespace, names: dict[str, str], folder: Path | None, scratch: str | None
) -> Iterator[_Task]:
    options = options_of(args, loaded())
    record = {} if folder is None else read_record(folder)
    for name, given in names.items():
        output = None if folder is None else str((folder / name).absolute())
        own = argparse.Namespace(**vars(args))
        own.file, own.files, own.output = str(Path(given).absolute()), [], output
        yield _Task(own, given, name, scratch, options, record.get(name), loaded())


def _work_on(task: _Task) -> tuple[ModelResult, Entry | None]:
    """Optimise one model in a worker; return what is told of it, and what is to be recorded."""
    model, output = Path(task.args.file), task.args.output
    if output is not None and is_done(task.entry, task.options, model, Path(output)):
        assert task.entry is not None
        kept = task.entry["report"] | {"input": task.given, "output": output}
        return ModelResult(task.name, task.given, report=kept, was_there=True), None
    _load_all(task.load)
    scratch = None if task.scratch is None else Path(task.scratch)
    if output is not None:
        Path(output).parent.mkdir(parents=True, exist_ok=True)
    with telling(Verbosity.QUIET), collect_as_told(Manner(task.args.collector)):
        report, code, read = optimise_model(task.args, scratch, _OF_WORKER.runtime)
    report.source = task.given
    told = ModelResult(task.name, task.given, code=code, report=result_of(report))
    if code or report.output is None:
        return told, None
    beside = external_files(read.proto)
    return told, make_entry(task.name, task.options, model, beside, Path(output), told.report)


class _OfWorker(PerThread):
    """What a worker keeps from model to model."""

    def __init__(self) -> None:
        self.runtime = Runtime()


_OF_WORKER: Final = _OfWorker()


@functools.cache
def _load_all(names: tuple[str, ...]) -> None:
    for name in names:
        load(name)


def _note(
    outcome: Outcome[_Task, tuple[ModelResult, Entry | None]], folder: Path | None
) -> ModelResult:
    """Return what is told of a model, once it is recorded; tell at once what is wrong."""
    task, error = outcome.item, outcome.error
    if error is not None:
        if not task.args.traceback:
            drop_trace(error)
        if task.args.file not in str(error):
            add_note(error, f"in {task.args.file}")
        code = tell_failure(error, has_traceback=False)  # of the worker, it is a note
        told = ModelResult(task.name, task.given, code=code, error=describe_error(error))
    else:
        told, entry = outcome.result()
        if entry is not None and folder is not None:
            add_to_record(folder, entry)
    return dataclasses.replace(
        told, worker=outcome.worker, tries=outcome.tries, seconds=outcome.seconds
    )


def _show(bar: Bar, told: Sequence[ModelResult], count: int) -> None:
    bad = sum(each.code > 0 for each in told)
    failed = f", {bad} not as they should be" if bad else ""
    bar.step(f"{len(told)} of {count}{failed}: {told[-1].name}")
