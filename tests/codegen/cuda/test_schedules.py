"""Schedules end in kernels: a tile that a block shares, its loops bound, a barrier behind it."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.codegen.cuda import build_on_cpu, to_cuda
from relayish.errors import CodegenError


def blurred(*, waits: bool) -> tir.LoweredFunc:
    """Each block blurs eight elements of a tile of ten, which its threads have loaded."""
    a = tir.placeholder("A", (34,))
    b = tir.compute((32,), lambda i: a[i] + a[i + 1] * 2.0 + a[i + 2], "B")
    schedule = tir.Schedule(tir.lower("blur", [a, b]))
    block = schedule.get_block("B")
    blocks, threads = schedule.split(schedule.get_loops(block)[0], [-1, 8])
    tile = schedule.cache_read(block, 0, "shared")
    schedule.compute_at(tile, blocks)
    schedule.set_buffer(tile, "shared", fixed=True)
    load = schedule.get_loops(tile)[-1]
    schedule.bind(blocks, "blockIdx.x")
    schedule.bind(threads, "threadIdx.x")
    schedule.bind(load, "threadIdx.x")
    if waits:
        schedule.sync_threads(load)
    return schedule.func


def test_a_tile_is_as_large_as_a_block_needs():
    text = to_cuda(blurred(waits=True)).text
    assert "__shared__ float A_shared_temp_buffer[10];" in text
    assert "_held" not in text
    assert "dim3(4, 1, 1), dim3(10, 1, 1)" in text


def test_a_tile_that_nobody_waits_for_is_refused():
    with pytest.raises(CodegenError, match=r"call schedule.sync_threads to put a barrier between"):
        to_cuda(blurred(waits=False))


@pytest.mark.slow("compiles a kernel")
def test_a_schedule_computes_what_it_did():
    func = blurred(waits=True)
    given = np.random.default_rng(3).random(34, "float32")
    expected, found = np.zeros(32, "float32"), np.zeros(32, "float32")
    tir.run(func, given, expected)
    build_on_cpu(func)(given, found)
    assert found.tobytes() == expected.tobytes()
