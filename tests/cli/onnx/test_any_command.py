"""Every command reads a model by its content, from a file, standard input and a pipe."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from relayish.binary import write_binary
from relayish.cli.main import main
from relayish.frontend.onnx import from_onnx, save_onnx
from relayish.ir.equality.structural_equal import structural_equal
from relayish.text import parse
from tests.support.each import each
from tests.support.small_models import small_model

onnx = pytest.importorskip("onnx")
pytestmark = pytest.mark.references

Capture = pytest.CaptureFixture[str]
PROGRAM = '#[version = "0.0.5"]\ndef @main(%x: Tensor[(2), float32]) { add(%x, 1f) }\n'


@pytest.fixture
def unnamed(model: Path) -> Path:
    """A model in a file whose name says nothing."""
    return model.rename(model.with_name("data"))


@pytest.fixture
def give(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes], None]:
    def given(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return given


COMMANDS = {
    "check": (["check", "{}"], "well formed and well typed, 1 function"),
    "print": (["print", "{}"], "onnx::MatMul_13"),
    "opt": (["opt", "{}", "-p", "DeadCodeElimination"], "onnx::MatMul_13"),
    "opt by default": (["opt", "{}"], "onnx::"),
    "analyse": (["analyse", "{}", "-a", "liveness"], "// before: {%x}"),
    "bisect": (["bisect", "{}", "-p", "InferType"], ""),
    "diff": (["diff", "{}", "{}"], ""),
    "compile": (["compile", "{}", "--verify", "0", "--input-shape", "x:1,3"], "bytes of C"),
    "show": (["show", "{}"], "opset ai.onnx 17"),
    "optimize": (["optimize", "{}", "--verify", "0"], "operators"),
}


@each("command", COMMANDS)
def test_commands_read_a_model_by_content(
    command: str, unnamed: Path, capsys: Capture, give: Callable[[bytes], None]
) -> None:
    words, told = COMMANDS[command]
    assert main([word.format(unnamed) for word in words]) == 0
    first = capsys.readouterr().out
    assert told in first
    give(unnamed.read_bytes())
    once = [word.format("-") for word in words[:2]]
    assert main([*once, *[word.format(unnamed) for word in words[2:]]]) == 0
    assert told in capsys.readouterr().out


def test_model_is_read_once_from_a_pipe(unnamed: Path, capsys: Capture) -> None:
    pipe = unnamed.with_name("pipe")
    os.mkfifo(pipe)
    for words in (["check", "{}"], ["optimize", "{}", "-o", "{}.onnx"], ["show", "{}"]):
        writer = threading.Thread(target=lambda: pipe.write_bytes(unnamed.read_bytes()))
        writer.start()
        assert main([word.format(pipe) for word in words]) == 0
        writer.join()
    assert structural_equal(from_onnx(pipe.with_name("pipe.onnx")), from_onnx(unnamed)) is False
    capsys.readouterr()


def test_opt_writes_a_model_where_the_name_says_so(unnamed: Path, capsys: Capture) -> None:
    out = unnamed.with_name("out.onnx")
    assert main(["opt", str(unnamed), "-p", "DeadCodeElimination", "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    kept = [node.op_type for node in onnx.load(out).graph.node]
    assert len(kept) == len(small_model().graph.node) - 1
    assert main(["opt", str(out), "-p", "InferType"]) == 0
    text = unnamed.with_name("text")
    text.write_text(capsys.readouterr().out)
    assert "main" in parse(text.read_text())
    assert main(["opt", str(text), "-p", "DeadCodeElimination", "-o", str(out)]) == 0
    assert [node.op_type for node in onnx.load(out).graph.node] == kept


def test_opt_keeps_tensors_beside_a_model_that_had_them_there(unnamed: Path) -> None:
    out = unnamed.with_name("out.onnx")
    save_onnx(from_onnx(unnamed), unnamed, external_data=True, size_threshold=0)
    assert main(["opt", str(unnamed), "-o", str(out)]) == 0
    assert out.with_name("out.onnx.data").exists()


def test_model_with_tensors_beside_it_is_refused_from_standard_input(
    unnamed: Path, capsys: Capture, give: Callable[[bytes], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(unnamed.parent)
    save_onnx(from_onnx(unnamed), unnamed, external_data=True, size_threshold=0)
    assert main(["check", str(unnamed)]) == 0
    for command in ("check", "optimize", "compile"):
        give(unnamed.read_bytes())
        assert main([command, "-"]) == 2
        assert "nothing is beside standard input" in capsys.readouterr().err


def test_program_is_optimised_as_the_model_that_it_is(
    tmp_path: Path, capsys: Capture, give: Callable[[bytes], None]
) -> None:
    out = tmp_path / "out.onnx"
    text = PROGRAM.replace("add(%x, 1f)", "add(%x, add(1f, 2f))")
    binary = tmp_path / "binary"
    write_binary(parse(text), binary)
    give(text.encode())
    for name, shown in (("-", "<stdin>"), (str(binary), str(binary))):
        assert main(["optimize", name, "-o", str(out), "--verify", "1"]) == 0
        told = capsys.readouterr()
        assert f"note: {shown} is a program; its result is compared with it in ONNX" in told.err
        assert "equal on 1 random input" in told.out
        (node,) = onnx.load(out).graph.node
        assert node.op_type == "Add"


def test_what_cannot_be_a_model_is_for_other_commands(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "loops.onnx"
    path.write_text("function f (_A)\n{\n  A[0] = 1.0f\n}\n")
    for text in (path.read_text(), "this is a text, and no model\n"):
        path.write_text(text)
        assert main(["optimize", str(path)]) == 2
        told = capsys.readouterr().err
        assert f"{path} holds no model of ONNX, and nothing that can be written as one" in told
        assert "relayish opt runs passes over programs" in told
    path.write_text(PROGRAM)
    assert main(["b2c", str(path)]) == 2
    assert "relayish compile a network" in capsys.readouterr().err


def test_model_is_no_loops(model: Path, capsys: Capture) -> None:
    assert main(["b2c", str(model)]) == 2
    assert f"{model} holds a model of ONNX; b2c writes loops" in capsys.readouterr().err


def test_model_that_breaks_a_rule_of_onnx_is_told_by_check(model: Path, capsys: Capture) -> None:
    proto = small_model()
    proto.graph.output[0].type.tensor_type.shape.dim[1].dim_value = 9
    onnx.save(proto, model)
    assert main(["check", str(model), "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert told["well_formed"] is False
    assert f"{model} is no valid model" in told["errors"][0]


@each("verify", ["0", "1"])
def test_optimised_model_goes_to_standard_output(
    verify: str, model: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert main(["optimize", str(model), "-o", "-", "--verify", verify]) == 0
    told = capfdbinary.readouterr()
    assert main(["optimize", str(model), "-o", str(model), "--verify", verify]) == 0
    capfdbinary.readouterr()
    assert told.out == model.read_bytes()
    assert b"written to standard output" in told.err


def test_bytes_are_not_written_to_a_terminal(
    model: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert main(["optimize", str(model), "-o", "-"]) == 2
    assert "standard output is a terminal; write -o FILE" in capsys.readouterr().err


def test_c_in_one_file_goes_to_standard_output(model: Path, capsys: Capture) -> None:
    words = ["compile", str(model), "--verify", "0", "--input-shape", "x:1,3", "-o", "-"]
    assert main([*words, "--single-file"]) == 0
    told = capsys.readouterr()
    assert "int main(" in told.out
    assert "bytes of C" in told.err
    assert main(words) == 2
    assert "write --single-file, or -o DIR" in capsys.readouterr().err


def test_notes_of_a_model_are_left_out_of_its_text(model: Path, capsys: Capture) -> None:
    proto = small_model()
    proto.doc_string = proto.graph.doc_string = proto.graph.node[0].doc_string = "LONG"
    onnx.helper.set_model_props(proto, {"key": "LONG"})
    onnx.save(proto, model)
    assert main(["show", str(model), "--text"]) == 0
    shown = capsys.readouterr().out
    assert "LONG" not in shown
    assert "onnx.outputs" in shown
    assert main(["show", str(model), "--text", "--metadata"]) == 0
    assert capsys.readouterr().out.count("LONG") == 4


def test_notes_of_branches_are_left_out_as_well(capsys: Capture, tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "small_network.onnx"
    proto, path = onnx.load(example), tmp_path / "model"
    for node in proto.graph.node:
        for attribute in node.attribute:
            attribute.g.doc_string = "LONG" if attribute.HasField("g") else ""
    path.write_bytes(proto.SerializeToString())
    assert main(["show", str(path), "--text"]) == 0
    assert "LONG" not in capsys.readouterr().out
    assert main(["show", str(path), "--text", "--metadata"]) == 0
    assert capsys.readouterr().out.count("LONG") == 2
