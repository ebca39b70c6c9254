"""Work counted without a clock."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def lines_run(run: Callable[[], object]) -> int:
    """Return how many lines of Python ``run`` executes."""
    count, before = 0, sys.gettrace()

    def trace(_frame: FrameType, event: str, _arg: object) -> Any:  # Any: a trace function
        nonlocal count
        if event == "line":
            count += 1
        return trace

    sys.settrace(trace)
    try:
        run()
    finally:
        sys.settrace(before)
    return count


def calls_made(run: Callable[[], object]) -> int:
    """Return how many functions ``run`` calls: what C does with a whole tuple is one of them."""
    count, before = 0, sys.getprofile()

    def profile(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count
