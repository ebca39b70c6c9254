from __future__ import annotations

from pathlib import Path

import pytest

import relayish
from relayish.cli.main import main

Capture = pytest.CaptureFixture[str]


def test_help_lists_commands_and_exit_codes(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for word in ("opt", "passes", "print", "check", "exit codes", "141"):
        assert word in shown


@pytest.mark.parametrize("command", ["opt", "passes", "print", "check"])
def test_every_command_has_help(command: str, capsys: Capture) -> None:
    assert main([command, "--help"]) == 0
    assert f"relayish {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "required: COMMAND"),
        (["nothing"], "invalid choice: 'nothing'"),
        (["opt", "-p", "FoldConstant"], "required: FILE"),
        (["opt", "x", "-p", "FoldConstant", "-O", "fast"], "expected a whole number from 0"),
        (["opt", "x", "-p", "FoldConstant", "-O", "-1"], "expected"),
        (["opt", "x", "-p", "FoldConstant", "--nothing"], "unrecognized arguments: --nothing"),
    ],
)
def test_wrong_arguments_exit_with_two(argv: list[str], message: str, capsys: Capture) -> None:
    assert main(argv) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "relayish: error: " in shown.err
    assert message in shown.err


def test_file_that_is_not_there_is_named(tmp_path: Path, capsys: Capture) -> None:
    missing = tmp_path / "missing.relay"
    assert main(["print", str(missing)]) == 2
    assert capsys.readouterr().err == f"relayish: error: {missing}: No such file or directory\n"


def test_file_that_is_no_text_is_named(tmp_path: Path, capsys: Capture) -> None:
    binary = tmp_path / "binary.relay"
    binary.write_bytes(b"ab\xff")
    assert main(["print", str(binary)]) == 2
    assert "is not Relay text: byte 0xff at offset 2 is not UTF-8" in capsys.readouterr().err


def test_unknown_pass_suggests_and_points(tmp_path: Path, capsys: Capture) -> None:
    assert main(["opt", "nowhere", "-p", "FoldConstant,FoldConstan"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("relayish: error: no pass 'FoldConstan' is registered; did you mean")
    assert "at column 14" in shown
    assert "Traceback" not in shown


@pytest.mark.parametrize("pipeline", ["", "FoldConstant,", "FoldConstant{", "FoldConstant{x=1}"])
def test_faulty_pipeline_points_at_the_place(pipeline: str, capsys: Capture) -> None:
    assert main(["opt", "nowhere", "-p", pipeline]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith("relayish: error: ")
    assert shown.rstrip().endswith("^")


def test_traceback_is_shown_when_asked(capsys: Capture) -> None:
    assert main(["passes", "NoSuchPass", "--traceback"]) == 2
    shown = capsys.readouterr().err
    assert "Traceback (most recent call last)" in shown
    assert shown.splitlines()[-1].startswith("relayish: error: no pass 'NoSuchPass'")


def test_version_is_that_of_the_package(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"relayish {relayish.__version__}\n"
