"""``relayish compile`` and ``relayish b2c``: what they write, tell and refuse."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from relayish import core
from relayish.cli import compile as command
from relayish.cli.main import main
from relayish.cli.onnx.equality import Comparison
from tests.support.compiled_loops import skip_without_compiler
from tests.support.each import each

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True, scope="module")
def _compiler():
    skip_without_compiler()


def test_files_are_written_and_a_table_tells_of_them(
    program: Path, tmp_path: Path, capsys: Capture
) -> None:
    out = tmp_path / "out"
    assert main(["compile", str(program), "-o", str(out), "--name", "net", "--time"]) == 0
    assert sorted(each.name for each in out.iterdir()) == ["main.c", "net.c", "net.h"]
    told = capsys.readouterr().out
    for line in (
        r"functions +\d",
        "bytes of weights",
        "a run, compiled",
        "a run, numpy",
        "equal on 3",
    ):
        assert re.search(line, told), told


OPEN = """#[version = "0.0.5"]
def @main(%x: Tensor[(?, 4), float32]) { nn.softmax(nn.relu(%x), axis=0) }
"""


def test_sizes_that_inputs_tell_stay_open(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "open.relay").write_text(OPEN)
    command = ["compile", str(tmp_path / "open.relay"), "-o", str(tmp_path / "out")]
    assert main([*command, "--no-malloc", "--most", "x_0:64", "--verify", "1"]) == 0
    sizes = "(x[0]=2, normal, deviation 1; x[0]=4; x[0]=5)"
    assert f"equal on 3 random inputs {sizes}" in capsys.readouterr().out
    header = (tmp_path / "out" / "net.h").read_text()
    assert "net_run(int64_t x_0, const float *x /* (x_0, 4) */" in header
    assert main([*command, "--no-malloc", "--verify", "0"]) == 2
    assert "or --most x_0:64)" in capsys.readouterr().err
    assert main([*command, "--no-malloc", "--most", "x_0:1,2"]) == 2
    assert "expected NAME:SIZE after --most" in capsys.readouterr().err


def test_nothing_is_written_unless_asked(program: Path, tmp_path: Path, capsys: Capture) -> None:
    before = sorted(tmp_path.iterdir())
    assert main(["compile", str(program), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["verification"]["equal"]
    assert not told["written"]
    assert sorted(tmp_path.iterdir()) == before


def test_nothing_is_written_that_is_not_equal(
    program: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "compare_results", lambda *_: Comparison(fault="differs"))
    out = tmp_path / "out"
    assert main(["compile", str(program), "-o", str(out), "--quiet"]) == 1
    assert "NOT equal on 3 random inputs" in capsys.readouterr().out
    assert not out.exists()


def test_a_shared_object_stands_beside_its_header(program: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert main(["compile", str(program), "-o", str(out), "--emit", "so", "--verify", "0"]) == 0
    assert sorted(each.name for each in out.iterdir()) == ["net.h", "net.so"]


def test_loops_are_told_as_text_that_reads_back(program: Path, tmp_path: Path, capsys) -> None:
    assert main(["compile", str(program), "--emit", "loops"]) == 0
    text = capsys.readouterr().out
    loops = tmp_path / "loops.tir"
    loops.write_text(text)
    assert main(["b2c", str(loops)]) == 0
    assert "int32_t main_" in capsys.readouterr().out


def test_core_is_written_as_c(tmp_path: Path, capsys: Capture) -> None:
    scope = core.GlobalScope()
    with scope.function("doubled", {"n": "int32"}, "int32") as build:
        build.retv(build.n + build.n)
    (tmp_path / "core.relay").write_text(scope.module().astext())
    assert main(["b2c", str(tmp_path / "core.relay")]) == 0
    assert re.search(r"int32_t doubled\(", capsys.readouterr().out)


@each(
    ("words", "said"),
    [
        (["compile", "{here}/no.relay"], "no.relay: No such file"),
        (["compile", "{program}", "-o", "{program}"], "is a file; expected a directory"),
        (["compile", "{program}", "--input-shape", "x:2"], "--input-shape is for models of ONNX"),
        (["compile", "{program}", "--name", "a-b"], "'a-b' cannot be the name of a network"),
        (["compile", "{program}", "--emit", "so", "--single-file"], "--single-file is for sources"),
        (["compile", "{program}", "--single-file", "--weights", "binary"], "a single file holds"),
        (["compile", "{unknown}"], "argwhere"),
        (["b2c", "{program}"], "relayish compile a network"),
    ],
)
def test_mistakes_are_told(words, said, program, tmp_path, capsys) -> None:
    unknown = tmp_path / "unknown.relay"
    unknown.write_text(
        '#[version = "0.0.5"]\ndef @main(%x: Tensor[(3), float32]) { argwhere(%x) }\n'
    )
    stands_for = {"here": str(tmp_path), "program": str(program), "unknown": str(unknown)}
    assert main([word.format(**stands_for) for word in words]) == 2
    assert said in capsys.readouterr().err
