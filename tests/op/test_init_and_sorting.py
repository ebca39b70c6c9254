from __future__ import annotations

import numpy as np
import pytest
from checking import assert_same, evaluated, evaluated_in, random_values

from relayish.errors import EvaluationError


def in_order(values, ascending):
    """Return positions, by Python's stable sort."""
    return sorted(range(len(values)), key=lambda i: values[i] if ascending else -values[i])


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_sorting_is_stable_both_ways(axis, ascending):
    data = random_values(5, 6, dtype="int32", low=0, high=3)
    rows = np.moveaxis(data, axis, -1)
    order = np.array([in_order(row, ascending) for row in rows.tolist()])
    places = np.moveaxis(order, -1, axis).astype(np.int32)
    values = np.moveaxis(np.take_along_axis(rows, order, -1), -1, axis)
    assert_same(evaluated("argsort", data, axis=axis, is_ascend=ascending), places)
    assert_same(evaluated("sort", data, axis=axis, is_ascend=ascending), values)
    first = [slice(None)] * 2
    first[axis] = slice(2)
    top = tuple(first)
    options = {"axis": axis, "is_ascend": ascending}
    assert_same(evaluated("topk", data, k=2, **options), (values[top], places[top]))
    assert_same(evaluated("topk", data, k=0, ret_type="values", **options), values)
    found = evaluated("topk", data, k=2, ret_type="indices", dtype="int64", **options)
    assert_same(found, places[top].astype(np.int64))
    assert_same(
        evaluated("dyn.topk", data, np.int32(2), k=None, ret_type="values", **options), values[top]
    )


def test_topk_that_cannot_be_is_refused():
    with pytest.raises(EvaluationError, match="has no k"):
        evaluated("topk", np.zeros(3), k=None)
    with pytest.raises(EvaluationError, match="is not both, values or indices"):
        evaluated("topk", np.zeros(3), k=1, ret_type="all")


@pytest.mark.parametrize("right", [False, True])
def test_searchsorted_finds_where_to_insert(right):
    line, values = np.array([1, 3, 3, 5]), np.array([[0, 3], [5, 6]])
    expected = np.array([[0, 3], [4, 4]] if right else [[0, 1], [3, 4]], np.int32)
    assert_same(evaluated("searchsorted", line, values, right=right), expected)
    rows = np.stack([line, line])
    found = evaluated("searchsorted", rows, values, right=right, dtype="int64")
    assert_same(found, expected.astype(np.int64))


def test_every_evaluated_operator_of_the_families_is_tested():
    assert evaluated_in("relayish.op.sorting") == {"argsort", "sort", "topk", "searchsorted"}
