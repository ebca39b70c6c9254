"""Doing something again and again until it changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def until_stable(step: Callable[[T], T], start: T) -> T:
    """Return what ``step`` makes of ``start``, of that, and so on, until that stays the same.

    Each step must leave less to do, or this does not end.
    """
    while True:
        image = step(start)
        if image is start:
            return image
        start = image
