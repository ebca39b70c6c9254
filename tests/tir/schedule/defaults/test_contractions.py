"""Sums of products that are computed in tiles of rows and lanes."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.ir.attributes.dictionary import DictAttrs
from relayish.tir import Schedule
from relayish.tir.schedule.defaults.constant_memory import CONSTANT
from relayish.tir.schedule.defaults.contractions import contractions
from relayish.tir.schedule.defaults.products import plan_tiles, product_of
from tests.support.tir_programs import same_result


def matmul(m, n, depth, *, is_transposed=False, dtype="float32"):
    A = tir.placeholder("A", (m, depth), dtype)
    B = tir.placeholder("B", (n, depth) if is_transposed else (depth, n), dtype)
    k = tir.reduce_axis("k", depth)

    def total(i, j):
        return tir.reduce_sum(A[i, k] * (B[j, k] if is_transposed else B[k, j]), [k])

    return tir.lower("f", [A, B, tir.compute((m, n), total, "C")])


def in_batches(count, m, n, depth):
    A = tir.placeholder("A", (count, m, depth))
    B = tir.placeholder("B", (count, depth, n))
    k = tir.reduce_axis("k", depth)
    C = tir.compute(
        (count, m, n), lambda b, i, j: tir.reduce_sum(A[b, i, k] * B[b, k, j], [k]), "C"
    )
    return tir.lower("f", [A, B, C])


def convolution(channels, filters, size, kernel, stride, *, readers=1):
    edge = (size - kernel) // stride + 1
    A = tir.placeholder("A", (1, channels, size, size))
    B = tir.placeholder("B", (filters, channels, kernel, kernel))
    c, y, x = [
        tir.reduce_axis(n, e) for n, e in zip("cyx", (channels, kernel, kernel), strict=True)
    ]
    sums = tir.compute(
        (1, filters, edge, edge),
        lambda n, o, i, j: tir.reduce_sum(
            A[n, c, i * stride + y, j * stride + x] * B[o, c, y, x], [c, y, x]
        ),
        "C",
    )
    others = [
        tir.compute(sums.shape, lambda *at, by=by: sums[at] * 2 + by, f"D{by}")
        for by in range(readers)
    ]
    return tir.lower("f", [A, B, *others])


def tiled(func, rows=8, lanes=16):
    schedule = Schedule(func)
    contractions(schedule, rows=rows, lanes=lanes)
    return schedule


def loops_of(schedule, block):
    return [(x.stmt.loop_var.name, x.stmt.extent.value) for x in schedule.get_loops(block)]


@pytest.mark.parametrize("sizes", [(13, 16, 5), (13, 21, 3), (9, 8, 1)])
@pytest.mark.parametrize("is_transposed", [False, True])
def test_products_of_matrices_are_the_same_bit_for_bit(sizes, is_transposed):
    func = matmul(*sizes, is_transposed=is_transposed)
    schedule = tiled(func)
    assert any(step.name == "vectorize" for step in schedule.trace.steps)
    assert tir.verify(schedule.func) == ()
    assert same_result(func, schedule.func)


@pytest.mark.parametrize(
    "func",
    [
        in_batches(2, 9, 17, 3),
        convolution(2, 8, 6, 3, 1),
        convolution(2, 9, 7, 3, 2),
        convolution(3, 8, 5, 1, 1, readers=2),
    ],
)
def test_others_are_the_same_bit_for_bit(func):
    schedule = tiled(func)
    assert any(step.name == "vectorize" for step in schedule.trace.steps)
    assert tir.verify(schedule.func) == ()
    assert same_result(func, schedule.func)


def test_rows_that_are_left_make_a_tile_of_their_own_without_guards():
    schedule = tiled(matmul(13, 32, 4))
    [whole, tail] = [
        each
        for each in schedule.get_all_blocks()
        if each.name.startswith("C_stack_temp_buffer") and "__" not in each.name
    ]
    assert loops_of(schedule, whole)[-2:] == [("i_1", 8), ("j_1", 16)]
    assert loops_of(schedule, tail)[-2:] == [("i_1", 5), ("j_1", 16)]
    assert not tir.collect_ir_nodes(schedule.func.body, lambda x: isinstance(x, tir.IfThenElse))


def test_lanes_that_are_left_are_alone_with_their_padding():
    schedule = tiled(matmul(8, 40, 4))
    [whole, tail] = [each for each in schedule.get_all_blocks() if each.name in ("C", "C_1")]
    assert [extent for _, extent in loops_of(schedule, whole)] == [2, 1, 8, 16]
    assert [extent for _, extent in loops_of(schedule, tail)] == [1, 1, 8, 8]
    assert not tir.collect_ir_nodes(schedule.func.body, lambda x: isinstance(x, tir.IfThenElse))


def test_the_only_reader_reads_tiles():
    schedule = tiled(convolution(2, 16, 10, 3, 1))
    assert [each.name for each in schedule.get_all_blocks()][-3:] == ["C__reduce_init", "C", "D0"]
    assert len(schedule.get_loops("D0")) == 6


def test_what_several_blocks_read_is_copied():
    schedule = tiled(convolution(2, 16, 10, 3, 1, readers=2))
    assert len(schedule.get_loops("C")) == 6
    assert len(schedule.get_loops("D0")) == 4


def test_products_with_little_to_share_stay():
    for func in (matmul(3, 7, 5), matmul(1, 32, 5, is_transposed=True)):
        assert tiled(func).func is Schedule(func).func


def test_constant_factors_are_copied_however_little_they_are_used():
    func = matmul(1, 32, 5, is_transposed=True)
    func = func.with_fields(attrs=DictAttrs({CONSTANT: (1,)}))
    schedule = tiled(func)
    assert [step.name for step in schedule.trace.steps].count("cache_read") == 1
    assert same_result(func, schedule.func)


@pytest.mark.parametrize("dtype", ["int8", "int32", "float64"])
def test_of_all_types(dtype):
    func = matmul(8, 16, 5, dtype=dtype)
    assert same_result(func, tiled(func).func)


def plan_of(func, rows=8, lanes=16):
    schedule = Schedule(func)
    found = product_of(schedule.get_block("C"), schedule.get_loops("C"))
    assert found is not None
    return plan_tiles(found, rows, lanes, ())


@pytest.mark.parametrize(
    ("sizes", "lane", "lanes", "rows"),
    [
        ((64, 64, 9), "i1", 16, [8]),
        ((64, 100, 9), "i1", 16, [8]),
        ((14, 64, 9), "i1", 16, [7]),
        ((13, 24, 9), "i1", 16, [8]),
        ((1, 64, 9), "i1", 64, []),
        ((64, 5, 9), "i0", 16, [5]),
        ((3, 56, 9), "i1", 8, [3]),
        ((2, 112, 9), "i1", 16, [2]),
    ],
)
def test_tiles_fit_what_there_is(sizes, lane, lanes, rows):
    plan = plan_of(matmul(*sizes))
    assert (plan.lane.name, plan.lanes, [size for _, size in plan.rows]) == (lane, lanes, rows)


def test_sums_of_something_else_are_no_products():
    A, k = tir.placeholder("A", (16, 16)), tir.reduce_axis("k", 16)
    C = tir.compute((16,), lambda i: tir.reduce_sum(A[i, k], [k]), "C")
    schedule = Schedule(tir.lower("f", [A, C]))
    assert product_of(schedule.get_block("C"), schedule.get_loops("C")) is None


@pytest.mark.parametrize("sizes", [{"rows": 1}, {"rows": 1, "lanes": 8}, {"rows": 2, "lanes": 8}])
def test_tiles_may_have_as_few_rows_as_are_asked_for(sizes):
    func = matmul(5, 16, 3)
    schedule = tiled(func, **sizes)
    assert schedule.has_changed
    assert same_result(func, schedule.func)


@pytest.mark.parametrize("sizes", [{"rows": 0}, {"rows": -1}, {"lanes": 0}])
def test_tiles_of_nothing_are_refused(sizes):
    with pytest.raises(ScheduleError, match=r"found tiles of rows=.*; expected one of each"):
        tiled(matmul(5, 16, 3), **sizes)
