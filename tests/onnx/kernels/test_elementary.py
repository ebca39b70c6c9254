from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relayish.onnx.kernels import find_kernel
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

FUNCTIONS = {
    "Abs": (13, abs), "Neg": (13, lambda x: -x), "Floor": (13, math.floor), "Ceil": (13, math.ceil),
    "Round": (22, round), "Reciprocal": (13, lambda x: 1 / x), "Sqrt": (13, math.sqrt),
    "Exp": (13, math.exp), "Log": (13, math.log), "Erf": (13, math.erf), "Sin": (22, math.sin),
    "Cos": (22, math.cos), "Tan": (22, math.tan), "Asin": (22, math.asin), "Acos": (22, math.acos),
    "Atan": (22, math.atan), "Sinh": (22, math.sinh), "Cosh": (22, math.cosh),
    "Tanh": (13, math.tanh), "Asinh": (22, math.asinh), "Acosh": (22, math.acosh),
    "Atanh": (22, math.atanh), "Sign": (13, lambda x: math.copysign(1, x)),
}  # fmt: skip
TYPES = {np.float32: 2e-6, np.float64: 1e-13, np.float16: 2e-3, ml_dtypes.bfloat16: 1e-2}


def points(op):
    if op == "Acosh":
        return [1.0, 1.5, 2.5, 10.0]
    if op in ("Sqrt", "Log"):
        return [0.25, 0.5, 1.0, 2.5, 100.0]
    return [-0.75, -0.5, -0.25, 0.25, 0.5, 0.75]


@pytest.mark.parametrize("op", FUNCTIONS)
@each("dtype", TYPES)
@each("shape", [(-1,), (1, -1, 1)])
def test_elementary_function_is_that_of_python(op, dtype, shape):
    version, function = FUNCTIONS[op]
    x = np.array(points(op), dtype).reshape(shape)
    (found,) = run_kernel(op, x, version=version)
    assert found.dtype == dtype
    expected = np.reshape([function(float(one)) for one in x.ravel()], x.shape)
    np.testing.assert_allclose(found.astype(float), expected, rtol=TYPES[dtype], atol=TYPES[dtype])


@each("op", FUNCTIONS)
@each("dtype", TYPES)
def test_elementary_function_takes_scalars_no_element_and_special_values(op, dtype):
    kernel = find_kernel("", op, FUNCTIONS[op][0])
    for x in (np.array(1, dtype), np.zeros((0, 3), dtype), np.array([np.nan, np.inf, -0.0], dtype)):
        found = kernel(x)
        assert isinstance(found, np.ndarray)
        assert (found.dtype, found.shape) == (dtype, x.shape)


def test_rounding_halves_gives_even_numbers():
    x = np.float32([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.49, 0.51])
    assert run_kernel("Round", x, version=11)[0].tolist() == [0, 2, 2, 0, -2, -2, 0, 1]


@each("dtype", [np.int8, np.int64, np.uint8])
def test_signs_of_integers_are_integers(dtype):
    (found,) = run_kernel("Sign", np.array([0, 5, 100], dtype), version=13)
    assert found.dtype == dtype
    assert found.tolist() == [0, 1, 1]


@each("dtype", TYPES)
def test_infinities_are_found_by_sign(dtype):
    x = np.array([np.inf, -np.inf, np.nan, 0], dtype)
    for negative, positive in ((1, 1), (0, 1), (1, 0), (0, 0)):
        (found,) = run_kernel(
            "IsInf", x, version=20, detect_negative=negative, detect_positive=positive
        )
        assert found.tolist() == [bool(positive), bool(negative), False, False]
    assert run_kernel("IsNaN", x, version=20)[0].tolist() == [False, False, True, False]


def test_an_8_bit_type_with_infinities_has_them_found():
    x = np.array([np.inf, -np.inf, 1, np.nan], ml_dtypes.float8_e5m2)
    assert run_kernel("IsInf", x, version=20)[0].tolist() == [True, True, False, False]
    assert run_kernel("IsNaN", x, version=20)[0].tolist() == [False, False, False, True]
