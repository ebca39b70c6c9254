"""Normalisation, softmax and sampling give what torch gives."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.onnx_kernels import compare, run_kernel

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.references
functional = torch.nn.functional
F = np.float32


def draw(rng, *shape):
    return rng.standard_normal(shape).astype(F)


def as_torch(*arrays):
    return [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]


def test_batch_normalization_is_trained_where_statistics_are_asked_for():
    rng = np.random.default_rng(0)
    x, scale, b, mean = draw(rng, 3, 2, 4), draw(rng, 2), draw(rng, 2), draw(rng, 2)
    given = [x, scale, b, mean, abs(mean)]
    (tested,) = run_kernel("BatchNormalization", *given, version=6, num_outputs=1)
    five = run_kernel("BatchNormalization", *given, version=6, num_outputs=5, momentum=0.3)
    three = run_kernel("BatchNormalization", *given, version=14, momentum=0.3, training_mode=1)
    assert [one.tolist() for one in three] == [one.tolist() for one in five[:3]]
    (frozen,) = run_kernel("BatchNormalization", *given, version=6, num_outputs=5, is_test=1)
    compare(tested, frozen, 0, 0)
    compare(five[3], x.mean((0, 2)), 1e-5, 1e-6)
    compare(five[4], x.var((0, 2)), 1e-5, 1e-6)
    compare(five[1], mean * F(0.3) + five[3] * F(0.7), 1e-5, 1e-6)
    compare(five[2], abs(mean) * F(0.3) + five[4] * F(0.7), 1e-5, 1e-6)
    column = (slice(None), None)
    normal = (x - five[3][column]) / np.sqrt(five[4][column] + F(1e-5))
    compare(five[0], normal * scale[column] + b[column], 1e-4, 1e-5)


def test_elements_have_statistics_of_their_own_where_they_are_not_spatial():
    rng = np.random.default_rng(0)
    x, statistics = draw(rng, 3, 2, 4), [draw(rng, 2, 4) for _ in range(3)]
    var = abs(draw(rng, 2, 4))
    (y,) = run_kernel("BatchNormalization", x, *statistics, var, version=7, spatial=0)
    scale, b, mean = statistics
    compare(y, (x - mean) / np.sqrt(var + F(1e-5)) * scale + b, 1e-4, 1e-5)
    five = run_kernel(
        "BatchNormalization", x, *statistics, var, version=7, spatial=0, num_outputs=5
    )
    compare(five[3], x.mean(0), 1e-5, 1e-6)


def test_groups_and_not_channels_were_scaled_before_version_21():
    rng = np.random.default_rng(0)
    x, scale, b = draw(rng, 2, 6, 3, 4), draw(rng, 3), draw(rng, 3)
    (y,) = run_kernel("GroupNormalization", x, scale, b, version=18, num_groups=3)
    spread = np.repeat(scale, 2), np.repeat(b, 2)
    (expected,) = run_kernel("GroupNormalization", x, *spread, version=21, num_groups=3)
    compare(y, expected, 1e-5, 1e-6)


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2])
def test_hardmax_is_1_at_the_first_of_the_greatest(axis):
    x = np.rint(draw(np.random.default_rng(0), 2, 3, 4))
    (y,) = run_kernel("Hardmax", x, version=13, axis=axis)
    compare(y, np.moveaxis(np.eye(x.shape[axis], dtype=F)[x.argmax(axis)], -1, axis), 0, 0)


@pytest.mark.parametrize("axis", [-3, -1, 0, 1, 2, 3])
def test_softmax_took_rows_before_version_13(axis):
    x = draw(np.random.default_rng(0), 2, 3, 4)
    at = axis % 3 if axis < 3 else 3
    rows = x.reshape(int(np.prod(x.shape[:at])), -1)
    for op in ("Softmax", "LogSoftmax", "Hardmax"):
        (y,) = run_kernel(op, x, version=11, axis=axis)
        (expected,) = run_kernel(op, rows, version=13, axis=1)
        compare(y, expected.reshape(x.shape), 0, 0)


def test_single_places_of_a_grid_lie_in_the_middle():
    theta = F([[[1, 0, 0], [0, 1, 0]]])
    (y,) = run_kernel("AffineGrid", theta, np.array([1, 1, 2, 1]), version=20, align_corners=1)
    compare(y, F([[[[0, -1]], [[0, 1]]]]))


@pytest.mark.parametrize("shape", [(2, 6, 5, 4), (1, 1, 3, 3)])
@pytest.mark.parametrize("kernel", [(2, 2), (3, 1)])
def test_columns_are_folded_as_in_torch(shape, kernel):
    rng = np.random.default_rng(0)
    x = draw(rng, *shape)
    given = {"dilation": (1, 2), "padding": (1, 2), "stride": (2, 1)}
    columns = functional.unfold(*as_torch(x), kernel, **given)
    (y,) = run_kernel(
        "Col2Im", columns.numpy(), np.array(shape[2:]), np.array(kernel), version=18,
        dilations=(1, 2), pads=(1, 2, 1, 2), strides=(2, 1),
    )  # fmt: skip
    compare(y, functional.fold(columns, shape[2:], kernel, **given).numpy(), 1e-5, 1e-5)


def test_greatest_elements_go_back_where_they_were():
    x = np.random.default_rng(0).permutation(2 * 3 * 6 * 8).astype(F).reshape(2, 3, 6, 8)
    y, places = run_kernel(
        "MaxPool", x, version=12, kernel_shape=(2, 2), strides=(2, 2), num_outputs=2
    )
    (back,) = run_kernel("MaxUnpool", y, places, version=11, kernel_shape=(2, 2), strides=(2, 2))
    pooled, indices = functional.max_pool2d(*as_torch(x), 2, 2, return_indices=True)
    compare(back, functional.max_unpool2d(pooled, indices, 2, 2).numpy(), 0, 0)
    (wide,) = run_kernel(
        "MaxUnpool", y, places, np.array([2, 3, 7, 8]), version=11, kernel_shape=(2, 2),
        strides=(2, 2),
    )  # fmt: skip
    compare(wide, np.pad(back, [(0, 0), (0, 0), (0, 1), (0, 0)]), 0, 0)
    places[0, 0, 0, 0] = x.size
    with pytest.raises(EvaluationError, match=f"to {x.size}; expected 0 to {x.size - 1}"):
        run_kernel("MaxUnpool", y, places, version=11, kernel_shape=(2, 2), strides=(2, 2))


@pytest.mark.parametrize(
    ("op", "version", "shapes", "given", "complaint"),
    [
        ("BatchNormalization", 9, [(2, 3)] + [(2,)] * 4, {}, "scale, bias, mean and variance"),
        ("BatchNormalization", 15, [(3,)] + [(3,)] * 4, {}, "the input has shape"),
        ("LayerNormalization", 17, [(2, 3), (2,)], {}, "scale or bias has shape"),
        ("LayerNormalization", 17, [(2, 3), (3,)], {"axis": 2}, "axis 2 is not one of 2 axes"),
        ("InstanceNormalization", 6, [(2, 3, 4), (4,), (3,)], {}, "scale has shape"),
        ("GroupNormalization", 21, [(2, 4), (4,), (4,)], {"num_groups": 3}, "4 channels do not"),
        ("GroupNormalization", 21, [(2, 4), (2,), (2,)], {"num_groups": 2}, r"expected \(4,\)"),
        ("LpNormalization", 1, [(2,)], {"p": 3}, "p is 3"),
        ("MeanVarianceNormalization", 13, [(2, 3)], {"axes": (0, -2)}, "come twice"),
        ("Softmax", 13, [(2, 3)], {"axis": 2}, "axis 2 is not one of 2 axes"),
        ("GridSample", 20, [(1, 1, 3, 3), (1, 2, 2, 3)], {}, "the grid has shape"),
        ("GridSample", 20, [(1, 1, 3), (1, 2, 1)], {"mode": "odd"}, "mode is 'odd'"),
        ("MaxUnpool", 11, [(1, 1, 2), (1, 1, 3)], {"kernel_shape": (2,)}, "indices have shape"),
    ],
)
def test_contradictions_are_refused(op, version, shapes, given, complaint):
    inputs = [np.zeros(shape, F) for shape in shapes]
    with pytest.raises(EvaluationError, match=complaint):
        run_kernel(op, *inputs, version=version, **given)


@pytest.mark.parametrize("version", [1, 6, 7, 10])
def test_dropout_without_a_training_mode_is_run_for_inference(version):
    x = np.arange(1, 7, dtype="float32").reshape(2, 3)
    for count in (1, 2):
        found, *mask = run_kernel("Dropout", x, version=version, num_outputs=count)
        np.testing.assert_array_equal(found, x)
        assert all(np.all(each) for each in mask)
