"""Loops that are cut where arguments tell."""

from __future__ import annotations

import numpy as np

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.transform import parse_pipeline
from tests.support.each import each
from tests.support.tir_small import function, left, loop, memory, nodes

I, J = tir.Var("i"), tir.Var("j")  # noqa: E741 - as loops are called
N = tir.Var("n", "int32", tir.const(-3), tir.const(30))
ANY = tir.Var("m")
A, B = memory("A", 128), memory("B", 128)
CUT = "PartitionLoops{symbolic=true}"


def partitioned(func, pipeline=CUT):
    image = parse_pipeline(pipeline)(IRModule({"f": func}))["f"]
    assert tir.verify(image) == ()
    return image


def guarded(condition, extent=12, inner=4):
    stmt = tir.IfThenElse(condition, tir.Block((tir.Store(B, B[I * 4 + J] + 1, (I * 4 + J,)),)))
    return function([A, B], loop(I, 0, extent, loop(J, 0, inner, stmt)), scalars=[N, ANY])


@each(
    ("func", "extents"),
    [
        (guarded(I * 4 + J < N), ["cinn_max((n / 4), 0)", "(12 - cinn_max((n / 4), 0))"]),
        (guarded(I * 4 + J <= 18), ["4", "1", "7"]),  # the fifth by itself
        (guarded(I < N), ["cinn_max(n, 0)", None]),
        (guarded(N <= I), ["cinn_max(n, 0)", None]),  # it holds in the second part
        (guarded(I * 2 < N, extent=N), ["n", None]),
        (guarded(I - J < 5), ["5", None]),
    ],
)
def test_a_loop_is_cut_where_a_condition_changes(func, extents):
    image = partitioned(func)
    assert image is not func
    for value in range(-3, 30):
        args = (np.int32(value), np.int32(0), np.zeros(128, "int32"), np.zeros(128, "int32"))
        assert left(func, *args) == left(image, *args), value


@each(
    "func",
    [
        guarded(I * 4 + J + ANY < 5),  # it may wrap around
        guarded(I * 4 + J * 2 < ANY),  # so may what the cut is made of
        guarded(tir.EQ(I, N)),
        guarded(I * N < 5),
        guarded(A[I] < N),
        guarded(I + A[0] - A[0] < N),  # what is read is gone, and may be an error
        guarded(I * 4 + J >= N),  # what is left to ask would come first
        guarded(I < 40),
        guarded(I + J < N - 50),  # never
    ],
)
def test_other_loops_stay(func):
    assert partitioned(func) is func


def test_what_is_split_asks_at_its_end_alone():
    func = guarded(I * 4 + J < N, extent=(N + 3) / 4)
    image = partitioned(func, f"{CUT}, IfSimplify")
    first, second = [each for each in nodes(image, tir.For) if each.loop_var.name == "i"]
    assert not nodes(first, tir.IfThenElse)
    assert len(nodes(second, tir.IfThenElse)) == 1


def test_constants_cut_as_they_do_without():
    func = guarded(I < 3)
    assert tir.astext(partitioned(func)) == tir.astext(partitioned(func, "PartitionLoops"))


def test_a_loop_that_allocates_stays_in_one_piece():
    temp = tir.Buffer("_T", (4,), "int32")
    stmt = tir.IfThenElse(I < 3, tir.Block((tir.Store(B, tir.const(1), (I,)),)))
    func = function([A, B], loop(I, 0, 12, tir.Alloc(temp), stmt)).with_fields(temp_bufs=(temp,))
    assert partitioned(func) is func
    assert partitioned(func, "PartitionLoops") is func


def test_code_does_not_grow_without_end():
    body = tir.Store(B, B[I] + 1, (I,))
    for at in range(12):
        body = tir.IfThenElse(N + at > I * 2 + J, tir.Block((body,)))
    func = function([A, B], loop(I, 0, 12, loop(J, 0, 4, body)), scalars=[N])
    image = partitioned(func)
    assert len(nodes(image, tir.Store)) < 100
