"""Quantised tensors, products and paddings give what their formulas say."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.onnx.element_types import find_element_type
from tests.support.each import each
from tests.support.onnx_kernels import compare, run_kernel
from tests.support.seeds import seeds

F = np.float32
INTEGERS = ("uint8", "int8", "uint16", "int16", "uint4", "int4", "uint2", "int2")


def find_dtype(name):
    return np.dtype(getattr(ml_dtypes, name, name))


@each("name", INTEGERS)
def test_integers_are_rounded_to_even_and_saturated(name):
    dtype = find_dtype(name)
    bounds = ml_dtypes.iinfo(dtype)
    low, high = int(bounds.min), int(bounds.max)
    x = F([-1e9, -np.inf, -1.5, -0.5, 0, 0.5, 1.5, 2.5, 1e9, np.inf]) * F(0.25)
    zero = np.array(1, dtype)
    (y,) = run_kernel("QuantizeLinear", x, F(0.25), zero, version=21)
    expected = np.clip(np.rint(x / F(0.25)) + 1, low, high).astype(np.int64)
    assert y.dtype == dtype
    assert y.astype(np.int64).tolist() == expected.tolist()
    (back,) = run_kernel("DequantizeLinear", y, F(0.25), zero, version=21)
    compare(back, ((expected - 1) * F(0.25)).astype(F))
    (named,) = run_kernel(
        "QuantizeLinear", x, F(0.25), version=21, output_dtype=find_element_type(dtype)
    )
    expected = np.clip(np.rint(x / F(0.25)), low, high)
    assert named.astype(np.int64).tolist() == expected.astype(np.int64).tolist()


@each("name", ["float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz"])
def test_eight_bit_fractions_saturate_if_they_should(name):
    dtype = find_dtype(name)
    most = float(ml_dtypes.finfo(dtype).max)
    x = F([1.1, 1e9, -1e9, np.inf, np.nan])
    (y,) = run_kernel("QuantizeLinear", x, F(1), np.array(0, dtype), version=19)
    compare(y.astype(F)[1:4], F([most, -most, most]))
    assert y.dtype == dtype
    assert y[0] == F(1.1).astype(dtype)
    assert np.isnan(y.astype(F)[4])
    (y,) = run_kernel("QuantizeLinear", x, F(1), np.array(0, dtype), version=19, saturate=0)
    assert not np.isfinite(y.astype(F)[1:]).any()


def test_scales_belong_to_axes_and_blocks():
    x = np.arange(12, dtype=F).reshape(2, 6)
    (y,) = run_kernel("QuantizeLinear", x, F([1, 2]), np.uint8([0, 3]), version=13, axis=0)
    compare(y, np.uint8([[0, 1, 2, 3, 4, 5], [6, 7, 7, 7, 8, 9]]))
    scale = F([[1, 2], [3, 4]])
    (y,) = run_kernel("DequantizeLinear", x.astype(np.int8), scale, version=21, block_size=4)
    compare(y, x * np.repeat(scale, 4, 1)[:, :6])
    (y,) = run_kernel("QuantizeLinear", x, scale, version=21, axis=-1, block_size=4)
    compare(y, np.rint(x / np.repeat(scale, 4, 1)[:, :6]).astype(np.uint8))


def test_quotients_have_the_precision_that_is_asked_for():
    x, scale = F([2049]), np.float16([1])
    (y,) = run_kernel("QuantizeLinear", x, scale, np.int16(0), version=23)
    assert y.tolist() == [2048]
    (y,) = run_kernel("QuantizeLinear", x, scale, np.int16(0), version=23, precision=1)
    assert y.tolist() == [2049]
    (y,) = run_kernel("DequantizeLinear", np.int8([3]), F([0.5]), version=23, output_dtype=10)
    compare(y, np.float16([1.5]))


@each("seed", seeds(10))
def test_dynamic_quantisation_covers_the_range(seed):
    rng = np.random.default_rng(seed)
    x = (rng.standard_normal((3, 4)) + rng.integers(-2, 3)).astype(F)
    y, scale, zero = run_kernel("DynamicQuantizeLinear", x, version=11)
    low, high = min(x.min(), F(0)), max(x.max(), F(0))
    compare(scale, np.asarray((high - low) / F(255)), 1e-6)
    compare(zero, np.asarray(np.rint(-low / scale).astype(np.uint8)))
    (back,) = run_kernel("DequantizeLinear", y, scale, zero, version=10)
    assert np.abs(back - x).max() <= scale * 0.501
    zeros, scale, zero = run_kernel("DynamicQuantizeLinear", x * 0, version=11)
    assert not zeros.any()
    assert scale == zero == 0


@each("seed", seeds(20))
def test_products_of_integers_are_exact(seed):
    rng = np.random.default_rng(seed)
    first, second = (np.dtype([np.uint8, np.int8][n]) for n in rng.integers(0, 2, 2))
    length = int(rng.choice([1, 3, 300]))
    a = rng.integers(0, 127, (2, 3, length)).astype(first)
    b = rng.integers(0, 127, (length, 4)).astype(second)
    a_zero, b_zero = np.array([3], first), np.array([1, 2, 3, 4], second)
    (y,) = run_kernel("MatMulInteger", a, b, a_zero, b_zero, version=10)
    expected = (a.astype(np.int64) - 3) @ (b.astype(np.int64) - [1, 2, 3, 4])
    compare(y, expected.astype(np.int32), 0, 0)
    rows = np.array([5, 6, 7], first)
    (y,) = run_kernel("MatMulInteger", a[0], b, rows, version=10)
    expected = (a[0].astype(np.int64) - [[5], [6], [7]]) @ b.astype(np.int64)
    compare(y, expected.astype(np.int32), 0, 0)
    x = rng.integers(0, 255, (1, 2, 5, 5)).astype(np.uint8)
    w = rng.integers(-128, 127, (4, 2, 3, 3)).astype(np.int8)
    zeros = np.int8([0, 1, 2, 3])
    (y,) = run_kernel("ConvInteger", x, w, np.uint8(9), zeros, version=10, pads=(1, 1, 1, 1))
    centered = [x.astype(F) - 9, w.astype(F) - zeros.reshape(4, 1, 1, 1)]
    (expected,) = run_kernel("Conv", *centered, version=11, pads=(1, 1, 1, 1))
    compare(y, expected.astype(np.int32), 0, 0)
    scale, factors = F(0.5), F([1, 2, 3, 4])
    b = np.int32([1, 2, 3, 4])
    (y,) = run_kernel(
        "QLinearConv", x, scale, np.uint8(9), w, factors, zeros, F(1024), np.uint8(100), b,
        version=10, pads=(1, 1, 1, 1),
    )  # fmt: skip
    column = (slice(None), None, None)
    real = (expected + b[column]) * (scale * factors / F(1024))[column]
    compare(y, np.clip(np.rint(real) + 100, 0, 255).astype(np.uint8), 0, 0)
    (y,) = run_kernel(
        "QLinearMatMul", a, scale, a_zero, w[0, 0][:1].repeat(length, 0), F(2), np.int8(1),
        F(128), np.int8(5), version=10,
    )  # fmt: skip
    total = (a.astype(np.int64) - 3) @ (w[0, 0][:1].repeat(length, 0).astype(np.int64) - 1)
    compare(y, np.clip(np.rint(total / 128) + 5, -128, 127).astype(np.int8), 0, 0)


def test_sums_of_integers_wrap_around_at_32_bits():
    a = np.full((1, 70_000), 255, np.uint8)
    (y,) = run_kernel("MatMulInteger", a, a.T, version=10)
    assert y.item() == (70_000 * 255 * 255 + 2**31) % 2**32 - 2**31


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64])
def test_general_product_is_that_of_its_formula(dtype):
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(-5, 5, shape).astype(dtype) for shape in ((4, 2), (3, 4), (3,)))
    (y,) = run_kernel("Gemm", a, b, c, version=13, alpha=2.0, beta=3.0, transA=1, transB=1)
    compare(y, (2 * (a.T @ b.T) + 3 * c).astype(dtype), 1e-3, 1e-3)
    (y,) = run_kernel("Gemm", a, b, version=13, transA=1, transB=1)
    compare(y, a.T @ b.T, 1e-3, 1e-3)
    (y,) = run_kernel("Gemm", a, b, c, version=6, transA=1, transB=1, broadcast=1)
    compare(y, a.T @ b.T + c, 1e-3, 1e-3)
    with pytest.raises(EvaluationError, match="expected equal shapes, or broadcast"):
        run_kernel("Gemm", a, b, c, version=6, transA=1, transB=1)


def test_negative_padding_takes_elements_away():
    x = np.arange(10, dtype=F).reshape(2, 5)
    (y,) = run_kernel("Pad", x, np.array([1, -2]), None, np.array([-1]), version=18)
    compare(y, np.pad(x[:, :3], [(0, 0), (1, 0)]), 0, 0)
    (y,) = run_kernel("Pad", np.array(["a"], object), np.array([1, 0]), version=13)
    assert y.tolist() == ["", "a"]
    (y,) = run_kernel("Pad", x, version=2, pads=(0, 1, 0, 0), mode="edge")
    compare(y, np.pad(x, [(0, 0), (1, 0)], mode="edge"), 0, 0)


@pytest.mark.parametrize("op", ["DepthToSpace", "SpaceToDepth"])
def test_blocks_of_one_element_change_nothing(op):
    x = np.arange(12).reshape(1, 2, 2, 3)
    compare(run_kernel(op, x, version=13, blocksize=1)[0], x, 0, 0)
    with pytest.raises(EvaluationError, match="blocks of 0"):
        run_kernel(op, x, version=13, blocksize=0)


@each("mode", ["DCR", "CRD"])
def test_blocks_become_channels_and_channels_blocks(mode):
    x = np.arange(2 * 12 * 2 * 3).reshape(2, 12, 2, 3)
    (y,) = run_kernel("DepthToSpace", x, version=13, blocksize=2, mode=mode)
    (back,) = run_kernel("SpaceToDepth", y, version=28, blocksize=2, mode=mode)
    compare(back, x, 0, 0)
    channel = {"DCR": (1 * 2 + 0) * 3 + 2, "CRD": 2 * 4 + 1 * 2 + 0}[mode]
    assert y[1, 2, 1 * 2 + 1, 2 * 2] == x[1, channel, 1, 2]


def attend(q, k, v, allowed):
    scores = q @ k.swapaxes(2, 3) / np.sqrt(q.shape[3])
    weights = np.where(allowed, np.exp(scores), 0)
    total = weights.sum(-1, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ v


@each("seed", seeds(12))
def test_attention_sees_what_it_is_allowed_to(seed):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((2, 4, 3, 8))
    k, v = rng.standard_normal((2, 2, 5, 8)), rng.standard_normal((2, 2, 5, 6))
    mask = rng.integers(0, 2, (3, 5)).astype(bool)
    mask[1] = False
    spread = [np.repeat(each, 2, axis=1) for each in (k, v)]
    (y, *_) = run_kernel("Attention", q, k, v, mask, version=23)
    compare(y, attend(q, *spread, mask), 1e-6, 1e-8)
    (y, *_) = run_kernel("Attention", q, k, v, version=23, is_causal=1)
    causal = np.arange(5) <= np.arange(3)[:, None]
    compare(y, attend(q, *spread, causal), 1e-6, 1e-8)
    past = [rng.standard_normal((2, 2, 2, each.shape[3])) for each in (k, v)]
    y, keys, values, _ = run_kernel("Attention", q, k, v, None, *past, version=23, is_causal=1)
    whole = [np.concatenate(pair, axis=2) for pair in zip(past, (k, v), strict=True)]
    compare(keys, whole[0])
    compare(values, whole[1])
    causal = np.arange(7) <= np.arange(3)[:, None] + 2
    compare(y, attend(q, *(np.repeat(each, 2, 1) for each in whole), causal), 1e-6, 1e-8)
    lengths = np.array([5, 3])
    (y, *_) = run_kernel("Attention", q, k, v, None, None, None, lengths, version=24)
    padding = np.arange(5) < lengths.reshape(2, 1, 1, 1)
    compare(y, attend(q, *spread, padding), 1e-6, 1e-8)
    (y, *_) = run_kernel("Attention", q, k, v, version=25, left_window_size=1, right_window_size=0)
    distance = np.arange(5) - np.arange(3)[:, None]
    compare(y, attend(q, *spread, (distance >= -1) & (distance <= 0)), 1e-6, 1e-8)
    flat = [each.transpose(0, 2, 1, 3).reshape(2, each.shape[2], -1) for each in (q, k, v)]
    (y, *_) = run_kernel("Attention", *flat, version=23, q_num_heads=4, kv_num_heads=2)
    expected = attend(q, *spread, True).transpose(0, 2, 1, 3).reshape(2, 3, -1)
    compare(y, expected, 1e-6, 1e-8)


@each("onesided", [0, 1])
def test_transform_goes_there_and_back(onesided):
    x = np.random.default_rng(0).standard_normal((2, 6, 3, 1))
    (y,) = run_kernel("DFT", x, None, np.array(1), version=20, onesided=onesided)
    expected = (np.fft.rfft if onesided else np.fft.fft)(x[..., 0], axis=1)
    compare(y, np.stack([expected.real, expected.imag], -1), 1e-9, 1e-9)
    (back,) = run_kernel("DFT", y, None, np.array(1), version=20, inverse=1, onesided=onesided)
    compare(back[..., :1], x, 1e-9, 1e-9)
    (short,) = run_kernel("DFT", x, np.array(4), version=17, axis=1, onesided=onesided)
    expected = (np.fft.rfft if onesided else np.fft.fft)(x[..., 0], 4, axis=1)
    compare(short, np.stack([expected.real, expected.imag], -1), 1e-9, 1e-9)


EMPTY = [
    ("Conv", 11, [(0, 2, 4), (3, 2, 3)], {}, (0, 3, 2)),
    ("ConvTranspose", 11, [(0, 2, 4), (2, 3, 3)], {}, (0, 3, 6)),
    ("MaxPool", 12, [(0, 2, 4)], {"kernel_shape": (2,)}, (0, 2, 3)),
    ("AveragePool", 19, [(2, 0, 4)], {"kernel_shape": (2,)}, (2, 0, 3)),
    ("BatchNormalization", 15, [(0, 2, 4), (2,), (2,), (2,), (2,)], {}, (0, 2, 4)),
    ("LayerNormalization", 17, [(0, 2, 4), (4,)], {}, (0, 2, 4)),
    ("InstanceNormalization", 6, [(0, 2, 4), (2,), (2,)], {}, (0, 2, 4)),
    ("GroupNormalization", 21, [(0, 2, 4), (2,), (2,)], {"num_groups": 2}, (0, 2, 4)),
    ("LRN", 13, [(0, 2, 4)], {"size": 3}, (0, 2, 4)),
    ("Softmax", 13, [(2, 0)], {}, (2, 0)),
    ("Softmax", 11, [(0, 2)], {}, (0, 2)),
    ("Hardmax", 13, [(0, 3)], {}, (0, 3)),
    ("MatMul", 13, [(2, 0), (0, 3)], {}, (2, 3)),
    ("Gemm", 13, [(2, 0), (0, 3)], {}, (2, 3)),
    ("Det", 11, [(0, 2, 2)], {}, (0,)),
    ("Pad", 2, [(0, 2)], {"pads": (1, 0, 0, 0)}, (1, 2)),
    ("GridSample", 20, [(0, 2, 3), (0, 4, 1)], {}, (0, 2, 4)),
    ("Attention", 23, [(0, 2, 3, 4)] * 3, {}, (0, 2, 3, 4)),
    ("Attention", 23, [(1, 2, 3, 4), (1, 2, 0, 4), (1, 2, 0, 5)], {}, (1, 2, 3, 5)),
    ("DepthToSpace", 13, [(0, 4, 2, 2)], {"blocksize": 2}, (0, 1, 4, 4)),
    ("LSTM", 14, [(0, 2, 3), (1, 16, 3), (1, 16, 4)], {"hidden_size": 4}, (0, 1, 2, 4)),
    ("QuantizeLinear", 13, [(0, 2), ()], {}, (0, 2)),
    ("GlobalAveragePool", 1, [(0, 2, 3)], {}, (0, 2, 1)),
]


@each("case", EMPTY)
def test_what_is_empty_has_a_shape(case):
    op, version, shapes, given, expected = case
    inputs = [np.ones(shape, F) for shape in shapes]
    assert run_kernel(op, *inputs, version=version, **given)[0].shape == expected


@pytest.mark.parametrize(
    ("op", "version", "inputs", "given", "complaint"),
    [
        ("MatMul", 13, [np.ones((2, 3)), np.ones((2, 3))], {}, "do not multiply"),
        ("MatMul", 13, [np.ones((2, 1, 1)), np.ones((3, 1, 1))], {}, "do not broadcast"),
        ("MatMul", 13, [np.ones(()), np.ones(1)], {}, "do not multiply"),
        ("Gemm", 13, [np.ones(3), np.ones((3, 1))], {}, "expected a matrix"),
        ("Gemm", 13, [np.ones((1, 1)), np.ones((1, 1)), np.ones((2, 1))], {}, "not broadcast"),
        ("Einsum", 12, [np.ones((2, 3))], {"equation": "i->i"}, "does not fit inputs"),
        ("Det", 11, [np.ones((2, 3))], {}, "expected square matrices"),
        ("Pad", 13, [np.ones((2, 3)), np.array([1])], {}, "pads have shape"),
        ("Pad", 13, [np.ones(2), np.array([-3, 0])], {}, "take more from an axis"),
        ("Pad", 13, [np.ones(0), np.array([1, 0])], {"mode": "edge"}, "axis 0 of size 0"),
        ("Pad", 13, [np.ones(2), np.array([1, 0])], {"mode": "odd"}, "mode of a padding is 'odd'"),
        ("QuantizeLinear", 13, [np.ones((2, 3)), np.ones(2)], {}, "or 3 for axis 1"),
        (
            "DequantizeLinear",
            21,
            [np.ones((2, 3)), np.ones((2, 3))],
            {"block_size": 2},
            r"expected \(2, 2\)",
        ),
        ("DepthToSpace", 13, [np.ones((1, 3, 2, 2))], {"blocksize": 2}, "3 channels do not"),
        ("SpaceToDepth", 13, [np.ones((1, 3, 3, 2))], {"blocksize": 2}, "an image of 3 by 2"),
        ("DFT", 20, [np.ones((2, 3))], {}, "expected an axis before the last"),
        ("Resize", 13, [np.ones((2, 3))], {}, "neither scales nor sizes"),
        ("Resize", 13, [np.ones((2, 3)), None, F([1, 2])], {"mode": "odd"}, "mode is 'odd'"),
        ("Resize", 13, [np.ones((2, 3)), None, F([1])], {}, "expected 2 numbers above 0"),
        ("Attention", 23, [np.ones((1, 2, 3))] * 3, {}, "expected four dimensions, or three"),
        ("Attention", 23, [np.ones((1, 3, 2, 2))] + [np.ones((1, 2, 2, 2))] * 2, {}, "multiple"),
        ("Dropout", 13, [np.ones(2), F(1.5), np.array(True)], {}, "the ratio of a dropout"),
        ("Col2Im", 18, [np.ones((1, 4, 3)), np.array([2, 2]), np.array([2, 2])], {}, "columns"),
    ],
)
def test_contradictions_are_refused(op, version, inputs, given, complaint):
    with pytest.raises(EvaluationError, match=complaint):
        run_kernel(op, *inputs, version=version, **given)
