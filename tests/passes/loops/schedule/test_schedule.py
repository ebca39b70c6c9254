"""Loops that are cut, and arrays that are contracted: which are."""

from __future__ import annotations

import numpy as np

from relayish import tir
from tests.support.each import each
from tests.support.tir_small import apply, function, left, loop, memory, nodes

I, J, K = (tir.Var(name) for name in "ijk")  # noqa: E741 - as loops are called
A, B, C, D = (memory(name, 16, 16) for name in "ABCD")


def padded(condition):
    value = tir.Select(condition, A[I, J], tir.const(0))
    return function([A, B], loop(I, 0, 16, loop(J, 0, 16, tir.Store(B, value, (I, J)))))


@each(
    ("condition", "loops", "selections"),
    [
        (I < 3, 4, 0),
        (I <= 14, 3, 0),  # the last row is a part of its own, of one iteration
        (tir.And(I >= 1, J < 8), 5, 4),
        (J + I < 8, 2, 1),
        (A[I, J] < 8, 2, 1),
        (I < 16, 2, 1),
    ],
)
def test_loops_are_cut_where_conditions_change(condition, loops, selections):
    image = apply("PartitionLoops", padded(condition))
    assert len(nodes(image, tir.For)) == loops
    assert len(nodes(image, tir.Select)) == selections


def shrunk(func):
    """Return the sizes of the temporary of a function whose arrays are contracted."""
    held = func.with_fields(args=func.args[:1] + func.args[2:], temp_bufs=(func.args[1],))
    image = apply("ContractArrays", held)
    return [size.value for size in image.temp_bufs[0].shape]


def rows(read, place=(I, J), around=None):
    """Each row of B is that of A, and of C what is read."""
    first = loop(J, 0, 16, tir.Store(B, A[I, J], place))
    second = loop(K, 0, 16, tir.Store(C, read, (I, K)))
    whole = loop(I, 0, 16, first, second)
    return function([A, B, C], whole if around is None else loop(around, 0, 2, whole))


@each(
    ("func", "sizes"),
    [
        (rows(B[I, 15 - K]), [1, 16]),
        (rows(B[tir.Max(I - 1, tir.const(0)), K]), [16, 16]),  # it reads a former row
        (rows(B[I, K], around=tir.Var("again")), [16, 16]),  # rows are kept until the next time
        (rows(B[I, I], place=(I, I)), [1, 16]),
    ],
)
def test_temporaries_keep_the_dimensions_that_are_needed_at_once(func, sizes):
    assert shrunk(func) == sizes


ZERO, ONE, TWO = map(tir.const, range(3))
X, T, Y = (memory(name, 4) for name in "XTY")
STORED, READ = tir.Store(T, ONE, (ZERO,)), tir.Store(Y, T[ZERO], (ZERO,))
TOLD = X[ZERO]  # 1 at first, then 2


@each(
    "stmts",
    [
        (STORED, READ, STORED, tir.Store(Y, T[ZERO], (ONE,))),
        (STORED, READ, tir.Store(T, TWO, (ZERO,)), READ),
        (
            tir.Store(T, ONE, (TWO,)),
            loop(
                I,
                *(0, 1, tir.Store(T, TWO, (TOLD,)), tir.Store(X, TWO, (ZERO,))),
                tir.Store(Y, T[TOLD], (ZERO,)),
            ),
        ),
    ],
)
def test_temporaries_are_one_where_a_statement_is_or_memory_tells_what_is_read(stmts):
    func = function([X, T, Y], *stmts)
    func = func.with_fields(args=(X.buffer, Y.buffer), temp_bufs=(T.buffer,))
    given = np.ones(4, "int32"), np.zeros(4, "int32")
    assert left(apply("ContractArrays", func), *given) == left(func, *given)


def parts(*ranges, again=False):
    """Some rows of B are those of A, and some of C are read of B, part by part."""
    stmts = []
    for low, count in ranges:
        i, j, k = (tir.Var(name) for name in "ijk")
        first = loop(j, 0, 16, tir.Store(B, A[i, j], (i, j)))
        stmts.append(loop(i, low, count, first, loop(k, 0, 16, tir.Store(C, B[i, 15 - k], (i, k)))))
    if again:
        stmts.append(tir.Store(C, B[ZERO, ZERO], (ZERO, ZERO)))
    func = function([A, B, C], *stmts)
    return func.with_fields(args=(A.buffer, C.buffer), temp_bufs=(B.buffer,))


@each(
    ("func", "sizes"),
    [
        (parts((0, 8), (8, 8)), [[1, 16], [8, 16]]),  # the second begins elsewhere
        (parts((0, 8), (0, 3)), [[1, 16], [1, 16]]),
        (parts((3, 2)), [[2, 16]]),  # what nobody uses is left out
        (parts((0, 8), (8, 8), again=True), [[16, 16]]),  # the first tells what is read at last
    ],
)
def test_loops_that_tell_each_other_nothing_have_temporaries_of_their_own(func, sizes):
    image = apply("ContractArrays", func)
    found = [[size.value for size in each.shape] for each in image.temp_bufs]
    assert found == sizes
    given = np.arange(256, dtype="int32").reshape(16, 16), np.zeros((16, 16), "int32")
    assert left(image, *given) == left(func, *given)
