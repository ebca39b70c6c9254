from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import (
    assert_same,
    evaluated,
    evaluated_in,
    every_index,
    random_values,
    reference,
)
from tests.support.drawn import DTYPES, arrays, axes, filled, hypothesis, shapes, st
from tests.support.seeds import quickly


def canonical(bound, size, stride):
    """Return a bound as Relay clips it: counted from the end if negative, then as far as it goes.

    What is cut backwards may end before the first element, at -1.
    """
    low, high = (0, size) if stride > 0 else (-1, size - 1)
    return min(max(bound + size if bound < 0 else bound, low), high)


def places(size, begin, end, stride):
    return list(range(canonical(begin, size, stride), canonical(end, size, stride), stride))


@reference("formula", "strided_slice")
@quickly()
@hypothesis.given(st.data())
def test_strided_slice_takes_every_place_between_its_bounds(data):
    whole = data.draw(arrays(data.draw(shapes(1, 3, 0, 6))))
    named = data.draw(st.permutations(range(whole.ndim)))[: data.draw(st.integers(1, whole.ndim))]
    bound = st.integers(-9, 9)
    begin, end = (tuple(data.draw(bound) for _ in named) for _ in range(2))
    strides = tuple(data.draw(st.sampled_from((-3, -2, -1, 1, 2, 3))) for _ in named)
    axes = tuple(axis - data.draw(st.sampled_from((0, whole.ndim))) for axis in named)
    expected = whole
    for axis, first, last, stride in zip(named, begin, end, strides, strict=True):
        at = places(whole.shape[axis], first, last, stride)
        expected = np.take(expected, np.array(at, np.int64), axis)
    found = evaluated("strided_slice", whole, begin=begin, end=end, strides=strides, axes=axes)
    assert_same(found, expected)


@reference("numpy", "strided_slice")
@quickly(20)
@hypothesis.given(st.data())
def test_strided_slice_by_size_takes_so_many(data):
    whole = data.draw(arrays())
    begin = tuple(data.draw(st.integers(0, size)) for size in whole.shape)
    sizes = tuple(data.draw(st.integers(-1, 5)) for _ in whole.shape)
    found = evaluated("strided_slice", whole, begin=begin, end=sizes, slice_mode="size")
    index = tuple(
        slice(first, None if count < 0 else first + count)
        for first, count in zip(begin, sizes, strict=True)
    )
    assert_same(found, whole[index])


@reference("numpy", "strided_set")
@quickly(20)
@hypothesis.given(st.data())
def test_strided_set_changes_a_copy(data):
    whole = data.draw(arrays())
    bound = st.integers(-5, 5)
    begin, end = ([data.draw(bound) for _ in whole.shape] for _ in range(2))
    strides = [data.draw(st.sampled_from((-2, -1, 1, 2))) for _ in whole.shape]
    at = [places(n, *cut) for n, *cut in zip(whole.shape, begin, end, strides, strict=True)]
    part = filled(tuple(map(len, at)), whole.dtype, 5)
    expected = whole.copy()
    expected[np.ix_(*(np.array(line, np.int64) for line in at))] = part
    found = evaluated("strided_set", whole, part, *map(np.array, (begin, end, strides)))
    assert_same(found, expected)


@reference("numpy", "slice_like")
@quickly(20)
@hypothesis.given(st.data())
def test_slice_like_cuts_to_the_shape_of_another(data):
    whole = data.draw(arrays())
    rank = data.draw(st.integers(0, whole.ndim))
    like = np.zeros([data.draw(st.integers(0, size)) for size in whole.shape[:rank]])
    first = tuple(slice(0, size) for size in like.shape)
    assert_same(evaluated("slice_like", whole, like), whole[first])
    if rank:
        axis = data.draw(st.integers(0, rank - 1))
        expected = whole[(slice(None),) * axis + (slice(0, like.shape[axis]),)]
        named = (axis - whole.ndim,)
        assert_same(evaluated("slice_like", whole, like, axes=named), expected)


@reference("formula", "sliding_window")
def test_sliding_window_shows_every_window():
    data = random_values(2, 5, 7)
    found = evaluated("sliding_window", data, axis=1, window_shape=(3, 2), strides=(2, 3))
    assert found.shape == (2, 2, 2, 3, 2)
    for n, y, x, v, u in every_index(found.shape):
        assert found[n, y, x, v, u] == data[n, 2 * y + v, 3 * x + u]


@reference("torch", "sliding_window")
@quickly(20)
@hypothesis.given(st.data())
def test_sliding_window_agrees_with_unfolding_axis_by_axis(data):
    torch = pytest.importorskip("torch")
    whole = data.draw(arrays(dtype="float32"))
    axis = data.draw(axes(whole.ndim))
    slid = range(axis % whole.ndim, whole.ndim)
    window = tuple(data.draw(st.integers(1, whole.shape[a])) for a in slid)
    strides = tuple(data.draw(st.integers(1, 3)) for _ in slid)
    expected = torch.tensor(whole)
    for a, size, stride in zip(slid, window, strides, strict=True):
        expected = expected.unfold(a, size, stride)
    found = evaluated("sliding_window", whole, axis=axis, window_shape=window, strides=strides)
    assert_same(found, expected.numpy())


def test_every_evaluated_operator_of_the_family_is_tested():
    tested = {"strided_slice", "strided_set", "slice_like", "sliding_window"}
    assert evaluated_in("relayish.op.tensor.slicing") == tested


def test_element_types_are_kept():
    for dtype in DTYPES:
        data = filled((2, 3), dtype)
        assert_same(evaluated("strided_slice", data, begin=(1,), end=(2,)), data[1:2])
