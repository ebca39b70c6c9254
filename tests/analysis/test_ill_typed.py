"""What is said of ill-typed programs, and where.

The programs stand in ``cases/ill_typed.txt``: a name, a module without its header, and behind
``--`` the diagnostics, each with the line and column it points at in the module as it is parsed,
where line 1 is the header. ``RELAYISH_UPDATE_CASES=1`` writes the diagnostics anew.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from relayish.analysis.infer_type import infer_type
from relayish.errors import TypeInferenceError
from relayish.text import parse

FILE = Path(__file__).parent.parent / "cases" / "ill_typed.txt"
HEADER = '#[version = "0.0.5"]\n'
CASE = re.compile(r"^== ([^\n]+)\n(.*?)\n--\n(.*?)\n(?=\n==|\Z)", re.MULTILINE | re.DOTALL)
CASES = {name: (text, told.splitlines()) for name, text, told in CASE.findall(FILE.read_text())}


def diagnostics(text):
    with pytest.raises(TypeInferenceError) as raised:
        infer_type(parse(HEADER + text, "it"))
    return [str(diagnostic) for diagnostic in raised.value.diagnostics]


def test_there_are_many_kinds_of_ill_typed_programs():
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", CASES)
def test_ill_typed_program_is_told_what_is_wrong_and_where(name):
    text, expected = CASES[name]
    found = diagnostics(text)
    assert all(re.match(r"it:\d+:\d+: ", line) for line in found)
    assert found == expected


def test_the_error_says_all_its_diagnostics():
    text, told = CASES["three errors in two functions"]
    with pytest.raises(TypeInferenceError, match="3 errors of type were found") as raised:
        infer_type(parse(HEADER + text, "it"))
    assert str(raised.value).splitlines()[1:] == [f"  {line}" for line in told]


if os.environ.get("RELAYISH_UPDATE_CASES"):
    FILE.write_text(
        "\n".join(
            f"== {name}\n{text}\n--\n" + "".join(f"{line}\n" for line in diagnostics(text))
            for name, (text, _) in CASES.items()
        )
    )
