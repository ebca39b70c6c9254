"""Sums of neighbours whose rows are made just before they are needed, in memory that takes turns.

python -m tests.support.random_windows 1000

What is refused is tried by force; where runs are the same after all, the check has lost something.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir.schedule.primitives import layout
from tests.support.tir_programs import same_result

SIZE = 6


def window(draw: random.Random) -> tir.LoweredFunc:
    """``O``, made of some elements of ``R`` near each place, all of which count."""
    taps = [(draw.randint(0, 3), draw.randint(0, 2)) for _ in range(draw.randint(1, 3))]
    shape = tuple([SIZE + max(each) for each in zip(*taps, strict=True)])
    A = tir.placeholder("A", shape, "int32")
    R = tir.compute(shape, lambda y, x: A[y, x] * 3 + 1, "R")

    def weighed(y: tir.Expr, x: tir.Expr) -> tir.Expr:
        found: tir.Expr = tir.const(0, "int32")
        for down, right in taps:
            found = found * 7 + R[y + down, x + right]
        return found

    return tir.lower("f", [A, tir.compute((SIZE, SIZE), weighed, "O")])


def move(schedule: tir.Schedule, draw: random.Random) -> None:
    """Let rows be made near to where they are needed, in one of many ways."""
    way = draw.random()
    if way < 0.25:
        schedule.compute_at(schedule.get_block("R"), draw.choice(schedule.get_loops("O")))
    elif way < 0.6:
        schedule.reverse_compute_at(schedule.get_block("O"), schedule.get_loops("R")[0])
    elif way < 0.9:
        strips, _ = schedule.split(schedule.get_loops("O")[0], [-1, draw.randint(2, 4)])
        schedule.compute_at(schedule.get_block("R"), strips)
        if draw.random() < 0.6:
            schedule.set_buffer(schedule.get_block("R"), "local", fixed=True)
        if draw.random() < 0.7:
            schedule.reverse_compute_at(schedule.get_block("O"), schedule.get_loops("R")[1])
    if draw.random() < 0.3:
        schedule.parallel(schedule.get_loops("O")[0])
    if draw.random() < 0.3:
        schedule.vectorize(schedule.get_loops("R")[-1], 2)


def attempt(seed: int) -> tuple[str, str]:
    """Give rows of a random window fewer places: what comes of it, and what is told."""
    draw = random.Random(f"window {seed}")
    schedule = tir.Schedule(window(draw))
    with suppress(ScheduleError):
        move(schedule, draw)
    m, n = draw.randint(1, SIZE), draw.randint(1, SIZE)
    makes: list[Any] = [
        lambda y, x: (y % m, x),
        lambda y, x: (y % m, x % n),
        lambda y, x: (y, x % n),
        lambda y, x: ((y + n) % m, x),
        lambda y, x: (y / 2, x),
        lambda y, x: (y * 9 + x) % (m * 9),
        lambda y, x: (y * 2 % m, x),
    ]
    index_map = draw.choice(makes)
    try:
        schedule.transform_layout(schedule.get_block("R"), 0, index_map)
    except ScheduleError as error:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(layout, "_check_lifetimes", lambda *_: None)
            patch.setattr(layout, "check_at_once", lambda *_: None)
            schedule.transform_layout(schedule.get_block("R"), 0, index_map)
        return "loss" if _is_same(schedule) else "refused", str(error)
    return "legal" if _is_same(schedule) else "wrong", str(schedule.func)


def _is_same(schedule: tir.Schedule) -> bool:
    return not tir.verify(schedule.func) and same_result(schedule.program, schedule.func)


def main(programs: int) -> int:
    count = Counter[str]()
    for seed in range(programs):
        what, told = attempt(seed)
        count[what] += 1
        if what in ("loss", "wrong"):
            sys.stdout.write(f"{seed}: {what}: {told}\n")
    sys.stdout.write(f"{programs} windows: {dict(count)}\n")
    return bool(count["wrong"])


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
