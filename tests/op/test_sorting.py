from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, evaluated_in, reference
from tests.support.drawn import arrays, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly


def in_order(values, ascending):
    """Return positions, by Python's stable sort."""
    return sorted(range(len(values)), key=lambda i: values[i] if ascending else -values[i])


@reference("formula", "argsort", "sort", "topk", "dyn.topk")
@quickly()
@hypothesis.given(st.data())
def test_sorting_is_stable_both_ways(data):
    dtype = data.draw(st.sampled_from(("int32", "int8", "float32", "float16")))
    whole = data.draw(arrays(dtype=dtype, low=0, high=3))
    axis, ascending = data.draw(axes(whole.ndim)), data.draw(st.booleans())
    rows = np.moveaxis(whole, axis, -1)
    order = np.empty(rows.shape, np.int32)
    for at in np.ndindex(*rows.shape[:-1]):
        order[at] = in_order(rows[at].tolist(), ascending)
    places = np.moveaxis(order, -1, axis)
    values = np.moveaxis(np.take_along_axis(rows, order.astype(np.int64), -1), -1, axis)
    options = {"axis": axis, "is_ascend": ascending}
    assert_same(evaluated("argsort", whole, **options), places)
    wide = evaluated("argsort", whole, dtype="int64", **options)
    assert_same(wide, places.astype(np.int64))
    assert_same(evaluated("sort", whole, **options), values)
    count = data.draw(st.integers(0, whole.shape[axis]))
    first = np.arange(count or whole.shape[axis])
    top, where = np.take(values, first, axis), np.take(places, first, axis)
    assert_same(evaluated("topk", whole, k=count, **options), (top, where))
    assert_same(evaluated("topk", whole, k=count, ret_type="values", **options), top)
    found = evaluated("topk", whole, k=count, ret_type="indices", dtype="float32", **options)
    assert_same(found, where.astype(np.float32))
    asked = np.int32(count)
    assert_same(evaluated("dyn.topk", whole, asked, k=None, **options), (top, where))


@reference("torch", "sort", "argsort", "topk")
def test_sorting_agrees_with_torch():
    torch = pytest.importorskip("torch")
    data = filled((3, 5, 4), "float32", 3)
    for axis in range(-3, 3):
        for ascending in (False, True):
            values, order = torch.sort(
                torch.tensor(data), dim=axis, descending=not ascending, stable=True
            )
            options = {"axis": axis, "is_ascend": ascending}
            assert_same(evaluated("sort", data, **options), values.numpy())
            found = evaluated("argsort", data, dtype="int64", **options)
            assert_same(found, order.numpy())
            best, _ = torch.tensor(data).topk(2, axis, largest=not ascending)
            found = evaluated("topk", data, k=2, ret_type="values", **options)
            assert_same(found, best.numpy())


@reference("torch", "searchsorted")
@quickly()
@hypothesis.given(st.data())
def test_searchsorted_finds_where_to_insert(data):
    torch = pytest.importorskip("torch")
    *heads, size = data.draw(shapes(1, 3, 0, 4))
    line = np.sort(filled((*heads, size), "int32", 1, low=-3, high=4), -1)
    wanted = (*heads, data.draw(st.integers(0, 3)))
    if not heads:
        wanted = data.draw(shapes(0, 2))
    values = filled(wanted, "int32", 2, low=-4, high=5)
    values = values[()] if values.ndim == 0 else values
    right = data.draw(st.booleans())
    held = (torch.tensor(line), torch.tensor(values))
    expected = torch.searchsorted(*held, right=right).numpy()[()]
    found = evaluated("searchsorted", line, values, right=right, dtype="int64")
    assert_same(found, expected)
    assert_same(evaluated("searchsorted", line, values, right=right), expected.astype(np.int32))


@reference("formula", "unique")
@quickly()
@hypothesis.given(st.data())
def test_unique_lists_values_once_and_fills_up(data):
    size, ordered = data.draw(st.integers(0, 7)), data.draw(st.booleans())
    line = data.draw(arrays((size,), "int32", low=-2, high=3))
    items = line.tolist()
    kept = sorted(set(items)) if ordered else list(dict.fromkeys(items))
    rest = size - len(kept)
    expected = (
        np.array(kept + [0] * rest, np.int32),
        np.array([items.index(v) for v in kept] + [size] * rest, np.int32),
        np.array([kept.index(v) for v in items], np.int32),
        np.array([len(kept)], np.int32),
        np.array([items.count(v) for v in kept] + [0] * rest, np.int32),
    )
    found = evaluated("unique", line, sorted=ordered, return_counts=True)
    assert_same(found, expected)
    assert_same(evaluated("unique", line, sorted=ordered), expected[:4])


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"argsort", "sort", "topk", "searchsorted", "unique"}
    assert evaluated_in("relayish.op.tensor.sorting") == tested
