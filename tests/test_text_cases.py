"""Readers of cases leave none of a file out: what has another form is refused, not skipped."""

from __future__ import annotations

import pytest

from tests.support import sound_calls
from tests.support.goldens import read_goldens
from tests.support.text_cases import read_cases

GOLDEN = "// run: FoldConstant\n// A.\n1\n==> the same\n"


@pytest.mark.parametrize(
    "text", ["", "==first\n1\n--\n2\n\n== second\n1\n--\n2\n", "== one\n1\n\n== one\n2\n"]
)
def test_text_case_that_would_be_left_out_is_refused(text, tmp_path):
    path = tmp_path / "cases.txt"
    path.write_text(text)
    with pytest.raises(AssertionError, match=r"cases\.txt"):
        read_cases(path)


@pytest.mark.parametrize(
    "text", ["", f"{GOLDEN}\n// runs: FoldConstant\n// B.\n2\n==> 2\n", f"{GOLDEN}\n{GOLDEN}"]
)
def test_golden_program_that_would_be_left_out_is_refused(text, tmp_path):
    path = tmp_path / "Pass.relay"
    path.write_text(text)
    with pytest.raises(AssertionError, match=r"Pass\.relay"):
        read_goldens(path)


@pytest.mark.parametrize(
    "text", ["add:\n  (int8)\n", "add:\n  (int8)\n  (int8)\n    wrong\n", "add\n  (int8)\n    no\n"]
)
def test_refused_call_that_would_be_left_out_is_refused(text, tmp_path, monkeypatch):
    (tmp_path / "refused_calls.txt").write_text(text)
    monkeypatch.setattr(sound_calls, "CASES", tmp_path)
    with pytest.raises(AssertionError, match="these are no calls"):
        list(sound_calls.typed_calls("refused_calls.txt"))
