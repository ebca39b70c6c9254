"""Regions of images, boxes to keep, deformed windows and signals give what loops give."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import compare, run_kernel

F = np.float32


def test_pooled_regions_hold_their_greatest_elements():
    x = np.arange(2 * 36, dtype=F).reshape(1, 2, 6, 6)
    rois = F([[0, 0, 0, 10, 10], [0, 4, 2, 6, 20], [0, 90, 90, 99, 99]])
    (y,) = run_kernel("MaxRoiPool", x, rois, version=1, pooled_shape=(2, 1), spatial_scale=0.5)
    compare(y[0], F([[[17], [35]], [[53], [71]]]))
    compare(y[1, 0], F([[33], [0]]))  # the lower half lies below the image
    assert not y[2].any()


@pytest.mark.parametrize("bins", range(1, 15))
def test_bins_of_pooled_regions_end_where_exact_numbers_do(bins):
    ramp = np.arange(60, dtype=F).reshape(1, 1, 1, 60)
    ends = range(3, 59)
    rois = F([[0, first, 0, end, 0] for first in (0, 1, 3) for end in ends])
    (y,) = run_kernel("MaxRoiPool", ramp, rois, version=1, pooled_shape=(1, bins))
    for (_, first, _, end, _), found in zip(rois.astype(int).tolist(), y[:, 0, 0], strict=True):
        step = Fraction(end - first + 1, bins)
        assert found.tolist() == [first + ceil(step * (n + 1)) - 1 for n in range(bins)]


@pytest.mark.parametrize("image", [-1, 2])
def test_regions_are_of_images_there_are(image):
    x, rois = np.zeros((2, 1, 4, 4), F), F([[0, 0, 0, 1, 1], [image, 0, 0, 1, 1]])
    told = f"region 1 lies in image {image}; expected one of 0 to 1"
    with pytest.raises(EvaluationError, match=told):
        run_kernel("MaxRoiPool", x, rois, version=1, pooled_shape=(1, 1))
    with pytest.raises(EvaluationError, match=told):
        run_kernel("RoiAlign", x, rois[:, 1:], rois[:, 0].astype("int64"), version=16)


def test_corners_between_two_elements_go_to_the_one_further_from_zero():
    x = np.arange(36, dtype=F).reshape(1, 1, 6, 6) + 1
    rois = F([[0, -3, -3, 2, 2]])
    (y,) = run_kernel("MaxRoiPool", x, rois, version=1, pooled_shape=(2, 2), spatial_scale=0.5)
    assert y.ravel().tolist() == [0, 0, 0, 8]  # as onnxruntime has it


def test_boxes_are_suppressed_as_inputs_say():
    scores = F([[[0.2, 0.9, 0.8], [0.3, 0.3, 0.1]]])
    corners, centred = F([[[2, 2, 0, 0], [0, 0, 2, 2], [4, 4, 6, 6]]]), F([[[1, 1, 2, 2]] * 3])
    centred[0, 2] = 5, 5, -2, 2  # has no area

    def kept(boxes, *numbers, **given):
        (found,) = run_kernel("NonMaxSuppression", boxes, scores, *numbers, version=11, **given)
        return found[:, 1:].tolist()

    limit, most = np.array([2]), F([0.5])
    assert kept(corners, limit, most) == [[0, 1], [0, 2], [1, 0], [1, 2]]
    assert kept(corners, limit, most, F([0.2])) == [[0, 1], [0, 2], [1, 0]]
    assert kept(corners, np.array([9]), F([1])) == [[0, 1], [0, 2], [0, 0], [1, 0], [1, 1], [1, 2]]
    assert kept(centred, limit, None, center_point_box=1) == [[0, 1], [0, 2], [1, 0], [1, 2]]
    assert kept(corners) == []


@each("group", [1, 2])
def test_windows_that_are_not_deformed_are_convolved(group):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 4, 6, 5)).astype(F)
    w, b = rng.standard_normal((6, 4 // group, 3, 2)).astype(F), rng.standard_normal(6).astype(F)
    given = {"group": group, "pads": (1, 0, 1, 1), "strides": (2, 1), "dilations": (1, 2)}
    (expected,) = run_kernel("Conv", x, w, version=11, **given)
    offset = np.zeros((2, 2 * 6 * 2, *expected.shape[2:]), F)
    mask = np.full((2, 2 * 6, *expected.shape[2:]), 0.5, F)
    (y,) = run_kernel("DeformConv", x, w, offset, b, mask, version=19, offset_group=2, **given)
    compare(y, expected / 2 + b.reshape(-1, 1, 1), 1e-4, 1e-4)


def test_windows_are_deformed_by_offsets_of_rows_and_columns():
    x = np.arange(20, dtype=F).reshape(1, 1, 4, 5)
    offset = np.zeros((1, 2, 4, 5), F)
    offset[0, 0], offset[0, 1] = 1, 0.5
    (y,) = run_kernel("DeformConv", x, np.ones((1, 1, 1, 1), F), offset, version=19)
    whole = np.pad(x[0, 0], [(0, 1), (0, 1)])
    expected = (whole[1:, :-1] + whole[1:, 1:]) / 2
    compare(y, expected[None, None])


def test_frames_of_a_signal_are_transformed():
    x = np.random.default_rng(0).standard_normal((2, 20, 1)).astype(F)
    window = np.hanning(8).astype(F)
    (y,) = run_kernel("STFT", x, np.array(3), window, version=17)
    frames = np.stack([x[:, at : at + 8, 0] * window for at in range(0, 13, 3)], 1)
    expected = np.fft.rfft(frames)
    compare(y, np.stack([expected.real, expected.imag], -1).astype(F), 1e-4, 1e-5)
    (whole,) = run_kernel("STFT", x, np.array(3), window, version=17, onesided=0)
    compare(whole[:, :, :5], y, 1e-4, 1e-5)
    assert whole.shape == (2, 5, 8, 2)


@pytest.mark.parametrize(
    ("op", "of_numpy"),
    [("HannWindow", np.hanning), ("BlackmanWindow", np.blackman)],
)
def test_windows_are_those_of_numpy(op, of_numpy):
    (y,) = run_kernel(op, np.array(9), version=17, periodic=0)
    compare(y, of_numpy(9).astype(F), 1e-5, 1e-6)
    (y,) = run_kernel(op, np.array(8), version=17, output_datatype=11)
    compare(y, of_numpy(9)[:-1], 1e-9, 1e-9)


def test_a_window_of_cosines_ends_above_zero():
    (y,) = run_kernel("HammingWindow", np.array(5), version=17, periodic=0)
    compare(y, F([4 / 46, 25 / 46, 1, 25 / 46, 4 / 46]), 1e-5, 1e-6)
    (y,) = run_kernel("HammingWindow", np.array(1), version=17, periodic=0)
    compare(y, F([1]))


@pytest.mark.parametrize(
    ("op", "version", "shapes", "given", "complaint"),
    [
        ("RoiAlign", 16, [(1, 1, 2, 2), (1, 4), (2,)], {}, "images have shape"),
        ("RoiAlign", 16, [(1, 1, 2, 2), (1, 4), (1,)], {"mode": "odd"}, "mode is 'odd'"),
        ("MaxRoiPool", 1, [(1, 1, 2, 2), (1, 4)], {"pooled_shape": (1, 1)}, "images have shape"),
        ("NonMaxSuppression", 11, [(1, 2, 4), (1, 1, 3)], {}, "as many batches and boxes"),
        ("NonMaxSuppression", 11, [(1, 2, 3), (1, 1, 2)], {}, "boxes have shape"),
        ("DeformConv", 19, [(1, 1, 3, 3), (1, 1, 2, 2), (1, 4, 2, 2)], {}, "offsets have shape"),
        ("STFT", 17, [(1, 4), ()], {}, "signals have shape"),
    ],
)
def test_contradictions_are_refused(op, version, shapes, given, complaint):
    inputs = [np.zeros(shape, F) for shape in shapes]
    with pytest.raises(EvaluationError, match=complaint):
        run_kernel(op, *inputs, version=version, **given)
