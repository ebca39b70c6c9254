"""Lines that people type at a shell: exit code, standard output, standard error."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish.cli.loaded import VARIABLE
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
@pytest.mark.slow("processes of their own")
def test_model_goes_through_pipes_of_a_shell(folder: Path) -> None:
    line = (
        'set -o pipefail; relayish() { PYTHON -W error -m relayish "$@"; }; '
        "relayish optimize <(cat m.onnx) -o - --verify 0 -q | relayish check -"
    )
    done = subprocess.run(
        ["bash", "-c", line.replace("PYTHON", sys.executable)],
        cwd=folder,
        env={"PYTHONPATH": str(Path(__file__).parents[2]), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "-: well formed and well typed, 1 function\n"
