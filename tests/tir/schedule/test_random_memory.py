"""Steps that move memory about, taken of random programs: legal ones change no result."""

import contextlib
import itertools
import random
from collections import Counter

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir.schedule.primitives import caching, layout, memory, reductions
from tests.support.random_schedules import trial


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
    makes = [
        lambda i: (i / 2, i % 2),
        lambda i: 7 - i,
        lambda i, j: (j, i),
        lambda i, j: (i / 2, j, i % 2),
        lambda i, j: i * 4 + j,
        lambda i, j: (i + j, j),
        lambda i, j: (i, j % 3),
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


def refuse_shared_places(buffer, _, index_map) -> None:
    """Refuse a map if it gives one place to two elements, by trying all of them."""
    sizes = [each.value for each in buffer.shape]
    texts = str(index_map).replace("/", "//")
    makes = eval(texts)
    places = [makes(*indices) for indices in itertools.product(*map(range, sizes))]
    if len(set(places)) < len(places):
        raise ScheduleError("two elements share a place")


@contextlib.contextmanager
def no_checks():
    """Primitives that ask no analysis."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reductions, "dependences", lambda *_: ())
        patch.setattr(caching, "dependences", lambda *_: ())
        patch.setattr(memory, "dependences", lambda *_: ())
        patch.setattr(layout, "_check_injective", refuse_shared_places)
        patch.setattr(caching, "_is_defined", lambda *_: True)
        patch.setattr(caching, "fills_whole", lambda *_: True)
        yield


@pytest.mark.parametrize("name", CALLS)
def test_steps_leave_results_as_they_are_or_are_refused(name):
    found = Counter([trial(f"{name} {n}", CALLS[name], no_checks) for n in range(14)])
    assert found["legal"]
    assert not found["wrong"]


@pytest.mark.deep
@pytest.mark.slow("a thousand programs")
@pytest.mark.parametrize("name", CALLS)
def test_less_than_a_twentieth_of_the_refused_steps_is_legal(name):
    found = Counter([trial(f"{name} {n}", CALLS[name], no_checks) for n in range(1000)])
    assert not found["wrong"]
    assert found["loss"] < 0.05 * (found["legal"] + found["loss"]), found
