"""Delivery of interrupts to the thread that runs, where one traversal uses several.

A signal's handler runs on the main thread. If that waits for another, what the handler raises,
``KeyboardInterrupt`` mostly, must stop the thread it waits for.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable


class Interrupts:
    """Passes interrupts on to whichever thread of a traversal runs handlers, now or next.

    An interrupt reaches the thread the traversal started on, which waits. It is passed on to the
    running thread while that executes handlers; while threads are started and left, none is open to
    interrupts, and the next one to run asks for them itself.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: int | None = None
        self._interrupted = False

    def run_interruptibly(self, work: Callable[[], None]) -> None:
        """Call ``work``, open to interrupts; afterwards none is on its way to this thread."""
        ident = threading.get_ident()
        try:
            self._open = ident
            self.check()
            work()
        finally:
            while self._open == ident:
                try:
                    self.close()
                except KeyboardInterrupt:
                    self._interrupted = True
                    self._open = None

    def close(self) -> None:
        """Keep interrupts from this thread from here on; one that is on its way is raised here."""
        with self._lock:
            self._open = None
        _take_interrupt()

    def open(self) -> None:
        """Let interrupts reach this thread again."""
        self._open = threading.get_ident()

    def interrupt(self) -> None:
        """Interrupt whichever thread runs handlers, now or next."""
        with self._lock:
            self._interrupted = True
            if self._open is not None:
                set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
                set_exception(ctypes.c_ulong(self._open), ctypes.py_object(KeyboardInterrupt))

    def check(self) -> None:
        """Raise the interrupt that came while no thread was open to it, if one did."""
        if self._interrupted:
            raise KeyboardInterrupt


def _take_interrupt() -> None:
    """Do nothing: CPython raises what is on its way to a thread when a function is entered.

    Taking it back instead would leave CPython 3.11 looking for it for ever.
    """
