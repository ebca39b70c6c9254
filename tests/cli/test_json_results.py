"""JSON of commands, held against the schema that they print."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator

import pytest

from relayish.cli.main import build_parser, main
from tests.support.each import each
from tests.support.json_schema import faults

Capture = pytest.CaptureFixture[str]


def commands_with_json() -> Iterator[str]:
    (found,) = (a for a in build_parser()._actions if isinstance(a, argparse._SubParsersAction))
    for name, command in found.choices.items():
        if "--json" in command._option_string_actions:
            yield name


WORDS = {
    "passes": [["InferType"], ["DenseToSparse"], ["--instruments"]],
    "domains": [["vision"], ["tir"]],
}
"""What to call a command with; without files."""


@each("command", sorted(WORDS))
def test_json_is_as_the_schema_says(command: str, capsys: Capture) -> None:
    assert main([command, "--json-schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert schema["title"] == f"relayish {command}"
    for words in WORDS[command]:
        assert main([command, *words, "--json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told
        assert list(faults(told, schema)) == []


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
