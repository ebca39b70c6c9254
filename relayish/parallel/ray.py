"""Ray as an engine: it starts a task anew whose worker ended, and no other.

Ray has no executor of ``concurrent.futures``, but its references have futures, so one is made here.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Final

import ray
from ray import exceptions

from relayish.parallel.engines import Engine
from relayish.parallel.sharing import Buffer


class RayExecutor(Executor):
    """Calls functions as tasks of the cluster that ``ray.init`` has connected to.

    Args:
        retries: How often a task is started again after its worker ended.
    """

    def __init__(self, retries: int = 0) -> None:
        self.workers = max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._task: Any = ray.remote(max_retries=retries)(_call)  # Any: Ray does not type these
        self._running: dict[Future[Any], Any] = {}  # Any: references

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        reference = self._task.remote(fn, *args, **kwargs)
        future: Future[Any] = reference.future()
        self._running[future] = reference
        future.add_done_callback(self._note_end)
        return future

    def _note_end(self, future: Future[Any]) -> None:
        reference = self._running.pop(future)
        if future.cancelled():
            ray.cancel(reference, force=True)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        running = list(self._running.values())
        if cancel_futures:
            for reference in running:
                ray.cancel(reference, force=True)
        if wait and running:
            ray.wait(running, num_returns=len(running))


def _call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:  # Any: of the caller
    return function(*args, **kwargs)


class RayEngine(Engine):
    """Tasks of Ray.

    Args:
        address: Of a cluster, ``"auto"`` for the one that runs here, ``""`` for a new one.
        folder: A directory that all workers see, if there is one.
        retries: How often a task is started again after its worker ended.
    """

    retries_itself = True

    def __init__(self, address: str, folder: str | None = None, retries: int = 0) -> None:
        self._is_own = not ray.is_initialized()
        if self._is_own:
            ray.init(address or "local", log_to_driver=False, logging_level="error")
        self._sent: dict[str, object] = {}
        super().__init__(lambda: RayExecutor(retries), folder)

    def is_lost(self, error: BaseException) -> bool:
        return isinstance(error, _LOST) or super().is_lost(error)

    def is_certain(self, error: BaseException) -> bool:
        return self.is_lost(error)  # a worker does one task at a time

    def send(self, key: str, data: Buffer) -> object:
        """Return a reference of Ray, which keeps the bytes in the memory of each machine once."""
        if key not in self._sent:
            self._sent[key] = ray.put(bytes(data))
        return self._sent[key]

    def close(self, *, is_done: bool) -> None:
        self._sent.clear()
        super().close(is_done=is_done)
        if self._is_own:
            ray.shutdown()


_LOST: Final = (
    exceptions.WorkerCrashedError,
    exceptions.NodeDiedError,
    exceptions.OutOfMemoryError,
    exceptions.ObjectLostError,
)

ENGINE: Final = RayEngine
