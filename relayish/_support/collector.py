"""Garbage collection: manners of Python's cyclic collector, for the process, restored at the end.

Programs are many objects that live long and form no cycles, so looking through them again and again
finds nothing. What is set up already, by whom ever, is left as it is.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Final

RARE: Final = (50_000, 20, 100)
"""Thresholds with which building and rewriting of programs takes about half the time."""

IMMORTAL: Final = 10_000
"""CPython 3.12 counts what is immortal as frozen, some hundred objects; whoever freezes a heap in
which a program of any use has been built freezes more than this."""


class Manner(Enum):
    """How the collector runs while a command does; ``value`` is what the manner is called."""

    FROZEN = "frozen"
    """Rarely, and not over programs that were read."""
    RARE = "rare"
    """Rarely."""
    USUAL = "usual"
    """As Python has it."""
    OFF = "off"
    """Never."""


@contextmanager
def collect_as_told(manner: Manner) -> Iterator[None]:
    """Collect in one manner while the block runs, whatever is asked for inside."""
    _TOLD.append(manner)
    try:
        with pause_collection() if manner is Manner.OFF else collect_rarely():
            yield
    finally:
        _TOLD.pop()


def _is_told(*manners: Manner) -> bool:
    return bool(_TOLD) and _TOLD[-1] in manners


@contextmanager
def collect_rarely() -> Iterator[None]:
    """Collect when :data:`RARE` many objects were made, while the block runs.

    Thresholds that are no lower, and a collector that is off, stay as they are.
    """
    before = gc.get_threshold()
    if _is_told(Manner.USUAL) or not 0 < before[0] < RARE[0]:
        yield
        return
    gc.set_threshold(*RARE)
    set_here = gc.get_threshold()
    try:
        yield
    finally:
        if gc.get_threshold() == set_here:  # else somebody has set others since
            gc.set_threshold(*before)


@contextmanager
def pause_collection() -> Iterator[None]:
    """Collect nothing while the block runs."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def is_frozen() -> bool:
    """Return whether somebody keeps the collector from looking at the heap."""
    return gc.get_freeze_count() > IMMORTAL


@contextmanager
def freeze_heap() -> Iterator[None]:
    """Keep the collector from looking at what is there already, while the block runs.

    Complexity:
        Linear in what others have frozen, which Python counts one by one; constant in a block of
        another such call.
    """
    told = _is_told(Manner.USUAL, Manner.RARE)
    if told or _FREEZING or is_frozen():  # by somebody else, who would find it thawed
        yield
        return
    gc.freeze()
    _FREEZING.append(None)
    try:
        yield
    finally:
        _FREEZING.pop()
        gc.unfreeze()


_TOLD: Final[list[Manner]] = []
"""The manners of the blocks that tell one and still run; the collector is the process's."""

_FREEZING: Final[list[None]] = []
"""One item for each block that has frozen the heap and still runs."""
