"""Conversion of loops with a condition and a step: which, to what, and what stands in the way."""

from __future__ import annotations

import numpy as np

from relayish import tir
from tests.support.each import each
from tests.support.tir_small import apply, function, left, memory, nodes

I, N, M = tir.Var("i"), tir.Var("n"), tir.Var("m")  # noqa: E741 - as loops call it


def poly(init, condition, inc, *stmts, var=I):
    return tir.PolyFor(var, init, condition, inc, tir.Block(stmts))


def converted(func):
    return apply("TransformPolyForToFor", func)


def count(init, condition, inc, var=I, scalars=()):
    """A function that counts the iterations of a loop, and adds up its variable."""
    a = memory("A", 2, dtype="int64")
    stores = (
        tir.Store(a, a[0] + 1, (0,)),
        tir.Store(a, a[1] + tir.Cast("int64", var), (1,)),
    )
    return function([a], poly(init, condition, inc, *stores, var=var), scalars=scalars)


def const(value):
    return tir.const(value)


@each("step", [1, 2, 3, 7])
@each("end", [-4, 0, 1, 5, 14, 15])
@each(
    "form",
    [
        lambda i, e: i < e,
        lambda i, e: i <= e,
        lambda i, e: e > i,
        lambda i, e: e >= i,
        lambda i, e: (i < e) & (i <= const(9)),
        lambda i, e: (const(12) > i) & (i < e) & (i >= const(0)),
    ],
)
def test_loop_upwards_runs_as_often(form, end, step):
    func = count(const(1), form(I, const(end)), const(step))
    given = np.zeros(2, "int64")
    assert nodes(converted(func), tir.PolyFor) == []
    assert left(converted(func), given) == left(func, given)


@each("step", [-1, -2, -3])
@each("end", [12, 10, 9, 0, -5])
@each(
    "form",
    [
        lambda i, e: i > e,
        lambda i, e: i >= e,
        lambda i, e: e < i,
        lambda i, e: e <= i,
        lambda i, e: (i > e) & (i >= const(2)),
    ],
)
def test_loop_downwards_runs_as_often(form, end, step):
    func = count(const(10), form(I, const(end)), const(step))
    given = np.zeros(2, "int64")
    assert nodes(converted(func), tir.PolyFor) == []
    assert left(converted(func), given) == left(func, given)


@each("condition", [I < N, I <= N, (I < N) & (I < M), (I <= N) & (M > 2)])
@each("n", [-(2**31), -3, 0, 4, 9])
@each("m", [0, 3, 20])
def test_bounds_that_are_not_known_are_computed_when_the_loop_begins(condition, n, m):
    func = count(const(2), condition, const(1), scalars=[N, M])
    given = np.zeros(2, "int64")
    assert nodes(converted(func), tir.PolyFor) == []
    assert left(converted(func), n, m, given) == left(func, n, m, given)


def test_loop_from_0_by_one_keeps_its_variable_and_bound():
    func = count(const(0), I < N, const(1), scalars=[N])
    [made] = nodes(converted(func), tir.For)
    assert made.loop_var is I
    assert made.extent is N
