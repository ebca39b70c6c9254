"""``relayish compile --target cuda``: files of networks and of loops, compared without a device."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from relayish.cli import compile as command
from relayish.cli.main import main
from relayish.cli.onnx.equality import Comparison
from tests.support.cuda_loops import skip_without_compiler
from tests.support.each import each

LOOPS = """function twice (_A, _B)
{
  {thread}serial for (i, 0, 4)
  {
    B[i] = (A[i] + A[i])
  }
}
"""


@pytest.fixture
def loops(tmp_path: Path) -> Path:
    path = tmp_path / "loops.tir"
    path.write_text(LOOPS.replace("{thread}serial", "thread_bind[blockIdx.x]"))
    return path


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


@pytest.mark.slow("compiles a network")
def test_a_network_is_compared_and_written(program: Path, tmp_path: Path, capsys) -> None:
    skip_without_compiler()
    out = tmp_path / "out"
    words = ["compile", str(program), "--target", "cuda", "-o", str(out), "--name", "net"]
    assert main([*words, "--verify", "1"]) == 0
    assert names(out) == ["main.c", "net.cu", "net.h"]
    assert "equal on 1 random input" in capsys.readouterr().out
    assert "__global__" in (out / "net.cu").read_text()


@pytest.mark.slow("compiles a network")
def test_nothing_is_written_that_is_not_equal(program, tmp_path, capsys, monkeypatch) -> None:
    skip_without_compiler()
    monkeypatch.setattr(command, "compare_results", lambda *_: Comparison(fault="differs"))
    out = tmp_path / "out"
    assert main(["compile", str(program), "--target", "cuda", "-o", str(out), "--quiet"]) == 1
    assert not out.exists()


def test_loops_of_a_network_are_shown_bound(program: Path, capsys) -> None:
    assert main(["compile", str(program), "--target", "cuda", "--emit", "loops"]) == 0
    assert "thread_bind[threadIdx.x]" in capsys.readouterr().out


def test_functions_of_loops_are_written_with_a_header(loops: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    assert main(["compile", str(loops), "--target", "cuda", "-o", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["functions"], told["verification"]) == (1, None)
    assert names(out) == ["net.cu", "net.h"]
    header = (out / "net.h").read_text()
    assert "int32_t twice(const float *A, float *B);" in header
    assert "1: EvaluationError: the device does not run a kernel" in header
    assert 'extern "C" int32_t twice(' in (out / "net.cu").read_text()


def test_loops_that_nobody_bound_are_refused(loops: Path, capsys) -> None:
    loops.write_text(LOOPS.replace("{thread}", ""))
    assert main(["compile", str(loops), "--target", "cuda"]) == 2
    assert "call schedule.bind(loop, 'blockIdx.x')" in capsys.readouterr().err


@each(
    "words",
    [
        ["--single-file"],
        ["--no-malloc"],
        ["--most", "n:4"],
        ["--time"],
        ["--weights", "c"],
        ["--emit", "so"],
    ],
)
def test_options_of_another_target_are_refused(words, program, capsys) -> None:
    assert main(["compile", str(program), "--target", "cuda", *words]) == 2
    assert "is for --target c; leave it out for a device" in capsys.readouterr().err
