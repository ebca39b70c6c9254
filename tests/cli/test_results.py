"""JSON of commands: what each prints is what its schema says, and stands alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from relayish.cli.commands import load_command
from relayish.cli.json_form import render_schema
from relayish.cli.main import main
from relayish.cli.parser import build_parser
from tests.cli.conftest import LETS, PROGRAM
from tests.support.each import each
from tests.support.json_schema import faults

Capture = pytest.CaptureFixture[str]
ILL_TYPED = '#[version = "0.0.5"]\ndef @main() { add(1f, True) }\n'


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {"a": PROGRAM, "b": LETS, "ill": ILL_TYPED, "bad": "def"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: str(tmp_path / name) for name in texts}


CASES = [
    (["show", "{a}"], 0),
    (["show", "{a}", "{bad}", "{b}"], 2),
    (["check", "{a}"], 0),
    (["check", "{a}", "{ill}", "{bad}"], 2),
    (["diff", "{a}", "{a}"], 0),
    (["diff", "{a}", "{b}"], 1),
    (["opt", "{a}", "-p", "FoldConstant"], 0),
    (["bisect", "{a}", "-p", "FoldConstant"], 0),
    (["analyse", "{a}", "-a", "liveness"], 0),
    (["passes", "InferType"], 0),
    (["passes", "DenseToSparse"], 0),
    (["passes", "--instruments"], 0),
    (["domains", "vision"], 0),
    (["domains", "tir"], 0),
]
OF_MODELS = {"optimize", "compile", "tune"}
"""Commands that are tried with models, beside this file."""


@each(("words", "code"), CASES)
def test_json_is_what_the_schema_says(
    words: list[str], code: int, files: dict[str, str], capsys: Capture
) -> None:
    assert main([words[0], "--json-schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert main([*[word.format(**files) for word in words], "--json"]) == code
    told = json.loads(capsys.readouterr().out)
    assert told
    assert list(faults(told, schema)) == []
    if isinstance(told, dict):
        assert list(faults({**told, "more": 1}, schema))


def test_every_command_that_tells_json_is_tried() -> None:
    (found,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    told = {name for name, each in found.choices.items() if "--json" in each._option_string_actions}
    assert {words[0] for words, _ in CASES} | OF_MODELS == told
    for name in told:
        assert render_schema(load_command(name).RESULT, name)


def test_schema_is_told_whatever_else_is_missing(capsys: Capture) -> None:
    assert main(["domains", "--json-schema", "--nothing"]) == 0
    assert json.loads(capsys.readouterr().out)["type"] == "array"


def test_validator_finds_what_is_wrong() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"anyOf": [{"type": "null"}, {"enum": [1]}]}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert list(faults({"a": 1, "b": 1}, schema)) == []
    assert list(faults({"a": 1, "b": None}, schema)) == []
    for wrong in ({"a": True}, {"a": "1"}, {}, {"a": 1, "c": 2}, {"a": 1, "b": 2}, []):
        assert len(list(faults(wrong, schema))) == 1
    assert list(faults([1, "2"], {"type": "array", "items": {"type": "number"}})) == [
        "$[1]: '2' is no number"
    ]


def test_types_that_nobody_asked_about_are_unknown(files: dict[str, str], capsys: Capture) -> None:
    assert main(["check", files["ill"], "--no-types", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["well_formed"], told["well_typed"], told["errors"]) == (True, None, [])


def test_passes_are_told_with_what_they_left(files: dict[str, str], capsys: Capture) -> None:
    out = f"{files['a']}.out"
    words = ["opt", files["a"], "-p", "FoldConstant,InferType", "--json"]
    assert main([*words, "-o", out]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["operators"], each["change"]) for each in told["passes"]] == [
        ("FoldConstant", 1, -1),
        ("InferType", 1, 0),
    ]
    assert (told["operators_before"], told["operators_after"], told["output"]) == (2, 1, out)
    assert told["seconds"] >= sum(each["seconds"] for each in told["passes"]) > 0
    assert "add(%x, 3f" in Path(out).read_text()


def test_json_of_opt_makes_way_for_the_result(files: dict[str, str], capsys: Capture) -> None:
    assert main(["opt", files["a"], "-p", "FoldConstant", "--json", "-o", "-"]) == 0
    told = capsys.readouterr()
    assert told.out.startswith("#[version")
    assert json.loads(told.err)["output"] == "-"


@pytest.mark.usefixtures("losing_passes")
def test_pass_at_fault_is_told_as_json(files: dict[str, str], capsys: Capture) -> None:
    words = ["bisect", files["b"], "-p", "InferType,DropLets", "--json", "--tries", "0"]
    assert main(words) == 1
    shown = capsys.readouterr()
    told = json.loads(shown.out)
    assert (told["culprit"], told["position"]) == ("DropLets", 1)
    assert "%half" in told["message"]
    assert shown.err == ""
    assert main([*words, "-o", "-"]) == 1
    shown = capsys.readouterr()
    assert shown.out.startswith("#[version")
    assert json.loads(shown.err) == told
