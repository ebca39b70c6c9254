"""Engines: executors, with what is known of them beyond what all executors have."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from functools import partial
from typing import Any, Final, TypeAlias

from relayish.errors import ParallelError, WorkerLostError, suggest
from relayish.parallel.processes import ProcessExecutor
from relayish.parallel.sharing import Buffer, SharedFiles

Workers: TypeAlias = Executor | Callable[[], Executor] | str | None
"""An executor, what makes one, or what stands for one: ``"processes:4"``, ``"threads:2"``,
``"dask:tcp://host:8786"``, ``"ray:auto"``; ``None`` for none: one item after the other, here."""


class Engine:
    """An executor, of which nothing is known but that it is one.

    Args:
        executor: The executor, or what makes one.
        folder: A directory that all workers see, if there is one.
    """

    travels = True
    """Whether items and results go to other processes."""
    is_local = False
    """Whether workers see the disk of this machine."""
    retries_itself = False
    """Whether an item that comes back lost was tried again already."""

    def __init__(
        self, executor: Executor | Callable[[], Executor], folder: str | None = None
    ) -> None:
        self._make = None if isinstance(executor, Executor) else executor
        self.executor = executor if isinstance(executor, Executor) else _made(executor)
        self.files = SharedFiles(folder)
        self._uses_files = folder is not None
        self.generation = 0

    @property
    def workers(self) -> int:
        """How many items are worked on at once, as far as is known."""
        found = getattr(self.executor, "workers", getattr(self.executor, "_max_workers", None))
        return found if isinstance(found, int) else _processors()

    @property
    def can_renew(self) -> bool:
        """Whether an executor that is broken can be made anew."""
        return self._make is not None

    def submit(self, *call: Any) -> Future[Any]:  # Any: a function and its arguments
        return self.executor.submit(*call)

    def is_lost(self, error: BaseException) -> bool:
        """Return whether an error of a future says that its worker was lost."""
        return isinstance(error, (BrokenExecutor, WorkerLostError, CancelledError))

    def is_broken(self, error: BaseException) -> bool:
        """Return whether the executor cannot be used after such an error."""
        return isinstance(error, BrokenExecutor)

    def is_certain(self, error: BaseException) -> bool:
        """Return whether it was this very item during which the worker was lost."""
        return isinstance(error, WorkerLostError)

    def renew(self, generation: int) -> None:
        """Make the executor anew, unless that was done since the generation."""
        if self._make is not None and generation == self.generation:
            self.executor.shutdown(wait=False)
            self.executor = _made(self._make)
            self.generation += 1

    def share(self, key: str, data: Buffer) -> object:
        """See :data:`~relayish.parallel.sharing.Share`."""
        if self.is_local or self._uses_files or isinstance(self.executor, ProcessPoolExecutor):
            return self.files.share(key, data)
        return self.send(key, data)

    def send(self, key: str, data: Buffer) -> object:  # noqa: ARG002 - for overriding
        """Return what stands for bytes that workers get as a message."""
        return bytes(data)

    def close(self, *, is_done: bool) -> None:
        """Close the executor, if it was made here, and stop what it is still doing."""
        if self._make is not None:
            if not is_done:
                _kill_workers(self.executor)
            self.executor.shutdown(wait=True, cancel_futures=True)
        self.files.close()


def _kill_workers(executor: Executor) -> None:
    """End the processes of an executor at once, if it has any."""
    kill: Callable[[], None] | None = getattr(executor, "kill_workers", None)
    if kill is not None:
        kill()
    elif isinstance(executor, ProcessPoolExecutor):  # which has no such method before 3.14
        for process in list((executor._processes or {}).values()):  # noqa: SLF001
            process.kill()


class _Threads(Engine):
    travels = False


class _Processes(Engine):
    is_local = True


class _Serial(Engine):
    travels = False
    workers = 1


class SerialExecutor(Executor):
    """Calls functions at once, in the thread that asks."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:  # Any: of the caller
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def find_engine(
    executor: Workers, folder: str | None = None, retries: int = 0
) -> Callable[[], Engine]:
    """Return what opens the engine of an executor.

    Args:
        executor: As :data:`Workers` says.
        folder: A directory that all workers see, if there is one.
        retries: How often what lost its worker is tried again, for engines that do so themselves.

    Raises:
        ParallelError: If it is none of these, or what it needs is not installed.
    """
    if executor is None:
        return partial(_Serial, SerialExecutor, folder)
    if isinstance(executor, str):
        return _find_named(executor, folder, retries)
    if type(executor) is ThreadPoolExecutor:
        return partial(_Threads, executor, folder)
    if isinstance(executor, Executor) and type(executor).__module__.startswith("distributed."):
        return partial(_load("dask"), executor, folder)
    if not isinstance(executor, Executor) and not callable(executor):
        raise ParallelError(
            f"expected an executor, a function that makes one, or one of {_known()}; "
            f"found {executor!r}"
        )
    return partial(Engine, executor, folder)


def stays_here(executor: Workers) -> bool:
    """Return whether items are worked on in this process, so that nothing has to be picklable."""
    if isinstance(executor, str):
        return executor.partition(":")[0] == "threads"
    return executor is None or type(executor) is ThreadPoolExecutor


def _find_named(spec: str, folder: str | None, retries: int) -> Callable[[], Engine]:
    name, _, detail = spec.partition(":")
    if name == "threads":
        workers = _count(spec, detail)
        return partial(_Threads, lambda: ThreadPoolExecutor(workers, "relayish"), folder)
    if name == "processes":
        workers = _count(spec, detail)
        return partial(_Processes, lambda: ProcessExecutor(workers), folder)
    if name in _ELSEWHERE:
        return partial(_load(name), detail, folder, retries)
    raise ParallelError(
        f"there is no executor {spec!r}{suggest(name, _KINDS)}; write one of {_known()}"
    )


_ELSEWHERE: Final = {
    "dask": ("relayish.parallel.dask", "distributed"),
    "ray": ("relayish.parallel.ray", "ray"),
}
"""By name, the module of an engine, which is imported when asked for, and what that needs."""
_KINDS: Final = ("processes", "threads", *_ELSEWHERE)


def _known() -> str:
    return "processes:N, threads:N, dask:ADDRESS, ray:ADDRESS"


def _load(name: str) -> Callable[..., Engine]:
    """Return the class of engines of that name."""
    module, package = _ELSEWHERE[name]
    try:
        engine: Callable[..., Engine] = importlib.import_module(module).ENGINE
    except ModuleNotFoundError as error:
        raise ParallelError(
            f"the executor {name} needs {package}, which is not installed: {error}; "
            f"write pip install {package}"
        ) from None
    return engine


def _count(spec: str, detail: str) -> int:
    if not detail:
        return _processors()
    if not detail.isdecimal() or not int(detail):
        raise ParallelError(f"{spec!r}: expected a number of workers from 1; found {detail!r}")
    return int(detail)


def _processors() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _made(make: Callable[[], Executor]) -> Executor:
    made: object = make()
    if not isinstance(made, Executor):
        raise ParallelError(f"{make!r} was to make an executor; it made {made!r}")
    return made
