"""Loops whose iterations run in any order, or at once, and depend on each other."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.tir import BindInfo, ForType, MemoryType

SIZE = (tir.const(64),)


def memory(name, kind=MemoryType.HEAP):
    buffer = tir.Buffer(f"_{name}", SIZE, "int32", memory_type=kind)
    return tir.Tensor(name, SIZE, "int32", buffer)


A, B = memory("A"), memory("B")
i, n = tir.Var("i"), tir.Var("n")
KINDS = {
    "PARALLEL": {"for_type": ForType.PARALLEL},
    "GPU_THREAD": {
        "for_type": ForType.GPU_THREAD, "bind_info": BindInfo(ForType.GPU_THREAD, 0),
    },
    "GPU_BLOCK": {"for_type": ForType.GPU_BLOCK, "bind_info": BindInfo(ForType.GPU_BLOCK, 0)},
    "VECTORIZED": {
        "for_type": ForType.VECTORIZED, "vectorize_info": tir.VectorizeInfo(0, 4),
    },
}  # fmt: skip


def store(tensor, index, value):
    return tir.Store(tensor, tir.ir.operators.as_expr(value), (tir.ir.operators.as_expr(index),))


def marked(kind, *stmts, extent=32):
    return tir.For(i, 0, extent, tir.Block(stmts), **KINDS[kind])


def messages(root):
    return [str(found) for found in tir.verify(root)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("extent", [32, n])
def test_loop_that_reads_what_the_iteration_before_wrote_is_found(kind, extent):
    loop = marked(kind, store(A, i + 1, A[i] + 1), extent=extent)
    [found] = messages(loop)
    assert found.startswith(
        f"the loop over i is {kind}, but A[i] has to wait for A[(i + 1)] = (A[i] + 1) of an "
        f"earlier iteration; make it serial, or give each iteration elements of its own"
    )


def test_serial_and_unrolled_loops_may_depend():
    stmt = store(A, i + 1, A[i] + 1)
    for kind in (ForType.SERIAL, ForType.UNROLLED, ForType.DEFAULT):
        assert tir.verify(tir.For(i, 0, 32, tir.Block((stmt,)), kind)) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_loop_whose_iterations_leave_each_other_alone_is_accepted(kind):
    x, k = tir.Var("x", "int32"), tir.Var("k", "int32", 0, 8)
    temporary = tir.Buffer("_t", (tir.const(2),), "int32")
    t = tir.Tensor("t", (tir.const(2),), "int32", temporary)
    total = tir.Reduce(tir.ReduceType.SUM, tir.const(0), B[i + k], (k,))
    for stmts in (
        (store(A, i, A[i] + 1),),
        (store(A, i, A[i + 32]),),
        (tir.Let(x, B[i]), tir.Store(x, x + 1, ()), store(A, i, x)),
        (tir.Alloc(temporary), store(t, 0, B[i]), store(A, i, t[0])),
        (store(A, i, total),),
        (tir.IfThenElse(tir.EQ(i, tir.const(3)), tir.Block((store(A, 0, 1),))),),
    ):
        assert messages(marked(kind, *stmts)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_not_known_is_accepted(kind):
    for index in (B[i], i + n, i * n):
        assert messages(marked(kind, store(A, index, A[i]))) == []


def test_sum_of_all_iterations_into_one_element_is_found():
    [found] = messages(marked("PARALLEL", store(A, 0, A[0] + B[i])))
    assert "make it serial" in found


def test_loop_that_carries_within_each_iteration_of_the_one_around_it_is_found():
    j = tir.Var("j")
    inner = tir.For(j, 0, 4, tir.Block((store(A, i * 8 + j + 1, A[i * 8 + j]),)), ForType.PARALLEL)
    outer = tir.For(i, 0, 4, tir.Block((inner,)), ForType.PARALLEL)
    [found] = messages(outer)
    assert found.startswith("the loop over j is PARALLEL")
    apart = tir.For(j, 0, 4, tir.Block((store(A, i + j * 8, A[i + j * 8 + 1]),)), ForType.PARALLEL)
    assert messages(tir.For(i, 0, 4, tir.Block((apart,)))) == []
    [found] = messages(tir.For(i, 0, 4, tir.Block((apart,)), ForType.PARALLEL))
    assert found.startswith("the loop over i is PARALLEL")


def test_lanes_may_depend_as_vectors_keep_it():
    for stmts, count in (
        ((store(A, i + 4, A[i]),), 0),  # further apart than lanes are
        ((store(A, i + 3, A[i]),), 1),
        ((store(A, i, A[i + 1]),), 0),  # loaded for all lanes before one is stored
        ((store(A, i + 1, 0), store(B, i, A[i])), 0),
        ((store(B, i, A[i]), store(A, i + 1, 0)), 1),
        ((store(A, 0, i),), 0),  # stored in order
    ):
        assert len(messages(marked("VECTORIZED", *stmts))) == count
    j = tir.Var("j")
    inner = tir.For(j, 0, 2, tir.Block((store(A, i + j, i),)))
    assert len(messages(marked("VECTORIZED", inner))) == 1


def test_memory_of_a_thread_is_no_other_threads():
    accepted = {
        (MemoryType.GPU_LOCAL, "GPU_THREAD"),
        (MemoryType.GPU_LOCAL, "GPU_BLOCK"),
        (MemoryType.GPU_SHARED, "GPU_BLOCK"),
    }
    for memory_type in MemoryType:
        t = memory("T", memory_type)
        for kind in ("PARALLEL", "GPU_THREAD", "GPU_BLOCK"):
            loop = marked(kind, store(t, 0, B[i]), store(A, i, t[0]))
            assert (messages(loop) == []) is ((memory_type, kind) in accepted)
