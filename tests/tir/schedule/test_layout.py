"""Elements of temporaries stored in another order, and maps of indices."""

import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir import Schedule
from relayish.tir.schedule.index_map import IndexMap
from tests.support.random_windows import attempt
from tests.support.seeds import seeds
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


def sliding(*, fixed: bool = False) -> Schedule:
    """``out``, made of three rows of ``rows``, the last of which is made just before."""
    A = tir.placeholder("A", (10, 4), "int32")
    rows = tir.compute((10, 4), lambda i, j: A[i, j] * 3 + i, "rows")
    out = tir.compute((8, 4), lambda i, j: rows[i, j] - rows[i + 1, j] * rows[i + 2, j], "out")
    schedule = Schedule(tir.lower("f", [A, out]))
    if fixed:
        strips, _ = schedule.split(schedule.get_loops("out")[0], [-1, 4])
        schedule.compute_at(schedule.get_block("rows"), strips)
        schedule.set_buffer(schedule.get_block("rows"), "local", fixed=True)
    last = schedule.get_loops("rows")[-2]
    schedule.reverse_compute_at(schedule.get_block("out"), last)
    return schedule


@pytest.mark.parametrize("rows", [3, 4])
@pytest.mark.parametrize("fixed", [False, True])
def test_elements_share_a_place_one_after_the_other(rows, fixed):
    schedule = sliding(fixed=fixed)
    schedule.transform_layout(schedule.get_block("rows"), 0, lambda i, j: (i % rows, j))
    assert [each.value for each in schedule.func.temp_bufs[0].shape] == [rows, 4]
    check(schedule.program, schedule)


@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize(
    ("index_map", "iterations"),
    [
        (lambda i, j: (i % 2, j), (2, 0, 2, 0)),
        (lambda i, j: (i / 2, j), (1, 0, 2, 0)),
        (lambda i, j: (i, j / 2), (0, 1, 2, 0)),
        (lambda i, j: (9 - i) * 4 + (3 - j) / 3, (0, 2, 2, 1)),
    ],
)
def test_no_element_is_stored_over_that_is_read_afterwards(index_map, iterations, fixed):
    schedule = sliding(fixed=fixed)
    row = "ax0" if fixed else "i"
    over, read = [schedule.get_loops(name)[-1].stmt.loop_var.name for name in ("rows", "out")]
    i, j, then, at = iterations
    with pytest.raises(ScheduleError, match="gives one place to several elements") as found:
        schedule.transform_layout(schedule.get_block("rows"), 0, index_map)
    message = str(found.value)
    assert f"at {row} = {i}, {over} = {j} would store over what rows[" in message
    assert f"at {row} = {then}, {read} = {at} reads afterwards" in message


@pytest.mark.parametrize("kind", ["PARALLEL", "VECTORIZED"])
def test_iterations_that_are_run_at_once_share_no_place(kind):
    A = tir.placeholder("A", (8,), "int32")
    B = tir.compute((8,), lambda i: A[i] * 3, "B")
    schedule = Schedule(tir.lower("f", [A, tir.compute((8,), lambda i: B[i] - 1, "C")]))
    [loop] = schedule.get_loops("C")
    schedule.compute_at(schedule.get_block("B"), loop)
    (schedule.parallel if kind == "PARALLEL" else schedule.vectorize)(loop)
    with pytest.raises(ScheduleError, match=f"loop i cannot be {kind}"):
        schedule.transform_layout(schedule.get_block("B"), 0, lambda i: i / 8)
    assert "B[i0] = " in str(schedule.func)
    check(schedule.program, schedule)


def test_serial_iterations_share_a_place():
    A = tir.placeholder("A", (8,), "int32")
    B = tir.compute((8,), lambda i: A[i] * 3, "B")
    schedule = Schedule(tir.lower("f", [A, tir.compute((8,), lambda i: B[i] - 1, "C")]))
    schedule.compute_at(schedule.get_block("B"), schedule.get_loops("C")[0])
    schedule.transform_layout(schedule.get_block("B"), 0, lambda i: i / 8)
    assert [each.value for each in schedule.func.temp_bufs[0].shape] == [1]
    check(schedule.program, schedule)


def test_rows_of_random_windows_take_turns_or_are_refused():
    found = {attempt(seed)[0] for seed in seeds(8)}
    assert {"legal", "refused"} <= found <= {"legal", "refused", "loss"}


def test_memory_of_an_iteration_has_another_layout():
    schedule = sliding(fixed=True)
    schedule.transform_layout(schedule.get_block("rows"), 0, lambda i, j: (j / 2, i, j % 2))
    [alloc] = tir.collect_ir_nodes(schedule.func, lambda each: isinstance(each, tir.Alloc))
    assert str(alloc) == "alloc(_rows, 2, 6, 2)"
    check(schedule.program, schedule)


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
