from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.onnx.kernels import find_kernel
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

ACTIVATIONS = {
    "Relu": (14, {}, lambda f, x: f.relu(x)),
    "LeakyRelu": (16, {"alpha": 0.3}, lambda f, x: f.leaky_relu(x, 0.3)),
    "ThresholdedRelu": (22, {"alpha": 0.7}, lambda f, x: f.threshold(x, 0.7, 0)),
    "Elu": (22, {"alpha": 0.3}, lambda f, x: f.elu(x, 0.3)),
    "Celu": (28, {"alpha": 0.3}, lambda f, x: f.celu(x, 0.3)),
    "Selu": (22, {}, lambda f, x: f.selu(x)),
    "Sigmoid": (13, {}, lambda f, x: f.sigmoid(x)),
    "HardSigmoid": (22, {"alpha": 1 / 6}, lambda f, x: f.hardsigmoid(x)),
    "HardSwish": (22, {}, lambda f, x: f.hardswish(x)),
    "Swish": (24, {}, lambda f, x: f.silu(x)),
    "Mish": (22, {}, lambda f, x: f.mish(x)),
    "Softplus": (22, {}, lambda f, x: f.softplus(x, threshold=1e9)),
    "Softsign": (22, {}, lambda f, x: f.softsign(x)),
    "Gelu": (20, {}, lambda f, x: f.gelu(x)),
    "Shrink": (9, {"bias": 0.5, "lambd": 0.5}, lambda f, x: f.softshrink(x, 0.5)),
}


def points(dtype=np.float32):
    """Return numbers of all magnitudes, of both signs; exponentials of some overflow."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(size=300), rng.normal(size=99) * 60, [0.0]]).astype(dtype)


@pytest.mark.references
@pytest.mark.parametrize("op", ACTIVATIONS)
@each("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_activation_is_that_of_torch(op, dtype):
    torch = pytest.importorskip("torch")
    version, attributes, function = ACTIVATIONS[op]
    x = points(dtype).reshape(4, 1, 100)
    (found,) = run_kernel(op, x, version=version, **attributes)
    assert (found.dtype, found.shape) == (dtype, x.shape)
    expected = function(torch.nn.functional, torch.from_numpy(x.astype(np.float64))).numpy()
    rtol = {8: 1e-6, 4: 2e-5, 2: 1e-2}[x.itemsize]
    np.testing.assert_allclose(found.astype(float), expected, rtol=rtol, atol=1e-6)


@each("op", ACTIVATIONS)
def test_activation_takes_scalars_no_element_and_special_values_without_a_warning(op):
    kernel = find_kernel("", op, ACTIVATIONS[op][0])
    for x in (np.array(-1.5, np.float32), np.zeros((0, 2), np.float32)):
        found = kernel(x)
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (x.dtype, x.shape)
    found = kernel(np.float32([np.nan, np.inf, -np.inf, 3e38, -3e38]))
    assert np.isnan(found[0]) or op in ("ThresholdedRelu", "Shrink")


@pytest.mark.references
def test_gelu_by_a_hyperbolic_tangent_is_that_of_torch():
    torch = pytest.importorskip("torch")
    x = points(np.float64)
    (found,) = run_kernel("Gelu", x, version=20, approximate="tanh")
    expected = torch.nn.functional.gelu(torch.from_numpy(x), approximate="tanh")
    np.testing.assert_allclose(found, expected.numpy(), rtol=1e-9, atol=1e-12)
    with pytest.raises(EvaluationError, match="approximate is 'sine'"):
        run_kernel("Gelu", x, version=20, approximate="sine")


def test_alpha_scales_what_swish_gates_by():
    x = np.float64([-2, 0.5, 3])
    expected = x / (1 + np.exp(-1.5 * x))
    np.testing.assert_allclose(run_kernel("Swish", x, version=24, alpha=1.5)[0], expected)
    b = np.float64([2, 3, 4])
    np.testing.assert_allclose(run_kernel("SwiGLU", x, b, version=28, alpha=1.5)[0], expected * b)
    with pytest.raises(EvaluationError, match="gate and value of SwiGLU have shapes"):
        run_kernel("SwiGLU", x, b[:1], version=28)


def test_relu_of_integers_is_an_integer():
    assert run_kernel("Relu", np.int8([-3, 0, 3]), version=14)[0].tolist() == [0, 0, 3]


def test_selu_of_version_1_has_other_constants():
    x = np.float64([-1, 1])
    assert run_kernel("Selu", x, version=1)[0][1] == pytest.approx(1.0507, abs=1e-7)
    assert run_kernel("Selu", x, version=6)[0][1] == pytest.approx(1.0507009873554805, abs=1e-7)
    assert run_kernel("Selu", x, version=1)[0][0] == pytest.approx(
        1.0507 * 1.6732 * np.expm1(-1), rel=1e-5
    )


def test_slopes_before_version_7_are_those_of_channels():
    x = np.float32([[[-1, 2], [-3, -4]]])
    assert run_kernel("PRelu", x, np.float32([2, 3]), version=6)[0].tolist() == [
        [[-2, 2], [-9, -12]]
    ]
    assert run_kernel("PRelu", x, np.float32([2]), version=1)[0].tolist() == [[[-2, 2], [-6, -8]]]
    assert run_kernel("PRelu", x, np.float32([2, 3]), version=7)[0].tolist() == [
        [[-2, 2], [-6, -12]]
    ]


def test_slopes_must_not_make_the_result_larger():
    with pytest.raises(EvaluationError, match=r"slope has shape \(2, 1, 1\)"):
        run_kernel(
            "PRelu", np.zeros((3, 4), np.float32), np.ones((2, 1, 1), np.float32), version=16
        )


def test_shrink_keeps_the_type_of_integers():
    (found,) = run_kernel("Shrink", np.int32([-3, -1, 0, 1, 3]), version=9, bias=1.0, lambd=1.5)
    assert found.dtype == np.int32
    assert found.tolist() == [-2, 0, 0, 0, 2]


def test_clip_takes_bounds_from_attributes_before_version_11():
    x = np.float32([-5, 0, 5, np.inf])
    assert run_kernel("Clip", x, version=6, min=-1.0)[0].tolist()[:3] == [-1, 0, 5]
    assert run_kernel("Clip", x, version=6)[0][3] == np.finfo(np.float32).max
    assert run_kernel("Clip", x, version=1, max=2.0)[0].tolist() == [-5, 0, 2, 2]
    assert run_kernel("Clip", x, version=1, min=2.0)[0].tolist() == [2, 2, 5, np.inf]


def test_clip_takes_either_bound():
    x, one = np.int32([-5, 0, 5]), np.array(1, np.int32)
    assert run_kernel("Clip", x, version=13)[0].tolist() == [-5, 0, 5]
    assert run_kernel("Clip", x, one, version=12)[0].tolist() == [1, 1, 5]
    assert run_kernel("Clip", x, None, one, version=12)[0].tolist() == [-5, 0, 1]
    assert run_kernel("Clip", x, np.array(3, np.int32), one, version=13)[0].tolist() == [1, 1, 1]
    with pytest.raises(EvaluationError, match="max of Clip must be one number"):
        run_kernel("Clip", x, None, np.int32([1, 2]), version=13)
