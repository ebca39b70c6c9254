"""Deep recursion of user-written code, on as many thread stacks as it takes.

A handler written in the natural recursive way nests one Python call for each level of the program.
No single stack serves a million levels on every CPython: 3.11 would need gigabytes where a level
crosses C, and 3.12 and 3.13 count C frames against a fixed limit. So a traversal that has nested
:data:`FIRST_LEVELS` deep goes on in a thread with a stack of its own, the one before waiting for
it, and again every :data:`LEVELS` levels, or sooner where handlers put many frames between one
level and the next. Each stack is large enough for the recursion limit it runs under, so running
away ends in an exception, never in a crash. Exceptions, context variables and interrupts cross from
stack to stack; see ``docs/adr/0003-depth.md`` for the measurements.
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Protocol, TypeVar

from relayish.errors import EndlessRecursionError

_R = TypeVar("_R")

FIRST_LEVELS: Final = 48
"""Levels nested on the stack a traversal starts on, where the caller's recursion limit holds."""

_AGE: Final = min(max(sys.version_info[:2], (3, 11)), (3, 13))
LEVELS: Final = {(3, 11): 10_000, (3, 12): 450, (3, 13): 2_000}[_AGE]
"""Levels nested on each further stack: CPython 3.12 allows 1,500 C frames on one, 3.13 more."""

MAX_LEVELS: Final = 2_200_000
"""Levels after which a recursion counts as endless."""

_CIRCLE_LEVELS: Final = 10_000
"""Levels after which a visit of a node within a visit of the same node counts as endless."""

_RECURSION_LIMIT: Final = 120_000
_STACK_BYTES: Final = max(16 * 1024 * 1024, 16 * 1024 * LEVELS)
_KEPT_TRACEBACK: Final = 64
"""Entries kept at each end of a traceback that crosses from one stack to another."""


class Levels:
    """How deep the functors of one stack have nested: ``depth``, of which ``limit`` are granted.

    The limit is raised by ``step`` at a time, up to ``capacity``, as long as the frames in use
    leave room for it: how many frames a level takes is up to the handlers.
    """

    __slots__ = ("capacity", "depth", "limit", "step")

    def __init__(self, step: int, capacity: int) -> None:
        self.depth = 0
        self.limit = 0
        self.step = step
        self.capacity = capacity


IDLE: Final = Levels(0, 0)
"""What a functor that visits nothing counts with: it has no room, so the functor asks for some."""


class Nesting(Protocol):
    """A functor: it counts its levels in what stands in ``_levels``."""

    _levels: Levels


class _Stack(threading.local):
    """The levels of the current thread, and the chain of stacks it belongs to."""

    def __init__(self) -> None:
        self.levels = Levels(FIRST_LEVELS // 6, FIRST_LEVELS)
        self.chain: _Chain | None = None


class _Chain:
    """The stacks of one deep traversal: what each was entered with, and which one is running.

    An interrupt reaches the thread the traversal started on, which waits. It is passed on to the
    running thread while that executes handlers; while threads are started and left, none is open to
    interrupts, and the next one to run asks for them itself.
    """

    def __init__(self) -> None:
        self.entered: list[tuple[object, object]] = []
        self.levels = 0
        self._lock = threading.Lock()
        self._open: int | None = None
        self._interrupted = False

    def run_interruptibly(self, work: Callable[[], None]) -> None:
        """Call ``work``, open to interrupts; afterwards none is on its way to this thread."""
        ident = threading.get_ident()
        try:
            self._open = ident
            self.check_interrupt()
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

    def reopen(self) -> None:
        """Let interrupts reach this thread again."""
        if _stack.chain is self:
            self._open = threading.get_ident()

    def interrupt(self) -> None:
        """Interrupt whichever thread runs handlers of the chain, now or next."""
        with self._lock:
            self._interrupted = True
            if self._open is not None:
                set_exception = ctypes.pythonapi.PyThreadState_SetAsyncExc
                set_exception(ctypes.c_ulong(self._open), ctypes.py_object(KeyboardInterrupt))

    def check_interrupt(self) -> None:
        if self._interrupted:
            raise KeyboardInterrupt


def _take_interrupt() -> None:
    """Do nothing: CPython raises what is on its way to a thread when a function is entered.

    Taking it back instead would leave CPython 3.11 looking for it for ever.
    """


_stack = _Stack()
_limit_lock = threading.Lock()
_limit_users: set[_Chain] = set()
_limit_before = 0
_UNSET: Final = object()


def descend(owner: Nesting, subject: object, visit: Callable[..., _R], *arguments: object) -> _R:
    """Call ``visit(*arguments)`` with room to nest, here or, if none is left, on a fresh stack.

    Args:
        owner: The functor that visits; the ``depth`` of its levels reached their ``limit``.
        subject: What is about to be visited, or ``None`` when arguments make visits differ.
        visit: Continues the traversal.
        arguments: What ``visit`` is called with.

    Raises:
        EndlessRecursionError: If the traversal visits ``subject`` in the midst of visiting it,
            thousands of levels up, or nests deeper than :data:`MAX_LEVELS`.
    """
    levels = _stack.levels
    if levels.depth == 0:
        levels.limit = levels.step
    if levels.depth >= levels.limit and not _extend(levels):
        return _on_fresh_stack(owner, subject, visit, arguments)
    if owner._levels is levels:  # noqa: SLF001 - what the protocol is about
        return visit(*arguments)
    return _enter(owner, levels, visit, arguments)


def _enter(
    owner: Nesting, levels: Levels, visit: Callable[..., _R], arguments: tuple[object, ...]
) -> _R:
    """Call ``visit`` with ``owner`` counting in ``levels``, as all functors of one stack do."""
    before = owner._levels  # noqa: SLF001 - what the protocol is about
    owner._levels = levels  # noqa: SLF001
    try:
        return visit(*arguments)
    finally:
        owner._levels = before  # noqa: SLF001


def _extend(levels: Levels) -> bool:
    """Grant some more levels of this stack, unless it has no more or too many frames are in use.

    A third of the recursion limit may be frames: as many calls again may cross C and count as well,
    and what is left serves the levels now granted.
    """
    limit = _RECURSION_LIMIT
    if _stack.chain is None:
        limit = min(limit, _limit_before if _limit_users else sys.getrecursionlimit())
    if levels.limit >= levels.capacity or _has_frames(limit // 3):
        return False
    levels.limit += levels.step
    return True


def _has_frames(count: int) -> bool:
    try:
        sys._getframe(count)  # noqa: SLF001 - the one way to ask that makes no object per frame
    except ValueError:
        return False
    return True


def _on_fresh_stack(
    owner: Nesting, subject: object, visit: Callable[..., _R], arguments: tuple[object, ...]
) -> _R:
    chain = _stack.chain
    if chain is not None:
        return _nest(chain, owner, subject, visit, arguments)
    chain = _Chain()
    try:
        _claim_recursion_limit(chain)
        return _nest(chain, owner, subject, visit, arguments)
    finally:
        try:
            _release_recursion_limit(chain)
        except BaseException:  # an interrupt in its midst
            _release_recursion_limit(chain)
            raise


def _nest(
    chain: _Chain,
    owner: Nesting,
    subject: object,
    visit: Callable[..., _R],
    arguments: tuple[object, ...],
) -> _R:
    _check_progress(chain, owner, subject)
    used = _stack.levels.depth
    context = contextvars.copy_context()
    outcome: list[_R] = []
    failure: list[BaseException] = []
    finished: list[bool] = []
    claim, done = threading.Lock(), threading.Lock()
    done.acquire()

    def handle() -> None:
        levels = Levels(LEVELS // 16, LEVELS)
        levels.limit = levels.step
        _stack.levels, _stack.chain = levels, chain
        outcome.append(context.run(_enter, owner, levels, visit, arguments))

    def run() -> None:
        if not claim.acquire(blocking=False):
            return  # an interrupt made the waiting stack start this twice
        try:
            chain.run_interruptibly(handle)
        except BaseException as error:  # noqa: BLE001 - raised again on the waiting stack
            failure.append(error)
        finally:
            finished.append(True)
            done.release()

    try:
        chain.close()
    except BaseException:
        chain.reopen()
        raise
    chain.entered.append((owner, subject))
    chain.levels += used
    try:
        _run_and_wait(run, done, finished, chain)
    finally:
        chain.levels -= used
        chain.entered.pop()
    for variable, value in context.items():
        if variable.get(_UNSET) is not value:
            variable.set(value)
    if failure:
        error = failure.pop()
        _shorten_traceback(error)
        try:
            raise error
        finally:
            chain.reopen()
            del error  # its traceback holds this frame: together they would be a cycle
    chain.reopen()
    chain.check_interrupt()
    return outcome[0]


def _check_progress(chain: _Chain, owner: object, subject: object) -> None:
    name = type(owner).__name__
    if subject is not None:
        met = sum(o is owner and s is subject for o, s in chain.entered)
        if met and met * LEVELS >= _CIRCLE_LEVELS:
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


def _run_and_wait(
    run: Callable[[], None], done: threading.Lock, finished: list[bool], chain: _Chain
) -> None:
    """Call ``run`` in a thread and wait until it has ``finished`` and released ``done``.

    What a signal raises here meanwhile, such as ``KeyboardInterrupt``, is passed on to the
    innermost stack, the one running, as an interrupt, and raised when all stacks have been left.
    """
    raised: BaseException | None = None
    thread: threading.Thread | None = None
    while not finished:
        try:
            if thread is None:
                thread = _start_thread(run)
            done.acquire()
        except BaseException as error:  # raised below, when nothing is left running
            if thread is None and isinstance(error, RuntimeError):
                raise  # the thread could not be started
            raised = error
            chain.interrupt()
    if raised is not None:
        try:
            raise raised
        finally:
            del raised


def _start_thread(run: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=run, name="relayish-stack", daemon=True)
    with _limit_lock:
        before = threading.stack_size(_STACK_BYTES)
        try:
            thread.start()
        finally:
            threading.stack_size(before)
    return thread


def _claim_recursion_limit(chain: _Chain) -> None:
    global _limit_before  # noqa: PLW0603 - the limit is the interpreter's, so is this
    with _limit_lock:
        if not _limit_users:
            _limit_before = sys.getrecursionlimit()
        _limit_users.add(chain)
        sys.setrecursionlimit(max(_RECURSION_LIMIT, _limit_before))


def _release_recursion_limit(chain: _Chain) -> None:
    """Put the limit back when no other chain needs it; may be called again for the same chain."""
    with _limit_lock:
        if chain in _limit_users:
            if len(_limit_users) == 1:
                sys.setrecursionlimit(_limit_before)
            _limit_users.discard(chain)


def _shorten_traceback(error: BaseException) -> None:
    """Cut the middle out of a long traceback: it would keep every frame of the traversal alive."""
    entries: list[TracebackType] = []
    entry = error.__traceback__
    while entry is not None:
        entries.append(entry)
        entry = entry.tb_next
    if len(entries) > 2 * _KEPT_TRACEBACK:
        entries[_KEPT_TRACEBACK - 1].tb_next = entries[-_KEPT_TRACEBACK]
