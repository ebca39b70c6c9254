"""Tests of many cases fail where a case does, and name it."""

from __future__ import annotations

import inspect

import pytest

from tests.support.each import each


def test_each_runs_every_case_when_some_fail():
    seen = []

    @each("number", range(5))
    def test(number):
        seen.append(number)
        assert number % 2 == 0

    with pytest.raises(BaseExceptionGroup, match="2 of 5 fail") as caught:
        test()
    assert seen == [0, 1, 2, 3, 4]
    noted = [error.__notes__ for error in caught.value.exceptions]
    assert noted == [["number = 1"], ["number = 3"]]


def test_each_fails_when_an_expected_error_is_not_raised():
    @each("name", ["a"])
    def test(name):
        with pytest.raises(KeyError):
            assert name

    with pytest.raises(BaseExceptionGroup):
        test()


def test_each_runs_every_pair_when_stacked():
    seen = []

    @each("first", "ab")
    @each("second", "cd")
    def test(first, second):
        seen.append(first + second)

    test()
    assert seen == ["ac", "ad", "bc", "bd"]


def test_each_gives_the_parts_of_a_case_to_several_names():
    seen = []

    @each(("first", "second"), [("a", 1), ("b", 2)])
    def test(first, second):
        seen.append(first * second)
        assert first == "a"

    with pytest.raises(BaseExceptionGroup, match="1 of 2 fail") as caught:
        test()
    assert seen == ["a", "bb"]
    assert caught.value.exceptions[0].__notes__ == ["first = 'b', second = 2"]
    with pytest.raises(ValueError, match="shorter"):
        each(("first", "second"), [("a",)])(lambda first, second: None)()


class TestMethods:
    @each("number", [1, 2])
    def test_each_runs_methods(self, number):
        assert isinstance(self, TestMethods)
        assert number in (1, 2)


def test_each_leaves_other_arguments_to_fixtures():
    @each("case", [1])
    def test(case, tmp_path):
        assert case

    assert list(inspect.signature(test).parameters) == ["tmp_path"]


def test_each_refuses_to_test_nothing():
    with pytest.raises(AssertionError, match="there is no name to test"):
        each("name", [])


def test_each_refuses_an_argument_that_the_test_does_not_take():
    with pytest.raises(AssertionError, match="takes no argument other"):
        each("other", [1])(lambda name: None)
