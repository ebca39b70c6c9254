"""Texts that are none: each one error, which says where, what was found, and what to do."""

from __future__ import annotations

import pytest

from relayish import tir
from relayish.errors import FieldError, ParseError
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases

BAD_TEXTS = read_cases(CASES / "loops" / "bad_texts.txt")


@each("name", BAD_TEXTS)
def test_bad_text_is_one_error_that_tells_where_what_and_what_to_do(name: str) -> None:
    text, message = BAD_TEXTS[name]
    with pytest.raises(ParseError) as caught:
        tir.parse(text, "loops.tir")
    assert str(caught.value).partition("\n")[0] == f"loops.tir:{message}"


def test_error_shows_the_line_and_points_into_it() -> None:
    with pytest.raises(ParseError) as caught:
        tir.parse("serial for (i, 0, 4)\n{\n  A[i] = (B[i] ^ 1)\n}", "loops.tir")
    assert str(caught.value) == (
        "loops.tir:3:16: expected an operator or ')' behind an operand; found '^'\n"
        "    A[i] = (B[i] ^ 1)\n"
        "                 ^"
    )


def test_what_is_no_string_is_refused() -> None:
    with pytest.raises(FieldError, match=r"are read from a str; found bytes; decode bytes first"):
        tir.parse(b"a")


def test_what_is_no_node_has_no_text() -> None:
    with pytest.raises(FieldError, match=r"3 \(int\) is no node of the loop IR"):
        tir.astext(3)


def test_attribute_without_a_text_is_refused_but_shown() -> None:
    call = tir.Call("float32", "f", attrs={"odd": object})
    with pytest.raises(FieldError, match=r"has no text in programs of loops"):
        tir.astext(call)
    assert str(call) == "f()"
