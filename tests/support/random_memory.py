"""Steps that move memory about, of random programs, and what they do unchecked."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir.schedule.primitives import caching, layout, memory, reductions
from tests.support.random_schedules import Trial, leave_the_same, prepared, tried


def decompose(schedule: tir.Schedule, draw: random.Random) -> None:
    blocks = schedule.get_all_blocks()
    names = {each.name for each in blocks}
    block = draw.choice([each for each in blocks if f"{each.name}__reduce_init" in names])
    schedule.decompose_reduction(block, draw.choice(schedule.get_loops(block)))


def cache_read(schedule: tir.Schedule, draw: random.Random) -> None:
    block = draw.choice(schedule.get_all_blocks())
    schedule.cache_read(block, draw.choice((0, 0, 1)), draw.choice(("local", "global")))


def cache_write(schedule: tir.Schedule, draw: random.Random) -> None:
    schedule.cache_write(draw.choice(schedule.get_all_blocks()), 0, draw.choice(("local", "stack")))


def rfactor(schedule: tir.Schedule, draw: random.Random) -> None:
    names = {each.name for each in schedule.get_all_blocks()}
    block = draw.choice([name for name in sorted(names) if f"{name}__reduce_init" in names])
    schedule.rfactor(draw.choice(schedule.get_loops(block)[::-1][:3]), draw.randint(0, 1))


def set_buffer(schedule: tir.Schedule, draw: random.Random) -> None:
    own = set(schedule.func.temp_bufs)
    blocks = [
        each
        for each in schedule.get_all_blocks()
        if own.intersection(tir.collect_ir_nodes(each.stmt, lambda n: isinstance(n, tir.Buffer)))
    ]
    schedule.set_buffer(draw.choice(blocks), "local", draw.random() < 0.6)


def transform_layout(schedule: tir.Schedule, draw: random.Random) -> None:
    block = draw.choice(schedule.get_all_blocks())
    makes: list[Any] = [
        lambda i: (i / 2, i % 2),
        lambda i: 7 - i,
        lambda i, j: (j, i),
        lambda i, j: (i / 2, j, i % 2),
        lambda i, j: i * 4 + j,
        lambda i, j: (i + j, j),
        lambda i, j: (i, j % 3),
        lambda i, j: (i % 2, j),
        lambda i: (i % 4,),
    ]
    schedule.transform_layout(block, 0, draw.choice(makes), draw.choice(("read", "write")))


CALLS = {
    "decompose_reduction": decompose,
    "cache_read": cache_read,
    "cache_write": cache_write,
    "rfactor": rfactor,
    "set_buffer": set_buffer,
    "transform_layout": transform_layout,
}


def refuse_shared_places(*_: object) -> None:
    """Refuse a map that gives elements one place: of equal values, a run tells nothing."""
    raise ScheduleError("elements share a place")


@contextmanager
def no_checks() -> Iterator[None]:
    """Primitives that ask no analysis."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reductions, "dependences", lambda *_, **__: ())
        patch.setattr(caching, "dependences", lambda *_, **__: ())
        patch.setattr(memory, "dependences", lambda *_, **__: ())
        patch.setattr(layout, "_check_lifetimes", refuse_shared_places)
        patch.setattr(caching, "is_stored_before", lambda *_: True)
        patch.setattr(caching, "fills_whole", lambda *_: True)
        yield


def attempt(name: str, seed: int) -> Trial:
    """Take a step of the first of some random programs that has something to take it of."""
    for number in range(_MOST_PROGRAMS):
        func = prepared(f"{name} {seed} {number}")
        found = tried(func, functools.partial(_step, name, seed), no_checks, leave_the_same)
        if found.what != "impossible" or found.message:
            break
    return found


def _step(name: str, seed: int, schedule: tir.Schedule) -> None:
    CALLS[name](schedule, random.Random(f"{name} {seed}"))


_MOST_PROGRAMS = 8
"""How many programs are drawn until there is something to take a step of."""
