from __future__ import annotations

import math

import numpy as np
import pytest
from checking import assert_same, evaluated, evaluated_in, every_index, random_values

from relayish.errors import EvaluationError


def test_relu_and_its_kin():
    data = np.array([[-2, 3], [4, -5]], np.float32)
    assert_same(evaluated("nn.relu", data), np.array([[0, 3], [4, 0]], np.float32))
    assert_same(evaluated("nn.relu", np.int8(-3)), np.int8(0))
    leaky = np.array([[-1, 3], [4, -2.5]], np.float32)
    assert_same(evaluated("nn.leaky_relu", data, alpha=0.5), leaky)
    alpha = np.array([0.5, 2], np.float32)
    found = evaluated("nn.prelu", data, alpha, axis=1)
    assert_same(found, np.array([[-1, 3], [4, -10]], np.float32))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("name", ["nn.softmax", "nn.fast_softmax", "nn.log_softmax"])
def test_softmax_is_a_share_of_exponentials(name, axis):
    data = random_values(3, 4, dtype="float64")
    expected = np.empty((3, 4))
    for row, column in every_index((3, 4)):
        line = data[:, column] if axis == 0 else data[row]
        expected[row, column] = math.exp(data[row, column]) / sum(map(math.exp, line))
    expected = np.array([math.log(x) for x in expected.flat]) if "log" in name else expected
    assert_same(evaluated(name, data, axis=axis), expected.reshape(3, 4))


def test_softmax_does_not_overflow():
    data = np.array([1e4, 0], np.float32)
    assert_same(evaluated("nn.softmax", data), np.array([1, 0], np.float32))


@pytest.mark.parametrize("axis", [1, -1, 0])
def test_bias_is_added_along_its_axis(axis):
    data = random_values(3, 3, 3)
    bias = random_values(3, seed=9)
    expected = np.empty_like(data)
    for index in every_index(data.shape):
        expected[index] = data[index] + bias[index[axis]]
    assert_same(evaluated("nn.bias_add", data, bias, axis=axis), expected)


@pytest.mark.parametrize(("dtype", "out"), [("float32", None), ("int8", "int32")])
def test_products_of_matrices(dtype, out):
    lhs, rhs = random_values(2, 3, dtype=dtype), random_values(4, 3, dtype=dtype, seed=9)
    expected = np.array(
        [
            [sum(a * b for a, b in zip(r, c, strict=True)) for c in rhs.tolist()]
            for r in lhs.tolist()
        ]
    ).astype(out or dtype)
    assert_same(evaluated("nn.dense", lhs, rhs, out_dtype=out), expected)
    assert_same(evaluated("nn.matmul", lhs, rhs.T, out_dtype=out), expected)
    assert_same(
        evaluated("nn.matmul", lhs.T, rhs, transpose_a=True, transpose_b=True, out_dtype=out),
        expected,
    )
    stack, one = np.stack([lhs, lhs]), rhs[None]
    found = evaluated("nn.batch_matmul", stack, one, transpose_b=True, out_dtype=out)
    assert_same(found, np.stack([expected, expected]))
    across = np.swapaxes(stack, 1, 2)
    found = evaluated(
        "nn.batch_matmul", across, np.swapaxes(one, 1, 2), transpose_a=True, out_dtype=out
    )
    assert_same(found, np.stack([expected, expected]))
    assert_same(evaluated("nn.dense", lhs[None], rhs, out_dtype=out), expected[None])


def test_einsum_follows_its_equation():
    lhs, rhs = random_values(2, 3), random_values(3, seed=9)
    expected = np.array(
        [sum(float(a) * float(b) for a, b in zip(row, rhs, strict=True)) for row in lhs],
        np.float32,
    )
    assert_same(evaluated("einsum", (lhs, rhs), equation="ij,j->i"), expected)


@pytest.mark.parametrize("axis", [1, 3])
def test_batch_norm_uses_the_moving_statistics_and_returns_them(axis):
    data = random_values(2, 3, 2, 3)
    gamma, beta, mean = (random_values(3, seed=s) for s in (1, 2, 3))
    var = random_values(3, seed=4, low=1)
    expected = np.empty_like(data)
    for index in every_index(data.shape):
        c = index[axis]
        expected[index] = (data[index] - mean[c]) / math.sqrt(var[c] + 1e-3) * gamma[c] + beta[c]
    inputs = data, gamma, beta, mean, var
    found = evaluated("nn.batch_norm", *inputs, axis=axis, epsilon=1e-3)
    assert_same(found, (expected, mean, var))
    plain = evaluated("nn.batch_norm", *inputs, axis=axis, epsilon=1e-3, scale=False, center=False)
    shape = [1] * 4
    shape[axis] = 3
    scaled = plain[0] * gamma.reshape(shape) + beta.reshape(shape)
    assert_same(found[0], scaled.astype(np.float32))


@pytest.mark.parametrize(
    ("name", "options", "group"),
    [
        ("nn.layer_norm", {"axis": -1}, lambda n, _c, h, _w: (n, _c, h)),
        ("nn.instance_norm", {"axis": 3}, lambda n, _c, _h, w: (n, w)),
        ("nn.group_norm", {"axis": 3, "num_groups": 2}, lambda n, _c, _h, w: (n, w // 2)),
    ],
)
def test_other_norms_use_the_statistics_of_their_group(name, options, group):
    data = random_values(2, 2, 3, 4, dtype="float64")
    gamma, beta = (random_values(4, seed=s, dtype="float64") for s in (1, 2))
    members = {}
    for index in every_index(data.shape):
        members.setdefault(group(*index), []).append(data[index])
    expected = np.empty_like(data)
    for index in every_index(data.shape):
        values = np.array(members[group(*index)])
        deviation = math.sqrt(((values - values.mean()) ** 2).mean() + 1e-5)
        normal = (data[index] - values.mean()) / deviation
        expected[index] = normal * gamma[index[3]] + beta[index[3]]
    assert_same(evaluated(name, data, gamma, beta, **options), expected)


def test_l2_normalize_makes_vectors_of_length_one():
    data = np.array([[3, 4], [0, 0]], np.float32)
    found = evaluated("nn.l2_normalize", data, eps=1e-6, axis=(1,))
    assert_same(found, np.array([[0.6, 0.8], [0, 0]], np.float32))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
def test_pad_adds_elements_around(mode):
    data = random_values(3, 4)
    inside = {
        "edge": lambda i, n: min(max(i, 0), n - 1),
        "reflect": lambda i, n: abs(i) if i < n else 2 * (n - 1) - i,
        "constant": lambda i, n: i if 0 <= i < n else None,
    }[mode]
    expected = np.full((6, 5), 7, np.float32)
    for row, column in every_index(expected.shape):
        at = inside(row - 1, 3), inside(column - 1, 4)
        if None not in at:
            expected[row, column] = data[at]
    widths = ((1, 2), (1, 0))
    assert_same(evaluated("nn.pad", data, np.float32(7), pad_width=widths, pad_mode=mode), expected)
    found = evaluated("dyn.nn.pad", data, np.array(widths), np.float32(7), pad_mode=mode)
    assert_same(found, expected)


def test_mirror_pad_with_and_without_the_edge():
    data = np.array([1, 2, 3], np.int32)
    symmetric = evaluated("nn.mirror_pad", data, pad_width=((2, 1),), mode="SYMMETRIC")
    assert_same(symmetric, np.array([2, 1, 1, 2, 3, 3], np.int32))
    reflect = evaluated("nn.mirror_pad", data, pad_width=((2, 1),), mode="REFLECT")
    assert_same(reflect, np.array([3, 2, 1, 2, 3, 2], np.int32))
    for name, options in (
        ("nn.mirror_pad", {"pad_width": ((0, 0),), "mode": "wrap"}),
        ("nn.pad", {"pad_width": ((0, 0),), "pad_mode": "wrap"}),
    ):
        inputs = (data, np.int32(0))[: 2 if name == "nn.pad" else 1]
        with pytest.raises(EvaluationError, match="'wrap'"):
            evaluated(name, *inputs, **options)


def test_dilate_spreads_elements():
    found = evaluated("nn.dilate", np.array([1, 2], np.int32), strides=(3,), dilation_value=9.0)
    assert_same(found, np.array([1, 9, 9, 2], np.int32))


@pytest.mark.parametrize("mode", ["DCR", "CDR"])
def test_depth_becomes_space_and_back(mode):
    data = random_values(1, 8, 2, 3)
    found = evaluated("nn.depth_to_space", data, block_size=2, mode=mode)
    assert found.shape == (1, 2, 4, 6)
    for _, c, y, x in every_index(found.shape):
        block = 2 * (y % 2) + x % 2
        channel = 2 * block + c if mode == "DCR" else 4 * c + block
        assert found[0, c, y, x] == data[0, channel, y // 2, x // 2]
    if mode == "DCR":
        assert_same(evaluated("nn.space_to_depth", found, block_size=2), data)
    with pytest.raises(EvaluationError, match="not DCR or CDR"):
        evaluated("nn.depth_to_space", data, block_size=2, mode="RCD")


def test_what_a_norm_of_training_does_is_left_alone():
    assert "nn.dropout" not in evaluated_in("relayish.op.nn.activation")


def test_marks_are_evaluated_away():
    data = random_values(2)
    assert evaluated("annotation.checkpoint", data) is data
    assert evaluated("annotation.stop_fusion", data) is data


def test_dynamic_shapes_come_as_tensors():
    data = random_values(1, 6)
    assert evaluated("dyn.reshape", data, np.array([2, -1])).shape == (2, 3)
    assert evaluated("dyn.squeeze", data, np.array([0])).shape == (6,)
    assert evaluated("dyn.expand_dims", data, np.int32(-1)).shape == (1, 6, 1)


def test_every_evaluated_operator_of_the_families_is_tested():
    assert evaluated_in("relayish.op.dyn") == {
        *("dyn.zeros", "dyn.ones", "dyn.full", "dyn.reshape", "dyn.squeeze", "dyn.expand_dims"),
        *("dyn.broadcast_to", "dyn.tile", "dyn.strided_slice", "dyn.topk", "dyn.one_hot"),
        *("dyn.nn.pad", "dyn.sparse_to_dense"),
    }
