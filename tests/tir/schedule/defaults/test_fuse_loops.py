"""Loops that are fused: which are."""

from __future__ import annotations

from relayish import tir
from tests.support.each import each
from tests.support.tir_small import function, loop, memory, nodes, scheduled

I, J, K = (tir.Var(name) for name in "ijk")  # noqa: E741 - as loops are called
A, B, C, D = (memory(name, 16, 16) for name in "ABCD")


def pair(read, extent=16, first=None):
    """B is what A was; C is told by B."""
    before = tir.Store(B, A[I, 0] if first is None else first, (I, tir.const(0)))
    after = tir.Store(C, read, (J, tir.const(0)))
    return function([A, B, C], loop(I, 0, 16, before), loop(J, 0, extent, after))


@each(
    ("func", "count"),
    [
        (pair(B[J, 0]), 1),
        (pair(B[tir.Max(J - 1, tir.const(0)), 0]), 1),  # an iteration before
        (pair(B[15 - J, 0]), 2),  # not yet there
        (pair(B[J, 0], extent=15), 2),  # it runs less often
        (pair(A[J, 0]), 2),  # nothing passes from one to the other
        (pair(B[J, 0], first=C[tir.Max(I - 1, tir.const(0)), 0]), 2),  # C is needed as it was
    ],
)
def test_loops_are_fused_where_what_is_read_is_there(func, count):
    assert len(nodes(scheduled("fuse_loops", func), tir.For)) == count


def copied(target, value):
    """Each element of a tensor is what is told of its place."""
    i, j = tir.Var("i"), tir.Var("j")
    return loop(i, 0, 16, loop(j, 0, 16, tir.Store(target, value(i, j), (i, j))))


@each(
    ("value", "count"),
    [
        (lambda i, j: B[i, j] + C[i, j], 2),  # C stands between B and what reads both
        (lambda i, j: C[i, j], 4),  # B is not read
        (lambda i, j: B[i, 15 - j] + C[i, j], 3),  # of B, whole rows are
    ],
)
def test_what_is_fused_may_need_what_stands_before(value, count):
    made = copied(B, lambda i, j: A[i, j] + 1), copied(C, lambda i, j: A[i, j] + 2)
    func = function([A, B, C, D], *made, copied(D, value))
    assert len(nodes(scheduled("fuse_loops", func), tir.For)) == count
