"""The sizes predicted for results are those the results have."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from relayish.ir.registration.declarations import declared_temporarily
from relayish.ir.relay.build import const
from relayish.ir.relay.type import Any, TensorType, TupleType, Type
from relayish.op import call_op, list_ops, make_attrs, register_op
from relayish.op.declaration.properties import (
    evaluate,
    non_computational,
    quantized,
    random,
    result_size,
    stateful,
)
from relayish.op.declaration.registry import get_op
from relayish.op.types.result_size import (
    bound_by_broadcast,
    bound_by_inputs,
    bound_by_reduction,
    bound_result,
)
from relayish.passes.relay.fold.fold_constant import fold_constant
from tests.support.each import each
from tests.support.sound_calls import sound_calls, valued_calls

A = np.arange(6, dtype="float32").reshape(2, 3)
B = np.arange(12, dtype="float32").reshape(4, 3)
ZERO, ONE = np.float32(0), np.float32(1)
IMAGE = np.ones((1, 2, 3, 4), "float32")

CASES = [*valued_calls("sized_calls.txt")]


@pytest.mark.parametrize("equation", ["ij,kj", "...j,kj->...k", " ij , kj -> ikj"])
def test_size_of_an_einsum_is_predicted_however_it_is_written(equation: str) -> None:
    op = get_op("einsum")
    attrs = SimpleNamespace(equation=equation)
    assert bound_result(op, attrs, (A, B)) == evaluate.get(op)(attrs, (A, B)).size


@each(("name", "inputs", "values", "size"), CASES)
def test_predicted_size_is_the_size_of_the_result(
    name: str, inputs: tuple[object, ...], values: dict[str, object], size: str
) -> None:
    op = get_op(name)
    attrs = make_attrs(op, values)
    result = evaluate.get(op)(attrs, *inputs)
    parts = result if isinstance(result, (tuple, list)) else (result,)
    assert sum(np.asarray(part).size for part in parts) == int(size)
    assert bound_result(op, attrs, *inputs) == int(size)


@pytest.mark.parametrize("name", ["sum", "collapse_sum_to"])
def test_size_of_what_is_added_up_along_no_elements_is_predicted(name: str) -> None:
    op, nothing = get_op(name), np.ones((0, 3))
    inputs = (nothing,) if name == "sum" else (nothing, np.array([1, 3]))
    attrs = make_attrs(op, {"axis": (0,)} if name == "sum" else {})
    assert evaluate.get(op)(attrs, *inputs).size == bound_result(op, attrs, *inputs) == 3


def test_size_of_an_enlarged_pixel_is_predicted() -> None:
    op, pixel, scale = get_op("dyn.nn.upsampling"), IMAGE[:, :, :1, :1], np.float32(3)
    attrs = make_attrs(op, {})
    found = evaluate.get(op)(attrs, pixel, scale, scale)
    assert bound_result(op, attrs, pixel, scale, scale) == found.size


def test_rows_that_may_be_filled_count_as_empty() -> None:
    op = get_op("sparse_fill_empty_rows")
    inputs = np.array([[0, 1]]), np.array([ONE]), np.array([10**12, 4]), ZERO
    assert bound_result(op, None, *inputs) > 10**12


@pytest.mark.parametrize("axis", [1, 2])
def test_size_of_what_is_taken_in_batches_is_predicted(axis: int) -> None:
    op, data, indices = get_op("take"), IMAGE[0], np.zeros((2, 5), "int32")
    attrs = make_attrs(op, {"axis": axis, "batch_dims": 1})
    found = evaluate.get(op)(attrs, data, indices)
    assert bound_result(op, attrs, data, indices) == found.size


def test_size_of_a_broken_call_is_an_error_its_reader_expects() -> None:
    op = get_op("tile")
    with pytest.raises(TypeError, match="expected positive numbers"):
        bound_result(op, make_attrs(op, {"reps": (-1,)}), A)


@pytest.mark.parametrize(
    ("start", "stop", "step"), [(0, 7, 2), (7, 0, -2), (0.0, 1.0, 0.3), (3, 3, 1), (5, 0, 1)]
)
def test_size_of_a_range_is_rounded_up(start: float, stop: float, step: float) -> None:
    op = get_op("arange")
    bounds = [np.float64(value) for value in (start, stop, step)]
    named = dict(zip(("start", "stop", "step"), map(const, (start, stop, step)), strict=True))
    attrs = make_attrs(op, {**named, "dtype": "float64"})
    assert bound_result(op, attrs, *bounds) == evaluate.get(op)(attrs, *bounds).size


def test_every_size_that_is_declared_is_tested() -> None:
    told = {name for name in list_ops("relay") if get_op(name) in result_size}
    shared = (bound_by_inputs, bound_by_broadcast, bound_by_reduction)
    bounds = {name for name in told if result_size.get(get_op(name)) in shared}
    assert told - bounds - {"argwhere", "arange"} <= {name for name, *_ in CASES}


def value_of(ty: Type) -> object:
    if isinstance(ty, TupleType):
        return tuple(map(value_of, ty.fields))
    return np.ones(ty.shape, ty.dtype)


CALLS = sound_calls()


@each("name", sorted(CALLS))
def test_size_is_known_before_an_operator_is_evaluated_early(name: str) -> None:
    op = get_op(name)
    types, attrs = CALLS[name]
    is_left = op in stateful or op in random or (op in non_computational and op not in quantized)
    if op not in evaluate or is_left:
        return
    inputs = tuple(map(value_of, types))
    assert bound_result(op, attrs, *inputs) >= 0


def test_operator_of_which_nothing_is_said_is_not_evaluated_early_where_it_may_be_large() -> None:
    def spread(attrs: object, data: Type) -> TensorType:
        return TensorType((Any(),) if data.dtype == "int64" else (10**12,))

    evaluated: list[object] = []
    with declared_temporarily():
        register_op(
            "tests.spread",
            arguments=("data",),
            rule=spread,
            evaluate=lambda _, data: evaluated.append(data),
        )
        for dtype in ("int64", "int32"):  # the size is open, and too large
            call = call_op("tests.spread", const(np.ones(3, dtype)))
            assert fold_constant(call) is call
    assert evaluated == []


@pytest.mark.parametrize(
    "name", ["nn.conv2d", "nn.avg_pool2d", "nn.max_pool2d", "image.dilation2d"]
)
def test_size_counts_the_padding_a_window_steps_over(name):
    wide, data, ones = 30_000, np.ones((1, 1, 2, 2), "float32"), np.ones((1, 1, 1, 1), "float32")
    attributes = {"padding": (wide, wide), "strides": (wide, wide)}
    inputs = {"nn.conv2d": (data, ones), "image.dilation2d": (data, ones[0])}.get(name, (data,))
    if len(inputs) == 1:
        attributes["pool_size"] = (1, 1)
    op = get_op(name)
    assert bound_result(op, make_attrs(op, attributes), *inputs) >= (2 * wide) ** 2
