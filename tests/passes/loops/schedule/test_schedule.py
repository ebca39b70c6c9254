"""Loops that are fused, tiled, cut and contracted: which are, and that they compute the same."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from tests.support.compiled_loops import compile_all, natively, skip_without_compiler
from tests.support.each import each
from tests.support.seeds import seeds
from tests.support.tir_contractions import SCHEDULE, arrays_for, random_contraction
from tests.support.tir_small import apply, function, loop, memory, nodes

I, J, K = (tir.Var(name) for name in "ijk")  # noqa: E741 - as loops are called
A, B, C, D = (memory(name, 16, 16) for name in "ABCD")


@pytest.mark.slow("runs random sums of products, and compiles them")
def test_random_contractions_compute_the_same_and_many_of_them_change():
    skip_without_compiler()
    changed = dict.fromkeys(SCHEDULE, 0)
    cases = []
    for seed in seeds(50):
        func = random_contraction(seed)
        given = arrays_for(func, seed)
        expected = [array.copy() for array in given]
        tir.run(func, *expected)
        for name in SCHEDULE:
            before, func = func, apply(name, func)
            changed[name] += func is not before
        assert tir.verify(func) == (), seed
        found = [array.copy() for array in given]
        tir.run(func, *found)
        assert all(map(np.array_equal, expected, found)), seed
        cases.append((func, given, expected))
    assert min(changed.values()) > 5, changed
    module = compile_all([func for func, _, _ in cases])
    for func, given, expected in cases:
        assert all(map(np.array_equal, expected, natively(module[func.name], given))), func.name


def product(first=A[I, K], second=B[J, K], rows=16, start=0, place=(I, J), rest=()):
    """C is the product of A and B transposed, unless something is otherwise."""
    step = tir.Store(C, C[place] + first * second, place)
    inner = (tir.Store(C, tir.const(start), place), loop(K, 0, 16, step), *rest)
    return function([A, B, C, D], loop(I, 0, rows, loop(J, 0, 16, *inner)))


def test_products_are_tiled():
    image = apply("TileContractions", product())
    assert [buffer.name for buffer in image.temp_bufs] == ["_packed", "_tile"]


@each(
    "func",
    [
        product(first=C[K, J]),  # what is multiplied changes meanwhile
        product(second=A[I, K]),  # there is nothing to be had from lanes: they need both factors
        product(rows=2),  # copying takes as long as adding
        product(place=(I, I)),  # all columns are one element
        product(first=B[J, I], second=A[K, J]),  # rows do not tell anything apart
        product(rest=[tir.Store(D, C[I, J], (I, tir.const(0)))]),  # the last of a row counts
        product(rest=[tir.Store(D, D[J, I] + C[I, J], (I, J))]),  # which was there before
    ],
)
def test_what_is_no_contraction_stays(func):
    assert apply("TileContractions", func) is func


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
    assert len(nodes(apply("FuseLoops", func), tir.For)) == count


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
    assert len(nodes(apply("FuseLoops", func), tir.For)) == count


@each(
    ("before", "after", "count"),
    [
        ([copied(A, lambda i, j: D[i, j])], [], 5),  # tiles would be left one row
        ([], [copied(D, lambda i, j: C[i, j])], 3),  # each element is needed when it is complete
        ([], [copied(D, lambda i, j: C[i, 15 - j])], 5),  # whole rows are
    ],
)
def test_contractions_keep_the_rows_of_their_tiles(before, after, count):
    """C is the product of A and B transposed."""
    func = function([A, B, C, D], *before, *product().body.stmts, *after)
    assert len(nodes(apply("FuseLoops", func), tir.For)) == count


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


def combined(kind, dtype="int32", extent=133, read=lambda at: at, place=0):
    """The first of D tells what the others come to, by an operator."""
    D, E = memory("D", 200, dtype=dtype), memory("E", 8, dtype=dtype)
    there = (tir.const(place),) if isinstance(place, int) else (place,)
    step = tir.Store(E, kind(E[there], D[read(I)]), there)
    return function([D, E], loop(I, 0, extent, step))


@each(
    ("kind", "dtype"),
    [(tir.Max, "int32"), (tir.Min, "int8"), (tir.Or, "bool"), (tir.And, "bool")],
)
def test_lanes_find_what_one_accumulator_does(kind, dtype):
    func = combined(kind, dtype)
    image = apply("SplitReductions", func)
    assert image is not func
    generator = np.random.default_rng(0)
    for rare in (0, 1, 5):  # so many elements are what is looked for, somewhere
        given = np.full(200, kind is tir.And) if dtype == "bool" else np.zeros(200, dtype)
        given[generator.choice(200, rare, replace=False)] = kind is not tir.And
        if dtype != "bool":
            given = generator.integers(-99, 99, 200).astype(dtype)
        first = np.full(8, kind is tir.And).astype(dtype)
        expected, found = first.copy(), first.copy()
        tir.run(func, given.copy(), expected)
        tir.run(image, given.copy(), found)
        assert expected.tolist() == found.tolist()


@each(
    "func",
    [
        combined(tir.Add),  # two of the same are not the same
        combined(tir.Max, "float32"),  # of a NaN it matters where it stands
        combined(tir.Max, extent=63),  # lanes would have too little to do
        combined(tir.Max, read=lambda at: 199 - at),  # lanes would lie the wrong way round
        combined(tir.Max, place=I % 8),  # each goes to another element
        combined(lambda held, other: tir.Max(other, held)),
    ],
)
def test_what_is_combined_otherwise_is_not_split(func):
    assert apply("SplitReductions", func) is func
