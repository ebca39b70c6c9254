"""Nests of loops that an intrinsic is put in the place of."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from relayish import tir
from relayish.errors import DeclarationError, RelayishError, ScheduleError
from tests.support.tir_small import function, left, loop, memory, nodes


@functools.cache
def axpy() -> str:
    """Eight lanes at once: ``y[i] = y[i] + alpha * x[i]``."""
    described, alpha = [memory("x", 8), memory("y", 8)], tir.Var("alpha")
    x, y = described
    i = tir.Var("i")
    one = function(described, loop(i, 0, 8, tir.store(y, y[i] + alpha * x[i], i)), scalars=[alpha])
    x, y, alpha = memory("x", 8), memory("y", 8), tir.Var("alpha")
    lanes = tir.Ramp(tir.const(0), tir.const(1), 8)
    value = y[lanes] + tir.Broadcast(alpha, 8) * x[lanes]
    other = function([x, y], tir.store(y, value, lanes), scalars=[alpha])
    tir.register_tensor_intrinsic("axpy8", one, other, replace=True)
    return "axpy8"


def rank_one(columns: int = 16) -> tir.LoweredFunc:
    """C[i, j] += A[i, j] * 3, for j from 8 on."""
    a, c = memory("A", 4, 24), memory("C", 4, 24)
    i, j = tir.Var("i"), tir.Var("j")
    stmt = tir.store(c, c[i, j] + (i + 3) * a[i, j - 8], (i, j))
    return function([a, c], loop(i, 0, 4, loop(j, 8, columns, stmt)))


def arrays() -> list[np.ndarray]:
    return [np.arange(96, dtype="int32").reshape(4, 24), np.ones((4, 24), "int32")]


def tensorized(func: tir.LoweredFunc, name: str) -> tir.Schedule:
    schedule = tir.Schedule(func)
    schedule.tensorize(schedule.split(schedule.get_loops()[-1], [-1, 8])[-1], name)
    return schedule


def test_a_nest_becomes_what_the_intrinsic_does():
    schedule = tensorized(rank_one(), axpy())
    assert tir.verify(schedule.func) == ()
    assert left(schedule.func, *arrays()) == left(rank_one(), *arrays())
    (store,) = nodes(schedule.func, tir.Store)
    assert "C[i, Ramp(((j_0 * 8) + 8),1,8)] = (C[i, Ramp(((j_0 * 8) + 8),1,8)]" in tir.astext(store)


def test_operands_that_are_in_another_order_are_another_nest():
    a, c, j = memory("A", 8), memory("C", 8), tir.Var("j")
    schedule = tir.Schedule(function([a, c], loop(j, 0, 8, tir.store(c, a[j] * 3 + c[j], j))))
    with pytest.raises(ScheduleError, match="they are different"):
        schedule.tensorize(schedule.get_loops()[0], axpy())


def test_columns_are_gathered_where_an_argument_goes_along_them():
    a, c = memory("A", 8, 5), memory("C", 8)
    i = tir.Var("i")
    func = function([a, c], loop(i, 0, 8, tir.store(c, c[i] + 5 * a[i, 2], i)))
    schedule = tir.Schedule(func)
    schedule.tensorize(schedule.get_loops()[0], axpy())
    assert tir.verify(schedule.func) == ()
    given = np.arange(40, dtype="int32").reshape(8, 5), np.ones(8, "int32")
    assert left(schedule.func, *given) == left(func, *given)


@pytest.mark.parametrize(
    ("index", "source", "scale", "extent", "message"),
    [
        (lambda i: i, lambda i: i, 2, 7, "they do not run as often"),
        (lambda i: i, lambda i: i * 2, 2, 8, "they go along it in other ways"),
        (lambda i: 7 - i, lambda i: i, 2, 8, "they go along it in other ways"),
        (lambda i: i, lambda i: tir.const(3), 2, 8, "it has less dimensions|in other ways"),
        (lambda i: i, lambda i: i, lambda i: i, 8, "it may change within the nest"),
    ],
)
def test_another_nest_is_refused(index, source, scale, extent, message):
    a, c, i = memory("A", 24), memory("C", 24), tir.Var("i")
    by = scale(i) if callable(scale) else scale
    stmt = tir.store(c, c[index(i)] + by * a[source(i)], index(i))
    schedule = tir.Schedule(function([a, c], loop(i, 0, extent, stmt)))
    before = schedule.func
    with pytest.raises(ScheduleError, match=message):
        schedule.tensorize(schedule.get_loops()[0], axpy())
    assert schedule.func is before


def test_memory_that_is_two_arguments_is_refused_where_one_is_written():
    c, i = memory("C", 24), tir.Var("i")
    stmt = tir.store(c, c[i] + 2 * c[i + 1], i)
    schedule = tir.Schedule(function([c], loop(i, 0, 8, stmt)))
    with pytest.raises(ScheduleError, match="it is another argument as well"):
        schedule.tensorize(schedule.get_loops()[0], axpy())


@functools.cache
def dot() -> str:
    """Four by four by four, of blocks, as `lower` makes them; the implementation unrolls."""
    described = [memory(name, 4, 4, dtype="float32") for name in "abc"]
    a, b, c = described
    i, j, k = [tir.Var(each) for each in "ijk"]
    stmt = tir.store(c, c[i, j] + a[i, k] * b[k, j], (i, j))
    one = function(described, loop(i, 0, 4, loop(j, 0, 4, loop(k, 0, 4, stmt))))
    a, b, c = made = [memory(name, 4, 4, dtype="float32") for name in "abc"]
    i, lanes = tir.Var("i"), tir.Ramp(tir.const(0), tir.const(1), 4)
    stmts = [
        tir.store(c, c[i, lanes] + tir.Broadcast(a[i, at], 4) * b[tir.const(at), lanes], (i, lanes))
        for at in range(4)
    ]
    tir.register_tensor_intrinsic("dot4", one, function(made, loop(i, 0, 4, *stmts)), replace=True)
    return "dot4"


def matmul() -> tir.LoweredFunc:
    A, B = tir.placeholder("A", (8, 12)), tir.placeholder("B", (12, 16))
    k = tir.reduce_axis("k", 12)
    C = tir.compute((8, 16), lambda i, j: tir.reduce_sum(A[i, k] * B[k, j], [k]), "C")
    return tir.lower("matmul", [A, B, C])


def test_a_tiled_matmul_is_made_of_small_ones():
    func = matmul()
    schedule = tir.Schedule(func)
    schedule.decompose_reduction(schedule.get_block("C"), schedule.get_loops("C")[0])
    i, j, k = schedule.get_loops("C")[-3:]
    tiles = [schedule.split(each, [-1, 4]) for each in (i, j, k)]
    schedule.reorder([*[outer for outer, _ in tiles], *[inner for _, inner in tiles]])
    random = np.random.default_rng(0)
    given = [random.normal(size=each).astype("float32") for each in ((8, 12), (12, 16), (8, 16))]
    before = left(func, *given)
    schedule.tensorize(tiles[0][1], dot())
    assert tir.verify(schedule.func) == ()
    assert left(schedule.func, *given) == before


def test_the_body_of_a_block_is_replaced_within_it():
    a, c, i, j, at = memory("A", 8, 8), memory("C", 8, 8), tir.Var("i"), tir.Var("j"), tir.Var("at")
    nest = loop(j, 0, 8, tir.store(c, c[at, j] + 2 * a[at, j], (at, j)))
    block = tir.schedule_block("rows", [(at, i)], nest)
    func = function([a, c], loop(i, 0, 8, block))
    schedule = tir.Schedule(func)
    schedule.tensorize(schedule.get_block("rows"), axpy())
    assert tir.verify(schedule.func) == ()
    assert nodes(schedule.get_block("rows").stmt, tir.For) == []
    given = np.arange(64, dtype="int32").reshape(8, 8), np.ones((8, 8), "int32")
    assert left(schedule.func, *given) == left(func, *given)


@functools.cache
def summed() -> str:
    """``c[i] = c[i] + a[i, k]`` for eight ``k``, whose sums stand in memory of its own."""
    described = [memory("a", 2, 8), memory("c", 2)]
    a, c = described
    i, k = tir.Var("i"), tir.Var("k")
    one = function(described, loop(i, 0, 2, loop(k, 0, 8, tir.store(c, c[i] + a[i, k], i))))
    a, c = made = [memory("a", 2, 8), memory("c", 2)]
    acc = memory("acc", 2)
    i, j, k, m = [tir.Var(each) for each in "ijkm"]
    stmts = [
        loop(i, 0, 2, tir.store(acc, c[i], i)),
        loop(k, 0, 8, loop(m, 0, 2, tir.store(acc, acc[m] + a[m, k], m))),
        loop(j, 0, 2, tir.store(c, acc[j], j)),
    ]
    other = function(made, *stmts).with_fields(temp_bufs=[acc.buffer])
    tir.register_tensor_intrinsic("summed2", one, other, replace=True)
    return "summed2"


def test_memory_of_an_intrinsic_becomes_that_of_the_function():
    a, c, acc = memory("A", 6, 8), memory("C", 6), memory("acc", 6)
    i, k, at = tir.Var("i"), tir.Var("k"), tir.Var("at")
    nest = loop(i, 0, 6, loop(k, 0, 8, tir.store(acc, acc[i] + a[i, k], i)))
    copy = loop(at, 0, 6, tir.store(c, acc[at], at))
    s = tir.Var("s")
    start = loop(s, 0, 6, tir.store(acc, tir.const(0), s))
    func = function([a, c], start, nest, copy).with_fields(temp_bufs=[acc.buffer])
    schedule = tir.Schedule(func)
    outer = schedule.get_loops()[1]
    schedule.tensorize(schedule.split(outer, [3, 2])[1], summed())
    assert tir.verify(schedule.func) == ()
    names = [each.name for each in schedule.func.temp_bufs]
    assert len(set(names)) == 2
    assert {each.buffer.name for each in nodes(schedule.func, tir.Tensor)} == {"_A", "_C", *names}
    given = np.arange(48, dtype="int32").reshape(6, 8), np.zeros(6, "int32")
    assert left(schedule.func, *given) == left(func, *given)
    again = schedule.trace.replay(func)
    assert tir.astext(again.func) == tir.astext(schedule.func)


def test_memory_of_a_size_that_is_no_number_is_refused():
    n, x, i = tir.Var("n"), memory("x", 8), tir.Var("i")
    func = function([x], loop(i, 0, 8, tir.store(x, x[i] + 1, i)))
    other = func.with_fields(temp_bufs=[tir.Buffer("_t", (n,), "int32")])
    with pytest.raises(DeclarationError, match="buffer _t has a size that is no number"):
        tir.register_tensor_intrinsic("sized", func, other)


def test_an_implementation_that_reads_what_it_has_not_stored_is_refused():
    x, t, i, j = memory("x", 8), memory("t", 8), tir.Var("i"), tir.Var("j")
    one = function([x], loop(i, 0, 8, tir.store(x, x[i] + 1, i)))
    other = function([x], loop(j, 0, 8, tir.store(x, x[j] + 1 + t[j] * 0, j)))
    with pytest.raises(RelayishError, match="is read before anything was stored to it"):
        tir.register_tensor_intrinsic("unset", one, other.with_fields(temp_bufs=[t.buffer]))


def test_an_implementation_that_does_something_else_is_refused():
    x, i = memory("x", 8), tir.Var("i")
    one = function([x], loop(i, 0, 8, tir.store(x, x[i] + 1, i)))
    other = function([x], loop(i, 0, 7, tir.store(x, x[i] + 1, i)))
    with pytest.raises(DeclarationError, match="leaves something else in _x"):
        tir.register_tensor_intrinsic("wrong", one, other)
    with pytest.raises(DeclarationError, match="expected the same types and sizes"):
        tir.register_tensor_intrinsic("wrong", one, function([memory("x", 9)]))


def test_an_intrinsic_that_nobody_knows_is_refused():
    axpy()
    with pytest.raises(RelayishError, match="no tensor intrinsic is called 'axpi8'; did you mean"):
        tensorized(rank_one(), "axpi8")


def test_floats_may_differ_where_that_was_said():
    x, i = memory("x", 8, dtype="float32"), tir.Var("i")
    one = function([x], loop(i, 0, 8, tir.store(x, x[i] / 3.0, i)))
    other = function([x], loop(i, 0, 8, tir.store(x, x[i] * (1 / 3), i)))
    with pytest.raises(DeclarationError, match="or rtol= that says how far apart"):
        tir.register_tensor_intrinsic("third", one, other)
    tir.register_tensor_intrinsic("third", one, other, rtol=1e-6)
