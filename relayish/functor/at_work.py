"""The functor at work: whose handlers or loop somebody was called by."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Final, cast

from relayish.functor.functor import Functor
from relayish.functor.mutator import Mutator

_AT_WORK: Final = frozenset({Functor.visit.__code__, Mutator.mutate_all.__code__})
"""What calls handlers."""


def functor_at_work() -> Functor[Any, Any] | None:  # Any: over any family, with any results
    """Return the functor whose handlers or loop the caller was called by, the innermost.

    Where no visit is going on, it is the one a handler of which was called by hand.
    """
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - a record would cost each visit
    called_by_hand = None
    while frame is not None and frame.f_code not in _AT_WORK:
        if called_by_hand is None and frame.f_code.co_name.startswith("visit_"):
            called_by_hand = frame
        frame = frame.f_back
    if frame is None and called_by_hand is not None:
        first = called_by_hand.f_locals.get(called_by_hand.f_code.co_varnames[0])
        return first if isinstance(first, Functor) else None
    return None if frame is None else cast("Functor[Any, Any]", frame.f_locals["self"])


def within_a_visit(
    functor: Functor[Any, Any], work: Callable[..., None], subject: object, *args: object
) -> None:  # Any: over any family, with any results
    """Call ``work(functor, subject, *args)`` in a visit of ``functor``, a new one if need be."""
    if functor._levels is None:  # noqa: SLF001 - a property of functors, for this package
        functor._begin_visit(work, subject, args)  # noqa: SLF001
    else:
        work(functor, subject, *args)
