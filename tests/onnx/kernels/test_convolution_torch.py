"""Convolutions and poolings of random shapes give what torch gives."""

from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.each import each
from tests.support.onnx_kernels import compare, run_kernel
from tests.support.seeds import seeds

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.references
functional = torch.nn.functional

CONV = {1: functional.conv1d, 2: functional.conv2d, 3: functional.conv3d}
CONV_TRANSPOSE = {
    1: functional.conv_transpose1d,
    2: functional.conv_transpose2d,
    3: functional.conv_transpose3d,
}
MAX_POOL = {1: functional.max_pool1d, 2: functional.max_pool2d, 3: functional.max_pool3d}
AVERAGE_POOL = {1: functional.avg_pool1d, 2: functional.avg_pool2d, 3: functional.avg_pool3d}
SEEDS = seeds(40)


def draw_tensor(rng, shape):
    return rng.standard_normal(shape).astype(np.float32)


def as_torch(*arrays):
    return [
        None if array is None else torch.from_numpy(np.ascontiguousarray(array)) for array in arrays
    ]


@each("seed", SEEDS)
def test_convolution_is_that_of_torch(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    group = int(rng.choice([1, 1, 2, 3]))
    share, outputs = int(rng.integers(1, 4)), group * int(rng.integers(1, 4))
    kernel = tuple(rng.integers(1, 4, rank).tolist())
    strides, dilations = (tuple(rng.integers(1, 3, rank).tolist()) for _ in range(2))
    pads = tuple(rng.integers(0, 3, rank).tolist())
    sizes = tuple(rng.integers(5, 10, rank).tolist())
    x = draw_tensor(rng, (int(rng.integers(0, 3)), group * share, *sizes))
    w = draw_tensor(rng, (outputs, share, *kernel))
    b = draw_tensor(rng, outputs) if rng.integers(2) else None
    (y,) = run_kernel(
        "Conv", x, w, b, version=11, group=group, strides=strides, dilations=dilations,
        pads=pads + pads, kernel_shape=kernel,
    )  # fmt: skip
    expected = CONV[rank](*as_torch(x, w, b), strides, pads, dilations, group)
    compare(y, expected.numpy(), 1e-4, 1e-4)


@pytest.mark.parametrize("shape", [(2, 4, 60, 70), (1, 6, 1, 40)])
@pytest.mark.parametrize("group", [1, 2, 0])
def test_convolution_in_several_bands_is_that_of_torch(shape, group, monkeypatch):
    monkeypatch.setattr("relayish.numeric.convolution._BLOCK", 5_000)
    rng, group = np.random.default_rng(0), group or shape[1]  # or each channel by itself
    x, w = draw_tensor(rng, shape), draw_tensor(rng, (12, shape[1] // group, 3, 3))
    (y,) = run_kernel(
        "Conv", x, w, version=11, group=group, pads=(1, 1, 1, 1), strides=(1, 2), dilations=(1, 1)
    )
    expected = functional.conv2d(*as_torch(x, w), stride=(1, 2), padding=1, groups=group)
    compare(y, expected.numpy(), 1e-4, 1e-4)


@each("seed", seeds(30))
def test_convolution_pads_to_the_same_size(seed):
    rng = np.random.default_rng(seed)
    size, kernel, stride = (int(n) for n in rng.integers(1, 9, 3))
    auto_pad = ("SAME_UPPER", "SAME_LOWER")[seed % 2]
    x, w = draw_tensor(rng, (1, 2, size)), draw_tensor(rng, (3, 2, kernel))
    (y,) = run_kernel("Conv", x, w, version=11, auto_pad=auto_pad, strides=(stride,))
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    begin = total // 2 if auto_pad == "SAME_UPPER" else total - total // 2
    padded = np.pad(x, [(0, 0), (0, 0), (begin, total - begin)])
    compare(y, functional.conv1d(*as_torch(padded, w), stride=stride).numpy(), 1e-4, 1e-4)


@each("seed", SEEDS)
def test_transposed_convolution_is_that_of_torch(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    group = int(rng.choice([1, 1, 2]))
    kernel = tuple(rng.integers(1, 4, rank).tolist())
    strides, dilations = (tuple(rng.integers(1, 4, rank).tolist()) for _ in range(2))
    further = tuple(
        int(rng.integers(0, max(s, d))) for s, d in zip(strides, dilations, strict=True)
    )
    pads = tuple(int(rng.integers(0, k)) for k in kernel)
    sizes = tuple(rng.integers(4, 7, rank).tolist())
    x = draw_tensor(rng, (2, group * 2, *sizes))
    w = draw_tensor(rng, (group * 2, 3, *kernel))
    b = draw_tensor(rng, group * 3) if rng.integers(2) else None
    (y,) = run_kernel(
        "ConvTranspose", x, w, b, version=11, group=group, strides=strides, dilations=dilations,
        pads=pads + pads, output_padding=further, kernel_shape=kernel,
    )  # fmt: skip
    expected = CONV_TRANSPOSE[rank](*as_torch(x, w, b), strides, pads, further, group, dilations)
    compare(y, expected.numpy(), 1e-4, 1e-4)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
def test_transposed_convolution_of_the_same_size_cuts_both_ends(auto_pad):
    rng = np.random.default_rng(1)
    x, w = draw_tensor(rng, (1, 1, 4)), draw_tensor(rng, (1, 1, 5))
    (y,) = run_kernel("ConvTranspose", x, w, version=11, auto_pad=auto_pad, strides=(2,))
    whole = functional.conv_transpose1d(*as_torch(x, w), stride=2).numpy()
    begin = 1 if auto_pad == "SAME_UPPER" else 2
    compare(y, whole[..., begin : begin + 8], 1e-5, 1e-5)


def test_transposed_convolution_grows_to_the_size_asked_for():
    rng = np.random.default_rng(1)
    x, w = draw_tensor(rng, (1, 1, 3)), draw_tensor(rng, (1, 1, 2))
    (y,) = run_kernel("ConvTranspose", x, w, version=11, strides=(2,), output_shape=(8,))
    whole = functional.conv_transpose1d(*as_torch(x, w), stride=2).numpy()
    compare(y, np.pad(whole, [(0, 0), (0, 0), (0, 2)]), 1e-5, 1e-5)
    (y,) = run_kernel("ConvTranspose", x, w, version=11, strides=(2,), output_shape=(5,))
    compare(y, whole[..., 1:], 1e-5, 1e-5)


@each("seed", SEEDS)
def test_greatest_elements_are_those_of_torch(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    kernel = tuple(rng.integers(1, 5, rank).tolist())
    strides, dilations = (tuple(rng.integers(1, 4, rank).tolist()) for _ in range(2))
    pads = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel)
    sizes = tuple(rng.integers(10, 14, rank).tolist())
    ceil = bool(seed % 2)
    x = rng.integers(-3, 3, (2, 3, *sizes)).astype(np.float32)
    if seed % 5 == 0:
        x[0, 0, 4] = np.nan
    given = {
        "kernel_shape": kernel, "strides": strides, "dilations": dilations, "pads": pads + pads,
        "ceil_mode": int(ceil),
    }  # fmt: skip
    y, indices = run_kernel("MaxPool", x, version=12, num_outputs=2, **given)
    (alone,) = run_kernel("MaxPool", x, version=12, num_outputs=1, **given)
    greatest = MAX_POOL[rank](*as_torch(x), kernel, strides, pads, dilations, ceil)
    compare(y, greatest.numpy(), 0, 0)
    compare(alone, y, 0, 0)
    np.testing.assert_array_equal(x.reshape(-1)[indices], y)
    if seed % 5:  # of several that are not numbers torch takes the last
        _, places = MAX_POOL[rank](
            *as_torch(x), kernel, strides, pads, dilations, ceil, return_indices=True
        )
        whole = np.arange(6).reshape(2, 3, *(1,) * rank) * np.prod(sizes)
        np.testing.assert_array_equal(indices, places.numpy() + whole)


def test_places_count_columns_first_where_the_order_is_that():
    x = np.zeros((1, 2, 3, 4), np.float32)
    x[0, 0, 2, 1] = x[0, 1, 1, 3] = 1
    _, rows = run_kernel("MaxPool", x, version=12, kernel_shape=(3, 4), num_outputs=2)
    _, columns = run_kernel(
        "MaxPool", x, version=12, kernel_shape=(3, 4), storage_order=1, num_outputs=2
    )
    assert rows.ravel().tolist() == [2 * 4 + 1, 12 + 1 * 4 + 3]
    assert columns.ravel().tolist() == [1 * 3 + 2, 12 + 3 * 3 + 1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_greatest_integers_are_found_beside_padding(dtype):
    x = np.array([[[-128 if dtype is np.int8 else 0] * 3]], dtype)
    y, indices = run_kernel("MaxPool", x, version=12, kernel_shape=(2,), pads=(1, 1), num_outputs=2)
    compare(y, np.repeat(x[..., :1], 4, 2), 0, 0)
    assert indices.ravel().tolist() == [0, 0, 1, 2]


@each("seed", SEEDS)
def test_means_are_those_of_torch(seed):
    rng = np.random.default_rng(seed)
    rank = int(rng.integers(1, 4))
    kernel = tuple(rng.integers(1, 5, rank).tolist())
    strides = tuple(rng.integers(1, 4, rank).tolist())
    pads = tuple(int(rng.integers(0, k // 2 + 1)) for k in kernel)
    x = draw_tensor(rng, (2, 3, *rng.integers(5, 9, rank).tolist()))
    ceil, counted = bool(seed % 2), bool(seed // 2 % 2)
    (y,) = run_kernel(
        "AveragePool", x, version=19, kernel_shape=kernel, strides=strides, pads=pads + pads,
        ceil_mode=int(ceil), count_include_pad=int(counted),
    )  # fmt: skip
    expected = AVERAGE_POOL[rank](*as_torch(x), kernel, strides, pads, ceil, counted)
    compare(y, expected.numpy(), 1e-5, 1e-5)


@each("seed", seeds(20))
def test_norms_are_those_of_torch(seed):
    rng = np.random.default_rng(seed)
    kernel, strides = (tuple(rng.integers(1, 4, 2).tolist()) for _ in range(2))
    x = draw_tensor(rng, (2, 3, 7, 8))
    (y,) = run_kernel("LpPool", x, version=18, kernel_shape=kernel, strides=strides, p=2)
    expected = functional.lp_pool2d(*as_torch(x), 2.0, kernel, strides)
    compare(y, expected.numpy(), 1e-4, 1e-5)


def test_narrow_convolution_keeps_its_element_type():
    rng = np.random.default_rng(0)
    x, w, b = (draw_tensor(rng, shape) for shape in ((1, 2, 5, 5), (3, 2, 3, 3), 3))
    expected = functional.conv2d(*as_torch(x, w, b)).numpy()
    (y,) = run_kernel("Conv", *(each.astype(np.float16) for each in (x, w, b)), version=11)
    compare(y, expected.astype(np.float16), 1e-2, 2e-2)
    (y,) = run_kernel("Conv", *(each.astype(np.float64) for each in (x, w, b)), version=11)
    compare(y, expected.astype(np.float64), 1e-5, 1e-5)


@pytest.mark.parametrize(
    ("shapes", "given", "complaint"),
    [
        (((1, 3, 4, 4), (2, 2, 3, 3)), {}, "expected 2 channels"),
        (((1, 2, 4), (2, 2, 3, 3)), {}, "expected equal ranks"),
        (((1, 2), (2, 2)), {}, "the input has shape"),
        (((1, 2, 2, 2), (2, 2, 3, 3)), {}, "do not fit into sizes"),
        (((1, 2, 4, 4), (2, 2, 3, 3)), {"strides": (1,)}, "strides has 1 numbers"),
        (((1, 2, 4, 4), (2, 2, 3, 3)), {"strides": (1, 0)}, "expected numbers above 0"),
        (((1, 2, 4, 4), (2, 2, 3, 3)), {"pads": (1, 1)}, "pads has 2 numbers"),
        (((1, 2, 4, 4), (2, 2, 3, 3)), {"kernel_shape": (3, 2)}, "kernel_shape is"),
        (((1, 2, 4, 4), (2, 2, 3, 3)), {"auto_pad": "SOME"}, "auto_pad is 'SOME'"),
        (((1, 4, 4, 4), (3, 2, 3, 3)), {"group": 2}, "a multiple of 2 outputs"),
        (((1, 2, 4, 4), (2, 2, 3, 3), (3,)), {}, "the bias has shape"),
    ],
)
def test_inputs_that_contradict_a_convolution_are_refused(shapes, given, complaint):
    inputs = [np.zeros(shape, np.float32) for shape in shapes]
    with pytest.raises(EvaluationError, match=complaint):
        run_kernel("Conv", *inputs, version=11, **given)


@pytest.mark.parametrize(
    ("shapes", "given", "complaint"),
    [
        (((1, 3, 4), (2, 2, 3)), {}, "expected equal ranks, 2 channels"),
        (((1, 2, 4), (2, 2, 3)), {"pads": (9, 9)}, "leave nothing"),
        (((1, 2, 4), (2, 2, 3)), {"kernel_shape": (2,)}, "kernel_shape is"),
        (((1, 2, 4), (2, 2, 3)), {"output_padding": (1, 1)}, "output_padding has 2 numbers"),
    ],
)
def test_inputs_that_contradict_a_transposed_convolution_are_refused(shapes, given, complaint):
    inputs = [np.zeros(shape, np.float32) for shape in shapes]
    with pytest.raises(EvaluationError, match=complaint):
        run_kernel("ConvTranspose", *inputs, version=11, **given)
