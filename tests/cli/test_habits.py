"""Lines that people type at a shell: exit code, standard output, standard error."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.cli.loading import VARIABLE
from tests.support.each import each
from tests.support.guard import HANGS
from tests.support.habits import HABITS, Habit, make_files, run

pytest.importorskip("onnx")
pytestmark = pytest.mark.references


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("habits")
    make_files(made)
    return made


@pytest.fixture
def _untouched(declarations: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what a line loads, and let nobody ask for colours."""
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    yield
    sys.modules.pop("relayish.cli.loaded.my_pass", None)


@pytest.mark.slow("forty commands, one of which draws a page")
@pytest.mark.usefixtures("_untouched")
@each("habit", HABITS)
def test_line_does_what_people_expect(habit: Habit, folder: Path) -> None:
    done = run(habit.line, folder)
    told = done.out.decode(), done.err
    assert done.code == habit.code, told
    for said, wanted in zip(told, (habit.out, habit.err), strict=True):
        assert wanted in said
        assert bool(wanted) == bool(said), said
    assert "Traceback" not in done.err


@pytest.mark.skipif(shutil.which("bash") is None, reason="no shell")
@pytest.mark.slow("a process of its own")
def test_pipes_of_a_shell_are_read(folder: Path) -> None:
    relayish = f"{shlex.quote(sys.executable)} -W error -m relayish"
    done = subprocess.run(
        ["bash", "-c", f"{relayish} check <(cat m.onnx) - < p.relay 2>&1 | cat"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    told = re.sub(r"/dev/fd/[0-9]+", "PIPE", done.stdout)
    assert told == "".join(
        f"{name}: well formed and well typed, 1 function\n" for name in ("PIPE", "-")
    )
