"""Processes as an executor: one that ends takes along what it was doing, and is replaced."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from multiprocessing.connection import Connection
from typing import Any, Final, ParamSpec, TypeVar

from relayish.errors import WorkerLostError
from relayish.parallel.attempt import portable_error

_P = ParamSpec("_P")
_R = TypeVar("_R")

_SPAWN: Final = multiprocessing.get_context("spawn")
"""A process that begins anew: a copy of one with threads may stand still for ever."""
_READY: Final = b"ready"
_ENDS_WITHIN: Final = 5.0


class ProcessExecutor(Executor):
    """Calls functions in processes that each do one thing at a time.

    Where one ends in the midst of a call, this call fails with a
    :class:`~relayish.errors.WorkerLostError`, no other does, and another process takes the place.
    A process starts when there is something for it to do. It hears no Ctrl-C, which is for whoever
    started it, and ends when that does.

    Args:
        workers: How many processes there are at most.

    Example:
        >>> with ProcessExecutor(1) as executor:
        ...     executor.submit(abs, -3).result()
        3
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers
        # each thread waits for its own process
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="relayish")
        self._own = threading.local()
        self._lock = threading.Lock()
        self._alive: set[_Worker] = set()
        self._is_killed = False

    def submit(self, fn: Callable[_P, _R], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_R]:
        return self._threads.submit(self._call, fn, args, kwargs)

    def _call(
        self,
        function: Callable[..., _R],
        args: tuple[object, ...],
        named: dict[str, object],
    ) -> _R:
        request = pickle.dumps((function, args, named), protocol=pickle.HIGHEST_PROTOCOL)
        worker: _Worker | None = getattr(self._own, "worker", None)
        if worker is None:
            with self._lock:
                if self._is_killed:
                    raise WorkerLostError("the workers were ended before one got to this")
                worker = self._own.worker = _Worker()
                self._alive.add(worker)
        try:
            is_done, answer = worker.ask(request)
        except WorkerLostError:
            self._own.worker = None
            with self._lock:
                self._alive.discard(worker)
            raise
        if not is_done:
            raise answer
        result: _R = answer
        return result

    def kill_workers(self) -> None:
        """End all processes now, whatever they do, and start no other."""
        with self._lock:
            self._is_killed = True
            for worker in self._alive:
                worker.process.kill()

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        if wait:
            with self._lock:
                for worker in self._alive:
                    worker.end()
                self._alive.clear()


class _Worker:
    """One process, as who started it sees it."""

    def __init__(self) -> None:
        self._connection, theirs = _SPAWN.Pipe()
        self.process = _SPAWN.Process(target=_serve, args=(theirs,), daemon=True)
        self.process.start()
        theirs.close()  # so that its end is heard of
        self._is_ready = False

    def ask(self, request: bytes) -> tuple[bool, Any]:  # Any: what a call returned, or raised
        """Return whether a call returned, and what.

        Raises:
            WorkerLostError: If the process ends before.
        """
        try:
            if not self._is_ready:
                self._is_ready = self._connection.recv_bytes() == _READY
            self._connection.send_bytes(request)
            answer = self._connection.recv_bytes()
        except (EOFError, OSError):
            raise WorkerLostError(self._describe_end()) from None
        found: tuple[bool, Any] = pickle.loads(answer)  # noqa: S301 - of our own process
        return found

    def _describe_end(self) -> str:
        self.end()
        code = self.process.exitcode
        how = f"exit code {code}"
        if code is not None and code < 0:
            how = signal.Signals(-code).name
        told = f"process {self.process.pid} ended with {how}"
        if self._is_ready:
            return told
        return (
            f"{told} before it began; a script that starts processes does so below "
            f'if __name__ == "__main__":'
        )

    def end(self) -> None:
        """Let the process end: it has nothing more to do."""
        self._connection.close()
        self.process.join(_ENDS_WITHIN)
        if self.process.exitcode is None:
            self.process.kill()
            self.process.join()


def _serve(connection: Connection) -> None:
    """Answer calls until there are no more: what a process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        connection.send_bytes(_READY)
        while True:
            connection.send_bytes(_answer(connection.recv_bytes()))
    except (EOFError, OSError):  # nobody is there any more
        return


def _answer(request: bytes) -> bytes:
    """Return whether a call returned, and what it returned or raised, as bytes."""
    try:
        function, args, named = pickle.loads(request)  # noqa: S301 - of our own process
        found = function(*args, **named)
        return pickle.dumps((True, found), protocol=pickle.HIGHEST_PROTOCOL)
    except BaseException as error:  # noqa: BLE001 - raised again where it was called
        return pickle.dumps((False, portable_error(error)))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
