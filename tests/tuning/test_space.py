"""The default space: whatever is drawn is a program that computes the same."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest

from relayish import tir
from relayish.tuning.breeding import ScheduleBreeder
from relayish.tuning.finishing import finished
from relayish.tuning.space import default_space
from tests.support.seeds import seeds
from tests.support.tuning import product


def followed() -> tir.LoweredFunc:
    """A product that a maximum is taken of, as networks have it."""
    A, W = tir.placeholder("A", (4, 6)), tir.placeholder("W", (8, 6))
    k = tir.reduce_axis("k", 6)
    S = tir.compute((4, 8), lambda i, j: tir.reduce_sum(A[i, k] * W[j, k], [k]), "S")
    return tir.lower(
        "followed", [A, W, tir.compute((4, 8), lambda i, j: tir.maximum(S[i, j], 0.0), "R")]
    )


def used_twice() -> tir.LoweredFunc:
    """A sum that two blocks read."""
    A = tir.placeholder("A", (4, 32))
    k = tir.reduce_axis("k", 32)
    S = tir.compute((4,), lambda i: tir.reduce_sum(A[i, k], [k]), "S")
    T = tir.compute((4, 32), lambda i, j: A[i, j] / S[i], "T")
    return tir.lower("used_twice", [A, T, tir.compute((4, 32), lambda i, j: T[i, j] + S[i], "U")])


def windows() -> tir.LoweredFunc:
    """The greatest of windows of integers."""
    A = tir.placeholder("A", (2, 9, 9), "int32")
    y, x = tir.reduce_axis("y", 2), tir.reduce_axis("x", 2)
    B = tir.compute((2, 8, 8), lambda c, i, j: tir.reduce_max(A[c, i + y, j + x], [y, x]), "B")
    return tir.lower("windows", [A, B])


def results(func: tir.LoweredFunc) -> list[np.ndarray]:  # type: ignore[type-arg]  # of any type
    random = np.random.default_rng(7)
    arrays = []
    for each in func.args:
        assert isinstance(each, tir.Buffer)
        shape = [size.value for size in each.shape if isinstance(size, tir.IntImm)]
        arrays.append(
            random.integers(-99, 99, shape).astype(each.dtype.numpy) / np.array(7, each.dtype.numpy)
        )
    arrays = [
        each.astype(buffer.dtype.numpy) for each, buffer in zip(arrays, func.args, strict=True)
    ]  # type: ignore[union-attr]
    tir.run(func, *arrays)
    return arrays


@pytest.mark.parametrize("make", [lambda: product(8), followed, used_twice, windows])
def test_each_sample_computes_the_same_bit_for_bit(make: Callable[[], tir.LoweredFunc]) -> None:
    func = make()
    expected = results(func)
    breeder = ScheduleBreeder(func, default_space)
    for seed in seeds(2):
        found = breeder.sampled(Random(seed))
        assert found is not None
        assert found.trace is not None
        assert found.trace.decisions()
        for program in (found.func, finished(found.func)):
            assert not tir.verify(program)
            for one, other in zip(results(program), expected, strict=True):
                assert one.tobytes() == other.tobytes()
    assert breeder.refused == 0


def drawn(func: tir.LoweredFunc, wanted: Callable[[str], bool]) -> tir.LoweredFunc:
    breeder = ScheduleBreeder(func, default_space)
    for seed in range(40):
        found = breeder.sampled(Random(seed))
        assert found is not None
        if wanted(str(found.trace)):
            return found.func
    pytest.fail("none is such")


def test_a_reduction_has_a_tile_of_its_own_which_is_allocated_once() -> None:
    func = drawn(windows(), lambda trace: "set_buffer" in trace)
    (tile,) = [each for each in func.temp_bufs if "stack" in each.name]
    sizes = [size.value for size in tile.shape if isinstance(size, tir.IntImm)]
    assert np.prod(sizes) < 2 * 8 * 8
    assert "alloc(" in str(func)
    assert "alloc(" not in str(finished(func))


def test_what_lanes_read_is_packed() -> None:
    func = drawn(product(16), lambda trace: "transform_layout" in trace)
    (packed,) = [each for each in func.temp_bufs if "heap" in each.name]
    assert len(packed.shape) == 3


def test_tiles_of_products_take_no_more_memory_than_they_need() -> None:
    func = drawn(product(64), lambda trace: "schedule.compute_at" in trace)
    tiles = [each for each in finished(func).temp_bufs if "stack" in each.name]
    assert tiles
    for tile in tiles:
        sizes = [size.value for size in tile.shape if isinstance(size, tir.IntImm)]
        assert np.prod(sizes) <= 14 * 64


def test_nests_of_few_iterations_stay_as_they_are() -> None:
    found = ScheduleBreeder(product(3), default_space).sampled(Random(0))
    assert found is not None
    assert str(found.func) == str(product(3))
