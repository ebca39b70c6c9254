from __future__ import annotations

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.seeds import quickly

pytest.importorskip("hypothesis")
torch = pytest.importorskip("torch")
from hypothesis import given  # noqa: E402 - after what may skip the file
from hypothesis import strategies as st  # noqa: E402

pytestmark = pytest.mark.references

FEW = quickly(25)
floats = st.sampled_from(["float16", "float32", "float64"])
functional = torch.nn.functional


@st.composite
def images(draw, min_rank=2, max_rank=5):
    """Draw data and the axis of its channels."""
    shape = draw(st.lists(st.integers(1, 4), min_size=min_rank, max_size=max_rank))
    axis = draw(st.integers(1, len(shape) - 1))
    data = random_values(*shape, dtype=draw(floats), seed=draw(st.integers(0, 9)))
    return data, axis if draw(st.booleans()) else axis - len(shape)


def vectors(data, axis, count):
    size = data.shape[axis]
    return [
        random_values(size, dtype=data.dtype, seed=i, low=0.5, high=2) for i in range(1, count + 1)
    ]


def channels_second(data, axis):
    return as_torch(np.moveaxis(data, axis, 1))


def as_torch(value):
    return torch.tensor(np.asarray(value, "float64"))


def close(found, expected, data):
    assert found.dtype == data.dtype
    tolerance = 2e-2 if data.dtype == np.float16 else 1e-4
    np.testing.assert_allclose(found, np.asarray(expected), rtol=tolerance, atol=tolerance)


@reference("torch", "nn.batch_norm")
@FEW
@given(images(), st.booleans(), st.booleans())
def test_batch_norm_uses_the_moving_statistics_and_returns_them(drawn, scale, center):
    data, axis = drawn
    gamma, beta, mean, var = vectors(data, axis, 4)
    options = {"axis": axis, "epsilon": 1e-3, "scale": scale, "center": center}
    found = evaluated("nn.batch_norm", data, gamma, beta, mean, var, **options)
    expected = functional.batch_norm(
        channels_second(data, axis),
        as_torch(mean),
        as_torch(var),
        as_torch(gamma) if scale else None,
        as_torch(beta) if center else None,
        eps=1e-3,
    )
    close(found[0], np.moveaxis(expected.numpy(), 1, axis), data)
    assert_same(found[1:], (mean, var))


@reference("torch", "nn.layer_norm")
@FEW
@given(images(), st.booleans(), st.booleans())
def test_layer_norm_agrees(drawn, scale, center):
    data, axis = drawn
    gamma, beta = vectors(data, axis, 2)
    options = {"axis": axis, "epsilon": 1e-3, "scale": scale, "center": center}
    found = evaluated("nn.layer_norm", data, gamma, beta, **options)
    expected = functional.layer_norm(
        as_torch(np.moveaxis(data, axis, -1)),
        gamma.shape,
        as_torch(gamma) if scale else None,
        as_torch(beta) if center else None,
        eps=1e-3,
    )
    close(found, np.moveaxis(expected.numpy(), -1, axis), data)


@reference("torch", "nn.instance_norm")
@FEW
@given(images(3))
def test_instance_norm_agrees(drawn):
    data, axis = drawn
    gamma, beta = vectors(data, axis, 2)
    second = channels_second(data, axis)
    found = evaluated("nn.instance_norm", data, gamma, beta, axis=axis, epsilon=1e-3)
    expected = torch.group_norm(second, second.shape[1], as_torch(gamma), as_torch(beta), eps=1e-3)
    close(found, np.moveaxis(expected.numpy(), 1, axis), data)


@reference("torch", "nn.group_norm")
@FEW
@given(images(3), st.integers(1, 3))
def test_group_norm_agrees(drawn, groups):
    data, axis = drawn
    data = np.concatenate([data + data.dtype.type(i) for i in range(groups)], axis)
    gamma, beta = vectors(data, axis, 2)
    options = {"num_groups": groups, "axis": axis, "epsilon": 1e-3}
    found = evaluated("nn.group_norm", data, gamma, beta, **options)
    expected = torch.group_norm(
        channels_second(data, axis), groups, as_torch(gamma), as_torch(beta), eps=1e-3
    )
    close(found, np.moveaxis(expected.numpy(), 1, axis), data)


def test_norms_do_not_overflow_the_sums_of_their_element_type():
    data = np.full((1, 2, 300), 300, np.float16)
    data[0, 0, 0] = 0
    one = np.ones(300, np.float16)
    found = evaluated("nn.layer_norm", data, one, one)
    assert np.isfinite(found).all()


@reference("torch", "nn.lrn")
@FEW
@given(images(), st.sampled_from([1, 3, 5]), st.floats(0.1, 2))
def test_lrn_agrees(drawn, size, beta):
    data, axis = drawn
    options = {"size": size, "axis": axis, "alpha": 0.25, "beta": beta, "bias": 1.5}
    second = channels_second(data, axis)
    second = second if second.ndim > 2 else second[..., None]
    expected = functional.local_response_norm(second.contiguous(), size, 0.25, beta, 1.5).numpy()
    found = evaluated("nn.lrn", data, **options)
    close(found, np.moveaxis(expected.reshape(np.moveaxis(data, axis, 1).shape), 1, axis), data)


@reference("formula", "nn.l2_normalize")
@FEW
@given(images(), st.booleans())
def test_l2_normalize_makes_vectors_of_length_one(drawn, every):
    data, axis = drawn
    axes = None if every else (axis,)
    wide = data.astype("float64")
    lengths = np.sqrt(np.maximum((wide**2).sum(axis=axes, keepdims=True), 1e-2))
    close(evaluated("nn.l2_normalize", data, eps=1e-2, axis=axes), wide / lengths, data)


def test_l2_normalize_leaves_nothing_as_it_is():
    data = np.array([[3, 4], [0, 0]], np.float32)
    found = evaluated("nn.l2_normalize", data, eps=1e-6, axis=(1,))
    assert_same(found, np.array([[0.6, 0.8], [0, 0]], np.float32))
