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
ENABLED: list[bool] = []


@pytest.fixture
def program(tmp_path: Path, declarations: None) -> Iterator[str]:
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    before, was_enabled = gc.get_threshold(), gc.isenabled()

    def look(mod, _ctx):
        SEEN.append((gc.get_threshold(), is_frozen()))
        ENABLED.append(gc.isenabled())
        return mod

    register_pass(opt_level=0)(create_module_pass(look, 0, "Look"))
    gc.set_threshold(700, 10, 10)
    gc.enable()
    SEEN.clear()
    ENABLED.clear()
    yield str(path)
    gc.set_threshold(*before)
    if not was_enabled:
        gc.disable()


def as_before() -> bool:
    return (gc.get_threshold(), is_frozen()) == ((700, 10, 10), False)


@pytest.mark.parametrize("command", ["opt", "bisect"])
def test_passes_run_with_a_rare_collector_and_the_input_frozen(command, program, capsys):
    assert main([command, program, "-p", "Look"]) == 0
    assert set(SEEN) == {(RARE, True)}
    assert as_before()


@pytest.mark.parametrize(
    ("manner", "seen"),
    [
        ("frozen", (RARE, True, True)),
        ("rare", (RARE, False, True)),
        ("usual", ((700, 10, 10), False, True)),
        ("off", ((700, 10, 10), True, False)),
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_collector_runs_as_the_command_is_told(manner, seen, is_first, program, capsys):
    told = ["--collector", manner]
    words = ["opt", program, "-p", "Look"]
    assert main([*told, *words] if is_first else [*words, *told]) == 0
    assert {(*SEEN[0], ENABLED[0])} == {seen}
    assert as_before()
    assert gc.isenabled()


def test_manner_that_is_told_holds_for_passes_whose_context_asks_for_more(program, capsys):
    config = ["--config", "relayish.rare_gc=true", "--config", "relayish.freeze_input=true"]
    assert main(["opt", program, "-p", "Look", *config, "--collector", "usual"]) == 0
    assert set(SEEN) == {((700, 10, 10), False)}


def test_manner_that_is_none_is_refused_with_those_there_are(program, capsys):
    assert main(["opt", program, "--collector", "rarely"]) != 0
    assert "choose from frozen, rare, usual, off; did you mean rare" in capsys.readouterr().err


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
