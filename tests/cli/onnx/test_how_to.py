"""The commands that the page about models shows."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from relayish.cli.main import main

pytest.importorskip("onnx")

pytestmark = pytest.mark.references

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "how-to" / "optimise_a_model.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\$ relayish (.*)$", PAGE, re.MULTILINE)


def test_the_commands_of_the_page_do_what_it_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    assert len(COMMANDS) >= 6
    for command in COMMANDS:
        different = 1 if command.startswith("diff") else 0
        assert main(shlex.split(command)) == different, capsys.readouterr().err
    written = {each.name for each in tmp_path.iterdir() if each.is_file()}
    assert written == {
        "small_network.optimized.onnx",
        "small_network.html",
        "simplified.onnx",
    }


def test_the_python_of_the_page_writes_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    [block] = re.findall(r"```text\n(>>> from relayish.*?)```", PAGE, re.DOTALL)
    exec("\n".join(line.removeprefix(">>> ") for line in block.splitlines()), {})
    python = Path("small_network.optimized.onnx").read_bytes()
    words = ["optimize", "examples/small_network.onnx", "-o", "by_command.onnx", "--quiet"]
    assert main(words) == 0
    assert Path("by_command.onnx").read_bytes() == python
