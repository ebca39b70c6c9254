"""The files and commands that the page about what users write shows."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from relayish.cli.main import main

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "load_your_own.md"


def test_the_commands_of_the_page_do_what_it_says(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    declarations: None,
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("RELAYISH_LOADED", "")
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    files = re.findall(
        r"his is `(\w+\.\w+)`[^\n]*(?:\n[^\n`]*)*\n\n```\w+\n(.*?)```", text, re.DOTALL
    )
    assert [name for name, _ in files] == ["drop_relu.py", "twice.relay", "names.py"]
    for name, content in files:
        Path(name).write_text(content, encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    commands = re.split(r"^\$ relayish ", "".join(blocks), flags=re.MULTILINE)
    for command in filter(None, commands):
        words, _, expected = command.partition("\n")
        assert main(shlex.split(words)) == 0
        told = capsys.readouterr()
        shown, cut, _ = expected.partition("...\n")
        said = told.out + told.err
        assert said.startswith(shown) if cut else said == shown
    for module in ("drop_relu", "names"):
        del sys.modules[f"relayish.cli.loaded.{module}"]
