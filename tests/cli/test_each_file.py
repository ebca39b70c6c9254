"""Several files: each told by its name, the worst exit code, JSON of all."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from relayish.cli.each_file import Outcome, run_each
from relayish.cli.main import main
from relayish.text import parse
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
LOOPS = "function f (_A)\n{\n  for (i, 0, 4)\n  {\n    A[i] = 1.0f\n  }\n}\n"
ILL_TYPED = '#[version = "0.0.5"]\ndef @main() { add(1f, True) }\n'


@pytest.fixture
def files(program: Path) -> list[str]:
    """A program, one that is no program, an ill-typed one, loops."""
    texts = {"bad.relay": "def", "ill.relay": ILL_TYPED, "loops.any": LOOPS}
    for name, text in texts.items():
        program.with_name(name).write_text(text)
    return [str(program), *[str(program.with_name(name)) for name in texts]]


def test_every_file_is_checked_and_the_worst_code_returned(
    files: list[str], capsys: Capture
) -> None:
    good, bad, ill, loops = files
    assert main(["check", *files]) == 2
    shown = capsys.readouterr()
    assert shown.out == "".join(
        f"{name}: well formed and well typed, 1 function\n" for name in (good, loops)
    )
    assert f"relayish: error: {bad}:1:" in shown.err
    assert f"{ill}: ill-typed, 1 error" in shown.err
    assert main(["check", good, ill]) == 1
    assert main(["check", good, loops]) == 0


def test_json_of_several_files_is_a_list_with_errors_in_their_place(
    files: list[str], capsys: Capture
) -> None:
    good, bad, ill, _ = files
    assert main(["check", good, bad, ill, "--json"]) == 2
    first, second, third = json.loads(capsys.readouterr().out)
    assert first == {
        "file": good,
        "functions": 1,
        "well_formed": True,
        "well_typed": True,
        "errors": [],
    }
    assert list(second) == ["file", "error"]
    assert third["well_typed"] is False
    assert "must be the same" in third["errors"][0]
    assert main(["check", good, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == first


def test_programs_are_printed_below_their_names(files: list[str], capsys: Capture) -> None:
    good, bad, _, loops = files
    assert main(["print", good, bad, loops]) == 2
    shown = capsys.readouterr().out
    first, _, second = shown.partition(f"// {loops}\n")
    assert first.startswith(f"// {good}\n#[version")
    assert "main" in parse(first)
    assert second.startswith("function f (_A)")
    assert main(["print", good]) == 0
    assert "//" not in capsys.readouterr().out


def test_files_are_shown_one_below_the_other(files: list[str], capsys: Capture) -> None:
    good, bad, _, loops = files
    assert main(["show", good, bad, loops]) == 2
    first, second = capsys.readouterr().out.split("\n\n")
    assert first.startswith(f"file        {good}\nlanguage    relay\n")
    assert second.startswith(f"file        {loops}\nlanguage    tir\n")
    assert main(["show", good, loops, "--json"]) == 0
    assert [each["file"] for each in json.loads(capsys.readouterr().out)] == [good, loops]


def test_pictures_of_several_files_go_into_a_directory(
    files: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    good, _, _, loops = files
    monkeypatch.chdir(tmp_path)
    assert main(["show", good, loops, "--text", "--svg", "new/", "--dot", "new/"]) == 0
    made = sorted(path.name for path in Path("new").iterdir())
    assert made == ["loops.dot", "loops.svg", "program.dot", "program.svg"]
    assert f"// {good}\n#[version" in capsys.readouterr().out
    assert main(["show", good, "--svg", "new"]) == 0
    assert main(["show", good, "-", "--svg", "a.svg"]) == 2
    assert "write a directory, --svg a.svg/" in capsys.readouterr().err
    assert main(["show", good, "new/../" + Path(good).name, "--svg", "new"]) == 2
    assert "of which nothing would be left" in capsys.readouterr().err


@each(
    ("words", "told"),
    [
        (["check", "-", "-"], "is named twice"),
        (["diff", "-", "-"], "is named twice"),
        (["print", "a", "b", "-o", "c"], "-o c is one file for 2 programs"),
        (["show", "a", "b", "--svg", "-"], "write --svg DIR/"),
        (["show", "a", "--metadata"], "--metadata is for --text"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(words: list[str], told: str, capsys: Capture) -> None:
    assert main(words) == 2
    assert told in capsys.readouterr().err


def test_standard_input_is_one_of_several(
    files: list[str], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LOOPS.encode())))
    assert main(["check", files[0], "-"]) == 0
    assert "-: well formed and well typed" in capsys.readouterr().out


def test_error_that_nobody_foresaw_keeps_no_file_from_being_told(capsys: Capture) -> None:
    seen = []

    def command(name: str) -> Outcome:
        seen.append(name)
        if name == "b":
            raise ZeroDivisionError("mine")
        return Outcome(1)

    assert run_each(["a", "b", "c"], command) == 3
    assert seen == ["a", "b", "c"]
    assert "ZeroDivisionError: mine\n  in b\n" in capsys.readouterr().err
    with pytest.raises(ZeroDivisionError):
        run_each(["b"], command)
    with pytest.raises(BrokenPipeError):
        run_each(["a", "b"], lambda _name: (_ for _ in ()).throw(BrokenPipeError()))
