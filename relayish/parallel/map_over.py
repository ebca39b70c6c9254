"""Mapping a function over items by workers: a bounded number at a time, each outcome its own."""

from __future__ import annotations

import contextlib
import contextvars
import queue
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, Generic, TypeVar

from relayish.errors import ParallelError, WorkerLostError
from relayish.parallel.attempt import Attempt, attempt
from relayish.parallel.engines import Engine, Workers, find_engine
from relayish.parallel.outcome import Outcome
from relayish.parallel.sharing import AS_IT_IS, Packed, Transport

_I = TypeVar("_I")
_R = TypeVar("_R")


def map_over(
    executor: Workers,
    function: Callable[..., _R],
    items: Iterable[_I],
    *,
    ordered: bool = True,
    retries: int = 2,
    window: int | None = None,
    progress: Callable[[Outcome[_I, _R]], None] | None = None,
    transport: Transport = AS_IT_IS,
    folder: str | None = None,
) -> Iterator[Outcome[_I, _R]]:
    """Yield what a function makes of each item, computed by the workers of an executor.

    There is one outcome for each item, whatever becomes of workers. What the function raises is an
    outcome. An item whose worker is lost is tried again; where several were in flight in a pool
    that broke, each of them alone, so that the one to blame takes no other along.

    Nothing begins before the first outcome is asked for. Closing the iterator, or leaving it by an
    exception as Ctrl-C raises, cancels what has not begun, and ends workers that were started here;
    what an executor that was given is doing then, it does to the end.

    Args:
        executor: An executor, what makes one, a name as ``"processes:4"``, or ``None``: see
            :data:`~relayish.parallel.engines.Workers`. One that was given stays open; if it breaks,
            it cannot be made anew, and all that was not done is lost.
        function: Called with an item; for processes it has to be picklable.
        items: Taken one by one, when there is room for them.
        ordered: Whether outcomes come in the order of items, otherwise as they are there.
        retries: How often an item is tried again after its worker was lost. What the function
            raises is never tried again. Dask and Ray try again by themselves.
        window: How many items there are at most that were taken and whose outcome was not yet
            given back; twice the number of workers if not given.
        progress: Called with each outcome as soon as it is there.
        transport: How items and results get to other processes and back.
        folder: A directory that all workers see, in which bytes that items share become files. For
            processes of this machine one is made; without one, other workers get messages.

    Returns:
        An iterator that can be closed.

    Raises:
        ParallelError: If an argument is none of these; at once.

    Complexity:
        Each item is sent once, again for each worker lost with it.

    Example:
        >>> [outcome.value for outcome in map_over("threads:2", abs, [-1, 2, -3])]
        [1, 2, 3]
        >>> for outcome in map_over(None, int, ["1", "one"]):
        ...     print(outcome.index, outcome.item, outcome.value, repr(outcome.error))
        0 1 1 None
        1 one None ValueError("invalid literal for int() with base 10: 'one'")
    """
    for name, value, least in (("retries", retries, 0), ("window", window, 1)):
        if value is not None and (type(value) is not int or value < least):
            raise ParallelError(f"{name} must be a whole number from {least}; found {value!r}")
    open_engine = find_engine(executor, folder, retries)
    run = _Run(open_engine, function, iter(items), retries, window, progress, transport)
    return run.in_order() if ordered else run.as_they_come()


class _Task(Generic[_I]):
    """An item on its way.

    Attributes:
        deaths: How many workers were lost with it and nothing else.
        generation: That of the executor which has it.
    """

    __slots__ = ("deaths", "generation", "index", "item", "packed", "tries")

    def __init__(self, index: int, item: _I) -> None:
        self.index = index
        self.item = item
        self.packed: Packed | None = None
        self.tries = 0
        self.deaths = 0
        self.generation = 0


class _Run(Generic[_I, _R]):
    def __init__(
        self,
        open_engine: Callable[[], Engine],
        function: Callable[..., _R],
        items: Iterator[_I],
        retries: int,
        window: int | None,
        progress: Callable[[Outcome[_I, _R]], None] | None,
        transport: Transport,
    ) -> None:
        self._open_engine = open_engine
        self._engine: Engine
        self._function = function
        self._items = items
        self._retries = retries
        self._window = window or 0
        self._progress = progress
        self._transport = transport
        self._context = contextvars.copy_context()
        self._taken = self._given = 0
        self._is_exhausted = False
        self._pending: dict[Future[Attempt], _Task[_I]] = {}
        self._done: queue.SimpleQueue[Future[Attempt]] = queue.SimpleQueue()
        self._again: deque[_Task[_I]] = deque()
        self._suspects: deque[_Task[_I]] = deque()
        self._is_alone = False  # what is pending is one suspect
        self._ready: deque[Outcome[_I, _R]] = deque()

    def in_order(self) -> Iterator[Outcome[_I, _R]]:
        held: dict[int, Outcome[_I, _R]] = {}
        following = 0
        with self._opened():
            for outcome in self._outcomes():
                held[outcome.index] = outcome
                while following in held:
                    self._given += 1
                    yield held.pop(following)
                    following += 1

    def as_they_come(self) -> Iterator[Outcome[_I, _R]]:
        with self._opened():
            for outcome in self._outcomes():
                self._given += 1
                yield outcome

    @contextlib.contextmanager
    def _opened(self) -> Iterator[None]:
        self._engine = engine = self._open_engine()
        if not self._window:
            self._window = 2 * engine.workers if engine.workers > 1 else 1
        if engine.retries_itself:
            self._retries = 0
        if not engine.travels:
            self._transport = AS_IT_IS
        try:
            yield
        finally:
            is_done = not self._pending
            for future in self._pending:
                future.cancel()
            self._pending.clear()
            engine.close(is_done=is_done)

    def _outcomes(self) -> Iterator[Outcome[_I, _R]]:
        while True:
            while (task := self._next()) is not None:
                self._submit(task)
            while self._ready:
                yield self._ready.popleft()
            if self._pending:
                future = self._done.get()
                self._receive(self._pending.pop(future), future)
            elif self._is_exhausted and not (self._suspects or self._again):
                return

    def _next(self) -> _Task[_I] | None:
        """Return what is to be begun now; ``None`` if nothing is."""
        if self._pending and (self._is_alone or self._suspects):
            return None
        self._is_alone = bool(self._suspects)
        if self._suspects:
            return self._suspects.popleft()
        if self._again:
            return self._again.popleft()
        if self._is_exhausted or self._ready or self._taken - self._given >= self._window:
            return None
        try:
            item = next(self._items)
        except StopIteration:
            self._is_exhausted = True
            return None
        task = _Task(self._taken, item)
        self._taken += 1
        return task

    def _submit(self, task: _Task[_I]) -> None:
        engine = self._engine
        try:
            if task.packed is None:
                task.packed = self._transport.pack(task.item, engine.share)
        except Exception as error:  # noqa: BLE001 - whatever it finds wrong with the item
            self._finish(task, error)
            return
        task.tries += 1
        task.generation = engine.generation
        packed = task.packed
        call = (attempt, engine.travels, self._function, packed.payload, *packed.parts)
        try:
            future = engine.submit(*call) if engine.travels else self._submit_here(call)
        except RuntimeError as error:
            if not engine.is_lost(error):
                raise  # it was shut down
            self._lose(task, error, is_certain=True)
            return
        except Exception as error:  # noqa: BLE001 - what an engine cannot send
            self._finish(task, error)
            return
        self._pending[future] = task
        future.add_done_callback(self._done.put)

    def _submit_here(self, call: tuple[Any, ...]) -> Future[Attempt]:  # Any: a function and more
        """Submit what runs in this process, where it sees what is in force for the caller."""
        return self._engine.submit(self._context.copy().run, *call)

    def _receive(self, task: _Task[_I], future: Future[Attempt]) -> None:
        try:
            found = future.result()
        except BaseException as error:
            if self._engine.is_lost(error):
                certain = self._is_alone or self._engine.is_certain(error)
                self._lose(task, error, is_certain=certain)
            elif isinstance(error, Exception):
                self._finish(task, error)
            else:
                raise
            return
        self._finish(task, found.error, found)

    def _lose(self, task: _Task[_I], error: BaseException, *, is_certain: bool) -> None:
        """Note that the worker of an item was lost, and whether that was for sure this item's."""
        engine = self._engine
        is_broken = engine.is_broken(error)
        task.deaths += is_certain
        if is_broken and not engine.can_renew:
            told = (
                f"item {task.index} is lost with the executor, which is broken and cannot be made "
                f"anew: {error}; give what makes one, as lambda: ProcessPoolExecutor(4), or a name "
                f"as 'processes:4'"
            )
            self._finish(task, WorkerLostError(told))
            return
        if is_broken:
            engine.renew(task.generation)
        if task.deaths > self._retries:
            times = "" if task.deaths == 1 else f" {task.deaths} times, last"
            told = (
                f"the worker of item {task.index} was lost{times}: {error or type(error).__name__}"
            )
            self._finish(task, WorkerLostError(told))
        elif is_certain and not is_broken:
            self._again.append(task)
        else:
            self._suspects.append(task)

    def _finish(
        self, task: _Task[_I], error: Exception | None, found: Attempt | None = None
    ) -> None:
        value, worker, seconds = (None, "", 0.0)
        if found is not None:
            value, worker, seconds = found.value, found.worker, found.seconds
        if error is None:
            assert task.packed is not None
            try:
                value = self._transport.unpack(task.packed, value)
            except Exception as raised:  # noqa: BLE001 - whatever it finds wrong
                value, error = None, raised
        outcome: Outcome[_I, _R] = Outcome(
            task.index, task.item, value, error, worker, task.tries, seconds
        )
        self._ready.append(outcome)
        if self._progress is not None:
            self._progress(outcome)
