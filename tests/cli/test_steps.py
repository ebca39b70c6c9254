from __future__ import annotations

import re
from pathlib import Path

import pytest

from relayish.cli.main import main
from tests.support.each import each

Capture = pytest.CaptureFixture[str]


@each("words", [["-v", "opt"], ["opt", "--verbose"]])
def test_verbose_tells_what_is_read_and_which_passes_run(
    words: list[str], program: Path, capsys: Capture
) -> None:
    assert main([*words, str(program), "-p", "FoldConstant,InferType,InferType"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"relayish: reading {program}"
    told = [re.sub(r"\d\.\d{3}", "N", line) for line in lines[1:]]
    assert told == [
        "relayish: FoldConstant: changed, N seconds",
        "relayish: InferType: changed, N seconds",
        "relayish: InferType: unchanged, N seconds",
    ]


def test_passes_inside_others_are_indented(program: Path, capsys: Capture) -> None:
    assert main(["opt", str(program), "-p", "O1", "-v"]) == 0
    assert re.search(r"^relayish:   \w+: ", capsys.readouterr().err, re.MULTILINE)


def test_quiet_leaves_notes_out(program: Path, capsys: Capture) -> None:
    words = ["opt", str(program), "-p", "FoldConstant", "-O0"]
    assert main(words) == 0
    assert "relayish: note: FoldConstant is not run" in capsys.readouterr().err
    assert main([*words, "-q"]) == 0
    assert capsys.readouterr().err == ""
