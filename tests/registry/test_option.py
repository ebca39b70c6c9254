from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Protocol

import pytest

from relayish.registry.option import (
    OptionValueError,
    PassOption,
    check_value,
    describe_hint,
    field_options,
    read_value,
)
from relayish.registry.syntax import parse_value
from tests.support.each import each


@each(
    ("hint", "text", "value"),
    [
        (bool, "true", True),
        (bool, "False", False),
        (int, "-12", -12),
        (float, "1e-3", 1e-3),
        (float, "2", 2.0),
        (str, "nn.relu", "nn.relu"),
        (str, "'true'", "true"),
        (str, "12", "12"),
        (tuple, "(a, 1)", ("a", "1")),
        (tuple[int, ...], "(1, 2)", (1, 2)),
        (tuple[int, ...], "[]", ()),
        (tuple[int, str], "(1, b)", (1, "b")),
        (tuple[tuple[int, ...], ...], "((1,), (2, 3))", ((1,), (2, 3))),
        (int | None, "none", None),
        (int | None, "3", 3),
        (str | None, "None", None),
        (str | None, "'None'", "None"),
        (Optional[bool], "true", True),  # noqa: UP045 - both ways of writing it
        (int | str, "3", 3),
        (int | str, "x", "x"),
        (Literal["fast", "slow"], "slow", "slow"),
        (Literal[1, 2], "2", 2),
        (Literal[True, "auto"], "true", True),
    ],
)
def test_text_is_read_as_annotated(hint: Any, text: str, value: object) -> None:
    found = read_value(hint, parse_value(text))
    assert found == value
    assert type(found) is type(value)


@each(
    ("hint", "text", "message"),
    [
        (bool, "1", r"expected bool \(true or false\); found '1'"),
        (bool, "'true'", "expected bool"),
        (int, "1.5", "expected int; found '1.5'"),
        (int, "'1'", "expected int; found '1'"),
        (float, "x", "expected float; found 'x'"),
        (int, "(1,)", "expected int; found a sequence of 1"),
        (tuple[int, ...], "1", r"expected tuple\[int, \.\.\.\], as \(a, b\); found '1'"),
        (tuple[int, ...], "(1, x)", "expected int; found 'x'"),
        (tuple[int, str], "(1,)", r"expected tuple\[int, str\]; found 1 items"),
        (int | None, "x", r"expected int \| None; found 'x'"),
        (int | None, "(1,)", r"expected int \| None; found a sequence of 1"),
        (Literal["fast", "slow"], "quick", "expected one of 'fast', 'slow'; found 'quick'"),
        (Callable[[int], int], "f", r"a Callable\[.*\] cannot be written in text"),
        (Mapping, "f", "a Mapping cannot be written in text"),
    ],
)
def test_text_that_does_not_fit_says_what_was_expected(hint: Any, text: str, message: str) -> None:
    with pytest.raises(OptionValueError, match=message):
        read_value(hint, parse_value(text))


class Sized(Protocol):
    size: int


class Index:
    def __index__(self) -> int:
        return 7


@each(
    ("hint", "value", "expected"),
    [
        (bool, True, True),
        (int, 3, 3),
        (int, Index(), 7),
        (float, 3, 3.0),
        (float, 0.5, 0.5),
        (str, "x", "x"),
        (tuple[int, ...], [1, 2], (1, 2)),
        (tuple[float, ...], (1, 2.0), (1.0, 2.0)),
        (tuple, [1, "a"], (1, "a")),
        (int | None, None, None),
        (Literal["a"], "a", "a"),
        (Any, object, object),
        (object, 3, 3),
        (Sized, "a protocol is not asked", "a protocol is not asked"),
        (Callable[[int], int], len, len),
        (Mapping[str, int], {"a": 1}, {"a": 1}),
    ],
)
def test_value_that_fits_is_accepted(hint: Any, value: object, expected: object) -> None:
    found = check_value(hint, value)
    assert found == expected
    assert type(found) is type(expected)


def test_tuple_that_fits_is_the_same_object() -> None:
    given = (1, 2)
    assert check_value(tuple[int, ...], given) is given


@each(
    ("hint", "value"),
    [
        (bool, 1),
        (int, True),
        (int, "3"),
        (int, 1.0),
        (float, True),
        (float, "1"),
        (str, b"x"),
        (tuple[int, ...], "ab"),
        (tuple[int, ...], (1, "a")),
        (tuple[int, int], (1,)),
        (int | None, "x"),
        (Literal[1], True),
        (Literal["a"], "b"),
        (Callable[[int], int], 3),
        (Mapping[str, int], [1]),
    ],
)
def test_value_that_does_not_fit_is_refused(hint: Any, value: object) -> None:
    with pytest.raises(OptionValueError, match="expected"):
        check_value(hint, value)


def test_misfit_in_a_mapping_is_told_with_its_key() -> None:
    hint = Mapping[str, tuple[str, ...]]
    for value, message in (
        ({"a": ("b",), "c": 5}, r"in what is given for 'c': expected tuple\[str, ...\]; found 5"),
        ({3: ()}, "in what is given for 3: expected str; found 3"),
        ({"a": [None]}, "in what is given for 'a': expected str; found None"),
    ):
        with pytest.raises(OptionValueError, match=message):
            check_value(hint, value)


def test_option_shows_type_and_default() -> None:
    assert str(PassOption("x", int, 3)) == "x: int = 3"
    assert str(PassOption("x", tuple[int, ...])) == "x: tuple[int, ...]"
    assert describe_hint(type(None)) == "None"


def test_options_of_a_dataclass_are_its_fields() -> None:
    @dataclass
    class Some:
        must: int
        may: str = "x"
        made: tuple[int, ...] = field(default_factory=tuple)
        hidden: int = field(default=0, init=False)

    shown = [str(option) for option in field_options(Some)]
    assert shown == ["must: int", "may: str = 'x'", "made: tuple[int, ...] = ()"]
