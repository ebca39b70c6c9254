from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.op import get_op, make_attrs
from relayish.op.declaration.properties import evaluate
from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
torch = pytest.importorskip("torch")
from hypothesis import given  # noqa: E402 - after what may skip the file
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.references

FEW = quickly(25)
shapes = st.lists(st.integers(1, 4), min_size=1, max_size=4).map(tuple)
floats = st.sampled_from(["float16", "bfloat16", "float32", "float64"])


def values(shape, dtype, seed=7):
    if dtype == "bfloat16":
        dtype = pytest.importorskip("ml_dtypes").bfloat16
    return random_values(*shape, dtype="float32", seed=seed).astype(dtype)


def as_torch(value):
    return torch.tensor(np.asarray(value, "float64"))


def rounded(expected, like):
    return np.asarray(expected).astype(like.dtype)


@reference("torch", "nn.relu", "nn.leaky_relu")
@FEW
@given(shapes, floats)
def test_rectifiers_agree(shape, dtype):
    data = values(shape, dtype)
    wide = as_torch(data)
    assert_same(evaluated("nn.relu", data), rounded(torch.relu(wide), data))
    leaky = torch.nn.functional.leaky_relu(wide, 0.125)
    assert_same(evaluated("nn.leaky_relu", data, alpha=0.125), rounded(leaky, data))


@reference("torch", "nn.prelu")
@FEW
@given(shapes, floats, st.data())
def test_prelu_scales_what_is_negative_along_its_axis(shape, dtype, draw):
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    data, alpha = values(shape, dtype), values((shape[axis],), dtype, seed=1)
    second = as_torch(np.moveaxis(np.asarray(data, "float64"), axis, 0)[None])
    expected = torch.nn.functional.prelu(second, as_torch(alpha))[0].numpy()
    found = evaluated("nn.prelu", data, alpha, axis=axis)
    assert_same(found, rounded(np.moveaxis(expected, 0, axis), data))


@reference("torch", "nn.softmax", "nn.fast_softmax", "nn.log_softmax")
@FEW
@given(shapes, floats, st.data())
def test_softmax_agrees(shape, dtype, draw):
    axis = draw.draw(st.integers(-len(shape), len(shape) - 1))
    data = values(shape, dtype)
    shares = rounded(torch.softmax(as_torch(data), axis), data)
    assert_same(evaluated("nn.softmax", data, axis=axis), shares)
    assert_same(evaluated("nn.fast_softmax", data, axis=axis), shares)
    logs = rounded(torch.log_softmax(as_torch(data), axis), data)
    assert_same(evaluated("nn.log_softmax", data, axis=axis), logs)


def test_softmax_of_integers_has_no_value():
    op = get_op("nn.softmax")
    with pytest.raises(EvaluationError, match="softmax of int32"):
        evaluate.get(op)(make_attrs(op, {}), np.arange(3, dtype=np.int32))


@reference("torch", "nn.dropout")
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_dropout_keeps_everything_where_a_program_is_run(dtype):
    data = values((2, 3), dtype)
    kept, mask = evaluated("nn.dropout", data, rate=0.25)
    expected = torch.nn.functional.dropout(torch.tensor(data), 0.25, training=False)
    assert_same(kept, expected.numpy())
    assert_same(mask, np.ones((2, 3), dtype))
