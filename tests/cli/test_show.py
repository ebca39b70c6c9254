"""``relayish show`` of programs: told by content, drawn in several forms."""

from __future__ import annotations

import io
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

import relayish as relay
from relayish import core
from relayish.binary import write_binary
from relayish.cli.any_file import is_model
from relayish.cli.main import main
from tests.support.each import each

Capture = pytest.CaptureFixture[str]

CALLS = """#[version = "0.0.5"]
def @main(%x: Tensor[(2), float32]) { @half(add(%x, 1f)) }
def @half(%x: Tensor[(2), float32]) { if (True) { multiply(%x, 0.5f) } else { %x } }
"""
LOOPS = """function f (_A)
{
  for (i, 0, 4)
  {
    A[i] = (A[i] + 1.0f)
  }
}
"""


@pytest.fixture
def calls(tmp_path: Path) -> str:
    path = tmp_path / "calls.any"
    path.write_text(CALLS)
    return str(path)


def shown(capsys: Capture, *words: str) -> str:
    assert main(["show", *words]) == 0
    return capsys.readouterr().out


def test_summary_tells_definitions_types_and_operators(calls: str, capsys: Capture) -> None:
    assert shown(capsys, calls) == (
        f"file        {calls}\n"
        "language    relay\n"
        "definition  @half: fn (Tensor[(2), float32]) -> Tensor[(2), float32]\n"
        "            @main: fn (Tensor[(2), float32]) -> Tensor[(2), float32]\n"
        "nodes       14\n"
        "constants   3, 9 bytes\n"
        "operators   2\n"
        "  1 add\n"
        "  1 multiply\n"
    )
    told = json.loads(shown(capsys, calls, "--json"))
    assert told["operators_by_type"] == {"add": 1, "multiply": 1}
    assert told["definitions"][1]["name"] == "main"


def test_ill_typed_program_is_summarised_and_drawn(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "bad"
    path.write_text('#[version = "0.0.5"]\ndef @main(%x: int8) { add(%x, 1f) }\n')
    assert "  1 add" in shown(capsys, str(path))
    assert "add(lhs=x) {rhs = 1.0}" in shown(capsys, str(path), "--tree")


def core_module() -> relay.IRModule:
    scope = core.GlobalScope()
    with scope.function("double", {"n": "int32"}, "int32") as f:
        f.retv(f.n + f.n)
    return scope.module()


def test_content_tells_what_a_file_is(tmp_path: Path, capsys: Capture) -> None:
    text, binary, loops = (tmp_path / name for name in ("a.onnx", "b.relay", "c.rly"))
    text.write_text(core_module().astext())
    write_binary(relay.parse(CALLS), binary)
    loops.write_text(LOOPS)
    assert "language    core\n" in shown(capsys, str(text))
    assert "@half: fn" in shown(capsys, str(binary))
    assert "language    tir\n" in shown(capsys, str(loops))
    assert "  1 store\n" in shown(capsys, str(loops))
    assert "for i in [0, 4)" in shown(capsys, str(loops), "--tree")
    assert shown(capsys, str(loops), "--text").startswith("function f (_A)")


def test_standard_input_and_output_are_named_by_a_dash(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Given:
        buffer = io.BytesIO(CALLS.encode())

    monkeypatch.setattr(sys, "stdin", Given)
    root = ET.fromstring(shown(capsys, "-", "--svg", "-"))
    assert root.tag.endswith("svg")


def test_graph_chooses_what_is_drawn(calls: str, capsys: Capture) -> None:
    assert "@half(⇢ @main)" in shown(capsys, calls, "--tree", "--graph", "call")
    assert ": entry" in shown(capsys, calls, "--tree", "--graph", "flow", "--only", "half")
    for graph in ("dominators", "post-dominators"):
        assert shown(capsys, calls, "--tree", "--graph", graph).startswith(graph)


def test_analysis_draws_states(calls: str, capsys: Capture) -> None:
    found = shown(capsys, calls, "--tree", "--analysis", "liveness", "--only", "half")
    assert "before: {%x}; after: {}" in found


def test_work_is_drawn_into_loops(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "loops.tir"
    path.write_text(LOOPS)
    told = "for i in [0, 4) {4 iterations; 4 flops; reads and writes _A: 16 B}"
    assert told in shown(capsys, str(path), "--tree", "--work")
    assert told not in shown(capsys, str(path), "--tree")


def test_rooflines_are_of_functions_of_loops(
    tmp_path: Path, calls: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RELAYISH_CACHE", str(tmp_path))
    path = tmp_path / "loops.tir"
    path.write_text(LOOPS)
    assert shown(capsys, str(path), "--roofline") == (
        "NAME  FLOPS  BYTES  FLOPS/BYTE  LIMIT  AT LEAST  MEASURED  REACHED\n"
        "f         4     16        0.25\n"
        "no machine is known: tir.measure_machine() measures this one, once\n"
    )
    assert main(["show", calls, "--roofline"]) != 0
    assert "--roofline is of functions of loops" in capsys.readouterr().err


def test_only_draws_one_definition(calls: str, capsys: Capture) -> None:
    found = shown(capsys, calls, "--tree", "--only", "half")
    assert "multiply" in found
    assert "add" not in found


@each(
    ("words", "told"),
    [
        (["--graph", "call"], "no picture is asked for"),
        (["--tree", "--graph", "call", "--only", "half"], "leave --only out"),
        (["--tree", "--graph", "flow", "--analysis", "liveness"], "leave one of them out"),
        (["--tree", "--analysis", "livness"], "did you mean Liveness"),
        (["--tree", "--only", "hafl"], "half"),
        (["--svg", "nowhere/a.svg"], "nowhere"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    words: list[str], told: str, calls: str, capsys: Capture
) -> None:
    assert main(["show", calls, *words]) == 2
    assert told in capsys.readouterr().err


@each("words", [["--html", "FILE"], ["--svg", "a", "--dot", "./a"], ["--svg", "-", "--html", "-"]])
def test_no_picture_is_written_over_the_program_or_another_picture(
    words: list[str], calls: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(calls).parent)
    assert main(["show", calls, *[calls if word == "FILE" else word for word in words]]) == 2
    assert "write another name" in capsys.readouterr().err
    assert Path(calls).read_text() == CALLS
    assert [each.name for each in Path().iterdir()] == [Path(calls).name]


@each(
    ("data", "found"),
    [
        (b"", False),
        (CALLS.encode(), False),
        (LOOPS.encode("utf-8-sig"), False),
        (b"\t\r\n\f// caf\xc3\xa9", False),
        (b"\x89RLY\r\n\x1a\n", False),
        (b"\x08\x08\x12\x00", True),
        (b"x" * 15 + b"\x01", True),
        (b"x" * 16 + b"\x01", False),
        (b"x" * 16 + b"\x01\xff", True),
        (b"x" * 16 + b"\xff", False),
        (b"x" * 4096 + b"\x01\xff", False),
        (b"x" * 20 + b"\x1b" + b"x" * 4074 + "\u00e9".encode(), False),
    ],
)
def test_models_are_told_from_programs(data: Any, found: bool) -> None:
    assert is_model(data) is found


def test_nothing_is_told_to_be_nothing(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    for command in ("show", "check", "opt", "print"):
        assert main([command, str(path)]) == 2
        assert f"relayish: error: {path} is empty; expected a model" in capsys.readouterr().err


def test_json_stands_alone_on_standard_output(calls, capsys):
    assert main(["show", calls, "--json", "--tree"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "--json, --tree would stand on standard output" in told.err
