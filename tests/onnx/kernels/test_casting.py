from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from relayish.errors import EvaluationError
from relayish.onnx.element_types import ELEMENT_TYPES, find_numpy_dtype
from tests.support.each import each
from tests.support.onnx_kernels import run_kernel

FLOAT, STRING, BOOL = 1, 8, 9
NUMBERS = sorted(set(ELEMENT_TYPES) - {STRING, 14, 15})
EIGHT_BITS = {17: 448.0, 18: 240.0, 19: 57344.0, 20: 57344.0}
"""The largest number of each floating point type of 8 bits."""
POWERS_OF_TWO = 24


def cast(x, to, **attributes):
    return run_kernel("Cast", x, version=25, to=to, **attributes)[0]


@each("source", NUMBERS)
@each("target", NUMBERS)
def test_one_is_one_in_every_element_type(source, target):
    x = np.ones((2, 1), find_numpy_dtype(source))
    found = cast(x, target)
    assert found.dtype == find_numpy_dtype(target)
    assert found.astype(np.float32).tolist() == [[1], [1]]
    like = run_kernel("CastLike", x, np.ones(3, found.dtype), version=25)[0]
    assert (like.dtype, like.shape) == (found.dtype, x.shape)


@each("target", NUMBERS)
def test_a_type_to_itself_is_no_copy(target):
    x = np.ones(3, find_numpy_dtype(target))
    assert cast(x, target) is x


@each("target", [2, 3, 4, 5, 6, 7, 12, 13, 21, 22, 25, 26])
def test_integers_keep_their_low_bits(target):
    dtype = find_numpy_dtype(target)
    info = ml_dtypes.iinfo(dtype)
    x = np.array([info.max, int(info.max) + 1, -1, 0], object)
    x = x.astype(np.uint64 if target == 13 else np.int64) if target not in (7, 13) else None
    if x is None:
        return
    found = cast(x, target).astype(np.int64).tolist()
    assert found == [info.max, info.min, info.max if info.min == 0 else -1, 0]


def test_fractions_are_truncated():
    x = np.float32([1.9, -1.9, 0.5, -0.5])
    for target in (6, 7, 22):
        assert cast(x, target).astype(int).tolist() == [1, -1, 0, 0]


@each("source", [FLOAT, 10, 11, 16, 17, 19, 6, 2, 22])
def test_whatever_is_not_zero_is_true(source):
    x = np.array([0, 1, 2], np.float32).astype(find_numpy_dtype(source))
    assert cast(x, BOOL).tolist() == [False, True, True]
    assert cast(cast(x, BOOL), source).astype(int).tolist() == [0, 1, 1]


def test_a_number_below_one_and_no_number_are_true():
    assert cast(np.float32([0.25, np.nan, -0.0]), BOOL).tolist() == [True, True, False]


@each("target", EIGHT_BITS)
@each("source", [FLOAT, 10, 11, 16])
def test_8_bit_numbers_stop_at_the_largest_when_they_saturate(target, source):
    x = np.array([1e4, -1e4, np.inf, -np.inf, np.nan, 1.0625], find_numpy_dtype(source))
    largest = EIGHT_BITS[target]
    found = cast(x, target, saturate=1).astype(np.float32)
    end = min(largest, 1e4) if largest < 1e4 else 10240
    assert found[:4].tolist() == [end, -end, largest, -largest]
    assert np.isnan(found[4])
    assert found[5] == 1


@each("case", [(17, np.nan), (18, np.nan), (19, np.inf), (20, np.nan)])
def test_8_bit_numbers_are_lost_when_they_do_not_saturate(case):
    target, lost = case
    found = cast(np.float32([1e6, -1e6, np.inf, 1]), target, saturate=0).astype(np.float32)
    np.testing.assert_array_equal(found, np.float32([lost, -lost, lost, 1]))


def test_large_integers_saturate():
    assert cast(np.array([1000, -1000]), 17).astype(int).tolist() == [448, -448]


def test_versions_before_saturation_saturate():
    x = np.float32([1e6])
    for op in ("Cast", "CastLike"):
        inputs = [x] if op == "Cast" else [x, np.zeros(1, ml_dtypes.float8_e4m3fn)]
        attributes = {"to": 17} if op == "Cast" else {}
        version = 13 if op == "Cast" else 15
        assert run_kernel(op, *inputs, version=version, **attributes)[0].astype(int) == [448]
        assert np.isnan(
            run_kernel(op, *inputs, version=19, saturate=0, **attributes)[0].astype(np.float32)
        )


def powers(x, **attributes):
    """Return the biased exponents of numbers cast to powers of two."""
    return cast(np.float32(x), POWERS_OF_TWO, **attributes).view(np.uint8).tolist()


@each(
    "case",
    [
        ("up", [127, 128, 128, 128]),
        ("down", [127, 127, 127, 128]),
        ("nearest", [127, 127, 128, 128]),
    ],
)
def test_powers_of_two_are_rounded_as_told(case):
    mode, expected = case
    assert powers([1, 1.25, 1.5, 2], round_mode=mode) == expected


def test_powers_of_two_have_an_end_and_a_beginning():
    least = 2.0**-127
    x = [np.inf, 3e38, 0, least / 2, least, least * 1.5, least * 2, np.nan]
    assert powers(x, round_mode="up") == [254, 254, 0, 0, 0, 1, 1, 255]
    assert powers(x, round_mode="nearest") == [254, 254, 0, 0, 0, 1, 1, 255]
    assert powers(x, round_mode="down") == [254, 254, 0, 0, 0, 0, 1, 255]
    assert powers(x, round_mode="nearest", saturate=0) == [255, 255, 255, 255, 0, 1, 1, 255]
    assert powers(x, round_mode="down", saturate=0) == [255, 254, 255, 255, 0, 0, 1, 255]
    assert powers(x, round_mode="up", saturate=0) == [255, 255, 255, 0, 0, 1, 1, 255]
    with pytest.raises(EvaluationError, match="round_mode is 'away'"):
        powers(x, round_mode="away")


def test_numbers_are_written_so_that_they_are_read_again():
    x = np.float32([0.1, 1, 1e10, 1e-7, 123456.79, 1 / 3])
    texts = cast(x, STRING)
    assert texts.dtype == object
    assert all(type(text) is str for text in texts)
    assert cast(texts, FLOAT).tolist() == x.tolist()
    assert texts[0] == "0.1"
    assert cast(np.int64([-5, 2**62]), STRING).tolist() == ["-5", str(2**62)]
    assert cast(np.float32([np.nan, np.inf, -np.inf]), STRING).tolist() == ["NaN", "INF", "-INF"]
    assert cast(np.array(2.5, ml_dtypes.bfloat16), STRING).tolist() == "2.5"


def test_strings_are_read_as_numbers():
    texts = np.array([["1", " -2.5 "], ["1e3", "+inf"]], object)
    assert cast(texts, FLOAT).tolist() == [[1, -2.5], [1000, np.inf]]
    assert cast(texts, 16).astype(float).tolist() == [[1, -2.5], [1000, np.inf]]
    assert np.isnan(cast(np.array("NaN", object), 10))
    assert cast(np.array(["7", "2.9", "-1e2"], object), 6).tolist() == [7, 2, -100]
    assert cast(np.array([str(2**64 - 1)], object), 13).tolist() == [2**64 - 1]
    assert cast(np.array(["0", "3"], object), BOOL).tolist() == [False, True]


@each(
    "case",
    [
        ("Hello", FLOAT, "'Hello' is no number"),
        ("inf", 6, "'inf' is no integer"),
        ("x", 7, "'x' is no number"),
        ("-1", 13, "does not have"),
    ],
)
def test_strings_that_are_no_numbers_are_an_error(case):
    text, to, message = case
    with pytest.raises(EvaluationError, match=message):
        cast(np.array([text], object), to)


def test_the_first_version_is_told_a_name():
    assert run_kernel("Cast", np.float32([1.5]), version=1, to="INT32")[0].dtype == np.int32
    assert run_kernel("Cast", np.int32([1]), version=1, to="DOUBLE")[0].dtype == np.float64
    with pytest.raises(EvaluationError, match="'quad' is no element type"):
        run_kernel("Cast", np.int32([1]), version=1, to="QUAD")


@each(
    "case",
    [
        (np.float32, 6),
        (np.float64, 13),
        (np.float16, 16),
        (np.uint8, 3),
        (np.int8, 17),
        (np.bool_, 2),
        (np.complex64, 7),
    ],
)
def test_bits_mean_something_else_and_back(case):
    dtype, to = case
    x = np.arange(6).reshape(2, 3).astype(dtype)
    found = run_kernel("BitCast", x, version=26, to=to)[0]
    assert found.dtype == find_numpy_dtype(to)
    assert found.shape == x.shape
    assert found.tobytes() == x.tobytes()


def test_bits_of_a_view_and_of_a_scalar_are_cast():
    x = np.arange(6, dtype=np.float32).reshape(2, 3).T
    found = run_kernel("BitCast", x, version=26, to=6)[0]
    assert found.view(np.float32).tolist() == x.tolist()
    assert run_kernel("BitCast", np.array(1, np.float32), version=26, to=6)[0] == 0x3F800000


def test_four_bits_are_cast_by_sign():
    x = np.array([0, 7, 8, 15]).astype(ml_dtypes.uint4)
    found = run_kernel("BitCast", x, version=26, to=22)[0]
    assert found.astype(int).tolist() == [0, 7, -8, -1]
    assert run_kernel("BitCast", found, version=26, to=21)[0].astype(int).tolist() == [0, 7, 8, 15]


@each("case", [(21, 23, [2, 9], [1, -0.5]), (25, 26, [1, 3], [1, -1]), (23, 22, [1, -1], [2, -6])])
def test_bits_of_every_narrow_type_are_cast(case):
    source, to, given, expected = case
    x = np.array(given, np.float32).astype(find_numpy_dtype(source))
    assert run_kernel("BitCast", x, version=26, to=to)[0].astype(float).tolist() == expected


def test_bits_of_another_width_are_an_error():
    four = np.ones(1, ml_dtypes.int4)
    words = np.array(["a"], object)
    for x, to in ((np.float32([1]), 7), (words, FLOAT), (np.int8([1]), 22), (four, 26), (four, 3)):
        with pytest.raises(EvaluationError, match="expected a type of as many bits"):
            run_kernel("BitCast", x, version=26, to=to)
