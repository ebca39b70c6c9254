"""What the scripts beside this one share: the best of several timings, and a table of them."""

from __future__ import annotations

import gc
import platform
import time
import timeit
from collections.abc import Callable, Mapping
from typing import Any


def nanoseconds(statement: str, scope: Mapping[str, Any], number: int = 200_000) -> float:
    """Return the nanoseconds one run of ``statement`` takes: the best of five rounds."""
    rounds = timeit.repeat(statement, globals=dict(scope), number=number, repeat=5)
    return min(rounds) / number * 1e9


def microseconds_per_item(work: Callable[[], object], items: int, rounds: int = 5) -> float:
    """Return the microseconds of CPU ``work`` takes for each of ``items``, collector included."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        kept = work()
        best = min(best, time.process_time() - start)
        del kept
    return best / items * 1e6


def show(title: str, unit: str, rows: Mapping[str, float | str]) -> None:
    """Print a table in Markdown."""
    print(f"\n{title}, CPython {platform.python_version()}\n")
    print(f"| | {unit} |\n| --- | ---: |")
    for name, value in rows.items():
        print(f"| {name} | {value if isinstance(value, str) else format(value, '.3g')} |")
