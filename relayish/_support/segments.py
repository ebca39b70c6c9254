"""Deep recursion of user-written code, on as many thread stacks as it takes.

A handler written in the natural recursive way nests one Python call for each level of the program.
No single stack serves a million levels on every CPython: 3.11 would need gigabytes where a level
crosses C, and 3.12 and 3.13 count C frames against a fixed limit. So a traversal that has nested
:data:`FIRST_LEVELS` deep goes on in a thread with a stack of its own, the one before waiting for
it, and again every :data:`LEVELS` levels, or sooner where handlers put many frames between one
level and the next. Each stack is large enough for the recursion limit it runs under, so running
away ends in an exception, never in a crash. Exceptions, context variables and interrupts cross from
stack to stack (``interrupts``), and a stack is kept for the next traversal (``stacks``); see
``docs/adr/0003-depth.md`` for the measurements.
"""

from __future__ import annotations

import contextvars
import sys
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Final, Protocol, TypeVar

from relayish._support.interrupts import Interrupts
from relayish._support.stacks import start_on_stack
from relayish.errors import EndlessRecursionError

_R = TypeVar("_R")

FIRST_LEVELS: Final = 40
"""Levels nested on the stack a traversal starts on, where the caller's recursion limit holds."""

_STEP: Final = 8
"""Levels granted at a time there."""

_AGE: Final = min(max(sys.version_info[:2], (3, 11)), (3, 13))
LEVELS: Final = {(3, 11): 10_000, (3, 12): 450, (3, 13): 2_000}[_AGE]
"""Levels nested on each further stack: CPython 3.12 allows 1,500 C frames on one, 3.13 more."""

MAX_LEVELS: Final = 2_200_000
"""Levels after which a recursion counts as endless."""

_CIRCLE_LEVELS: Final = 10_000
"""Levels after which a visit of a node within a visit of the same node counts as endless."""

_RECURSION_LIMIT: Final = 120_000
STACK_BYTES: Final = max(16 * 1024 * 1024, 16 * 1024 * LEVELS)
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

    _levels: Levels | None

    def _note_failure(self, error: Exception) -> None:
        """Say on an error that leaves a visit where it came up, unless it says so already."""


class _Stack(threading.local):
    """The levels of the current thread, and the chain of stacks it belongs to."""

    def __init__(self) -> None:
        self.levels = Levels(_STEP, FIRST_LEVELS)
        self.chain: _Chain | None = None


class _Chain:
    """The stacks of one deep traversal, and what each was entered with."""

    def __init__(self) -> None:
        self.entered: list[tuple[object, object]] = []
        self.levels = 0
        self.interrupts = Interrupts()


_stack = _Stack()
_limit_lock = threading.Lock()
_limit_users: set[_Chain] = set()
_limit_before = 0
_UNSET: Final = object()


def has_room(levels: Levels) -> bool:
    """Return whether ``levels``, whose limit is reached, has room for more, and grant it."""
    return levels is _stack.levels and _extend(levels)


def descend(
    owner: Nesting, visit: Callable[..., _R], node: object, arguments: tuple[object, ...]
) -> _R:
    """Call ``visit(owner, node, *arguments)`` with room to nest, on a fresh stack if need be.

    Args:
        owner: The functor that visits; its levels have no room for more.
        visit: Continues the traversal.
        node: What is about to be visited.
        arguments: What makes this visit of ``node`` different from others, if anything does.

    Raises:
        EndlessRecursionError: If the traversal visits ``node`` in the midst of visiting it,
            thousands of levels up, or nests deeper than :data:`MAX_LEVELS`.
    """
    levels = _stack.levels
    if levels.depth == 0:
        levels.limit = levels.step
    subject = None if arguments else node
    if levels.depth >= levels.limit and not _extend(levels):
        return _run_on_fresh_stack(owner, subject, visit, (owner, node, *arguments))
    # what _enter does: a frame less below a recursion may spare it a chunk of CPython's stack
    before = owner._levels  # noqa: SLF001 - what the protocol is about
    owner._levels = levels  # noqa: SLF001
    try:
        return visit(owner, node, *arguments)
    except Exception as error:
        owner._note_failure(error)  # noqa: SLF001
        raise
    finally:
        owner._levels = before  # noqa: SLF001


def _enter(
    owner: Nesting, levels: Levels, visit: Callable[..., _R], arguments: tuple[object, ...]
) -> _R:
    """Call ``visit`` with ``owner`` counting in ``levels``, as all functors of one stack do."""
    before = owner._levels  # noqa: SLF001 - what the protocol is about
    owner._levels = levels  # noqa: SLF001
    try:
        return visit(*arguments)
    except Exception as error:
        owner._note_failure(error)  # noqa: SLF001
        raise
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


def _run_on_fresh_stack(
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


class _Segment:
    """A visit that goes on on a further stack; it holds nothing of the traversal when done."""

    __slots__ = (
        "_arguments",
        "_begun",
        "_chain",
        "_context",
        "_owner",
        "_visit",
        "done",
        "failure",
        "finished",
        "result",
    )

    def __init__(
        self,
        chain: _Chain,
        context: contextvars.Context,
        owner: Nesting,
        visit: Callable[..., object],
        arguments: tuple[object, ...],
    ) -> None:
        self._chain: _Chain | None = chain
        self._context: contextvars.Context | None = context
        self._owner: Nesting | None = owner
        self._visit: Callable[..., object] | None = visit
        self._arguments = arguments
        self._begun = threading.Lock()
        self.done = threading.Lock()
        self.done.acquire()
        self.finished = False
        self.result: Any = None  # Any: what the visit returned
        self.failure: BaseException | None = None

    def run(self) -> bool:
        """Visit, unless an interrupt made the waiting stack start this twice."""
        if not self._begun.acquire(blocking=False):
            return False
        assert self._chain is not None
        try:
            self._chain.interrupts.run_interruptibly(self._handle)
        except BaseException as error:  # noqa: BLE001 - raised again on the waiting stack
            self.failure = error
        finally:
            _stack.chain = None
            self._chain = self._context = self._owner = self._visit = None
            self._arguments = ()
            self.finished = True
        return True

    def _handle(self) -> None:
        assert self._context is not None
        assert self._owner is not None
        assert self._visit is not None
        levels = Levels(LEVELS // 16, LEVELS)
        levels.limit = levels.step
        _stack.levels, _stack.chain = levels, self._chain
        self.result = self._context.run(_enter, self._owner, levels, self._visit, self._arguments)


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
    segment = _Segment(chain, context, owner, visit, arguments)
    try:
        chain.interrupts.close()
    except BaseException:
        _reopen(chain)
        raise
    chain.entered.append((owner, subject))
    chain.levels += used
    try:
        _run_and_wait(segment, chain)
    finally:
        chain.levels -= used
        chain.entered.pop()
    for variable, value in context.items():
        if variable.get(_UNSET) is not value:
            variable.set(value)
    error = segment.failure
    if error is not None:
        segment.failure = None
        _shorten_traceback(error)
        try:
            raise error
        finally:
            _reopen(chain)
            del error  # its traceback holds this frame: together they would be a cycle
    _reopen(chain)
    chain.interrupts.check()
    result: _R = segment.result
    return result


def _reopen(chain: _Chain) -> None:
    """Let interrupts reach this thread again, unless signals reach it by themselves."""
    if _stack.chain is chain:
        chain.interrupts.open()


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


def _run_and_wait(segment: _Segment, chain: _Chain) -> None:
    """Let ``segment`` run in a thread, and wait until it has finished and says so.

    What a signal raises here meanwhile, such as ``KeyboardInterrupt``, is passed on to the
    innermost stack, the one running, as an interrupt, and raised when all stacks have been left.
    """
    raised: BaseException | None = None
    started = False
    while not segment.finished:
        try:
            if not started:
                start_on_stack(segment, STACK_BYTES)
                started = True
            segment.done.acquire()
        except BaseException as error:  # raised below, when nothing is left running
            if not started and isinstance(error, RuntimeError):
                raise  # the thread could not be started
            raised = error
            chain.interrupts.interrupt()
    if raised is not None:
        try:
            raise raised
        finally:
            del raised


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
