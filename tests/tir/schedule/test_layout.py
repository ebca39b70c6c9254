"""Elements of temporaries stored in another order, and maps of indices."""

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from relayish.tir.schedule.index_map import IndexMap
from tests.support.tir_programs import same_result
from tests.support.tir_regions import with_regions


def sums():
    """``C``, a temporary of sums, and ``D``, which reads it."""
    A = tir.placeholder("A", (4, 5), "int32")
    k = tir.reduce_axis("k", 5)
    C = tir.compute((4, 6), lambda i, j: tir.reduce_sum(A[i, k] * j, [k]), "C")
    D = tir.compute((4, 6), lambda i, j: C[i, j] + C[3 - i, j], "D")
    return tir.lower("f", [A, D])


def check(before, schedule):
    assert tir.verify(schedule.func) == ()
    assert same_result(before, schedule.func)


def tile(i, j):
    return (j / 4, i, j % 4)


def test_all_uses_of_a_temporary_have_the_new_indices():
    func = sums()
    schedule = Schedule(func)
    schedule.transform_layout(schedule.get_block("C"), 0, tile)
    stores = tir.collect_ir_nodes(schedule.func, lambda each: isinstance(each, tir.Store))
    assert [str(each) for each in stores] == [
        "C__reduce_init[(i1 / 4), i0, (i1 % 4)] = 0",
        "C[(i1 / 4), i0, (i1 % 4)] = (C[(i1 / 4), i0, (i1 % 4)] + (A[i0, i2] * i1))",
        "D[i0, i1] = (C[(i1 / 4), i0, (i1 % 4)] + C[(i1 / 4), (3 - i0), (i1 % 4)])",
    ]
    [buffer] = schedule.func.temp_bufs
    assert [each.value for each in buffer.shape] == [2, 4, 4]
    check(func, schedule)


@pytest.mark.parametrize(
    "index_map",
    [
        lambda i, j: (j, i),
        lambda i, j: i * 6 + j,
        lambda i, j: (3 - i, 5 - j),
        lambda i, j: (i, j / 3, j % 3),
        lambda i, j: (i / 2, j / 2, i % 2, j % 2),
        lambda i, j: (i * 2 + 1, j),
        lambda i, j: (i + j, j),
    ],
)
def test_any_map_that_tells_elements_apart_leaves_results(index_map):
    func = with_regions(sums())
    schedule = Schedule(func)
    schedule.transform_layout(schedule.get_block("D"), 0, index_map, "read")
    check(func, schedule)


@pytest.mark.parametrize(
    ("index_map", "message"),
    [
        (
            lambda i, j: (i, j % 4),
            r"gives one place to several elements of _C, which are apart by i \+0, j \+4",
        ),
        (lambda i, j: i * 5 + j, r"apart by i \+1, j -5"),
        (lambda i, j: (i - 1, j), "makes indices from -1 on"),
        (lambda i: i, "takes 1 indices; _C has 2"),
        (lambda *i: i, r"an index map takes \*i"),
        (tir.maximum, "an index map has cinn_max"),
    ],
)
def test_other_maps_are_refused(index_map, message):
    schedule = Schedule(sums())
    with pytest.raises(ScheduleError, match=message):
        schedule.transform_layout(schedule.get_block("C"), 0, index_map)


def test_layout_of_an_argument_is_the_callers():
    schedule = Schedule(sums())
    with pytest.raises(ScheduleError, match=r"_D is an argument of f.*cache_read and cache_write"):
        schedule.transform_layout(schedule.get_block("D"), 0, tile)
    block = schedule.cache_write(schedule.get_block("D"), 0, "global")
    schedule.transform_layout(block, 0, tile)
    check(sums(), schedule)


def test_kind_of_index_is_read_or_write():
    schedule = Schedule(sums())
    with pytest.raises(ScheduleError, match="found 'both'; expected 'write' or 'read'"):
        schedule.transform_layout(schedule.get_block("C"), 0, tile, "both")


def test_map_is_written_and_read_as_part_of_a_trace():
    func = sums()
    schedule = Schedule(func)
    schedule.transform_layout(schedule.get_block("C"), 0, lambda i, j: (i - (j - 5), -1 * j + 5))
    assert str(schedule.trace).splitlines()[-1] == (
        "schedule.transform_layout(block=C, buffer_index=0, "
        "index_map=lambda i, j: (i - (j - 5), -1 * j + 5))"
    )
    again = Schedule(func)
    again.replay(type(schedule.trace).from_json(schedule.trace.to_json()))
    assert str(again.func) == str(schedule.func)
    assert str(IndexMap.of(lambda i: i)) == "lambda i: (i,)"
