from __future__ import annotations

import numpy as np
import pytest
from checking import assert_same, evaluated, evaluated_in, random_values

from relayish.errors import EvaluationError
from relayish.op.reshaping import reshaped


@pytest.mark.parametrize(
    ("shape", "newshape", "expected"),
    [
        ((2, 3, 4), (4, 0, 2), (4, 3, 2)),
        ((2, 3, 4), (2, 0, 0), (2, 3, 4)),
        ((2, 3, 4), (6, 1, -1), (6, 1, 4)),
        ((2, 3, 4), (3, -1, 8), (3, 1, 8)),
        ((2, 3, 4), (-1,), (24,)),
        ((2, 3, 4), (-2,), (2, 3, 4)),
        ((2, 3, 4), (2, -2), (2, 3, 4)),
        ((2, 3, 4), (-2, 1, 1), (2, 3, 4, 1, 1)),
        ((2, 3, 4), (-3, 4), (6, 4)),
        ((2, 3, 4, 5), (-3, -3), (6, 20)),
        ((2, 3, 4), (0, -3), (2, 12)),
        ((2, 3, 4), (-4, 1, 2, -2), (1, 2, 3, 4)),
        ((2, 3, 4), (2, -4, -1, 3, -2), (2, 1, 3, 4)),
        ((), (1, 1), (1, 1)),
        ((1,), (), ()),
        ((0, 3), (3, 0), None),
        ((0, 3), (0, -1), None),
        ((4,), (-1, -1), None),
        ((4,), (3,), None),
        ((4,), (4, 0), None),
        ((4,), (-3,), None),
        ((4,), (-4, 3, -1), None),
        ((4,), (-4, 2), None),
        ((4,), (-5,), None),
    ],
)
def test_reshape_reads_its_language(shape, newshape, expected):
    if expected is None:
        with pytest.raises(EvaluationError, match="cannot be reshaped to"):
            reshaped(shape, newshape)
        return
    assert reshaped(shape, newshape) == expected
    data = random_values(*shape)
    assert_same(evaluated("reshape", data, newshape=newshape), np.resize(data, expected))


def test_reshape_takes_zero_as_a_size_when_allowed():
    assert evaluated("reshape", np.zeros((0, 3)), newshape=(3, 0), allowzero=True).shape == (3, 0)


def test_reverse_reshape_reads_from_the_right():
    data = random_values(10, 5, 4)
    assert evaluated("contrib_reverse_reshape", data, newshape=(-1, 0)).shape == (50, 4)
    assert evaluated("contrib_reverse_reshape", data, newshape=(-3, 0)).shape == (50, 4)
    with pytest.raises(EvaluationError, match="cannot split"):
        evaluated("contrib_reverse_reshape", data, newshape=(-4, 2, 5, -2))


def test_reshape_like_replaces_a_range_of_axes():
    data, like = random_values(1, 2, 3, 4), random_values(1, 6, 5)
    found = evaluated("reshape_like", data, like, lhs_begin=1, lhs_end=3, rhs_begin=1, rhs_end=2)
    assert_same(found, np.resize(data, (1, 6, 4)))
    assert evaluated("reshape_like", data, np.zeros((4, 6))).shape == (4, 6)
    assert evaluated("reshape_like", data, np.zeros((9, 12)), lhs_begin=-2, rhs_begin=-1).shape == (
        1,
        2,
        12,
    )


@pytest.mark.parametrize(
    ("axis", "expected"), [(None, (2, 3)), ((0,), (2, 1, 3)), ((0, -2), (2, 3)), ((), (1, 2, 1, 3))]
)
def test_squeeze_drops_axes_of_size_one(axis, expected):
    data = random_values(1, 2, 1, 3)
    assert_same(evaluated("squeeze", data, axis=axis), np.resize(data, expected))


@pytest.mark.parametrize(
    ("axis", "count", "expected"),
    [(0, 1, (1, 2, 3)), (-1, 2, (2, 3, 1, 1)), (1, 0, (2, 3)), (-3, 1, (1, 2, 3))],
)
def test_expand_dims_inserts_axes(axis, count, expected):
    data = random_values(2, 3)
    found = evaluated("expand_dims", data, axis=axis, num_newaxis=count)
    assert_same(found, np.resize(data, expected))
    assert evaluated("expand_dims", np.int8(1), axis=0).shape == (1,)


@pytest.mark.parametrize(("source", "target"), [((), (2, 3)), ((3,), (2, 3)), ((2, 1), (4, 2, 5))])
def test_broadcasting_and_summing_back(source, target):
    data = random_values(*source, dtype="int32")
    expected = np.zeros(target, np.int32) + data
    like, shape = np.zeros(target, np.int8), np.array(target)
    assert_same(evaluated("broadcast_to", data, shape=target), expected)
    assert_same(evaluated("broadcast_to_like", data, like), expected)
    assert_same(evaluated("dyn.broadcast_to", data, shape), expected)
    times = np.int32(np.prod(target) // np.prod(source or (1,)))
    summed = np.asarray(data * times)
    assert_same(evaluated("collapse_sum_like", expected, data), summed)
    assert_same(evaluated("collapse_sum_to", expected, np.array(source, np.int32)), summed)


def test_collapse_sum_refuses_a_shape_that_does_not_broadcast():
    with pytest.raises(EvaluationError, match="cannot be summed down"):
        evaluated("collapse_sum_like", np.zeros((2, 3)), np.zeros((2,)))


def test_shape_and_size_are_tensors_of_the_type_asked_for():
    data = np.zeros((2, 0, 4), np.int8)
    assert_same(evaluated("shape_of", data, dtype="int64"), np.array([2, 0, 4], np.int64))
    assert_same(evaluated("shape_of", data), np.array([2, 0, 4], np.int32))
    assert_same(evaluated("shape_of", np.int8(1)), np.zeros(0, np.int32))
    assert_same(evaluated("ndarray_size", data, dtype="float32"), np.float32(0))
    assert_same(evaluated("ndarray_size", np.int8(1)), np.int32(1))


def test_batch_flatten_keeps_the_first_axis():
    data = random_values(2, 3, 4)
    assert_same(evaluated("nn.batch_flatten", data), np.resize(data, (2, 12)))
    assert evaluated("nn.batch_flatten", np.zeros((2,))).shape == (2, 1)


def test_every_evaluated_operator_of_the_family_is_tested():
    assert evaluated_in("relayish.op.shape") == {
        "reshape",
        "contrib_reverse_reshape",
        "reshape_like",
        "squeeze",
        "expand_dims",
        "broadcast_to",
        "broadcast_to_like",
        "collapse_sum_like",
        "collapse_sum_to",
        "shape_of",
        "ndarray_size",
        "nn.batch_flatten",
    }
