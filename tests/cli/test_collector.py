"""How the cyclic garbage collector runs while a command does."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from relayish._support.collector import RARE, is_frozen
from relayish.cli.main import main
from relayish.transform import create_module_pass, register_pass

PROGRAM = '#[version = "0.0.5"]\ndef @main(%x: float32) { %x }\n'
SEEN: list[tuple[object, bool]] = []


@pytest.fixture
def program(tmp_path: Path, declarations: None) -> Iterator[str]:
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    before = gc.get_threshold()

    def look(mod, _ctx):
        SEEN.append((gc.get_threshold(), is_frozen()))
        return mod

    register_pass(opt_level=0)(create_module_pass(look, 0, "Look"))
    gc.set_threshold(700, 10, 10)
    SEEN.clear()
    yield str(path)
    gc.set_threshold(*before)


def as_before() -> bool:
    return (gc.get_threshold(), is_frozen()) == ((700, 10, 10), False)


@pytest.mark.parametrize("command", ["opt", "bisect"])
def test_passes_run_with_a_rare_collector_and_the_input_frozen(command, program, capsys):
    assert main([command, program, "-p", "Look"]) == 0
    assert set(SEEN) == {(RARE, True)}
    assert as_before()


@pytest.mark.parametrize("command", ["print", "check"])
def test_collector_runs_as_before_after_a_command(command, program, capsys):
    assert main([command, program]) == 0
    assert as_before()


@pytest.mark.parametrize(
    "argv",
    [
        ["opt", "-p", "BindParams{}"],
        ["opt", "-p", "ChangeBatch"],
        ["check", "--no-such-option"],
        ["print", "--allow-unknown-ops"],
    ],
)
def test_collector_runs_as_before_after_a_command_that_fails(argv, program, tmp_path, capsys):
    wrong = tmp_path / "wrong.relay"
    wrong.write_text("def @main(")
    assert main([argv[0], str(wrong), *argv[1:]]) != 0
    assert as_before()
