"""Lists that come with the wheel, and when the registries are asked instead."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from relayish.cli import lists
from relayish.cli.main import main
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
ROOT = Path(__file__).parents[2]

MINE = """
from relayish.transform import PassInstrument, register_instrument

@register_instrument()
class Mine(PassInstrument):
    "Of somebody else."
"""


def tell(*words: str, path: Path, home: Path) -> str:
    """Return what a process of its own tells, that finds packages in a folder."""
    found = os.pathsep.join([str(ROOT), str(path)])
    ran = subprocess.run(
        [sys.executable, "-m", "relayish", *words],
        env={**os.environ, "PYTHONPATH": found},
        cwd=home,
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout


@each("kind", lists.KINDS)
def test_what_is_shipped_has_names_of_which_none_is_there_twice(kind: str) -> None:
    names = lists.shipped_names(kind)
    assert names
    assert len({*names}) == len(names)


def test_what_another_package_adds_is_listed(tmp_path: Path) -> None:
    told = tmp_path / "mine-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Name: mine\nVersion: 1\n")
    (told / "entry_points.txt").write_text("[relayish.instruments]\nmine = mine\n")
    (tmp_path / "mine.py").write_text(MINE)
    assert "Mine " in tell("passes", "--instruments", path=tmp_path, home=tmp_path)


def test_what_is_loaded_is_listed(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    words = ("passes", "--instruments", "--json", "--load", "mine.py")
    found = json.loads(tell(*words, path=tmp_path, home=tmp_path))
    assert [each["name"] for each in found if "loaded" in each["registered_by"]] == ["Mine"]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let it seem that nothing is imported, and no other package installed."""
    monkeypatch.setattr(lists, "_REPRESENTATION", "no_such_module")
    monkeypatch.setattr(lists, "has_entry_points", lambda _prefix: False)


@pytest.mark.usefixtures("alone")
def test_registries_are_not_asked_while_nobody_can_have_registered_anything(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.setattr(lists, "describe", None)
    assert main(["passes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == lists.shipped()["passes"]


def test_registries_are_asked_once_the_representation_is_there(capsys: Capture) -> None:
    assert main(["passes", "--instruments", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == lists.shipped()["instruments"]


@pytest.mark.usefixtures("alone")
def test_domain_that_is_not_shipped_is_looked_for(capsys: Capture) -> None:
    assert main(["domains", "visoin"]) == 2
    assert "did you mean vision?" in capsys.readouterr().err
