"""What is said of ill-typed programs, and where.

Each has its program in ``cases/ill_typed.txt``, without the header, which is line 1, and behind it
the diagnostics. ``RELAYISH_UPDATE_CASES=1`` writes the diagnostics in ``cases/ill_typed.txt`` anew.
"""

from __future__ import annotations

import os
import re

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.text import parse
from tests.support.each import each
from tests.support.text_cases import CASES, read_cases, write_cases
from tests.support.typed_text import HEADER

FILE = CASES / "ill_typed.txt"
PROGRAMS = read_cases(FILE)


def diagnostics(text):
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(parse(HEADER + text, "it"))
    return [str(diagnostic) for diagnostic in raised.value.diagnostics]


def test_there_are_many_kinds_of_ill_typed_programs():
    assert len(PROGRAMS) >= 60


@each("name", PROGRAMS)
def test_ill_typed_program_is_told_what_is_wrong_and_where(name):
    text, expected = PROGRAMS[name]
    found = diagnostics(text)
    assert all(re.match(r"it:\d+:\d+: ", line) for line in found)
    assert found == expected.splitlines()


def test_the_error_says_all_its_diagnostics():
    text, told = PROGRAMS["three errors in two functions"]
    with pytest.raises(TypeInferenceError, match="3 errors of type were found") as raised:
        infer_type(parse(HEADER + text, "it"))
    assert str(raised.value).splitlines()[1:] == [f"  {line}" for line in told.splitlines()]


if os.environ.get("RELAYISH_UPDATE_CASES"):
    write_cases(
        FILE, {name: (text, "\n".join(diagnostics(text))) for name, (text, _) in PROGRAMS.items()}
    )
