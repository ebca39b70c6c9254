"""Threads with large stacks, in which calls of C nest deep."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import Final, TypeVar

STACK: Final = 1 << 28
"""How many bytes of stack the calls of a program that recurs may take."""

SPARE: Final = 1 << 20
"""How many bytes of the stack are left for what the deepest function calls."""

_STARTING: Final = threading.Lock()
"""Held while the size of stacks of new threads is another one."""

_T = TypeVar("_T")


def run_with_stack(run: Callable[[], _T]) -> _T:
    """Run a function in a thread of its own, whose stack is large, and return what it returns."""
    found: list[_T] = []
    raised: list[BaseException] = []

    def work() -> None:
        try:
            found.append(run())
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            raised.append(error)

    context = contextvars.copy_context()
    with _STARTING:
        before = threading.stack_size(STACK)
        try:
            thread = threading.Thread(target=context.run, args=(work,), daemon=True)
            thread.start()
        finally:
            threading.stack_size(before)
    thread.join()
    if raised:
        raise raised[0]
    return found[0]
