"""JSON of commands over models, held against the schema that they print."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relayish.cli.main import main
from tests.support.each import each
from tests.support.json_schema import faults

pytest.importorskip("onnx")

pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]
OPTIMIZE = ["optimize", "--example", "-p", "EliminateCommonSubexpr"]


@pytest.mark.slow("optimises models, one in a process of its own, and compiles code")
@each(
    "words",
    [
        OPTIMIZE,
        [*OPTIMIZE, "--verify", "0"],
        [*OPTIMIZE, "-o", "OUT/"],
        ["show", "--example"],
        ["compile", "OUT/small.relay", "--verify", "1"],
        ["compile", "OUT/small.relay", "--verify", "0"],
    ],
)
def test_json_is_what_the_schema_says(words: list[str], tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "small.relay").write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { nn.relu(%x) }\n'
    )
    assert main([words[0], "--json-schema"]) == 0
    schema = json.loads(capsys.readouterr().out)
    assert main([*[word.replace("OUT", str(tmp_path)) for word in words], "--json"]) == 0
    assert list(faults(json.loads(capsys.readouterr().out), schema)) == []
