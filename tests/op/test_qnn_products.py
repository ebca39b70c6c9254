"""Products and convolutions of quantised tensors against ONNX's reference and torch."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.op import get_op, make_attrs
from relayish.op.declaration import properties
from tests.support.checking import assert_same, evaluated, reference
from tests.support.quantised import f32, i32, integers
from tests.support.reference_onnx import run_onnx


@reference("onnx", "qnn.conv2d")
@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(("data_dtype", "weight_dtype"), [("uint8", "int8"), ("int8", "uint8")])
def test_convolutions_of_integers_are_those_of_onnx(groups, data_dtype, weight_dtype):
    data = integers(1, 2, 4, 6, 5, dtype=data_dtype)
    weight = integers(2, 6, 4 // groups, 3, 2, dtype=weight_dtype)
    found = evaluated(
        "qnn.conv2d",
        data,
        weight,
        i32(5),
        i32(7),
        f32(0.1),
        f32(0.2),
        kernel_size=(3, 2),
        channels=6,
        padding=(1, 0, 2, 1),
        strides=(2, 1),
        dilation=(1, 2),
        groups=groups,
        out_dtype="int32",
    )
    expected = run_onnx(
        "ConvInteger",
        data,
        weight,
        np.array(5, data_dtype),
        np.array(7, weight_dtype),
        pads=[1, 0, 2, 1],
        strides=[2, 1],
        dilations=[1, 2],
        group=groups,
    )
    assert_same(found, expected.astype("int32"))


@reference("onnx", "qnn.conv2d", "qnn.requantize")
def test_convolution_and_requantising_are_the_quantised_convolution_of_onnx():
    data, weight = integers(1, 1, 3, 5, 5, dtype="uint8"), integers(2, 4, 3, 3, 3)
    steps = np.array([0.01, 0.02, 0.005, 0.03], "float32")
    whole = evaluated("qnn.conv2d", data, weight, i32(120), i32(0), f32(0.05), steps)
    found = evaluated(
        "qnn.requantize",
        whole,
        f32(0.05) * steps,
        i32(0),
        f32(0.7),
        i32(128),
        axis=1,
        out_dtype="uint8",
    )
    expected = run_onnx(
        "QLinearConv",
        data,
        f32(0.05),
        np.uint8(120),
        weight,
        steps,
        np.zeros(4, np.int8),
        f32(0.7),
        np.uint8(128),
    )
    apart = np.abs(found.astype(int) - expected)
    assert apart.max() <= 1  # ONNX computes in floats, and takes halves to the even number
    assert (apart == 0).mean() > 0.95


def test_zero_points_of_weights_hold_for_their_output_channels():
    data, weight = integers(1, 1, 4, 5, 5), integers(2, 3, 3, 4, 2)
    points = np.array([1, -2, 3, 4, 5, 6, 7, -8], np.int32)
    shifted = weight.astype(int) - points.reshape(4, 2)  # HWOI, two for each of four inputs
    found = evaluated(
        "qnn.conv2d",
        data,
        weight,
        i32(0),
        points,
        f32(1),
        f32(1),
        kernel_layout="HWOI",
        groups=4,
        channels=8,
        kernel_size=(3, 3),
    )
    windows = np.lib.stride_tricks.sliding_window_view(data.astype(int), (3, 3), axis=(2, 3))
    expected = np.einsum("ncxyuv,uvcm->ncmxy", windows, shifted).reshape(1, 8, 3, 3)
    assert_same(found, expected.astype("int32"))
    plain = integers(3, 2, 4, 3, 3)
    found = evaluated("qnn.conv2d", data, plain, i32(0), points[:2], f32(1), f32(1))
    expected = np.einsum(
        "ncxyuv,ocuv->noxy", windows, plain.astype(int) - points[:2, None, None, None]
    )
    assert_same(found, expected.astype("int32"))


@reference("torch", "qnn.conv2d_transpose")
@pytest.mark.parametrize("groups", [1, 2])
def test_transposed_convolutions_are_those_of_torch(groups):
    torch = pytest.importorskip("torch")
    data, weight = integers(1, 2, 4, 3, 4, dtype="uint8"), integers(2, 4, 3, 3, 2)
    found = evaluated(
        "qnn.conv2d_transpose",
        data,
        weight,
        i32(9),
        i32(-3),
        f32(1),
        f32(1),
        channels=3 * groups,
        kernel_size=(3, 2),
        strides=(2, 2),
        padding=(1, 0, 1, 0),
        output_padding=(1, 0),
        groups=groups,
    )
    expected = torch.nn.functional.conv_transpose2d(
        torch.tensor(data.astype("float64") - 9),
        torch.tensor(weight.astype("float64") + 3),
        stride=2,
        padding=(1, 0),
        output_padding=(1, 0),
        groups=groups,
    )
    assert_same(found, expected.numpy().astype("int32"))


@reference("onnx", "qnn.dense")
@pytest.mark.parametrize("vector", [False, True])
def test_dense_products_are_those_of_onnx(vector):
    data, weight = integers(1, 3, 7, dtype="uint8"), integers(2, 5, 7)
    points = np.array([1, 2, 3, -4, 5] if vector else 4, np.int8)[()]
    found = evaluated(
        "qnn.dense",
        data,
        weight,
        i32(11),
        points.astype("int32"),
        f32(1),
        f32(1),
        units=5,
        out_dtype="int32",
    )
    expected = run_onnx("MatMulInteger", data, weight.T.copy(), np.uint8(11), points)
    assert_same(found, expected)


@reference("onnx", "qnn.batch_matmul")
@pytest.mark.parametrize("transpose", [(False, False), (False, True), (True, True)])
def test_products_of_stacks_are_those_of_onnx(transpose):
    one, other = integers(1, 2, 3, 4), integers(2, 2, 4, 5)
    given = [
        np.ascontiguousarray(m.swapaxes(1, 2)) if t else m
        for m, t in zip((one, other), transpose, strict=True)
    ]
    found = evaluated(
        "qnn.batch_matmul",
        *given,
        i32(3),
        i32(-6),
        f32(1),
        f32(1),
        transpose_a=transpose[0],
        transpose_b=transpose[1],
        out_dtype="int32",
    )
    assert_same(found, run_onnx("MatMulInteger", one, other, np.int8(3), np.int8(-6)))


@reference("formula", "qnn.contrib_dense_pack")
@pytest.mark.parametrize("layout", ["NC", "NC2n4c"])
def test_packed_weights_are_unpacked(layout):
    data, weight = integers(1, 3, 8, dtype="uint8"), integers(2, 4, 8)
    packed = weight.reshape(2, 2, 2, 4).transpose(0, 2, 1, 3) if layout != "NC" else weight
    found = evaluated(
        "qnn.contrib_dense_pack",
        data,
        np.ascontiguousarray(packed),
        i32(5),
        i32(2),
        f32(1),
        f32(1),
        units=4,
        weight_layout=layout,
        out_dtype="int32",
    )
    expected = (data.astype(int) - 5) @ (weight.astype(int) - 2).T
    assert_same(found, expected.astype("int32"))


def test_weights_without_fitting_zero_points_are_refused():
    data, weight = integers(1, 1, 2, 3, 3), integers(2, 3, 2, 1, 1)
    function = properties.evaluate.get(get_op("qnn.conv2d"))
    attrs = make_attrs(get_op("qnn.conv2d"), {})
    with pytest.raises(EvaluationError, match="weight_zero_point"):
        function(attrs, data, weight, i32(0), np.arange(4, dtype="int32"), f32(1), f32(1))
