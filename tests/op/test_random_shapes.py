"""Operators on shapes that hypothesis draws, compared with torch and numpy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from relayish.errors import EvaluationError, TypeInferenceError
from relayish.ir.relay.type import Any as AnyDimension
from relayish.ir.relay.type import SizeVar, TensorType
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import rule
from relayish.op.types.reshape import reshape_shape
from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
st = pytest.importorskip("hypothesis.strategies")
given, settings = hypothesis.given, hypothesis.settings

TORCH = {
    "add": lambda torch, a, b: a + b,
    "subtract": lambda torch, a, b: a - b,
    "multiply": lambda torch, a, b: a * b,
    "divide": lambda torch, a, b: (
        torch.div(a, b, rounding_mode="trunc") if not a.is_floating_point() else a / b
    ),
    "floor_divide": lambda torch, a, b: torch.div(a, b, rounding_mode="floor"),
    "trunc_divide": lambda torch, a, b: torch.div(a, b, rounding_mode="trunc"),
    "mod": lambda torch, a, b: torch.fmod(a, b),
    "trunc_mod": lambda torch, a, b: torch.fmod(a, b),
    "floor_mod": lambda torch, a, b: torch.remainder(a, b),
    "maximum": lambda torch, a, b: torch.maximum(a, b),
    "minimum": lambda torch, a, b: torch.minimum(a, b),
}


@st.composite
def broadcasting(draw):
    """Two shapes that broadcast with one another."""
    whole = draw(st.lists(st.integers(0, 4), max_size=4))
    sides = []
    for _ in range(2):
        start = draw(st.integers(0, len(whole)))
        sides.append(tuple(draw(st.sampled_from((size, 1))) for size in whole[start:]))
    return sides


@pytest.mark.slow("the first of them imports torch")
@pytest.mark.parametrize("name", sorted(TORCH))
@quickly(15)
@given(shapes=broadcasting(), dtype=st.sampled_from(["int8", "uint8", "int32", "int64", "float32"]))
@reference("torch", *TORCH)
def test_arithmetic_agrees_with_torch_on_shapes_that_broadcast(name, shapes, dtype):
    torch = pytest.importorskip("torch")
    lhs = np.asarray(random_values(*shapes[0], dtype=dtype, low=0, high=50))
    rhs = np.asarray(random_values(*shapes[1], dtype=dtype, seed=8, low=1, high=9))
    if dtype != "uint8":
        rhs = rhs * np.where(rhs > 4, -1, 1).astype(dtype)
    expected = TORCH[name](torch, torch.tensor(lhs), torch.tensor(rhs)).numpy()
    assert_same(np.asarray(evaluated(name, lhs, rhs)), expected)


@quickly(40)
@given(
    left=st.lists(st.sampled_from([1, 2, 3]), max_size=3),
    right=st.lists(st.sampled_from([1, 2, 3]), max_size=3),
)
def test_type_exists_exactly_where_numpy_broadcasts(left, right):
    add = rule.get(get_op("add"))
    types = TensorType(tuple(left)), TensorType(tuple(right))
    try:
        expected = np.broadcast_shapes(left, right)
    except ValueError:
        with pytest.raises(TypeInferenceError, match="cannot broadcast"):
            add(None, *types)
        return
    assert add(None, *types).shape == expected


@st.composite
def reductions(draw):
    """A shape, some of its axes and the options of a reduction."""
    shape = tuple(draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    axes = draw(st.sets(st.integers(-len(shape), len(shape) - 1), max_size=len(shape)))
    return shape, tuple(axes), draw(st.booleans()), draw(st.booleans())


@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "variance"])
@quickly(15)
@given(case=reductions(), dtype=st.sampled_from(["float16", "float32", "float64"]))
@reference("torch", "sum", "mean", "max", "min", "prod", "variance")
def test_reduction_agrees_with_torch(name, case, dtype):
    torch = pytest.importorskip("torch")
    shape, axes, keepdims, exclude = case
    named = {axis % len(shape) for axis in axes}
    reduced = sorted(set(range(len(shape))) - named if exclude or not named else named)
    data = random_values(*shape, dtype=dtype, low=0.5, high=2)
    wide = torch.tensor(data, dtype=torch.float64)
    if name == "variance":
        expected = torch.var(wide, reduced, correction=0, keepdim=keepdims) if reduced else 0 * wide
        mean = data.mean(tuple(reduced), keepdims=True, dtype="float64").astype(dtype)
        inputs = (data, mean)
    else:
        inputs, expected = (data,), wide
        for axis in reversed(reduced):
            step = getattr(torch, {"max": "amax", "min": "amin"}.get(name, name))
            expected = step(expected, axis, keepdim=keepdims)
    options = {"axis": axes, "keepdims": keepdims, "exclude": exclude}
    found = evaluated(name, *inputs, **options)
    assert str(found.dtype) == dtype
    assert found.shape == tuple(expected.shape)
    tolerance = {"float16": 1e-2, "float32": 1e-5, "float64": 1e-12}[dtype]
    np.testing.assert_allclose(
        np.asarray(found, np.float64), expected.numpy(), rtol=tolerance, atol=tolerance
    )


@st.composite
def reshapes(draw):
    """A shape, numbers in the language of reshape that fit it, and the shape they mean."""
    shape = tuple(draw(st.lists(st.integers(1, 6), max_size=5)))
    numbers, meant, axis, spared = [], [], 0, False
    while axis < len(shape):
        size = shape[axis]
        how = draw(st.sampled_from(["copy", "infer", "size", "merge", "split", "rest"]))
        if how == "merge" and axis + 1 < len(shape):
            numbers.append(-3)
            meant.append(size * shape[axis + 1])
            axis += 2
            continue
        if how == "rest":
            numbers.append(-2)
            meant += shape[axis:]
            break
        if how == "split":
            first = draw(st.sampled_from([d for d in range(1, size + 1) if size % d == 0]))
            halves = (first, size // first)
            numbers += (-4, *draw(st.sampled_from([halves, (-1, halves[1]), (halves[0], -1)])))
            meant += halves
        elif how == "infer" and not spared:
            numbers.append(-1)
            meant.append(size)
            spared = True
        else:
            numbers.append(size if how == "size" else 0)
            meant.append(size)
        axis += 1
    return shape, tuple(numbers), tuple(meant)


@quickly(40)
@given(case=reshapes())
@reference("formula", "reshape")
def test_reshape_gives_the_shape_its_numbers_were_made_from(case):
    shape, numbers, meant = case
    data = random_values(*shape)
    assert_same(evaluated("reshape", data, newshape=numbers), np.resize(data, meant))


@quickly(40)
@given(case=reshapes(), unknown=st.sets(st.integers(0, 4)))
def test_reshape_of_sizes_known_by_name_agrees_with_that_of_numbers(case, unknown):
    shape, numbers, meant = case
    names = {i: SizeVar(f"n{i}") for i in range(len(shape)) if i in unknown}
    ty = TensorType(tuple(names.get(i, size) for i, size in enumerate(shape)))
    found = rule.get(get_op("reshape"))(make_attrs(get_op("reshape"), {"newshape": numbers}), ty)
    values = {name: shape[i] for i, name in names.items()}
    assert tuple(value_of(size, values) for size in found.shape) == meant
    loose = TensorType(tuple(AnyDimension() if i in names else s for i, s in enumerate(shape)))
    found = rule.get(get_op("reshape"))(make_attrs(get_op("reshape"), {"newshape": numbers}), loose)
    for size, expected in zip(found.shape, meant, strict=True):
        assert isinstance(size, AnyDimension) or size == expected


def value_of(size, values):
    """Return the number a dimension is, with ``values`` for the names in it."""
    if isinstance(size, int):
        return size
    if isinstance(size, SizeVar):
        return values[size]
    left, right = (value_of(arg, values) for arg in size.args)
    return {"tir.Mul": left * right, "tir.FloorDiv": left // max(right, 1)}[size.name]


@quickly(40)
@given(
    shape=st.lists(st.integers(0, 4), max_size=4),
    numbers=st.lists(st.integers(-5, 5), max_size=5),
    allowzero=st.booleans(),
)
def test_reshape_keeps_the_elements_or_refuses(shape, numbers, allowzero):
    try:
        found = reshape_shape(shape, numbers, allowzero=allowzero)
    except EvaluationError:
        with pytest.raises(TypeInferenceError, match="cannot be reshaped to"):
            reshape_shape(shape, numbers, allowzero=allowzero, refuses=TypeInferenceError)
        return
    assert math.prod(found) == math.prod(shape)
    assert min(found, default=0) >= 0
