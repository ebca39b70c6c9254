from __future__ import annotations

import numpy as np
import pytest

from relayish.errors import EvaluationError
from tests.support.onnx_kernels import run_kernel


def strings(*texts):
    return np.array(texts, object)


def test_strings_are_joined_as_numbers_are_added():
    (found,) = run_kernel("StringConcat", strings("a", "")[:, None], strings("x", "yz"), version=20)
    assert found.dtype == object
    assert found.tolist() == [["ax", "ayz"], ["x", "yz"]]
    scalar = run_kernel("StringConcat", np.array("a", object), np.array("b", object), version=20)[0]
    assert (scalar.dtype, scalar.shape, scalar.item()) == (object, (), "ab")
    with pytest.raises(EvaluationError, match="cannot broadcast"):
        run_kernel("StringConcat", strings("a", "b"), strings("a", "b", "c"), version=20)


def test_strings_are_split_and_filled_up():
    x = strings(["a,b", "c"], ["", ",,d"])
    parts, counts = run_kernel("StringSplit", x, version=20, delimiter=",", num_outputs=2)
    assert counts.dtype == np.int64
    assert counts.tolist() == [[2, 1], [0, 3]]
    assert parts.tolist() == [[["a", "b", ""], ["c", "", ""]], [["", "", ""], ["", "", "d"]]]


def test_strings_are_split_at_spaces_and_a_number_of_times():
    x = strings("  a b  c ", " ")
    for delimiter in ({}, {"delimiter": ""}):
        parts, counts = run_kernel("StringSplit", x, version=20, num_outputs=2, **delimiter)
        assert parts.tolist() == [["a", "b", "c"], ["", "", ""]]
        assert counts.tolist() == [3, 0]
    parts, _ = run_kernel(
        "StringSplit", strings("a-b-c"), version=20, delimiter="-", maxsplit=1, num_outputs=2
    )
    assert parts.tolist() == [["a", "b-c"]]


def test_no_string_has_no_part():
    parts, counts = run_kernel("StringSplit", np.zeros((0, 2), object), version=20, num_outputs=2)
    assert parts.shape == (0, 2, 0)
    assert counts.shape == (0, 2)


def test_patterns_match_all_of_a_string():
    x = strings(["www.a.com", "www.a.com "], ["a", ""])
    (found,) = run_kernel("RegexFullMatch", x, version=20, pattern=r"www\.[a-z]+\.com|")
    assert found.dtype == np.bool_
    assert found.tolist() == [[True, False], [False, True]]
    with pytest.raises(EvaluationError, match="is no regular expression"):
        run_kernel("RegexFullMatch", x, version=20, pattern="(")
