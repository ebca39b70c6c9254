"""Reductions whose iterations lanes share: which are, and that they find the same."""

from __future__ import annotations

import numpy as np
import pytest

from relayish import tir
from tests.support.each import each
from tests.support.tir_small import left, nodes, scheduled

REDUCE = {
    "max": tir.reduce_max,
    "min": tir.reduce_min,
    "any": tir.reduce_any,
    "all": tir.reduce_all,
}


def rows(kind, dtype="int32", extent=128, read=lambda i, k: (i, k)):
    """What the elements of each of three rows come to."""
    A = tir.placeholder("A", (200, 200), dtype)
    k = tir.reduce_axis("k", extent)
    reduce = REDUCE.get(kind, tir.reduce_sum)
    return tir.lower("f", [A, tir.compute((3,), lambda i: reduce(A[read(i, k)], [k]), "B")])


def lanes(func, **options):
    """How many lanes vectors have."""
    image = scheduled("split_reductions", func, **options)
    found = nodes(image, tir.For)
    return {each.extent.value for each in found if each.for_type == tir.ForType.VECTORIZED}


@each(
    ("kind", "dtype", "extent", "count"),
    [
        ("max", "int32", 128, 16),
        ("min", "int8", 64, 16),
        ("any", "bool", 128, 16),
        ("all", "bool", 64, 16),
        ("max", "int32", 133, 16),  # of which some are left
    ],
)
def test_lanes_find_what_one_accumulator_does(kind, dtype, extent, count):
    func = rows(kind, dtype, extent)
    assert lanes(func) == {count}
    image = scheduled("split_reductions", func)
    generator = np.random.default_rng(0)
    for rare in (0, 1, 5):  # so many elements are what is looked for, somewhere
        given = np.full(40_000, kind == "all")
        given[generator.choice(600, rare, replace=False)] = kind != "all"
        if dtype != "bool":
            given = generator.integers(-99, 99, 40_000)
        array = given.astype(dtype).reshape(200, 200)
        assert left(func, array, np.zeros(3, dtype)) == left(image, array, np.zeros(3, dtype))


@each(
    "func",
    [
        rows("sum"),  # two of the same are not the same
        rows("max", "float32"),  # of a NaN it matters where it stands
        rows("max", extent=48),  # lanes would have too little to do
        rows("max", extent=63),  # the same
        rows("max", read=lambda i, k: (i, 199 - k)),  # lanes would lie the wrong way round
        rows("max", read=lambda i, k: (k, i)),  # they would lie apart
    ],
)
def test_what_is_combined_otherwise_is_not_split(func):
    assert lanes(func) == set()


def test_floats_are_split_where_they_need_not_be_the_same():
    assert lanes(rows("max", "float32"), exact=False) == {16}


@pytest.mark.parametrize("is_fused", [False, True])
def test_partial_results_are_found_where_they_are_needed(is_fused):
    A, k = tir.placeholder("A", (3, 64), "int32"), tir.reduce_axis("k", 64)
    B = tir.compute((3,), lambda i: tir.reduce_max(A[i, k], [k]), "B")
    C = tir.compute((3, 64), lambda i, j: A[i, j] - B[i], "C")
    rules = "fuse_loops,split_reductions" if is_fused else "split_reductions"
    image = scheduled(rules, tir.lower("f", [A, C]))
    outermost = {each.loop_var.name for each in nodes(image, tir.For)} & {"i"}
    assert outermost == {"i"}
    assert len([each for each in nodes(image, tir.For) if each.extent.value == 3]) == (
        1 if is_fused else 2
    )
