"""Dask as an engine: its scheduler gives the tasks of lost workers to others.

When a worker ends, what it was doing, and what it was about to do, is done by others. A task for
which this happened as often as ``distributed.scheduler.allowed-failures`` says comes back as lost;
since it may just have waited behind the one to blame, it is then run once more, alone.
"""

from __future__ import annotations

import warnings
from concurrent.futures import Executor, Future
from typing import Any, Final
from urllib.parse import urlsplit

import distributed

from relayish.errors import ParallelError
from relayish.parallel.engines import Engine
from relayish.parallel.sharing import Buffer


class DaskEngine(Engine):
    """The executor of a client of Dask.

    Args:
        executor: What ``Client.get_executor()`` returned, or the address of a scheduler.
        folder: A directory that all workers see; not needed if all are on this machine.
        retries: Of no use here.
    """

    retries_itself = True

    def __init__(
        self, executor: Executor | str, folder: str | None = None, retries: int = 0
    ) -> None:
        del retries
        is_address = isinstance(executor, str)
        self._own: Any = None  # Any: Dask does not type its classes
        if is_address:
            self._own = _connect(str(executor))
        given: Any = self._own.get_executor() if is_address else executor  # Any: likewise
        self._client: Any = given._client  # noqa: SLF001 - there is no other way to it
        self._sent: dict[str, object] = {}
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        self._threads: int = sum(each["nthreads"] for each in workers.values())
        self.is_local = bool(workers) and all(map(_is_here, workers))
        super().__init__(given, folder)

    @property
    def workers(self) -> int:
        return max(1, self._threads)

    def submit(self, *call: Any) -> Future[Any]:  # Any: a function and its arguments
        executor: Any = self.executor  # Any: it takes more than executors do
        future: Future[Any] = executor.submit(*call, pure=False)  # else equal calls are one
        return future

    def is_lost(self, error: BaseException) -> bool:
        return isinstance(error, distributed.KilledWorker) or super().is_lost(error)

    def send(self, key: str, data: Buffer) -> object:
        """Return a future of Dask: bytes that are still there when a worker that held them ends."""
        if key not in self._sent:
            with warnings.catch_warnings():  # that they are large
                warnings.simplefilter("ignore", UserWarning)
                self._sent[key] = self._client.submit(bytes, bytes(data), pure=False)
        return self._sent[key]

    def close(self, *, is_done: bool) -> None:
        self._sent.clear()
        if self._own is not None:
            self.executor.shutdown(wait=False)
            self._own.close()
        super().close(is_done=is_done)


CONNECTS_WITHIN: Final = 10.0
"""The seconds that a scheduler has to answer."""


def _connect(address: str) -> Any:  # Any: a client
    try:
        return distributed.Client(address, set_as_default=False, timeout=CONNECTS_WITHIN)
    except (OSError, ValueError) as error:
        raise ParallelError(
            f"there is no scheduler of Dask at {address!r}: {error}; `dask scheduler` starts one, "
            f"and tells its address"
        ) from error


def _is_here(address: str) -> bool:
    return (urlsplit(address).hostname or "").startswith("127.")


ENGINE: Final = DaskEngine
