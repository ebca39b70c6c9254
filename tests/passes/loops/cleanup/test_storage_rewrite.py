"""Temporaries that share memory, and those that cannot."""

from __future__ import annotations

import numpy as np

from relayish import tir
from relayish.ir.relay.module import IRModule
from relayish.tir.analysis.regions.lifetimes import Lifetimes
from relayish.transform import get_pass
from tests.support.each import each
from tests.support.tir_small import apply, function, left, loop, memory

A, B = memory("A", 16), memory("B", 16)
S, T = memory("S", 16), memory("T", 16)
N, K = tir.Var("n"), tir.Var("k")


def goes(target, source, size=16, at=lambda i: i):
    """Each element of a tensor is one of another."""
    var = tir.Var("i")
    return loop(var, 0, size, tir.Store(target, source[at(var)] + 1, (var,)))


def partly(target, size):
    """Fill some elements only."""
    return goes(target, A, size=size)


def program(*stmts, temps=(S, T)):
    made = function([A, B], *stmts, scalars=[N])
    return made.with_fields(temp_bufs=tuple([temp.buffer for temp in temps]))


def arm(*stmts):
    return tir.Block(stmts)


FIRST = (goes(S, A), goes(B, S, at=lambda i: 15 - i))
SECOND = (goes(T, B), goes(A, T, at=lambda i: 15 - i))
SMALL = memory("T", 4)
TALL = memory("T", 2, 2)


@each(
    "stmts",
    [
        (*FIRST, *SECOND),
        (loop(K, 0, 3, *FIRST, *SECOND),),
        (tir.IfThenElse(N > 0, arm(*FIRST), arm(*SECOND)),),
        (tir.IfThenElse(N > 0, arm(*FIRST, loop(K, 0, N, *SECOND))),),
        (partly(S, 8), goes(B, S, size=8), goes(B, A), *SECOND),  # what S lacks nobody reads
    ],
)
def test_what_is_not_needed_at_one_time_shares(stmts):
    func = program(*stmts)
    image = apply("StorageRewrite", func)
    assert len(image.temp_bufs) == 1
    for value in (0, 1, 3):
        args = (np.int32(value), np.arange(16, dtype="int32"), np.zeros(16, "int32"))
        assert left(func, *args) == left(image, *args)


KEPT = loop(K, 0, 3, tir.IfThenElse(K > 0, arm(goes(B, S))), goes(S, A), *SECOND)


@each(
    "stmts",
    [
        (goes(S, A), goes(T, A), goes(B, S), goes(A, T)),  # both are needed
        (goes(S, A), *SECOND, goes(B, S)),  # one around the other
        (goes(S, A), goes(T, S), goes(A, T)),  # one is made of the other in one loop
        (goes(S, A), loop(K, 0, 3, goes(B, S), *SECOND)),  # S is needed in each iteration
        (KEPT,),  # what an iteration leaves in S is needed in the next
        (partly(S, 8), goes(B, S), *SECOND),  # what S lacks T must not give
        (*FIRST, partly(T, 8), goes(A, T)),  # T lacks something, which is an error
        (tir.IfThenElse(N > 0, arm(goes(S, A), goes(T, A)), arm(goes(S, A), goes(T, A))),),
        (*FIRST, tir.Alloc(T.buffer), *SECOND),
        (*FIRST, *SECOND, tir.Call("void", "launch_rocket", (), (T,))),
        (loop(K, 0, 3, *FIRST, *SECOND, kind="PARALLEL"),),
    ],
)
def test_what_is_needed_at_one_time_does_not(stmts):
    func = program(*stmts)
    assert apply_unchecked(func) is func


def apply_unchecked(func):
    """What the pass makes of a program that may be unsound."""

    return get_pass("StorageRewrite")(IRModule({"f": func}))["f"]


def other(**fields):
    return tir.Tensor("T", (16,), "int32", T.buffer.with_fields(**fields))


@each(
    ("temp", "count"),
    [
        (memory("T", 4), 1),
        (memory("T", 2, 8), 1),
        (memory("T", 32), 1),
        (memory("T", 16, dtype="float32"), 2),
        (memory("T", 16, dtype="int64"), 2),
        (tir.Tensor("T", (16,), "int32", tir.Buffer("_T", (16,), "int32", (2,))), 2),
        (other(memory_type=tir.MemoryType.STACK), 2),
        (other(data_alignment=64), 2),
        (other(scope="shared"), 2),
    ],
)
def test_memory_serves_what_it_is_like(temp, count):
    axes = [tir.Var(name) for name in "ij"[: len(temp.shape)]]
    value = A[0] if temp.dtype == A.dtype else tir.Cast(temp.dtype, A[0])
    fill = tir.Store(temp, value, tuple(axes))
    for var, size in reversed(list(zip(axes, temp.shape, strict=True))):
        fill = loop(var, 0, size.value, fill)
    use = tir.Store(B, tir.Cast("int32", temp[(0,) * len(axes)]), (0,))
    func = program(*FIRST, fill, use, temps=(S, temp))
    image = apply("StorageRewrite", func)
    assert len(image.temp_bufs) == count
    args = (np.int32(0), np.arange(16, dtype="int32"), np.zeros(16, "int32"))
    assert left(func, *args) == left(image, *args)


def test_many_share_one_memory():
    temps = [memory(f"T{at}", 16) for at in range(20)]
    stmts = [each for temp in temps for each in (goes(temp, A), goes(A, temp))]
    assert len(apply("StorageRewrite", program(*stmts, temps=temps)).temp_bufs) == 1


def test_a_chain_needs_two():
    temps = [memory(f"T{at}", 16) for at in range(20)]
    pairs = zip([A, *temps], [*temps, B], strict=True)
    func = program(*[goes(target, source) for source, target in pairs], temps=temps)
    assert len(apply("StorageRewrite", func).temp_bufs) == 2


def test_sizes_that_arguments_tell_are_the_same_or_unknown():
    first, second, third = (
        tir.Tensor(x, (N,), "int32", tir.Buffer(f"_{x}", (N,), "int32")) for x in "XYZ"
    )
    third = tir.Tensor("Z", (N + 1,), "int32", tir.Buffer("_Z", (N + 1,), "int32"))

    def through(temp, size):
        i, j = tir.Var("i"), tir.Var("j")
        return loop(i, 0, size, tir.Store(temp, A[i], (i,))), loop(
            j, 0, size, tir.Store(B, temp[j], (j,))
        )

    stmts = [*through(first, N), *through(second, N), *through(third, third.shape[0])]
    func = program(*stmts, temps=(first, second, third))
    assert len(apply("StorageRewrite", func).temp_bufs) == 2


def test_memory_of_a_known_size_serves_none_of_an_unknown_one():
    open_size = tir.Tensor("X", (N,), "int32", tir.Buffer("_X", (N,), "int32"))
    i, j = tir.Var("i"), tir.Var("j")
    fill = loop(i, 0, N, tir.Store(open_size, A[i], (i,)))
    use = loop(j, 0, N, tir.Store(B, open_size[j], (j,)))
    func = program(*FIRST, fill, use, temps=(S, open_size))
    assert len(apply("StorageRewrite", func).temp_bufs) == 2


def test_a_buffer_of_which_nothing_is_said_is_needed_always():
    body = tir.Block((goes(A, A), goes(S, A)))
    lifetimes = Lifetimes(body, [S.buffer, T.buffer])
    assert lifetimes.time_of(S.buffer).begin == (1,)
    assert lifetimes.time_of(T.buffer).begin < (0,) < (2,) < lifetimes.time_of(T.buffer).end
    assert not lifetimes.are_apart(S.buffer, T.buffer)
    assert not lifetimes.are_apart(T.buffer, S.buffer)
    assert not lifetimes.are_apart(S.buffer, S.buffer)
