"""State that each thread has of its own."""

from __future__ import annotations

import threading


class PerThread(threading.local):
    """State of the thread that asks; a copy, or one of another process, begins anew.

    A subclass is made without arguments, in each thread anew.
    """

    def __reduce__(self) -> tuple[type[PerThread], tuple[()]]:
        return type(self), ()
