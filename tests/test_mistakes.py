"""What is said of typical mistakes, compared in full."""

from __future__ import annotations

import pytest

from tests.support.each import each
from tests.support.mistakes import MISTAKES, said, texts
from tests.support.numpy_text import as_numpy_writes

TEXTS = texts()

PYTHONS = {"10 assignment into the arguments", "69 misspelt field"}
"""Refused by Python itself, in its own words: arguments are a tuple, and reads of fields are fast.

A ``__getattr__`` would make them slower; a traceback says ``Did you mean: 'args'?`` anyway.
"""


@pytest.mark.parametrize("name", MISTAKES)
def test_mistake_is_answered_in_these_words(name: str) -> None:
    assert said(MISTAKES[name]) == as_numpy_writes(TEXTS[name])


def test_every_answer_is_to_a_mistake() -> None:
    assert [*TEXTS] == [*MISTAKES]


@each("name", MISTAKES)
def test_no_mistake_is_answered_by_python_or_not_at_all(name: str) -> None:
    kind = TEXTS[name].partition(":")[0]
    assert kind != "nothing"
    is_pythons = kind in ("TypeError", "KeyError", "ValueError") or " object has " in TEXTS[name]
    assert is_pythons == (name in PYTHONS)
