"""Numbers out of all proportion: attributes an element type cannot hold, sizes that are none."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.op import get_op, make_attrs
from relayish.op.types.result_size import bound_result
from tests.support.checking import evaluated

NAN, INF, ONE = float("nan"), float("inf"), np.float32(1)


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
def test_mask_of_minus_one_is_the_largest_unsigned_number(dtype):
    data, lengths = np.zeros((3, 2), dtype), np.array([1, 2], "int32")
    found = evaluated("sequence_mask", data, lengths, mask_value=-1.0)
    assert found.tolist() == [[0, 0], [np.iinfo(dtype).max, 0], [np.iinfo(dtype).max] * 2]


@pytest.mark.parametrize("alpha", [NAN, INF, 1e30])
def test_slope_that_no_integer_holds_leaves_what_is_positive_alone(alpha):
    found = evaluated("nn.leaky_relu", np.array([3, 0, -2], "int32"), alpha=alpha)
    assert found[0] == 3
    assert found.dtype == np.int32


@pytest.mark.parametrize("name", ["nn.relu", "nn.leaky_relu", "nn.prelu"])
@pytest.mark.parametrize("dtype", ["int4", "uint4", "float8_e5m2", "bfloat16"])
def test_activation_keeps_narrow_elements(name, dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype))
    inputs = [np.arange(6).reshape(2, 3).astype(kind), np.ones(3, kind)]
    found = evaluated(name, *inputs[: 2 if name == "nn.prelu" else 1])
    assert found.dtype == kind
    assert np.array_equal(found.astype(int), inputs[0].astype(int))


def test_depth_of_one_hot_does_not_wrap_around():
    op, indices = get_op("dyn.one_hot"), np.zeros(4, "int32")
    attrs = make_attrs(op, {"depth": 1, "axis": -1, "dtype": "float32"})
    most = np.int32(2**31 - 1)
    assert bound_result(op, attrs, indices, most, most, most) == 4 * (2**31 - 1)


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
def test_size_that_is_no_number_is_refused(bad):
    sizes, data = np.array([2, bad], "float32"), np.ones((1, 1), "float32")
    for name, inputs in (
        ("dyn.ones", (sizes,)),
        ("dyn.zeros", (sizes,)),
        ("dyn.full", (np.float32(1), sizes)),
        ("dyn.tile", (data, sizes)),
        ("dyn.reshape", (data, sizes)),
        ("dyn.broadcast_to", (data, sizes)),
        ("dyn.topk", (data, sizes[1])),
    ):
        with pytest.raises(EvaluationError, match="must be numbers"):
            evaluated(name, *inputs)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint64"])
def test_place_in_a_shape_larger_than_the_element_type_is_found(dtype):
    found = evaluated("unravel_index", np.array([7, 120], dtype), np.array([1000, 100], "int32"))
    assert found.dtype == np.dtype(dtype)
    assert found.tolist() == [[0, 1], [7, 20]]


def test_deformable_convolution_moved_by_nan_sees_nothing():
    data, weight = np.ones((1, 1, 3, 3), "float32"), np.ones((1, 1, 1, 1), "float32")
    offset = np.zeros((1, 2, 3, 3), "float32")
    offset[0, 0, 0, 0], offset[0, 1, 1, 1], offset[0, 0, 2, 2] = NAN, INF, -INF
    found = evaluated("nn.deformable_conv2d", data, offset, weight)
    assert found.ravel().tolist() == [0, 1, 1, 1, 0, 1, 1, 1, 0]


@pytest.mark.parametrize("count", [8, 2**31 - 1])
def test_more_boxes_are_not_looked_at_than_there_are(count):
    boxes = np.array([[[0, 0.9, 0, 0, 1, 1], [0, 0.5, 5, 5, 6, 6]]], "float32")
    found, number = evaluated(
        "vision.non_max_suppression",
        boxes,
        np.array([count], "int32"),
        np.array([[4, 7]], "int32"),
        np.int32(-1),
        np.float32(0),
    )
    assert found.tolist() == [[4, 7]]
    assert number.tolist() == [[2]]


@pytest.mark.parametrize("away", [2**62, -(2**62), 2**63 - 1])
@pytest.mark.parametrize("upper", [True, False])
def test_diagonal_far_away_takes_all_or_nothing(away, upper):
    found = evaluated("trilu", np.ones((2, 3), "int8"), np.int64(away), upper=upper)
    assert found.all() == (upper == (away < 0))
    assert found.any() == found.all()


def test_block_that_does_not_divide_the_columns_is_refused():
    blocks = np.ones((1, 2, 3), "float32")
    places, starts = np.zeros(1, "int32"), np.array([0, 1], "int32")
    with pytest.raises(EvaluationError, match="fill no 8 columns"):
        evaluated("nn.sparse_dense", np.ones((1, 8), "float32"), blocks, places, starts)


@pytest.mark.parametrize("right", [NAN, INF, 1e12])
def test_region_out_of_all_proportion_is_refused(right):
    data, rois = np.ones((1, 1, 4, 4), "float32"), np.array([[0, 0, 0, right, 1]], "float32")
    with pytest.raises(EvaluationError, match="samples a bin"):
        evaluated("vision.roi_align", data, rois, pooled_size=(2, 2), spatial_scale=1.0)


@pytest.mark.parametrize("bad", [NAN, INF, -INF, 1e30])
def test_crop_beyond_all_bounds_is_extrapolated(bad):
    data, boxes = np.ones((1, 1, 4, 4), "float32"), np.array([[0, bad, 1, 1]], "float32")
    inputs = (data, boxes, np.zeros(1, "int32"))
    for method in ("bilinear", "nearest_neighbor"):
        options = {"crop_size": (2, 2), "method": method, "extrapolation_value": 7.0}
        found = evaluated("image.crop_and_resize", *inputs, **options)
        assert found[0, 0, :, 0].tolist() == [7, 7]


@pytest.mark.parametrize(("shift", "expected"), [(-31, 1), (-32, 0), (-33, 0), (-(2**31), 0)])
def test_product_shifted_far_to_the_right_is_nothing(shift, expected):
    data, most = np.array([2**31 - 1, -5], "int32"), 2**31 - 1
    found = evaluated("fixed_point_multiply", data, multiplier=most, shift=shift)
    assert found.tolist() == [expected, 0]


@pytest.mark.parametrize("scale", [NAN, INF, 1e30])
def test_region_scaled_out_of_all_bounds_is_refused(scale):
    data, rois = np.ones((1, 1, 4, 4), "float32"), np.array([[0, 0, 0, 1, 1]], "float32")
    with pytest.raises(EvaluationError, match="must end nearer"):
        evaluated("vision.roi_pool", data, rois, pooled_size=(2, 2), spatial_scale=scale)


def test_nothing_is_marked_at_once_however_deep():
    found = evaluated("one_hot", np.zeros((2, 0), "int32"), ONE, ONE, depth=2**40)
    assert found.shape == (2, 0, 2**40)


def test_scalar_has_no_side_to_mirror():
    assert evaluated("nn.mirror_pad", np.int32(3), pad_width=()) == 3


def test_permutation_of_narrow_integers_is_inverted():
    found = evaluated("invert_permutation", np.array([1, 2, 0]).astype(ml_dtypes.uint4))
    assert found.astype(int).tolist() == [2, 0, 1]
