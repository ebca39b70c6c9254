"""Loops that end where a condition fails, run once what they do again, and count in fewer bits."""

from __future__ import annotations

import numpy as np

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.transform import get_pass
from tests.support.each import each
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I, J, N = (tir.Var(name) for name in "ijn")  # noqa: E741 - as loops are called
SMALL = tir.Var("s", "int32", tir.const(-4), tir.const(50))
A, B, F = memory("A", 32), memory("B", 32), memory("F", 32, dtype="float32")
ZEROS = np.zeros(32, "int32")
W = tir.Var("w", "int64")


def is_kept(name, func):
    """Whether a pass leaves a program alone, which may be unsound."""
    return get_pass(name)(IRModule({"f": func}))["f"] is func


def count():
    """Count in B how often iterations get somewhere."""
    return tir.Store(B, B[I] + 1, (I,))


def guarded(condition, low=0, extent=16, other=None, kind="SERIAL"):
    inner = tir.IfThenElse(condition, tir.Block((count(),)), other)
    stmt = loop(I, low, extent, inner, kind=kind)
    return function([A, B], stmt, scalars=[SMALL, N])


def check_same(before, after, values=(-4, -1, 0, 1, 2, 7, 13, 49)):
    for value in values:
        args = (np.int32(value), np.int32(9), np.arange(32, dtype="int32"), ZEROS)
        assert left(before, *args) == left(after, *args), value


@each(
    ("condition", "extent"),
    [
        (I < 5, "5"),
        (I <= 5, "6"),
        (I * 4 < 10, "3"),
        (I * 4 < 12, "3"),
        (I * 4 < 13, "4"),
        (I * 4 + 3 < 3, "0"),
        (I < 40, "16"),  # the loop ends before
        (I + SMALL < 12, "(12 - s)"),  # always before the loop does
        (I + SMALL < 13, "cinn_min((13 - s), 16)"),
        (I * 3 + SMALL < 48, "cinn_min(((50 - s) / 3), 16)"),
        ((tir.const(5) > I) & (I < 9), "5"),
        (I >= 3, "13"),
        (I > 3, "12"),
        (I * 4 > 10, "13"),
        (tir.const(20) - I > 17, "3"),
    ],
)
def test_a_condition_becomes_a_bound(condition, extent):
    func = guarded(condition)
    image = apply("EntailLoopCondition", func)
    assert not nodes(image, tir.IfThenElse)
    assert str(nodes(image, tir.For)[0].extent) == extent
    check_same(func, image)


@each(
    "func",
    [
        guarded(I < 5, other=tir.Block((tir.Store(A, tir.const(1), (I,)),))),
        guarded(tir.EQ(I, tir.const(5))),
        guarded((I % 4) < 2),  # it holds again later
        guarded(I + (I % 4) * 4 < 9),
        guarded(I * N < 5),  # n may be negative
        guarded(I + N < 5),  # the sum may wrap around
        guarded(A[0] > I),  # which may be written meanwhile
        guarded(A[SMALL] > I),  # which may be out of range, if the loop does not run
        guarded((I < 5) & (A[I + 30] > 0)),  # which faults though the other fails
        guarded((I < 5) & (tir.const(8) / N > 0)),
        guarded(tir.const(5) < I, extent=-(2**31)),  # what is left may wrap around
        guarded(I < 5, low=2147483640),  # the variable wraps around
        guarded(I < 5, kind="UNROLLED"),  # it needs a number
        guarded(I < 5, extent=A[SMALL]),  # the bound may be gone, and with it an error
        guarded(tir.Cast("int64", I) < tir.const(5, "int64")),
    ],
)
def test_other_conditions_stay(func):
    assert is_kept("EntailLoopCondition", func)


def test_a_condition_that_is_no_bound_is_still_asked():
    func = guarded((I < 9) & tir.EQ(I % 2, tir.const(0)))
    image = apply("EntailLoopCondition", func)
    assert str(nodes(image, tir.IfThenElse)[0].condition) == "((i % 2) == 0)"
    assert str(nodes(image, tir.For)[0].extent) == "9"
    check_same(func, image)


def test_conditions_from_both_sides_become_bounds_of_a_loop_that_begins_anywhere():
    func = guarded((I < SMALL) & (I >= SMALL - 3), low=2, extent=20)
    image = apply("EntailLoopCondition", func)
    assert not nodes(image, tir.IfThenElse)
    check_same(func, image)


def invariant(*stmts, low=0, extent=3, kind="SERIAL"):
    return function([A, B], loop(J, low, extent, *stmts, kind=kind), scalars=[SMALL, N])


FILL = loop(I, 0, 16, tir.Store(B, A[I] * 2, (I,)))
AT_0 = (tir.const(0),)
X = tir.Var("x")
ONE = tir.const(1)
MOVED = (
    tir.Let(X, tir.const(0)),
    tir.Store(B, ONE, (X,)),
    tir.Store(X, ONE, ()),
    tir.Store(A, B[X], AT_0),  # of another element than was stored before
    tir.Store(B, tir.const(7), (ONE,)),
)


@each(
    ("func", "branches"),
    [
        (invariant(FILL), 0),
        (invariant(FILL, kind="PARALLEL"), 0),
        (invariant(FILL, extent=SMALL), 1),  # it may not run
        (invariant(FILL, extent=tir.Max(tir.const(9) / A[5], tir.const(1))), 1),  # it may fault
        (invariant(loop(I, 0, 16, tir.Store(B, tir.const(0), (I,)), count())), 0),
        (invariant(tir.Store(B, tir.const(1), AT_0), tir.Store(A, B[0] + 1, AT_0)), 0),
        (invariant(tir.Let(X, A[3]), tir.Store(B, X, AT_0)), 0),
        (invariant(loop(I, 0, 8, tir.Store(B, B[I], (I + 16,)))), 0),  # it reads elsewhere
        (invariant(loop(I, 0, J + 1, count())), None),  # it is not the same each time
        (invariant(count_once := tir.Store(B, B[0] + 1, AT_0)), None),
        (invariant(tir.Store(A, B[0], AT_0), tir.Store(B, tir.const(1), AT_0)), None),
        (invariant(tir.IfThenElse(N > 0, tir.Store(B, tir.const(1), AT_0)), count_once), None),
        (invariant(tir.Store(B, tir.const(1), (N,)), count_once), None),  # perhaps not there
        (invariant(loop(I, 0, 16, tir.Store(B, B[15 - I], (I,)))), None),
        (invariant(tir.Store(X, X + 1, ()), tir.Store(B, X, AT_0)), None),
        (invariant(*MOVED), None),
        (invariant(FILL, low=A[SMALL]), None),  # the bound may fault
        (invariant(tir.Call("void", "launch_rocket")), None),
    ],
)
def test_loops_of_which_each_iteration_does_the_same_run_once(func, branches):
    if any(x.name == "x" for x in tir.collect_undefined_vars(func)):
        func = func.with_fields(body=tir.Block((tir.Let(X, tir.const(0)), *func.body.stmts)))
    image = apply("EliminateInvariantLoop", func)
    assert (image is func) == (branches is None)
    if branches is not None:
        assert not [each for each in nodes(image, tir.For) if each.loop_var is J]
        assert len(nodes(image, tir.IfThenElse)) == branches
        check_same(func, image)


def test_loops_that_threads_run_stay():
    bound = tir.BindInfo(tir.ForType.GPU_THREAD, 0)
    [stmt] = invariant(FILL, kind="GPU_THREAD").body.stmts
    assert is_kept("EliminateInvariantLoop", function([A, B], stmt.with_fields(bind_info=bound)))


def test_axes_and_regions_name_the_variable_of_a_loop():
    axis = tir.reduce_axis("r", J + 1)
    total = tir.reduce_sum(A[axis], [axis])
    func = invariant(tir.Store(B, total, AT_0))
    assert apply("EliminateInvariantLoop", func) is func


def test_a_loop_that_is_gone_names_nothing():
    triangle = loop(I, 0, J + 1, tir.Store(B, A[0], AT_0))
    assert not nodes(apply("EliminateInvariantLoop", invariant(triangle)), tir.For)


def wide(low=0, extent=16, *, index=W * 4 + 3, extra=()):
    step = tir.Store(A, B[W], (index,))
    low, extent = [x if isinstance(x, tir.Expr) else tir.const(x, "int64") for x in (low, extent)]
    stmt = loop(W, low, extent, step, *extra)
    return function([A, B], stmt, scalars=[N])


@each(
    ("extra", "types"),
    [
        ([], {"int32"}),
        ([tir.IfThenElse(W < 7, tir.Store(A, tir.const(1), AT_0))], {"int32"}),
        ([tir.Store(A, tir.const(1), (W % 7,))], {"int32"}),
        # a value, and what becomes too large on the way
        ([tir.Store(A, tir.Cast("int32", W * W), AT_0)], {"int32"}),
        (
            [tir.Store(A, tir.const(1), (W * tir.const(2**32, "int64") / 2**32,))],
            {"int32", "int64"},
        ),
    ],
)
def test_what_needs_no_64_bits_has_32(extra, types):
    func = wide(extent=4, extra=extra)
    image = apply("LongLong2Int", func)
    assert {str(each.loop_var.type) for each in nodes(image, tir.For)} == {"int32"}
    indices = {str(index.type) for store in nodes(image, tir.Store) for index in store.indices}
    assert indices == types
    args = (np.int32(9), np.arange(32, dtype="int32"), np.arange(32, dtype="int32"))
    assert left(func, *args) == left(image, *args)


@each(
    "func",
    [
        wide(low=2**31 - 3),  # the end does not fit
        wide(extent=2**31),
        wide(extent=tir.Cast("int64", N) * 2),
    ],
)
def test_loops_that_need_64_bits_keep_them(func):
    assert is_kept("LongLong2Int", func)


def test_a_loop_in_two_places_fits_in_both_or_not_at_all():
    wide_n = tir.Var("n", "int64")
    shared = loop(W, tir.const(0, "int64"), wide_n, tir.Store(A, tir.const(1), AT_0))
    places = [tir.IfThenElse(wide_n > 2**40, shared), tir.IfThenElse(wide_n < 9, shared)]
    func = function([A, B], *places, scalars=[wide_n])
    assert str(nodes(apply("LongLong2Int", func), tir.For)[0].loop_var.type) == "int64"


def test_variables_of_blocks_have_32_bits_where_these_suffice():
    inner = tir.Var("i0", "int64")
    block = tir.ScheduleBlock((inner,), (), (), "A", tir.Store(A, B[inner], (inner,)))
    stmt = loop(
        W, tir.const(0, "int64"), tir.const(9, "int64"), tir.ScheduleBlockRealize((W,), block)
    )
    image = apply("LongLong2Int", function([A, B], stmt))
    [made] = nodes(image, tir.ScheduleBlock)
    assert str(made.iter_vars[0].type) == "int32"


def reading(*values, kind="SERIAL"):
    stmts = [tir.Store(B, value, (I,)) for value in values]
    return function([A, B, F], loop(I, 0, 16, *stmts, kind=kind))


@each(
    ("func", "loads"),
    [
        (reading(A[I] + A[I + 1]), 2),
        (reading(A[I] + A[I + 1], A[I + 1] + A[I]), 2),
        (reading(A[I] + A[I + 1] + A[A[I]]), 2),  # what is read to know where is not moved
        (reading(tir.Select(A[I] > 0, A[I + 1], A[I + 2])), 3),  # all are evaluated anyway
        (reading(A[I] + B[I] + A[I + 16]), 2),  # what is written stays
    ],
)
def test_iterations_begin_with_what_they_read(func, loads):
    image = apply("RearrangeLoadInstruction", func)
    [stmt] = nodes(image, tir.For)
    assert [isinstance(each, tir.Let) for each in stmt.body.stmts].index(False) == loads
    args = (np.arange(32, dtype="int32") % 7, ZEROS, np.zeros(32, "float32"))
    assert left(func, *args) == left(image, *args)


@each(
    "func",
    [
        reading(A[I] + 1),  # there is nothing else to be loaded meanwhile
        reading(A[I] + A[I + 17]),  # the other may be out of range
        reading(A[I] + A[I + 1], kind="UNROLLED"),
        function([A, B], loop(I, 0, 4, loop(J, 0, 4), tir.Store(B, A[I] + A[I + 1], (I,)))),
    ],
)
def test_other_loads_stay(func):
    assert is_kept("RearrangeLoadInstruction", func)


def test_what_is_read_where_the_iteration_tells_stays():
    changing = (X % 8 + 8) % 8
    stmts = [
        tir.Let(J, (I % 4 + 4) % 4),
        tir.Store(X, I, ()),
        tir.Store(B, A[I] + A[I + 1] + A[J] + A[changing], (I,)),
    ]
    func = function([A, B], tir.Let(X, tir.const(0)), loop(I, 0, 16, *stmts))
    image = apply("RearrangeLoadInstruction", func)
    loaded = [each for each in nodes(image, tir.Let) if isinstance(each.body, tir.Load)]
    assert len(loaded) == 2
    args = np.arange(32, dtype="int32"), ZEROS
    assert left(func, *args) == left(image, *args)


def test_no_more_is_loaded_than_there_are_registers():
    func = reading(sum((A[I + at] for at in range(1, 12)), A[I]))
    assert len(nodes(apply("RearrangeLoadInstruction", func), tir.Let)) == 8
