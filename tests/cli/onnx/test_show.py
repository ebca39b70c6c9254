"""``relayish show``: summaries, text, pictures."""

from __future__ import annotations

import io
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from relayish.cli.main import main
from relayish.text import parse

onnx = pytest.importorskip("onnx")

pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]
EXAMPLE = Path(__file__).parents[3] / "examples" / "small_network.onnx"
SVG = "{http://www.w3.org/2000/svg}"


def test_a_summary_says_what_a_model_is(model: Path, capsys: Capture) -> None:
    assert main(["show", str(model)]) == 0
    assert (
        capsys.readouterr().out
        == f"""\
file       {model}
ONNX       IR version 8, opset ai.onnx 17
graph      graph
input      x: float32[n, 3]
output     y: float32[n, 2]
constants  2, 28 bytes
operators  4
  1 Add
  1 MatMul
  1 Mul
  1 Relu
"""
    )


def test_nodes_in_branches_are_counted(capsys: Capture) -> None:
    assert main(["show", "--example", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["operators"] == 26
    assert told["operators_by_type"]["Identity"] == 2  # one of them in a branch
    assert told["producer"] == "relayish examples"
    assert told["inputs"] == [{"name": "image", "type": "float32[batch, 1, 16, 16]"}]


def test_metadata_and_defaults_are_told(model: Path, capsys: Capture) -> None:
    proto = onnx.load(model)
    onnx.helper.set_model_props(proto, {"made by": "hand", "for": "tests"})
    proto.graph.input.append(onnx.helper.make_tensor_value_info("w", 1, [3, 2]))
    onnx.save(proto, model)
    assert main(["show", str(model)]) == 0
    shown = capsys.readouterr().out
    assert "\nmetadata   made by: hand\n           for: tests\n" in shown
    assert "w: float32[3, 2], has a default" in shown


def test_text_is_a_program(model: Path, capsys: Capture) -> None:
    assert main(["show", str(model), "--text"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("#[version")
    assert "MatMul_13(%positive, %w" in shown


def test_a_picture_needs_nothing_else_and_shows_every_node(tmp_path: Path) -> None:
    out = tmp_path / "model.svg"
    assert main(["show", str(EXAMPLE), "--svg", str(out)]) == 0
    text = out.read_text(encoding="utf-8")
    assert re.findall(r"(?:href|src|url|@import)", text) == []
    shown = [each.text for each in ET.fromstring(text).iter(f"{SVG}text")]
    nodes = ["Conv", "BatchNormalization", "If", "Softmax", "Softmax", "Identity", "Identity"]
    for name in nodes:
        assert shown.count(name) >= nodes.count(name)
    assert "@main: small_network" in shown
    assert shown.count("first.out") == 2  # what both branches take from outside


def _document(page: str) -> dict[str, Any]:
    found = re.search(r' id="document">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    document: dict[str, Any] = json.loads(found[1])
    return document


def test_a_page_has_summary_and_picture(model: Path, tmp_path: Path) -> None:
    proto = onnx.load(model)
    proto.graph.name = "<b>&"
    proto.graph.input.append(onnx.helper.make_tensor_value_info("w", 1, [3, 2]))
    onnx.save(proto, model)
    out = tmp_path / "model.html"
    assert main(["show", str(model), "--html", str(out)]) == 0
    page = out.read_text(encoding="utf-8")
    assert re.findall(r"<(?:link|img|b)\b|\ssrc=", page) == []
    document = _document(page)
    assert document["about"]["graph"] == "<b>&"
    assert document["about"]["input"] == "x: float32[n, 3]\nw: float32[3, 2], has a default"
    assert {"MatMul", "Add", "Relu", "Mul"} <= {box["title"] for box in document["boxes"]}


def test_a_model_may_come_from_standard_input(
    model: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Given:
        buffer = io.BytesIO(model.read_bytes())

    monkeypatch.setattr(sys, "stdin", Given)
    assert main(["show", "-", "--tree"]) == 0
    assert "MatMul" in capsys.readouterr().out


def test_several_forms_are_written_at_once(model: Path, tmp_path: Path, capsys: Capture) -> None:
    svg, dot = tmp_path / "a.svg", tmp_path / "a.dot"
    words = ["--svg", str(svg), "--dot", str(dot), "--json"]
    assert main(["show", str(model), *words]) == 0
    shown = capsys.readouterr().out
    assert svg.read_text().startswith("<svg")
    assert dot.read_text().startswith("digraph")
    assert json.loads(shown)["operators"] == 4


def test_a_picture_that_cannot_be_written_is_an_error(model: Path, capsys: Capture) -> None:
    assert main(["show", str(model), "--svg", str(model.parent / "nowhere" / "a.svg")]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_text_of_a_model_without_constants_reads_back(tmp_path: Path, capsys: Capture) -> None:
    node = onnx.helper.make_node("LeakyRelu", ["x"], ["y"], alpha=0.5)
    value = [onnx.helper.make_tensor_value_info(name, 1, [2, 3]) for name in ("x", "y")]
    graph = onnx.helper.make_graph([node], "g", value[:1], value[1:])
    path = tmp_path / "leaky.onnx"
    imports = [onnx.helper.make_opsetid("", 16)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=imports, ir_version=8), path)
    assert main(["show", str(path), "--text"]) == 0
    assert "main" in parse(capsys.readouterr().out)
