"""Operators of image processing against torch, ONNX's reference and formulas."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.support.checking import assert_same, evaluated, random_values, reference
from tests.support.reference_onnx import run_onnx
from tests.support.seeds import quickly

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
few = quickly(25)
RESIZE = {n: f"image.resize{n}d" for n in (1, 2, 3)}


def onnx_resize(data, size, roi=None, **attributes):
    whole = [0.0] * 2 * data.ndim
    if roi is not None:
        rank = len(size)
        whole = [0.0, 0.0, *roi[:rank], 1.0, 1.0, *roi[rank:]]
    region, target = np.array(whole, np.float32), np.array([*data.shape[:2], *size], np.int64)
    return run_onnx("Resize", data, region, None, target, **attributes)


@reference("onnx", "image.resize2d")
@pytest.mark.parametrize("exclude", [0, 1])
def test_cubic_curves_over_a_region_are_those_of_onnx(exclude):
    data, roi = random_values(1, 1, 5, 4), (0.2, -0.5, 1.3, 0.9)
    shared = {
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "extrapolation_value": 9.0,
    }
    how = {"method": "cubic", "cubic_alpha": -0.6, "cubic_exclude": exclude}
    found = evaluated("image.resize2d", data, size=(4, 3), roi=roi, **how, **shared)
    how = {"mode": "cubic", "cubic_coeff_a": -0.6, "exclude_outside": exclude}
    expected = onnx_resize(data, (4, 3), roi, **how, **shared)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=2e-5)


@reference("torch", "image.resize3d", "image.resize2d", "image.resize1d")
@pytest.mark.parametrize("rank", [1, 2, 3])
@pytest.mark.parametrize("aligned", [True, False])
def test_linear_interpolation_is_that_of_torch(rank, aligned):
    torch = pytest.importorskip("torch")
    data = random_values(2, 3, 4, 5, 3)[(..., *(0,) * (3 - rank))]
    size = (6, 3, 5)[:rank]
    found = evaluated(
        RESIZE[rank],
        data,
        size=size,
        coordinate_transformation_mode="align_corners" if aligned else "half_pixel",
    )
    mode = {1: "linear", 2: "bilinear", 3: "trilinear"}[rank]
    expected = torch.nn.functional.interpolate(
        torch.tensor(data), size, mode=mode, align_corners=aligned
    )
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-4, atol=1e-5)


def test_layouts_give_the_same_image_rearranged():
    data = random_values(2, 8, 4, 5)
    plain = evaluated("image.resize2d", data, size=(3, 7))
    last = evaluated("image.resize2d", data.transpose(0, 2, 3, 1), size=(3, 7), layout="NHWC")
    assert_same(last.transpose(0, 3, 1, 2), plain)
    packed = data.reshape(2, 2, 4, 4, 5).transpose(0, 1, 3, 4, 2)
    blocks = evaluated("image.resize2d", packed, size=(3, 7), layout="NCHW4c")
    assert_same(blocks.transpose(0, 1, 4, 2, 3).reshape(2, 8, 3, 7), plain)


@reference("formula", "dyn.image.resize2d")
def test_size_may_come_as_an_argument():
    data, roi = random_values(1, 2, 3, 4), np.zeros(4, np.float32)
    found = evaluated("dyn.image.resize2d", data, np.array([5, 2], np.int64), roi, method="cubic")
    assert_same(found, evaluated("image.resize2d", data, size=(5, 2), method="cubic"))
    region = np.array([0.1, 0.2, 0.9, 0.7], np.float32)
    how = {"coordinate_transformation_mode": "tf_crop_and_resize"}
    found = evaluated("dyn.image.resize2d", data, np.array([5, 2], np.int64), region, **how)
    expected = evaluated("image.resize2d", data, size=(5, 2), roi=tuple(region.tolist()), **how)
    assert_same(found, expected)


def pixel(image, y, x, method, beyond):
    """Return one sample of a plane at real coordinates."""
    height, width = image.shape
    if not (0 <= y <= height - 1 and 0 <= x <= width - 1):
        return beyond
    if method == "nearest_neighbor":
        return image[math.floor(y + 0.5), math.floor(x + 0.5)]
    top, left = int(y), int(x)
    down, right = min(top + 1, height - 1), min(left + 1, width - 1)
    above = image[top, left] * (1 - x + left) + image[top, right] * (x - left)
    below = image[down, left] * (1 - x + left) + image[down, right] * (x - left)
    return above * (1 - y + top) + below * (y - top)


@reference("formula", "image.crop_and_resize")
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("method", ["bilinear", "nearest_neighbor"])
@pytest.mark.parametrize("size", [(3, 4), (1, 2)])
def test_boxes_are_cut_out_and_resized(layout, method, size):
    data = random_values(2, 3, 6, 5)
    boxes = np.array(
        [[0.1, 0.2, 0.8, 0.9], [-0.2, 0, 0.5, 1.2], [0.95, 0.8, 0.32, 0.1]], np.float32
    )
    indices = np.array([1, 0, 1], np.int32)
    given = data if layout == "NCHW" else data.transpose(0, 2, 3, 1)
    found = evaluated(
        "image.crop_and_resize",
        np.ascontiguousarray(given),
        boxes,
        indices,
        crop_size=size,
        layout=layout,
        method=method,
        extrapolation_value=7.0,
    )
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    places = [
        [
            [first + (last - first) * (k / (n - 1) if n > 1 else 0.5) for k in range(n)]
            for first, last, n in ((box[0], box[2], size[0]), (box[1], box[3], size[1]))
        ]
        for box in boxes.tolist()
    ]
    expected = np.array(
        [
            [
                [[pixel(data[i, c], y * 5, x * 4, method, 7.0) for x in xs] for y in ys]
                for c in range(3)
            ]
            for (ys, xs), i in zip(places, indices, strict=True)
        ],
        np.float32,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("method", "like"), [("bilinear", "linear"), ("nearest_neighbor",) * 2, ("cubic",) * 2]
)
def test_cutting_out_the_whole_image_resizes_it_with_aligned_corners(method, like):
    data, box = random_values(1, 2, 5, 4), np.array([[0, 0, 1, 1]], np.float32)
    found = evaluated(
        "image.crop_and_resize", data, box, np.zeros(1, "int32"), crop_size=(9, 8), method=method
    )
    expected = evaluated(
        "image.resize2d",
        data,
        size=(9, 8),
        method=like,
        coordinate_transformation_mode="align_corners",
        rounding_method="round",
        cubic_alpha=-0.5,
        cubic_exclude=0,
    )
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@reference("formula", "image.dilation2d")
@few
@hypothesis.given(
    st.integers(3, 7),
    st.tuples(st.integers(1, 3), st.integers(1, 3)),
    st.sampled_from([(0,), (1,), (1, 2), (0, 1, 2, 0)]),
    st.integers(1, 2),
    st.integers(1, 2),
    st.booleans(),
)
def test_dilation_is_the_greatest_sum_in_each_window(size, kernel, padding, stride, apart, last):
    data, weight = random_values(2, 3, size, size + 1), random_values(3, *kernel, seed=3)
    top, left, bottom, right = padding * (4 // len(padding))
    padded = np.pad(data, ((0, 0), (0, 0), (top, bottom), (left, right)))
    reach = [(k - 1) * apart + 1 for k in kernel]
    rows = range(0, padded.shape[2] - reach[0] + 1, stride)
    columns = range(0, padded.shape[3] - reach[1] + 1, stride)
    hypothesis.assume(len(rows) > 0 and len(columns) > 0)
    offsets = list(itertools.product(*map(range, kernel)))
    expected = np.stack(
        [
            padded[:, :, y * apart : y * apart + rows[-1] + 1 : stride][
                ..., x * apart : x * apart + columns[-1] + 1 : stride
            ]
            + weight[:, y, x, None, None]
            for y, x in offsets
        ]
    ).max(axis=0)
    given = (data.transpose(0, 2, 3, 1), weight.transpose(1, 2, 0)) if last else (data, weight)
    found = evaluated(
        "image.dilation2d",
        *given,
        strides=(stride, stride),
        padding=padding,
        dilations=(apart, apart),
        data_layout="NHWC" if last else "NCHW",
        kernel_layout="HWI" if last else "IHW",
    )
    assert_same(found.transpose(0, 3, 1, 2) if last else found, expected)


def test_numbers_behind_two_strides_do_not_count():
    data, weight = random_values(1, 2, 6, 6), random_values(2, 2, 2)
    two = evaluated("image.dilation2d", data, weight, strides=(2, 1), dilations=(1, 2))
    how = {"strides": (2, 1, 1, 1), "dilations": (1, 2, 1, 1)}
    assert_same(evaluated("image.dilation2d", data, weight, **how), two)


@reference("torch", "image.affine_grid")
@pytest.mark.parametrize("size", [(2, 2), (5, 7)])
def test_affine_grid_is_that_of_torch(size):
    torch = pytest.importorskip("torch")
    maps = random_values(3, 2, 3)
    found = evaluated("image.affine_grid", maps, target_shape=size)
    expected = torch.nn.functional.affine_grid(
        torch.tensor(maps), (3, 1, *size), align_corners=True
    )
    np.testing.assert_allclose(found, expected.numpy().transpose(0, 3, 1, 2), atol=1e-5)


@reference("torch", "image.grid_sample")
@pytest.mark.parametrize(
    ("method", "padding", "aligned", "layout"),
    [
        ("nearest", "border", True, "NCHW"),
        ("bilinear", "zeros", False, "NHWC"),
        ("bicubic", "reflection", True, "NCHW"),
        ("bilinear", "reflection", True, "NDHWC"),
    ],
)
def test_samples_are_those_of_torch(method, padding, aligned, layout):
    torch = pytest.importorskip("torch")
    rank = len(layout) - 2
    data = random_values(2, 3, *(4, 5, 3)[:rank])
    grid = random_values(2, rank, *(6, 3, 4)[:rank], low=-2.5, high=2.5)
    expected = torch.nn.functional.grid_sample(
        torch.tensor(data),
        torch.tensor(np.moveaxis(grid, 1, -1).copy()),
        mode=method,
        padding_mode=padding,
        align_corners=aligned,
    )
    last = layout.endswith("C")
    found = evaluated(
        "image.grid_sample",
        np.moveaxis(data, 1, -1) if last else data,
        grid,
        method=method,
        layout=layout,
        padding_mode=padding,
        align_corners=aligned,
    )
    found = np.moveaxis(found, -1, 1) if last else found
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-3, atol=2e-5)
