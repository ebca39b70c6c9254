"""Conversion of loops with a condition and a step: which, to what, and what stands in the way."""

from __future__ import annotations

import re

import numpy as np
import pytest

from relayish import tir
from relayish.passes.loops.structure.transform_poly_for_to_for import poly_for_obstacles
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


@pytest.mark.parametrize(("first", "last"), [(-(2**31), -(2**31) + 3), (2**31 - 4, 2**31 - 1)])
def test_count_does_not_overflow_at_the_ends_of_a_type(first, last):
    func = count(M, I < N, const(1), scalars=[N, M])
    given = np.zeros(2, "int64")
    assert nodes(converted(func), tir.PolyFor) == []
    assert left(converted(func), last, first, given) == left(func, last, first, given)


def test_count_of_more_iterations_than_the_type_holds_is_wider():
    func = count(M, I < N, const(1), scalars=[N, M])
    [made] = nodes(converted(func), tir.For)
    assert made.loop_var.type == tir.as_type("int64")
    given = np.zeros(2, "int64")
    assert left(converted(func), -(2**31), 2**31 - 1, given) == [[0, 0]]


def test_loop_from_0_by_one_keeps_its_variable_and_bound():
    func = count(const(0), I < N, const(1), scalars=[N])
    [made] = nodes(converted(func), tir.For)
    assert made.loop_var is I
    assert made.extent is N


def test_beginning_that_the_body_writes_is_read_once():
    a = memory("A", 8)
    func = function([a], poly(a[0], I < 6, const(2), tir.Store(a, const(9), (I,))))
    given = np.array([1, 0, 0, 0, 0, 0, 0, 0], "int32")
    assert nodes(converted(func), tir.PolyFor) == []
    assert left(converted(func), given) == left(func, given)


def test_marks_of_the_loop_are_kept():
    a = memory("A", 8)
    loop = poly(const(0), I < 6, const(1), tir.Store(a, I, (I,)))
    loop = loop.with_fields(for_type=tir.ForType.PARALLEL)
    [made] = nodes(converted(function([a], loop)), tir.For)
    assert made.for_type is tir.ForType.PARALLEL


def test_inner_loop_is_converted_by_what_is_known_of_the_outer_one():
    a, j = memory("A", 64), tir.Var("j")
    inner = poly(I, j < I + 5, const(2), tir.Store(a, a[j] + 1, (j,)), var=j)
    func = function([a], poly(const(0), I < 30, const(1), inner))
    given = np.zeros(64, "int32")
    assert nodes(converted(func), tir.PolyFor) == []
    assert left(converted(func), given) == left(func, given)


A, X = memory("A", 8), tir.Var("x")
VIEW = tir.Tensor("B", (2, 4), "int32", A.buffer)
BY_MEMORY = (const(0), A[0] > I, const(1))
NO_COMPARISON = "is no comparison of i itself with a bound"
CHANGES = "its condition may change while it runs"
OBSTACLES = {
    "a step that is no constant": (count(const(1), I < 9, I), "its step i is no constant"),
    "a step of nothing": (count(const(1), I < 9, const(0)), "its step is 0"),
    "a condition on something else": (count(const(1), I * 2 < 9, const(1)), NO_COMPARISON),
    "inequality": (count(const(1), tir.NE(I, const(9)), const(1)), NO_COMPARISON),
    **{
        f"a step of {step} away from the bound": (
            count(const(3), condition, const(step)), "^nothing bounds i")
        for condition, step in ((I > 0, 1), (I >= 0, 2), (I < 9, -1))
    },
    "a bound that the body writes": (
        function([A], poly(*BY_MEMORY, tir.Store(A, const(3), (I,)))), CHANGES),
    "a bound that the body writes through another view": (
        function([A], poly(*BY_MEMORY, tir.Store(VIEW, const(3), (0, 0)))), CHANGES),
    "a bound in a scalar that the body assigns": (
        function([A], tir.Let(X, const(5)),
                 poly(const(0), X > I, const(1), tir.Store(X, const(3), ()))), CHANGES),
    "a bound that an unknown function may write": (
        function([A], poly(*BY_MEMORY, tir.Call("void", "launch_rocket"))), ""),
    "a variable that may wrap around": (
        count(const(0), I < N, const(2), scalars=[N]),
        "may wrap around at the end of int32 before it passes n"),
}  # fmt: skip


@each("name", OBSTACLES)
def test_loop_stays_because_of(name):
    func, message = OBSTACLES[name]
    [found] = poly_for_obstacles(func).values()
    assert re.search(message, found)
    assert converted(func) is func


def test_bound_that_is_read_only_is_no_obstacle():
    b = memory("B", 8)
    func = function([A, b], poly(*BY_MEMORY, tir.Store(b, I, (I,))))
    assert poly_for_obstacles(func) == {}
