"""What is told of constants: any type, any size, and what is no number."""

from __future__ import annotations

import json

import ml_dtypes
import numpy as np
import pytest

from relayish.draw.page.values import BINS, FIRST, LARGE, SAMPLE, summarize


def test_low_high_mean_and_histogram_are_those_of_the_numbers():
    told = summarize("w", np.arange(32, dtype="float32").reshape(4, 8))
    assert told["type"] == "float32[4, 8]"
    assert (told["low"], told["high"], told["mean"]) == (0.0, 31.0, 15.5)
    assert told["histogram"] == [2] * BINS
    assert told["first"] == [str(number) for number in range(FIRST)]


@pytest.mark.parametrize("name", ["float16", "bfloat16", "int4", "uint8", "float8_e4m3fn", "bool"])
def test_numbers_of_every_type_are_told(name):
    dtype = getattr(ml_dtypes, name, None) or np.dtype(name)
    told = summarize("w", np.array([0, 1, 1, 0] * 4).astype(dtype))
    assert told["type"] == f"{name}[16]"
    assert (told["low"], told["high"], told["mean"]) == (0.0, 1.0, 0.5)
    assert told["histogram"] == [8, *[0] * (BINS - 2), 8]
    assert told["first"][:2] == (["False", "True"] if name == "bool" else ["0", "1"])


@pytest.mark.parametrize(
    "value",
    [
        np.array(["a", "b\x00"], dtype=object),
        np.array(["a"]),
        np.array([b"\xff"]),
        np.zeros((0, 3), "float32"),
        np.array([1 + 2j]),
        np.array([np.nan, np.inf, -np.inf] * 4),
        np.array([-1.7e308, 1.7e308] * 8),
        np.array(3.0),
        np.array([2**63, 2**64 - 1] * 8, dtype="uint64"),
        np.float32(2),
        "text",
        object(),
    ],
)
def test_whatever_a_constant_is_its_summary_is_json(value):
    told = json.loads(json.dumps(summarize("w", value), allow_nan=False))
    assert told["name"] == "w"
    assert all(isinstance(each, str) for each in told.get("first", ()))


def test_what_is_not_finite_is_left_out_and_counted():
    told = summarize("w", np.array([np.nan, np.inf, *range(8)], "float64"))
    assert (told["low"], told["high"], sum(told["histogram"])) == (0.0, 7.0, 8)
    assert told["told"] == "2 NaN or infinite"


def test_extremes_do_not_overflow():
    told = summarize("w", np.array([-1.7e308, 1.7e308] * 8))
    assert told["mean"] == 0
    assert told["histogram"] == [8, *[0] * (BINS - 2), 8]


def test_few_or_equal_elements_have_no_histogram():
    assert "histogram" not in summarize("w", np.arange(7))
    assert "histogram" not in summarize("w", np.full(100, 3))


def test_large_constants_are_sampled_and_it_is_said():
    told = summarize("w", np.broadcast_to(np.float32(1), (LARGE + 1,)))
    assert told["told"].endswith(f"elements out of {LARGE + 1:,}")
    looked_at = int(told["told"].split()[1].replace(",", ""))
    assert SAMPLE // 2 <= looked_at <= SAMPLE
