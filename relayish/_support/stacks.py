"""Threads with large stacks, parked for a while when their work is done.

To start a thread costs five times what it costs to hand work to one that waits. A thread that is
parked holds nothing of the work it did, and ends by itself when nothing comes for
:data:`PARKED_SECONDS`, when the process forks and when it exits.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import queue
import sys
import threading
from typing import Final, Protocol

PARKED_SECONDS: Final = 1.0
"""How long a thread waits for more work."""

MAX_PARKED: Final = 2
"""Threads parked at a time; a traversal that goes to and fro between three stacks uses two."""

_FRAME_WORDS: Final = (512 if sys.version_info < (3, 12) else 64) * 1024
"""Words of memory for frames: enough for the levels of a plain visitor that a stack serves."""


class Work(Protocol):
    """Something to be done once, on a stack of its own."""

    done: threading.Lock
    """Held until the work is done; whoever waits for that acquires it."""

    def run(self) -> bool:
        """Do the work, and return ``False`` if it was begun elsewhere; raise nothing."""


class _StackThread(threading.Thread):
    """A thread that does one piece of work after another."""

    def __init__(self, work: Work) -> None:
        super().__init__(name="relayish-stack", daemon=True)
        self._inbox: queue.SimpleQueue[Work | None] = queue.SimpleQueue()
        self._inbox.put(work)
        self._hooks = (threading.gettrace(), threading.getprofile())
        self._closed = False

    def run(self) -> None:
        """Do what comes in, until nothing does."""
        while (work := self._await_work()) is not None:
            mine = work.run()
            self._park()
            if mine:
                work.done.release()
            del work  # or it would be held while the thread waits

    def hand(self, work: Work) -> bool:
        """Give ``work`` to this thread; return whether it takes it for sure."""
        if self._hooks != (threading.gettrace(), threading.getprofile()):
            self._inbox.put(None)  # a debugger or profiler was started or left meanwhile
            return False
        self._inbox.put(work)
        return not self._closed

    def leave(self) -> None:
        """End this thread, which is parked, and wait until it has ended."""
        self._inbox.put(None)
        self.join()

    def _park(self) -> None:
        """Offer this thread for further work."""
        if len(_parked) < MAX_PARKED and not self._closed:
            _parked.append(self)
        else:
            self._inbox.put(None)

    def _await_work(self) -> Work | None:
        try:
            return self._inbox.get(timeout=PARKED_SECONDS)
        except queue.Empty:
            pass
        with contextlib.suppress(ValueError):  # somebody took it from there just now
            _parked.remove(self)
        self._closed = True  # from here on whoever hands work to it sees that it may not take it
        with contextlib.suppress(queue.Empty):
            return self._inbox.get_nowait()
        return None


# CPython keeps the frames of Python functions in pieces of 16 KB, got from the system when a call
# needs one and given back when it returns: calls at the edge of a piece pay for that each time.
# A frame that claims more makes it get one piece as large; what is not touched of it costs nothing.
_StackThread.run.__code__ = _StackThread.run.__code__.replace(co_stacksize=_FRAME_WORDS)

_parked: Final[list[_StackThread]] = []
_size_lock = threading.Lock()


def start_on_stack(work: Work, stack_bytes: int) -> None:
    """Begin ``work`` in a thread with a stack of ``stack_bytes``, one that is parked if there is.

    May be called again for the same work, if an interrupt left open whether it was begun.

    Raises:
        RuntimeError: If no thread can be started.
    """
    while _parked:
        try:
            thread = _parked.pop()
        except IndexError:  # another thread took the last one
            break
        if thread.hand(work):
            return
    with _size_lock:
        before = threading.stack_size(stack_bytes)
        try:
            _StackThread(work).start()
        finally:
            threading.stack_size(before)


def leave_parked_threads() -> None:
    """End the threads that are parked, and wait until they have ended."""
    while _parked:
        try:
            thread = _parked.pop()
        except IndexError:
            return
        thread.leave()


def _forget_threads() -> None:
    """Begin anew in a forked process, where no thread is left of those there were."""
    global _size_lock  # noqa: PLW0603 - a thread that is no more may hold it
    _parked.clear()
    _size_lock = threading.Lock()


atexit.register(leave_parked_threads)
if sys.platform != "win32":
    # a process that forks with threads alive is warned of deadlocks, and the child has none of them
    os.register_at_fork(before=leave_parked_threads, after_in_child=_forget_threads)
