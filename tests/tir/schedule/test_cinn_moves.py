"""What CINN's schedules do with blocks that move: programs like those of its tests, and loops made.

Source:
    PaddlePaddle ``ir_schedule_test.cc``: ``simple_compute_at``, ``compute_at0`` to ``6``,
    ``compute_inline1`` to ``4``, ``reverse_compute_inline1`` and ``2``; what is expected of them.
"""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.tir import Schedule


def copies(shape, *, index=None, out=None):
    """``B``, a copy of ``A``, and ``C``, a copy of elements of ``B``."""
    A = tir.placeholder("A", shape)
    B = tir.compute(shape, lambda *at: A[at], "B")
    C = tir.compute(out or shape, lambda *at: B[index(*at) if index else at], "C")
    return tir.lower("f", [A, C])


def lines(schedule):
    """Loops, conditions, values of variables and stores, each on a line."""
    body = str(schedule.func.body.stmts[0].schedule_block.body)
    found = [each.strip().removesuffix(" {") for each in body.splitlines()]
    told = [each for each in found if each.startswith(("serial for", "if (")) or " = " in each]
    return [each.split(" = ")[1] if "axis.bind" in each else each for each in told]


def check(func, schedule):
    assert tir.verify(schedule.func) == ()
    draw = np.random.default_rng(0)
    given = [draw.random([n.value for n in each.shape], "float32") for each in func.args]
    one, other = [[each.copy() for each in given] for _ in range(2)]
    tir.run(func, *one)
    tir.run(schedule.func, *other)
    assert all(np.array_equal(*pair) for pair in zip(one, other, strict=True))


def fused_and_split(schedule, name, factors):
    return schedule.split(schedule.fuse(schedule.get_loops(name)), factors)


INDEX = "((i_j_fused_0 * 1024) + i_j_fused_1)"


@pytest.mark.parametrize("name", ["simple_compute_at", "compute_at"])
def test_fused_and_split_loops_hold_both(name):
    func = copies((128, 10))
    schedule = Schedule(func)
    fused_and_split(schedule, "B", [-1, 1024])
    loop = fused_and_split(schedule, "C", [-1, 1024])[1]
    getattr(schedule, name)(schedule.get_block("B"), loop)
    guard = f"if ((({INDEX} / 10) < 128))" if name == "compute_at" else f"if (({INDEX} < 1280))"
    assert lines(schedule) == [
        "serial for (i_j_fused_0, 0, 2)",
        "serial for (i_j_fused_1, 0, 1024)",
        guard,
        f"axis.bind(({INDEX} / 10), ({INDEX} % 10))",
        "B[i0, i1] = A[i0, i1]",
        f"if (({INDEX} < 1280))",
        f"axis.bind(({INDEX} / 10), ({INDEX} % 10))",
        *lines(schedule)[-1:],
    ]
    check(func, schedule)


@pytest.mark.parametrize("memory", ["heap", "local"])
def test_compute_at_in_the_second_loop_takes_what_the_third_needs(memory):
    func = copies((32, 32, 32))
    schedule = Schedule(func)
    if memory == "local":
        schedule.set_buffer(schedule.get_block("B"), "local")
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[1])
    assert lines(schedule)[:5] == [
        "serial for (i, 0, 32)",
        "serial for (j, 0, 32)",
        "serial for (ax2, 0, 32)",
        "axis.bind(i, j, ax2)",
        "B[i0, i1, i2] = A[i0, i1, i2]",
    ]
    check(func, schedule)


def test_compute_at_takes_the_box_around_a_diagonal():
    func = copies((64, 64), index=lambda i, j: (i + j, i + j), out=(32, 32))
    schedule = Schedule(func)
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    assert lines(schedule)[:5] == [
        "serial for (i, 0, 32)",
        "serial for (ax0, 0, 32)",
        "serial for (ax1, 0, 32)",
        "axis.bind((i + ax0), (i + ax1))",
        "B[i0, i1] = A[i0, i1]",
    ]
    check(func, schedule)


def test_compute_at_in_a_fused_and_split_loop_takes_whole_rows():
    func = copies((64, 64))
    schedule = Schedule(func)
    outer, _ = fused_and_split(schedule, "C", [32, -1])
    schedule.compute_at(schedule.get_block("B"), outer)
    assert lines(schedule)[:5] == [
        "serial for (i_j_fused_0, 0, 32)",
        "serial for (ax0, 0, 2)",
        "serial for (ax1, 0, 64)",
        "axis.bind(((i_j_fused_0 * 2) + ax0), ax1)",
        "B[i0, i1] = A[i0, i1]",
    ]
    check(func, schedule)


def test_compute_at_in_the_inner_loop_takes_one_element():
    func = copies((64, 64))
    schedule = Schedule(func)
    _, inner = fused_and_split(schedule, "C", [32, -1])
    schedule.compute_at(schedule.get_block("B"), inner)
    assert lines(schedule)[:4] == [
        "serial for (i_j_fused_0, 0, 32)",
        "serial for (i_j_fused_1, 0, 128)",
        "axis.bind(((i_j_fused_1 / 64) + (i_j_fused_0 * 2)), (i_j_fused_1 % 64))",
        "B[i0, i1] = A[i0, i1]",
    ]
    check(func, schedule)


def more(index):
    """``B``, one more than ``A``, and ``C``, twice ``B`` at other indices."""
    A = tir.placeholder("A", (8, 6, 4))
    B = tir.compute((8, 6, 4), lambda i, j, k: A[i, j, k] + 1, "B")
    shape = (6, 8, 4) if index(0, 1, 2) == (1, 0, 2) else (8, 6, 4)
    return tir.lower("f", [A, tir.compute(shape, lambda *at: B[index(*at)] * 2, "C")])


@pytest.mark.parametrize(
    ("index", "loaded"),
    [(lambda i, j, k: (j, i, k), "i1, i0, i2"), (lambda i, j, k: (i, j, k), "i0, i1, i2")],
)
def test_compute_inline_leaves_one_nest(index, loaded):
    func = more(index)
    schedule = Schedule(func)
    if loaded == "i0, i1, i2":
        schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[1])
    schedule.compute_inline(schedule.get_block("B"))
    assert lines(schedule)[-2:] == [
        "axis.bind(i, j, k)",
        f"C[i0, i1, i2] = ((A[{loaded}] + 1.00000000f) * 2.00000000f)",
    ]
    check(func, schedule)


def test_reverse_compute_inline_keeps_the_loops_of_the_producer():
    func = more(lambda i, j, k: (j, i, k))
    schedule = Schedule(func)
    schedule.reverse_compute_inline(schedule.get_block("C"))
    assert lines(schedule) == [
        "serial for (i, 0, 8)",
        "serial for (j, 0, 6)",
        "serial for (k, 0, 4)",
        "axis.bind(i, j, k)",
        "C[i1, i0, i2] = ((A[i0, i1, i2] + 1.00000000f) * 2.00000000f)",
    ]
    check(func, schedule)
