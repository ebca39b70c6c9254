"""Loops that become one with their neighbours, and loops of which each statement gets one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from relayish import tir
from relayish.errors import ScheduleError
from relayish.tir.substitution import substitute
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_small import function, left, loop, memory

I, J, K = (tir.Var(name) for name in "ijk")  # noqa: E741 - as loops are called
A, B, C = (memory(name, 20) for name in "ABC")


def pair(first, second, *, extents=(16, 16), low=(0, 0), **kinds):
    """A loop that stores ``first`` to B, and one behind it that stores ``second`` to C."""
    one = loop(I, low[0], extents[0], tir.Store(B, first, (I,)))
    other = loop(J, low[1], extents[1], tir.Store(C, second, (J,)))
    one, other = one.with_fields(**kinds), other.with_fields(**kinds)
    return tir.Schedule(function([A, B, C], one, other))


def loops(schedule):
    return [each.stmt.loop_var.name for each in schedule.get_loops()]


def given():
    return [np.arange(20, dtype="int32") + 100 * number for number in range(3)]


@each(
    "schedule",
    [
        pair(A[I], B[J] + 1),
        pair(A[I], B[tir.Max(J - 1, tir.const(0))]),  # of an iteration before
        pair(A[I], A[J]),
        pair(A[I], B[J], low=(2, 2)),
        pair(A[I], B[J], for_type=tir.ForType.PARALLEL),
        pair(C[I + 1], A[J]),  # which reads what the other overwrites, before
    ],
)
def test_an_iteration_does_what_those_of_both_did(schedule):
    before = schedule.func
    one, other = schedule.get_loops()
    assert schedule.compute_with(one, other) == one
    assert loops(schedule) == ["i"]
    assert not tir.verify(schedule.func)
    assert left(before, *given()) == left(schedule.func, *given())
    with pytest.raises(ScheduleError, match="is gone since step 1, compute_with"):
        _ = other.stmt


@each("names", ["ij", "ji", "jj"])
def test_loops_without_neighbours_are_no_neighbours(names):
    inner = tir.For(J, 0, 4, tir.Store(C, A[J], (J,)))
    schedule = tir.Schedule(function([A, C], tir.For(I, 0, 1, inner)))
    by_name = dict(zip("ij", schedule.get_loops(), strict=True))
    with pytest.raises(ScheduleError, match="expected neighbours"):
        schedule.compute_with(*[by_name[name] for name in names])


@each(
    ("schedule", "message"),
    [
        (
            pair(A[I], B[J + 1]),
            r"B\[\(i \+ 1\)\] at i = 0 has to come after B\[i\] = A\[i\] at i = 1;",
        ),
        (pair(C[tir.Max(I - 1, tir.const(0))], A[J]), "has to come after"),  # which is gone by then
        (pair(A[I], B[J], extents=(16, 15)), "differ in how often they run"),
        (pair(A[I], B[J], low=(0, 1)), "differ in how often they run"),
        (
            pair(A[I], B[tir.Max(J - 1, tir.const(0))], for_type=tir.ForType.PARALLEL),
            "cannot be PARALLEL",  # what each did at once reads what another stores now
        ),
    ],
)
def test_what_would_compute_something_else_is_refused(schedule, message):
    before = schedule.func
    with pytest.raises(ScheduleError, match=message):
        schedule.compute_with(*schedule.get_loops())
    assert schedule.func is before


def test_only_neighbours_become_one():
    between = tir.Store(A, tir.const(0), (tir.const(0),))
    func = function(
        [A, B, C],
        loop(I, 0, 9, tir.Store(B, I, (I,))),
        between,
        loop(J, 0, 9, tir.Store(C, J, (J,))),
    )
    schedule = tir.Schedule(func)
    one, other = schedule.get_loops()
    for pair_of in ((one, other), (other, one), (one, one)):
        with pytest.raises(ScheduleError, match="expected neighbours"):
            schedule.compute_with(*pair_of)


def test_calls_with_effects_stay_where_they_are():
    call = tir.Call("void", "print", (), (), tir.CallType.EXTERN)
    schedule = tir.Schedule(function([B], loop(I, 0, 9, call, tir.Store(B, I, (I,)))))
    with pytest.raises(ScheduleError, match="has effects"):
        schedule.fission(schedule.get_loops()[0])


def several(*stmts, **kinds):
    return tir.Schedule(function([A, B, C], loop(I, 1, 16, *stmts).with_fields(**kinds)))


FIRST = tir.Store(B, A[I], (I,))


@each(
    ("schedule", "count"),
    [
        (several(FIRST, tir.Store(C, B[I], (I,))), 2),
        (several(FIRST, tir.Store(C, B[I - 1], (I,)), tir.Store(A, C[I], (I,))), 3),
        (several(FIRST, loop(K, 0, 3, tir.Store(C, B[I] + K, (I,)))), 2),
        (several(FIRST, FIRST), 2),
        (several(FIRST), 1),
        (several(FIRST, tir.Store(C, B[I], (I,)), for_type=tir.ForType.PARALLEL), 2),
    ],
)
def test_each_statement_gets_a_loop_of_its_own(schedule, count):
    before = schedule.func
    whole = schedule.get_loops()[0]
    made = schedule.fission(whole)
    assert len(made) == count
    assert made[0] == whole
    assert all(len(each.stmt.body.stmts) == 1 for each in made)
    assert not tir.verify(schedule.func)
    assert left(before, *given()) == left(schedule.func, *given())


@each(
    "schedule",
    [
        several(FIRST, tir.Store(A, tir.const(7), (I + 1,))),  # which the next one reads
        several(tir.Store(B, C[I - 1], (I,)), tir.Store(C, A[I], (I,))),
        several(FIRST, loop(K, 0, 3, tir.Store(A, K, (I + 1,)))),
    ],
)
def test_statements_that_wait_for_one_behind_stay_together(schedule):
    before = schedule.func
    with pytest.raises(
        ScheduleError, match=r" at i = 2.* has to come after .* at i = 1.*, which stands behind"
    ):
        schedule.fission(schedule.get_loops()[0])
    assert schedule.func is before


def test_blocks_and_loops_inside_are_followed():
    X, k = tir.placeholder("X", (4, 8)), tir.reduce_axis("k", 8)
    Y = tir.compute((4,), lambda i: tir.reduce_sum(X[i, k], [k]), "Y")
    schedule = tir.Schedule(tir.lower("f", [X, Y]))
    outer, inner = schedule.get_loops("Y")
    first, second = schedule.fission(outer)
    assert schedule.get_loops("Y") == [second, inner]
    assert schedule.get_loops("Y__reduce_init") == [first]
    assert schedule.compute_with(first, second) == outer
    assert schedule.get_loops("Y") == [outer, inner]
    again = schedule.trace.replay(tir.lower("f", [X, Y]))
    assert tir.astext(again.func) == tir.astext(schedule.func)


def drawn(draw, name):
    """A loop that stores sums of elements near its own to an array."""
    arrays = {"A": A, "B": B, "C": C}
    var = tir.Var(name)
    stmts = []
    for _ in range(draw.randrange(1, 4)):
        source, target = draw.choices([*arrays.values()], k=2)
        value = source[var + draw.randrange(3)] * 3 + draw.randrange(5)
        stmts.append(tir.Store(target, value, (var + draw.randrange(3),)))
    return loop(var, 0, draw.choice((1, 5, 5, 5)), *stmts)


@pytest.mark.slow("runs random loops")
@pytest.mark.parametrize("what", ["compute_with", "fission"])
def test_random_loops_are_the_same_and_what_is_refused_is_not(what):
    taken = refused = needless = 0
    for seed in seeds(150):
        draw = random.Random(f"{what} {seed}")
        found = [drawn(draw, name) for name in ("ij" if what == "compute_with" else "i")]
        schedule = tir.Schedule(function([A, B, C], *found))
        before = schedule.func
        try:
            handles = schedule.get_loops()
            getattr(schedule, what)(*handles)
        except ScheduleError:
            refused += 1
            needless += _is_the_same(before, forced(found, what))
        else:
            taken += 1
            assert _is_the_same(before, schedule.func), seed
    assert taken > 20
    assert refused > 20
    assert needless <= refused / 10  # values may be equal by chance


def forced(found, what):
    """The program as it would be if nobody asked."""
    if what == "fission":
        return function([A, B, C], *[found[0].with_fields(body=tir.Block((s,))) for s in
                                     found[0].body.stmts])  # fmt: skip
    one, other = found
    if one.extent.value != other.extent.value:
        return function([A, B, C], loop(K, 0, 1, tir.Store(A, tir.const(-1), (K,))))
    body = substitute(other.body, {other.loop_var: one.loop_var})
    return function([A, B, C], one.with_fields(body=tir.Block((*one.body.stmts, *body.stmts))))


def _is_the_same(func, image):
    generator = np.random.default_rng(0)
    draws = generator.integers(-9, 9, (3, 3, 20)).astype("int32")
    return all(left(func, *arrays) == left(image, *arrays) for arrays in draws)
