from __future__ import annotations

import math
import statistics

import numpy as np
import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import EvaluationError
from relayish.ir.relay.module import IRModule
from relayish.ir.relay.type import Any as AnyDimension
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import rule
from relayish.text import parse_expr
from tests.support.checking import (
    REFERENCES,
    assert_same,
    evaluated,
    evaluated_in,
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


def test_reductions_of_nothing():
    empty = np.zeros((0, 2), np.float32)
    assert_same(evaluated("sum", empty, axis=(0,)), np.zeros(2, np.float32))
    assert_same(evaluated("prod", empty, axis=(0,)), np.ones(2, np.float32))
    assert np.isnan(evaluated("mean", empty))
    for name in ("max", "min", "argmax", "argmin"):
        with pytest.raises(EvaluationError, match=r"no elements?"):
            evaluated(name, empty, axis=(0,))
    with pytest.raises(EvaluationError, match="no int32"):
        evaluated("mean", np.zeros(0, np.int32))


def test_reduction_of_a_scalar_is_the_scalar():
    assert_same(evaluated("sum", np.float32(3)), np.float32(3))
    assert_same(evaluated("max", np.int8(3), keepdims=True), np.int8(3))
    assert_same(evaluated("argmax", np.int8(3)), np.array(0, np.int32))


def test_axis_that_is_not_there_is_refused():
    with pytest.raises(EvaluationError, match="axis 3 is not one of 2 axes"):
        evaluated("sum", np.zeros((1, 1), np.float32), axis=(3,))


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


def test_scan_gives_the_type_asked_for():
    data = np.array([100, 100], np.int8)
    assert_same(evaluated("cumsum", data, dtype="int32"), np.array([100, 200], np.int32))
    assert_same(evaluated("cumsum", data), np.array([100, -56], np.int8))


def test_types_of_reductions_keep_what_is_known():
    n, any_ = SizeVar("n"), AnyDimension()
    data = TensorType((n, any_, 3), "int8")

    def inferred(name, **options):
        return rule.get(get_op(name))(make_attrs(get_op(name), options), data)

    assert inferred("max", axis=(1,)).shape == (n, 3)
    assert inferred("argmin", axis=(1,), keepdims=True).shape == (n, 1, 3)
    assert inferred("argmin", axis=(0,)).dtype == "int32"
    assert inferred("sum", axis=(0, 1), exclude=True).shape[0] is n
    assert inferred("cumsum", axis=-1, dtype="int64").shape == data.shape
    (flat,) = inferred("cumprod").shape
    assert isinstance(flat, AnyDimension)


def test_every_evaluated_operator_of_the_family_has_a_reference():
    assert evaluated_in("relayish.op.tensor.reduction") <= REFERENCES.keys()
    assert len(evaluated_in("relayish.op.tensor.reduction")) == 12


def test_argmax_has_one_element_type_however_wide_the_sizes_are_said_to_be():
    # In TVM it is that of the first size, so that a value would depend on how its shape is written.
    text = "fn (%x: Tensor[(3i64, 4i64), float32]) { argmax(%x, axis=[1]) }"
    func = infer_type(IRModule.from_expr(parse_expr(text)))["main"]
    assert (func.ret_type.shape, func.ret_type.dtype) == ((3,), "int32")
