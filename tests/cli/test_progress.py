"""The bar: on terminals alone."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.cli.onnx.progress import WIDTH, Bar

Capture = pytest.CaptureFixture[str]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_bar_grows_and_is_taken_away() -> None:
    stream = _Terminal()
    bar = Bar(2, 0, stream=stream)
    bar.step("reading")
    bar.step("writing")
    bar.end()
    half = WIDTH // 2
    empty, filled = f">{' ' * (WIDTH - 1)}", f"{'=' * half}>{' ' * (half - 1)}"
    clear = "\r\x1b[K"
    assert stream.getvalue() == f"{clear}[{empty}] reading{clear}[{filled}] writing{clear}"


def test_nothing_is_shown_where_there_is_no_terminal() -> None:
    stream = io.StringIO()
    bar = Bar(1, 0, stream=stream)
    bar.step("reading")
    bar.end()
    assert stream.getvalue() == ""


@pytest.mark.references
def test_optimize_shows_every_pass_on_a_terminal(
    model: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    argv = ["optimize", str(model), "-p", "DeadCodeElimination"]
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(argv) == 0
    shown = [each.partition("] ")[2] for each in terminal.getvalue().split("\r\x1b[K")]
    assert shown[1:5] == ["reading", "[1/2] InferType", "[2/2] DeadCodeElimination", "writing"]
    assert shown[5] == "verifying"
    assert shown[-1] == ""  # the bar is gone
    assert "DeadCodeElimination" in capsys.readouterr().out


@pytest.mark.references
def test_optimize_shows_no_bar_if_quiet(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx")
    terminal = _Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["optimize", str(model), "-p", "DeadCodeElimination", "--quiet"]) == 0
    assert terminal.getvalue() == ""
