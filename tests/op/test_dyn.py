"""Operators whose shapes come as arguments."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.op import get_op, list_ops
from relayish.op.declaration.properties import relation, rule
from tests.support.checking import (
    assert_same,
    evaluated,
    random_values,
    reference,
)


def sizes(*numbers):
    return np.array(numbers, np.int64)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "bfloat16", None])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
@reference("formula", "dyn.zeros", "dyn.ones", "dyn.full")
def test_tensor_of_one_value_is_that_of_the_static_operator(shape, dtype):
    for name in ("zeros", "ones"):
        expected = evaluated(name, shape=shape, dtype=dtype)
        assert_same(evaluated(f"dyn.{name}", sizes(*shape), dtype=dtype), expected)
    expected = evaluated("full", np.float32(7), shape=shape, dtype=dtype)
    assert_same(evaluated("dyn.full", np.float32(7), sizes(*shape), dtype=dtype), expected)


@reference("numpy", "dyn.squeeze", "dyn.expand_dims", "dyn.broadcast_to", "dyn.tile")
def test_axes_come_and_go_and_repeat_as_in_numpy():
    data = random_values(1, 2, 1, 3)
    for axes in ((), (0,), (0, 2), (-4, -2)):
        assert_same(evaluated("dyn.squeeze", data, sizes(*axes)), np.squeeze(data, axes))
    for axis in (0, 2, 4, -1, -5):
        expected = np.expand_dims(data, axis)
        assert_same(evaluated("dyn.expand_dims", data, np.int64(axis)), expected)
        two = evaluated("dyn.expand_dims", data, np.int64(axis), num_newaxis=2)
        assert_same(two, np.expand_dims(expected, axis))
    expected = np.broadcast_to(data, (5, 4, 2, 2, 3))
    assert_same(evaluated("dyn.broadcast_to", data, sizes(5, 4, 2, 2, 3)), expected)
    for reps in ((), (2,), (2, 1, 3, 1), (2, 1, 1, 1, 1, 2)):
        assert_same(evaluated("dyn.tile", data, sizes(*reps)), np.tile(data, reps))


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect"])
@reference("numpy", "dyn.nn.pad")
def test_pad_agrees_with_numpy(mode):
    data = random_values(3, 4)
    widths = np.array([[1, 0], [2, 1]])
    options = {"constant_values": 7} if mode == "constant" else {}
    expected = np.pad(data, widths, mode, **options)
    assert_same(evaluated("dyn.nn.pad", data, widths, np.float32(7), pad_mode=mode), expected)


@pytest.mark.parametrize("axis", [0, 1, -1])
@reference("numpy", "dyn.one_hot", "dyn.topk", "dyn.sparse_to_dense")
def test_counts_may_come_as_arguments(axis):
    places = np.array([[0, 2], [1, 3]], np.int32)
    found = evaluated(
        "dyn.one_hot",
        places,
        np.float32(2),
        np.float32(-1),
        np.int32(4),
        depth=0,
        axis=axis,
        dtype="float32",
    )
    rows = np.where(np.eye(4, dtype=bool)[places], np.float32(2), np.float32(-1))
    assert_same(found, np.moveaxis(rows, -1, axis))

    data = random_values(4, 5)
    found = evaluated("dyn.topk", data, np.int32(3), k=None, axis=axis, dtype="int64")
    order = np.argsort(-data, axis=axis, kind="stable")
    first = np.take(order, np.arange(3), axis=axis)
    assert_same(found, (np.take_along_axis(data, first, axis), first))

    found = evaluated(
        "dyn.sparse_to_dense",
        np.array([[0, 1], [2, 0]]),
        np.array([5, 6], np.int32),
        np.int32(-1),
        sizes(3, 2),
    )
    assert_same(found, np.array([[-1, 5], [-1, -1], [6, -1]], np.int32))


@pytest.mark.parametrize(
    "options",
    [
        {"method": "nearest_neighbor", "coordinate_transformation_mode": "asymmetric"},
        {"method": "linear", "coordinate_transformation_mode": "align_corners"},
        {"method": "cubic", "layout": "NHWC", "out_dtype": "float64"},
        {"method": "linear", "coordinate_transformation_mode": "tf_crop_and_resize"},
    ],
)
@reference("formula", "dyn.image.resize2d")
def test_resize_is_that_of_the_static_operator(options):
    data, roi = random_values(1, 4, 5, 6), (0.25, 0.0, 1.0, 0.75)
    expected = evaluated("image.resize2d", data, size=(7, 3), roi=roi, **options)
    inputs = data, sizes(7, 3), np.float32(roi)
    assert_same(evaluated("dyn.image.resize2d", *inputs, size=(), roi=(), **options), expected)


@reference("torch", "dyn.image.resize2d", "dyn.nn.upsampling", "dyn.nn.upsampling3d")
def test_sizes_and_scales_agree_with_torch():
    torch = pytest.importorskip("torch")
    interpolate = torch.nn.functional.interpolate
    data = random_values(2, 3, 4, 5)
    expected = interpolate(torch.tensor(data), (6, 10), mode="bilinear", align_corners=True)
    options = {"size": (), "roi": (), "coordinate_transformation_mode": "align_corners"}
    inputs = data, sizes(6, 10), np.float32([0, 0, 1, 1])
    assert_same(evaluated("dyn.image.resize2d", *inputs, **options), expected.numpy())
    expected = interpolate(torch.tensor(data), scale_factor=(2, 3), mode="nearest")
    found = evaluated("dyn.nn.upsampling", data, np.float32(2), np.float32(3))
    assert_same(found, expected.numpy())
    deep = random_values(1, 2, 2, 3, 4)
    expected = interpolate(torch.tensor(deep), scale_factor=(2, 1, 3), mode="nearest")
    scales = np.float64(2), np.float64(1), np.float64(3)
    options = {"coordinate_transformation_mode": "asymmetric"}
    assert_same(evaluated("dyn.nn.upsampling3d", deep, *scales, **options), expected.numpy())


@pytest.mark.parametrize("scale", [0.3, 0.5, 0.7])
def test_sizes_at_a_half_are_those_of_the_static_operator(scale):
    deep = random_values(1, 1, 1, 3, 5)
    options = {"coordinate_transformation_mode": "asymmetric"}
    static = {f"scale_{axis}": scale for axis in "dhw"}
    expected = evaluated("nn.upsampling3d", deep, **static, **options)
    assert_same(
        evaluated("dyn.nn.upsampling3d", deep, *[np.float64(scale)] * 3, **options), expected
    )
    assert expected.shape == (1, 1, *(round(size * scale) for size in (1, 3, 5)))


def test_every_operator_of_the_domain_has_a_type():
    names = [name for name in list_ops("relay") if name.startswith("dyn.")]
    assert len(names) == 16
    assert not [name for name in names if get_op(name) not in rule and get_op(name) not in relation]
