from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import DivisionByZeroError, EvaluationError
from relayish.onnx.kernels import find_kernel
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

BROADCAST = [((2, 3), (2, 3)), ((4, 1, 3), (2, 1)), ((), (3,)), ((0, 3), (1, 3))]
TYPES = [np.float32, np.float64, np.float16, ml_dtypes.bfloat16, np.int32, np.int8, np.uint64]
BINARY = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply}


def numbers(shape, dtype, seed=0):
    return np.random.default_rng(seed).integers(1, 9, shape).astype(dtype)


@pytest.mark.parametrize("op", BINARY)
@each("dtype", TYPES)
@each("shapes", BROADCAST)
def test_arithmetic_broadcasts_and_keeps_the_element_type(op, dtype, shapes):
    a, b = numbers(shapes[0], dtype), numbers(shapes[1], dtype, seed=1)
    (found,) = run_kernel(op, a, b, version=14)
    expected = BINARY[op](a, b)
    assert isinstance(found, np.ndarray)
    assert found.dtype == dtype
    assert found.shape == expected.shape
    assert found.tolist() == expected.tolist()


@each("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integers_are_divided_towards_zero(dtype):
    a = np.array([7, -7, 7, -7, 6, -6, 0], dtype)
    b = np.array([2, 2, -2, -2, 3, 3, 5], dtype)
    (found,) = run_kernel("Div", a, b, version=14)
    assert found.dtype == dtype
    assert found.tolist() == [3, -3, -3, 3, 2, -2, 0]


def test_large_integers_are_divided_exactly():
    a = np.array([2**62 + 1, -(2**62) - 1, -(2**63)], np.int64)
    (found,) = run_kernel("Div", a, np.array(2, np.int64), version=14)
    assert found.tolist() == [2**61, -(2**61), -(2**62)]


@each("op", ["Div", "Mod"])
def test_dividing_an_integer_by_zero_is_an_error(op):
    with pytest.raises(DivisionByZeroError, match=r"element \[1\]"):
        run_kernel(op, np.array([1, 2]), np.array([1, 0]), version=13)


def test_floating_point_numbers_are_divided_by_zero_as_ieee_says():
    (found,) = run_kernel("Div", np.float32([1, -1, 0]), np.float32([0, 0, 0]), version=14)
    assert found.tolist()[:2] == [np.inf, -np.inf]
    assert np.isnan(found[2])


def test_arithmetic_gives_no_warning_where_numbers_overflow():
    for op in ("Add", "Mul", "Div", "Pow"):
        found = find_kernel("", op, 15 if op == "Pow" else 14)
        assert found(np.array(3e38, np.float32), np.array(1e-38, np.float32)).shape == ()
        found(np.array(2**31 - 1, np.int32), np.array(2**31 - 1, np.int32) // 2**30)
    assert find_kernel("", "Add", 14)(np.array(127, np.int8), np.array(1, np.int8)) == -128


def test_shapes_that_do_not_broadcast_are_an_error():
    for op in ("Add", "Pow", "Mod", "Max", "Sum", "Where", "Less", "BitwiseAnd"):
        version = {"Add": 14, "Pow": 15, "Max": 13, "Sum": 13, "Where": 16, "BitwiseAnd": 18}
        inputs = [np.ones((2, 3), np.int64), np.ones(4, np.int64)]
        if op == "Where":
            inputs.insert(0, np.array(True))
        with pytest.raises(EvaluationError, match=r"\(2, 3\) and \(4,\)"):
            run_kernel(op, *inputs, version=version.get(op, 13))


@each("exponent", [0, 1, 2, 3, 5])
@each("dtype", [np.float32, np.float64, np.float16, ml_dtypes.bfloat16])
def test_powers_have_the_type_of_the_base(exponent, dtype):
    x = np.array([-1.5, 0, 0.5, 3], dtype)
    for of_type in (np.float32, np.int64, np.float64):
        (found,) = run_kernel("Pow", x, np.array(exponent, of_type), version=15)
        assert found.dtype == dtype
        np.testing.assert_allclose(
            found.astype(float), x.astype(float) ** exponent, rtol=1e-2 if x.itemsize < 4 else 1e-6
        )


def test_an_exponent_of_one_element_broadcasts_as_its_rank_says():
    for exponent in (2, 3, 4):
        y = np.full((1, 1, 1), exponent, np.float32)
        (found,) = run_kernel("Pow", np.float32([2, 3]), y, version=15)
        assert found.shape == (1, 1, 2)
        assert found.ravel().tolist() == [2**exponent, 3**exponent]


def test_integers_have_powers_of_negative_exponents():
    (found,) = run_kernel(
        "Pow", np.array([1, -1, -1, 2, -3, 5]), np.array([-3, -3, -2, -1, -2, 2]), version=15
    )
    assert found.tolist() == [1, -1, 1, 0, 0, 25]
    with pytest.raises(DivisionByZeroError, match="0 is raised"):
        run_kernel("Pow", np.array([0, 1]), np.array(-1), version=15)


def test_integers_have_powers_of_fractions():
    (found,) = run_kernel("Pow", np.int32([4, 9]), np.float32([0.5, 1.5]), version=15)
    assert found.dtype == np.int32
    assert found.tolist() == [2, 27]


def test_mod_has_the_sign_of_the_divisor_and_fmod_of_the_dividend():
    a, b = np.array([-4, 7, 5, 4, -7, 8]), np.array([2, -3, 8, -2, 3, 5])
    assert run_kernel("Mod", a, b, version=13)[0].tolist() == [0, -2, 5, 0, 2, 3]
    assert run_kernel("Mod", a, b, version=13, fmod=1)[0].tolist() == [0, 1, 5, 0, -1, 3]


def test_mod_of_fractions_needs_fmod_before_version_28():
    a, b = np.float32([5.5, -5.5, np.inf, 1]), np.float32([2, 2, 3, -np.inf])
    with pytest.raises(EvaluationError, match="fmod 0; before version 28 expected 1"):
        run_kernel("Mod", a, b, version=13)
    np.testing.assert_array_equal(run_kernel("Mod", a, b, version=13, fmod=1)[0][:2], [1.5, -1.5])
    np.testing.assert_array_equal(
        run_kernel("Mod", a, b, version=28)[0], [1.5, 0.5, np.nan, -np.inf]
    )


@each("case", [("Sum", 6, np.sum), ("Mean", 6, np.mean), ("Max", 6, np.max), ("Min", 6, np.min)])
def test_operators_of_many_tensors_take_any_number(case):
    op, version, function = case
    for count in (1, 2, 5):
        arrays = [numbers((2, 3), np.float32, seed) for seed in range(count)]
        for since in (1, version, 8, 13):
            (found,) = run_kernel(op, *arrays, version=since)
            np.testing.assert_allclose(found, function(arrays, axis=0), rtol=1e-6)
    with pytest.raises(EvaluationError, match=f"{op} has no input"):
        run_kernel(op, version=13)


@each("op", ["Sum", "Mean", "Max", "Min"])
def test_operators_of_many_tensors_broadcast_since_version_8(op):
    a, b = np.float32([[1], [4]]), np.float32([2, 3])
    assert run_kernel(op, a, b, version=8)[0].shape == (2, 2)
    with pytest.raises(EvaluationError, match=f"inputs of {op} have shapes"):
        run_kernel(op, a, b, version=6)


def test_sums_of_narrow_numbers_are_rounded_once():
    arrays = [np.float16([2048]), np.float16([1]), np.float16([1])]
    assert run_kernel("Sum", *arrays, version=13)[0].tolist() == [2050]
    assert run_kernel("Mean", *arrays, version=13)[0].dtype == np.float16


def test_mean_of_one_tensor_is_not_divided():
    x = np.float32([1, 2])
    assert run_kernel("Mean", x, version=13)[0].tolist() == [1, 2]


def test_hundreds_of_tensors_are_taken():
    arrays = [np.full((1, 3) if place % 2 else (2, 1), place) for place in range(300)]
    for op, expected in (("Sum", 44850), ("Max", 299), ("Min", 0)):
        (found,) = run_kernel(op, *arrays, version=13)
        assert found.tolist() == [[expected] * 3] * 2
    assert run_kernel("Concat", *arrays[::2], version=13, axis=1)[0].shape == (2, 150)
