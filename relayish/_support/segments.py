"""Deep recursion of user-written code, on as many thread stacks as it takes.

A handler written in the natural recursive way nests one Python call for each level of the program.
No single stack serves a million levels on every CPython: 3.11 would need gigabytes where a level
crosses C, and 3.12 and 3.13 count C frames against a fixed limit. So a traversal that has nested
:data:`FIRST_LEVELS` deep goes on in a thread with a stack of its own, the one before waiting for
it, and again every :data:`LEVELS` levels. Each stack is large enough for the recursion limit it
runs under, so running away ends in an exception, never in a crash. Exceptions, context variables and
interrupts cross from stack to stack; see ``docs/adr/0003-depth.md`` for the measurements.
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, TypeVar

from relayish.errors import EndlessRecursionError

_R = TypeVar("_R")

FIRST_LEVELS: Final = 48
"""Levels nested on the stack a traversal starts on, where the caller's recursion limit holds."""

_AGE: Final = min(max(sys.version_info[:2], (3, 11)), (3, 13))
LEVELS: Final = {(3, 11): 10_000, (3, 12): 450, (3, 13): 2_000}[_AGE]
"""Levels nested on each further stack: CPython 3.12 allows 1,500 C frames on one, 3.13 more."""

MAX_LEVELS: Final = 1_500_000
"""Levels after which a recursion counts as endless."""

_RECURSION_LIMIT: Final = 12 * LEVELS
_STACK_BYTES: Final = max(16 * 1024 * 1024, 16 * 1024 * LEVELS)
_KEPT_TRACEBACK: Final = 64
"""Entries kept at each end of a traceback that crosses from one stack to another."""


class Levels:
    """What a functor carries to count its levels: ``depth`` on this stack, out of ``limit``."""

    __slots__ = ("depth", "limit")

    def __init__(self) -> None:
        self.depth = 0
        self.limit = 0


class _Stack(threading.local):
    """Where the current thread stands: its innermost functor, and the chain it belongs to."""

    def __init__(self) -> None:
        self.active: Levels | None = None
        self.capacity = FIRST_LEVELS
        self.chain: _Chain | None = None


class _Chain:
    """The stacks of one deep traversal: what each was entered with, and its thread."""

    def __init__(self) -> None:
        self.entered: list[tuple[object, object]] = []
        self.threads: list[int] = []
        self.levels = 0


_stack = _Stack()
_limit_lock = threading.Lock()
_limit_users = 0
_limit_before = 0


def descend(
    levels: Levels, owner: object, subject: object, visit: Callable[..., _R], *arguments: object
) -> _R:
    """Call ``visit(*arguments)`` with room to nest, here or, if none is left, on a fresh stack.

    Args:
        levels: The counter of the functor that visits; its ``depth`` reached its ``limit``.
        owner: The functor, for error messages and to notice that it runs in circles.
        subject: What is about to be visited, or ``None`` when arguments make visits differ.
        visit: Continues the traversal.
        arguments: What ``visit`` is called with.

    Raises:
        EndlessRecursionError: If the traversal visits ``subject`` in the midst of visiting it,
            thousands of levels up, or nests deeper than :data:`MAX_LEVELS`.
    """
    outer = _stack.active
    used = outer.depth if outer is not None else 0
    if used < _stack.capacity and outer is not levels:
        return _enter(levels, used, _stack.capacity, visit, arguments)
    return _on_fresh_stack(levels, owner, subject, visit, arguments)


def _enter(
    levels: Levels,
    used: int,
    capacity: int,
    visit: Callable[..., _R],
    arguments: tuple[object, ...],
) -> _R:
    """Call ``visit`` with ``levels`` as the innermost counter of this stack."""
    before = levels.depth, levels.limit, _stack.active
    levels.depth, levels.limit, _stack.active = used, capacity, levels
    try:
        return visit(*arguments)
    finally:
        levels.depth, levels.limit, _stack.active = before


def _on_fresh_stack(
    levels: Levels,
    owner: object,
    subject: object,
    visit: Callable[..., _R],
    arguments: tuple[object, ...],
) -> _R:
    chain = _stack.chain or _Chain()
    _check_progress(chain, owner, subject)
    context = contextvars.copy_context()
    outcome: list[_R] = []
    failure: list[BaseException] = []
    done = threading.Lock()
    done.acquire()

    def run() -> None:
        _stack.capacity, _stack.chain = LEVELS, chain
        chain.threads.append(threading.get_ident())
        try:
            outcome.append(context.run(_enter, levels, 0, LEVELS, visit, arguments))
        except BaseException as error:  # noqa: BLE001 - raised again on the waiting stack
            failure.append(error)
        finally:
            chain.threads.pop()
            done.release()

    chain.entered.append((owner, subject))
    chain.levels += LEVELS
    _raise_recursion_limit()
    try:
        _start_thread(run)
        _wait(done, chain)
    finally:
        _restore_recursion_limit()
        chain.levels -= LEVELS
        chain.entered.pop()
    for variable, value in context.items():
        if variable.get(None) is not value:
            variable.set(value)
    if failure:
        error = failure.pop()
        _shorten_traceback(error)
        raise error
    return outcome[0]


def _check_progress(chain: _Chain, owner: object, subject: object) -> None:
    name = type(owner).__name__
    if subject is not None and any(o is owner and s is subject for o, s in chain.entered):
        raise EndlessRecursionError(
            f"{name} runs in circles: while it visits {subject!r} its handlers visit that node "
            f"again, without end; visit the children of a node in its handler, not the node"
        )
    if chain.levels >= MAX_LEVELS:
        raise EndlessRecursionError(
            f"{name} nests deeper than {MAX_LEVELS:,} levels, now at {subject!r}; either its "
            f"handlers visit ever new nodes, or the program is too deep for recursive handlers: "
            f"use MixedModeMutator, ExprRewriter or expand_a_normal_form, which do not nest"
        )


def _start_thread(run: Callable[[], None]) -> None:
    with _limit_lock:
        before = threading.stack_size(_STACK_BYTES)
        try:
            threading.Thread(target=run, name="relayish-stack", daemon=True).start()
        finally:
            threading.stack_size(before)


def _wait(done: threading.Lock, chain: _Chain) -> None:
    """Wait for the next stack; pass an interrupt on to the innermost one, which is running."""
    interrupted = False
    while True:
        try:
            done.acquire()
            break
        except KeyboardInterrupt:
            interrupted = True
            if chain.threads:
                ident = ctypes.c_ulong(chain.threads[-1])
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ident, ctypes.py_object(KeyboardInterrupt)
                )
    if interrupted:
        raise KeyboardInterrupt


def _raise_recursion_limit() -> None:
    global _limit_users, _limit_before  # noqa: PLW0603 - the limit is the interpreter's, so is this
    with _limit_lock:
        if _limit_users == 0:
            _limit_before = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_RECURSION_LIMIT, _limit_before))
        _limit_users += 1


def _restore_recursion_limit() -> None:
    global _limit_users  # noqa: PLW0603 - see above
    with _limit_lock:
        _limit_users -= 1
        if _limit_users == 0:
            sys.setrecursionlimit(_limit_before)


def _shorten_traceback(error: BaseException) -> None:
    """Cut the middle out of a long traceback: it would keep every frame of the traversal alive."""
    entries: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    if len(entries) > 2 * _KEPT_TRACEBACK:
        entries[_KEPT_TRACEBACK - 1].tb_next = entries[-_KEPT_TRACEBACK]
