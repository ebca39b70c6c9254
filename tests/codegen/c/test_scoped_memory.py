"""Memory that iterations have alone: arrays that are declared where they are allocated."""

import numpy as np
import pytest

from relayish import tir
from tests.support.tir_small import loop, memory

A, B = memory("A", 4, 8), memory("B", 4, 8)
T = memory("T", 8)
i, j, k = (tir.Var(name) for name in "ijk")


def text(*stmts, temp=T, kind="PARALLEL"):
    """The C of a loop, of which each iteration does ``stmts``, that leaves what it should."""
    body = tir.Block((loop(i, 0, 4, *stmts, kind=kind),))
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), body, (temp.buffer,))
    assert not tir.verify(func)
    given = np.arange(32, dtype="int32").reshape(4, 8)
    expected, found = np.zeros((4, 8), "int32"), np.zeros((4, 8), "int32")
    tir.run(func, given.copy(), expected)
    made = tir.build(func)
    made(given.copy(), found)
    assert np.array_equal(expected, found)
    return made.source.text


def filled(count=8, temp=T):
    return loop(j, 0, count, tir.Store(temp, A[i, j] * 2, (j,)))


def read(temp=T):
    return loop(k, 0, 8, tir.Store(B, temp[k], (i, k)))


ALLOC = tir.Alloc(T.buffer)


def test_memory_of_an_iteration_is_an_array_of_it_and_iterations_run_at_once():
    source = text(ALLOC, filled(), read())
    assert "int32_t T[8];" in source
    assert "#pragma omp parallel for" in source
    assert "malloc" not in source.split("int32_t f(")[1]


@pytest.mark.parametrize(
    "stmts",
    [
        (ALLOC, filled(), read(), tir.Free(T.buffer)),
        (tir.Alloc(T.buffer, (), tir.LT(i, 9)), filled(), read()),
    ],
)
def test_other_memory_is_asked_for(stmts):
    body = text(*stmts, kind="SERIAL").split("int32_t f(")[1]
    assert "malloc" in body
    assert "int32_t T[8];" not in body


def test_memory_of_which_not_all_is_stored_first_has_marks():
    store = loop(j, 0, 4, tir.Store(T, A[i, j], (j * 2,)))
    use = loop(k, 0, 4, tir.Store(B, T[k * 2], (i, k)))
    body = text(ALLOC, store, use).split("int32_t f(")[1]
    assert "calloc" in body


def test_greater_memory_is_an_array_if_it_asks_for_it():
    for kind in (tir.MemoryType.HEAP, tir.MemoryType.GPU_LOCAL):
        temp = tir.Tensor(
            "T", (4096,), "int32", tir.Buffer("_T", (4096,), "int32", memory_type=kind)
        )
        fill = loop(j, 0, 4096, tir.Store(temp, j, (j,)))
        source = text(tir.Alloc(temp.buffer), fill, read(temp), temp=temp)
        is_array = kind is tir.MemoryType.GPU_LOCAL
        assert ("int32_t T[4096];" in source) is is_array


def test_memory_of_which_a_part_is_stored_and_read_is_an_array():
    T2 = memory("T", 12)
    reads = [tir.Store(B, T2[k], (i, k)), tir.Store(B, T2[3], (i, 0))]
    alloc = tir.Alloc(T2.buffer)
    source = text(alloc, filled(8, T2), loop(k, 2, 6, reads[0]), reads[1], temp=T2)
    assert "int32_t T[12];" in source
    for wrong in (loop(k, 2, 7, tir.Store(B, T2[k], (i, k - 2))), tir.Store(B, T2[8], (i, 0))):
        body = tir.Block((loop(i, 0, 4, alloc, filled(8, T2), wrong),))
        func = tir.LoweredFunc("f", (A.buffer, B.buffer), body, (T2.buffer,))
        assert "int32_t T[12];" not in tir.build(func).source.text


def test_memory_of_a_block_in_a_loop_is_an_array_of_it():
    other, m, n = memory("U", 8), tir.Var("m"), tir.Var("n")
    fill = loop(m, 0, 8, tir.Store(other, A[i, m] * 2, (m,)))
    use = loop(n, 0, 8, tir.Store(B, other[n], (i, n)))
    parts = [
        tir.Block((ALLOC, filled(), read())),
        tir.Block((tir.Alloc(other.buffer), fill, use)),
    ]
    body = tir.Block((loop(i, 0, 4, *parts),))
    func = tir.LoweredFunc("f", (A.buffer, B.buffer), body, (T.buffer, other.buffer))
    source = tir.build(func).source.text
    assert "int32_t T[8];" in source
    assert "int32_t U[8];" in source
    assert "malloc" not in source.split("int32_t f(")[1]
