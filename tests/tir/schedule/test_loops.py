"""Loops that are split, fused and put in another order."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from tests.support.tir_small import function, left, loop, memory


def body(schedule):
    """The statements of a function as text, without details."""
    return tir.astext(schedule.func).split("#[details]")[0].split("\n", 1)[1]


def lines(schedule):
    return [each.strip() for each in body(schedule).splitlines() if each.strip() not in "{}"]


def counting(low, extent, *, size=40, dtype="int32", scalars=()):
    """A function whose only loop adds to an element of each iteration what iteration it is."""
    a, i = memory("A", size), tir.Var("i", dtype)
    value = a[i] * 3 + (i if dtype == "int32" else tir.Cast("int32", i))
    return function([a], loop(i, low, extent, tir.store(a, value, i)), scalars=scalars)


def same(func, image, *args):
    assert not tir.verify(image), [str(each) for each in tir.verify(image)]
    assert left(func, *args) == left(image, *args)


def test_split_that_fits_has_no_guard():
    schedule = tir.Schedule(counting(0, 24))
    outer, inner = schedule.split(schedule.get_loops()[0], [-1, 4])
    assert lines(schedule) == [
        "serial for (i_0, 0, 6)",
        "serial for (i_1, 0, 4)",
        "A[((i_0 * 4) + i_1)] = ((A[((i_0 * 4) + i_1)] * 3) + ((i_0 * 4) + i_1))",
    ]
    assert (outer.stmt.extent.value, inner.stmt.extent.value) == (6, 4)


def test_split_that_does_not_fit_is_guarded():
    schedule = tir.Schedule(counting(0, 10))
    schedule.split(schedule.get_loops()[0], [-1, 4])
    assert "if ((((i_0 * 4) + i_1) < 10)) {" in lines(schedule)


@pytest.mark.parametrize("factors", [[4, -1], [-1, 4], [2, -1, 3], [None, 2, 2], [-1], [10], [13]])
@pytest.mark.parametrize("low", [0, 3])
@pytest.mark.parametrize("extent", [0, 1, 7, 10])
def test_split_runs_the_iterations_that_there_were_in_order(factors, low, extent):
    func = counting(low, extent)
    schedule = tir.Schedule(func)
    made = schedule.split(schedule.get_loops()[0], factors)
    assert len(made) == len(factors)
    same(func, schedule.func, np.arange(40, dtype="int32"))


@pytest.mark.parametrize("factors", [[4, -1], [-1, 4], [2, -1, 3], [-1, 2, 2]])
@pytest.mark.parametrize("count", [-3, 0, 1, 8, 11])
def test_split_of_an_unknown_extent(factors, count):
    n, low = tir.Var("n"), tir.Var("low")
    func = counting(low, n, scalars=(n, low))
    schedule = tir.Schedule(func)
    schedule.split(schedule.get_loops()[0], factors)
    same(func, schedule.func, np.int32(count), np.int32(5), np.arange(40, dtype="int32"))


def test_split_of_a_known_multiple_has_no_guard():
    n = tir.Var("n", "int32", 0, 1000)
    schedule = tir.Schedule(counting(0, n * 8, scalars=(n,), size=8000))
    schedule.split(schedule.get_loops()[0], [-1, 4])
    assert not [each for each in lines(schedule) if each.startswith("if")]


def test_guard_of_a_split_cannot_wrap_around():
    a, i, n = memory("A", 4), tir.Var("i"), tir.Var("n")
    func = function([a], loop(i, 0, n, tir.store(a, 1, 0)), scalars=(n,))
    schedule = tir.Schedule(func)
    outer, _ = schedule.split(schedule.get_loops()[0], [-1, 1 << 30])
    most = np.int32((1 << 31) - 1)
    assert int(tir.evaluate(outer.stmt.extent, {n: int(most)})) == 2
    [guard] = tir.collect_ir_nodes(schedule.func, lambda each: isinstance(each, tir.IfThenElse))
    late = {schedule.get_loops()[0].stmt.loop_var: 1, n: int(most)}
    inner = schedule.get_loops()[1].stmt.loop_var
    found = [bool(tir.evaluate(guard.condition, {**late, inner: at})) for at in (0, (1 << 30) - 1)]
    assert found == [True, False]


def test_guards_are_asked_within_the_innermost_loop_and_joined():
    a, i, j = memory("A", 10, 10), tir.Var("i"), tir.Var("j")
    func = function([a], loop(i, 0, 10, loop(j, 0, 10, tir.store(a, a[i, j] + i * j, (i, j)))))
    schedule = tir.Schedule(func)
    i, j = schedule.get_loops()
    i0, i1 = schedule.split(i, [-1, 4])
    j0, j1 = schedule.split(j, [-1, 3])
    schedule.reorder([i0, j0, i1, j1])
    [guard] = [each for each in lines(schedule) if each.startswith("if")]
    assert guard == "if (((((i_0 * 4) + i_1) < 10) and (((j_0 * 3) + j_1) < 10))) {"
    same(func, schedule.func, np.arange(100, dtype="int32").reshape(10, 10))


@pytest.mark.parametrize(
    ("factors", "message"),
    [
        ([], "expected positive factors"),
        ([-1, -1], "of which one may be -1"),
        ([0, -1], "expected positive factors"),
        ([2, 4], r"make 8 iterations; loop i has 10 iterations; give -1 for one"),
        ([-1, 1 << 30, 8], "more than int32 can count"),
    ],
)
def test_factors_that_make_no_sense_are_refused(factors, message):
    schedule = tir.Schedule(counting(0, 10))
    with pytest.raises(ScheduleError, match=message):
        schedule.split(schedule.get_loops()[0], factors)


def test_factors_of_an_unknown_extent_need_one_that_is_not_told():
    n = tir.Var("n")
    schedule = tir.Schedule(counting(0, n, scalars=(n,)))
    with pytest.raises(ScheduleError, match="has an unknown number of iterations"):
        schedule.split(schedule.get_loops()[0], [2, 4])


def test_vectorised_loop_is_not_split():
    schedule = tir.Schedule(counting(0, 10))
    [i] = schedule.get_loops()
    schedule.vectorize(i, 2)
    with pytest.raises(ScheduleError, match="loop i is VECTORIZED; expected a serial"):
        schedule.split(i, [-1, 2])


def nest(low, extents, dtype="int32", scalars=(), size=(6, 7)):
    a = memory("A", *size)
    i, j = tir.Var("i", dtype), tir.Var("j", dtype)
    stmt = tir.store(a, a[i, j] * 2 + tir.Cast("int32", i - j), (i, j))
    return function(
        [a], loop(i, low[0], extents[0], loop(j, low[1], extents[1], stmt)), scalars=scalars
    )


@pytest.mark.parametrize("low", [(0, 0), (1, 2)])
@pytest.mark.parametrize("extents", [(4, 5), (0, 5), (4, 0), (1, 1)])
def test_fused_loop_runs_the_iterations_that_there_were(low, extents):
    func = nest(low, extents)
    schedule = tir.Schedule(func)
    made = schedule.fuse(schedule.get_loops())
    assert made.stmt.loop_var.name == "i_j_fused"
    assert len(schedule.get_loops()) == 1
    same(func, schedule.func, np.arange(42, dtype="int32").reshape(6, 7))


@pytest.mark.parametrize("counts", [(-2, -3), (3, 4), (0, 3), (2, -1)])
def test_fused_loops_of_unknown_extents_are_counted_by_wider_numbers(counts):
    n, m = tir.Var("n"), tir.Var("m")
    func = nest((0, 0), (n, m), scalars=(n, m))
    schedule = tir.Schedule(func)
    made = schedule.fuse(schedule.get_loops())
    assert str(made.stmt.loop_var.type) == "int64"
    sizes = [np.int32(each) for each in counts]
    same(func, schedule.func, *sizes, np.arange(42, dtype="int32").reshape(6, 7))


def test_loops_that_no_number_can_count_are_not_fused():
    n, m = tir.Var("n", "int64"), tir.Var("m", "int64")
    schedule = tir.Schedule(nest((0, 0), (n, m), "int64", (n, m)))
    with pytest.raises(ScheduleError, match="may be more than int64 can count"):
        schedule.fuse(schedule.get_loops())


def test_split_and_fused_again_is_one_loop_of_the_same():
    func = counting(2, 24)
    schedule = tir.Schedule(func)
    schedule.fuse(schedule.split(schedule.get_loops()[0], [2, -1, 3]))
    assert len(schedule.get_loops()) == 1
    same(func, schedule.func, np.arange(40, dtype="int32"))


def test_loops_that_hold_more_or_depend_on_one_another_are_not_fused():
    a, i, j = memory("A", 8, 8), tir.Var("i"), tir.Var("j")
    inner = loop(j, 0, i + 1, tir.store(a, 1, (i, j)))
    triangle = tir.Schedule(function([a], loop(i, 0, 8, inner)))
    with pytest.raises(ScheduleError, match="how often loop j runs depends on i"):
        triangle.fuse(triangle.get_loops())
    several = tir.Schedule(function([a], loop(i, 0, 8, tir.store(a, 0, (i, 0)), inner)))
    with pytest.raises(ScheduleError, match="loop i holds more than loop j"):
        several.fuse(several.get_loops())
    with pytest.raises(ScheduleError, match="1 loops are given; expected two or more"):
        several.fuse(several.get_loops()[:1])


def stencil(distance):
    """Each element from one of an earlier row, some columns away."""
    a, i, j = memory("A", 12, 12), tir.Var("i"), tir.Var("j")
    stmt = tir.store(a, a[i - 1, j + distance] + 1, (i, j))
    return function([a], loop(i, 1, 8, loop(j, 2, 8, stmt)))


@pytest.mark.parametrize("distance", [-2, -1, 0])
def test_loops_are_reordered_where_no_sink_comes_first(distance):
    func = stencil(distance)
    schedule = tir.Schedule(func)
    schedule.reorder(schedule.get_loops()[::-1])
    assert [each.stmt.loop_var.name for each in schedule.get_loops()] == ["j", "i"]
    same(func, schedule.func, np.arange(144, dtype="int32").reshape(12, 12))


def test_loops_are_not_reordered_where_a_sink_would_come_first():
    schedule = tir.Schedule(stencil(1))
    with pytest.raises(ScheduleError) as found:
        schedule.reorder(schedule.get_loops()[::-1])
    assert str(found.value) == (
        "reorder to j, i would change what is computed: A[(i - 1), (j + 1)] at i = 2, j = 2 has to "
        "come after A[i, j] = (A[(i - 1), (j + 1)] + 1) at i = 1, j = 3; loop j has to stay within "
        "the loop that keeps them in order, i"
    )


def test_sums_of_integers_may_be_added_in_any_order_and_of_floats_not():
    for dtype in ("int32", "float32"):
        a, b = memory("A", 8, 8, dtype=dtype), memory("B", 1, dtype=dtype)
        i, j = tir.Var("i"), tir.Var("j")
        stmt = tir.store(b, b[0] + a[i, j], 0)
        schedule = tir.Schedule(function([a, b], loop(i, 0, 8, loop(j, 0, 8, stmt))))
        if dtype == "int32":
            schedule.reorder(schedule.get_loops()[::-1])
            assert schedule.get_loops()[0].stmt.loop_var is j
        else:
            with pytest.raises(ScheduleError, match="would change what is computed"):
                schedule.reorder(schedule.get_loops()[::-1])


def test_reduction_that_reads_what_it_reduces_elsewhere_keeps_its_order():
    b, i, j = memory("B", 20), tir.Var("i"), tir.Var("j")
    stmt = tir.store(b, b[3] + b[i + j], 3)
    schedule = tir.Schedule(function([b], loop(i, 0, 4, loop(j, 0, 4, stmt))))
    with pytest.raises(ScheduleError, match="would change what is computed"):
        schedule.reorder(schedule.get_loops()[::-1])


def test_parallel_loop_does_not_move_out_of_the_loop_that_keeps_order():
    schedule = tir.Schedule(stencil(-1))
    i, j = schedule.get_loops()
    schedule.parallel(j)
    with pytest.raises(ScheduleError, match="loop j cannot be PARALLEL"):
        schedule.reorder([j, i])


def test_loops_between_those_that_are_named_stay():
    a = memory("A", 4, 4, 4)
    i, j, k = tir.Var("i"), tir.Var("j"), tir.Var("k")
    stmt = tir.store(a, i + j + k, (i, j, k))
    schedule = tir.Schedule(function([a], loop(i, 0, 4, loop(j, 0, 4, loop(k, 0, 4, stmt)))))
    i, j, k = schedule.get_loops()
    schedule.reorder([k, i])
    assert [each.stmt.loop_var.name for each in schedule.get_loops()] == ["k", "j", "i"]


def test_triangular_loops_keep_their_order():
    a, i, j = memory("A", 8, 8), tir.Var("i"), tir.Var("j")
    schedule = tir.Schedule(
        function([a], loop(i, 0, 8, loop(j, 0, i + 1, tir.store(a, 1, (i, j)))))
    )
    with pytest.raises(ScheduleError, match=r"for \(j, 0, \(i \+ 1\)\) depends on i"):
        schedule.reorder(schedule.get_loops()[::-1])


def test_bounds_that_memory_tells_keep_their_place():
    a, n, i, j = memory("A", 8, 8), memory("N", 1), tir.Var("i"), tir.Var("j")
    stmt = tir.store(a, 1, (i, j))
    schedule = tir.Schedule(function([a, n], loop(i, 0, 8, loop(j, 0, n[0], stmt))))
    with pytest.raises(ScheduleError, match="computes how often it runs from memory"):
        schedule.reorder(schedule.get_loops()[::-1])


def test_loops_of_different_nests_are_not_reordered():
    a, i, j = memory("A", 8), tir.Var("i"), tir.Var("j")
    func = function(
        [a], loop(i, 0, 8, tir.store(a, 1, i)), loop(j, 0, 8, tir.store(a, a[j] + 1, j))
    )
    schedule = tir.Schedule(func)
    with pytest.raises(ScheduleError, match="expected loops of one nest"):
        schedule.reorder(schedule.get_loops())
    with pytest.raises(ScheduleError, match="a loop is given twice"):
        schedule.reorder([schedule.get_loops()[0]] * 2)


def repeated(value):
    """A block that is run four times for each of its values, and counts how often."""
    b, i, j, v = memory("B", 9), tir.Var("i"), tir.Var("j"), tir.Var("v")
    stmt = tir.store(b, b[0] * 3 + v, 0)
    block = tir.schedule_block("B", [(v, value(i, j))], stmt)
    return function([b], loop(i, 0, 3, loop(j, 0, 4, block)))


def test_what_is_executed_once_more_for_the_same_values_may_change_places():
    func = repeated(lambda i, j: tir.const(5))
    schedule = tir.Schedule(func)
    schedule.reorder(schedule.get_loops()[::-1])
    same(func, schedule.func, np.arange(9, dtype="int32"))


@pytest.mark.parametrize("value", [lambda i, j: i, lambda i, j: j, lambda i, j: i + j])
def test_executions_for_other_values_keep_their_order(value):
    schedule = tir.Schedule(repeated(value))
    with pytest.raises(ScheduleError, match="would change what is computed"):
        schedule.reorder(schedule.get_loops()[::-1])


def test_a_block_that_names_loops_is_told_apart_by_these():
    b, i, j, v = memory("B", 9), tir.Var("i"), tir.Var("j"), tir.Var("v")
    block = tir.schedule_block("B", [(v, tir.const(5))], tir.store(b, b[0] * 3 + i, 0))
    schedule = tir.Schedule(function([b], loop(i, 0, 3, loop(j, 0, 4, block))))
    with pytest.raises(ScheduleError, match="would change what is computed"):
        schedule.reorder(schedule.get_loops()[::-1])


def test_stores_of_one_number_may_change_places_and_of_others_not():
    for value, is_legal in ((7, True), (None, False)):
        b, i, j = memory("B", 9), tir.Var("i"), tir.Var("j")
        stmt = tir.store(b, i if value is None else value, i + j)
        schedule = tir.Schedule(function([b], loop(i, 0, 4, loop(j, 0, 4, stmt))))
        if is_legal:
            schedule.reorder(schedule.get_loops()[::-1])
            assert schedule.get_loops()[0].stmt.loop_var is j
        else:
            with pytest.raises(ScheduleError, match="would change what is computed"):
                schedule.reorder(schedule.get_loops()[::-1])


def test_loops_that_never_run_have_any_order():
    a, i, j, k = memory("A", 9), tir.Var("i"), tir.Var("j"), tir.Var("k")
    stmt = tir.store(a, a[0] * 3 + j, 0)
    schedule = tir.Schedule(function([a], loop(i, 0, 0, loop(j, 0, 4, loop(k, 0, 4, stmt)))))
    schedule.reorder(schedule.get_loops()[:0:-1])
    schedule.parallel(schedule.get_loops()[1])


def test_a_triangle_of_a_block_is_not_fused_where_its_values_would_be_no_sums():
    b, i, j, k, v = memory("B", 99), tir.Var("i"), tir.Var("j"), tir.Var("k"), tir.Var("v")
    block = tir.schedule_block("B", [(v, j * 5 + k)], tir.store(b, v, v))
    inner = loop(j, 0, 4, loop(k, 0, i + 1, block))
    schedule = tir.Schedule(function([b], loop(i, 0, 4, inner)))
    with pytest.raises(ScheduleError, match=r"fuse would divide .* which loops around tell"):
        schedule.fuse(schedule.get_loops()[1:])
