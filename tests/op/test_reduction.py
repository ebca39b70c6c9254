from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.ir.relay.module import IRModule
from relayish.text import parse_expr
from tests.support.checking import (
    assert_same,
    evaluated,
    every_index,
    random_values,
    reference,
)
from tests.support.each import each

AXES = [None, (), (0,), (-1,), (0, 2), (2, -3), (0, 1, 2)]


def naive(function, data, axis, *, keepdims=False, exclude=False, dtype):
    """Collect, for every kept index, the elements in a list and hand them to ``function``."""
    rank = data.ndim
    named = [a % rank for a in axis or ()]
    axes = [a for a in range(rank) if not named or (a in named) != exclude]
    groups = {}
    for index in every_index(data.shape):
        key = tuple(0 if a in axes else i for a, i in enumerate(index))
        groups.setdefault(key, []).append(data[index].item())
    shape = tuple(1 if a in axes else n for a, n in enumerate(data.shape))
    result = np.empty(shape, dtype)
    for key, values in groups.items():
        result[key] = function(values)
    return result if keepdims else result.reshape([n for a, n in enumerate(shape) if a not in axes])


REDUCTIONS = {"sum": sum, "prod": math.prod, "max": max, "min": min}


@reference("formula", *REDUCTIONS)
@each("keepdims", [False, True])
@each("exclude", [False, True])
@each("axis", AXES)
@each("dtype", ["int8", "int32", "float32", "float64"])
@each("name", sorted(REDUCTIONS))
def test_reduction_agrees_with_a_loop(name, dtype, axis, exclude, keepdims):
    data = random_values(2, 3, 2, dtype=dtype, low=1, high=3)
    expected = naive(
        lambda v: np.array(REDUCTIONS[name](v)).astype(dtype),
        data,
        axis,
        keepdims=keepdims,
        exclude=exclude,
        dtype=dtype,
    )
    found = evaluated(name, data, axis=axis, keepdims=keepdims, exclude=exclude)
    assert_same(found, expected)


@reference("formula", "all", "any")
@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize(("name", "function"), [("all", all), ("any", any)])
def test_logical_reduction_agrees_with_a_loop(name, function, axis):
    data = random_values(2, 3, 2, dtype="bool", low=0, high=2)
    assert_same(evaluated(name, data, axis=axis), naive(function, data, axis, dtype="bool"))


@reference("formula", "mean", "variance")
@pytest.mark.parametrize("axis", AXES)
def test_mean_and_variance_agree_with_statistics(axis):
    data = random_values(2, 3, 4, dtype="float64")
    mean = naive(statistics.fmean, data, axis, keepdims=True, dtype="float64")
    assert_same(evaluated("mean", data, axis=axis, keepdims=True), mean)
    expected = naive(statistics.pvariance, data, axis, dtype="float64")
    assert_same(evaluated("variance", data, mean, axis=axis), expected)


def test_variance_without_bias_divides_by_one_less():
    data = random_values(5, dtype="float64")
    mean = evaluated("mean", data, keepdims=True)
    found = evaluated("variance", data, mean, unbiased=True)
    assert_same(found, np.float64(statistics.variance(data.tolist())))


@reference("formula", "argmax", "argmin")
@each("last", [False, True])
@each("keepdims", [False, True])
@each("axis", [*AXES[2:], None])
@pytest.mark.parametrize(("name", "best"), [("argmax", max), ("argmin", min)])
def test_position_of_the_extreme_agrees_with_a_loop(name, best, axis, keepdims, last):
    data = random_values(2, 3, 2, dtype="int32", low=0, high=3)

    def position(values):
        places = [i for i, v in enumerate(values) if v == best(values)]
        return places[-1] if last else places[0]

    expected = naive(position, data, axis, keepdims=keepdims, dtype="int32")
    found = evaluated(name, data, axis=axis, keepdims=keepdims, select_last_index=last)
    assert_same(found, expected)


@reference("formula", "cumsum", "cumprod")
@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("axis", [None, 0, 1, -1])
@pytest.mark.parametrize(
    ("name", "start", "step"),
    [("cumsum", 0, lambda a, b: a + b), ("cumprod", 1, lambda a, b: a * b)],
)
def test_scan_agrees_with_a_loop(name, start, step, axis, exclusive):
    data = random_values(3, 4, dtype="int64")
    rows = data.ravel()[None] if axis is None else np.moveaxis(data, axis, -1)
    expected = np.empty_like(rows)
    for row, out in zip(rows, expected, strict=True):
        total = start
        for place, value in enumerate(row):
            before, total = total, step(total, value)
            out[place] = before if exclusive else total
    expected = expected[0] if axis is None else np.moveaxis(expected, -1, axis)
    assert_same(evaluated(name, data, axis=axis, exclusive=exclusive), expected)


def test_argmax_has_one_element_type_however_wide_the_sizes_are_said_to_be():
    # In TVM it is that of the first size, so that a value would depend on how its shape is written.
    text = "fn (%x: Tensor[(3i64, 4i64), float32]) { argmax(%x, axis=[1]) }"
    func = infer_type(IRModule.from_expr(parse_expr(text)))["main"]
    assert (func.ret_type.shape, func.ret_type.dtype) == ((3,), "int32")
