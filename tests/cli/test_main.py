from __future__ import annotations

from pathlib import Path

import pytest

import relayish
from relayish._kernel import MODE
from relayish.cli.main import main
from tests.support.each import each

Capture = pytest.CaptureFixture[str]


COMMANDS = (
    *("optimize", "show", "diff", "opt", "drive", "passes", "domains", "print", "check"),
    *("analyse", "bisect"),
)


def test_help_lists_commands_and_exit_codes(capsys: Capture) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for word in (*COMMANDS, "exit codes", "141"):
        assert word in shown


@each("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: Capture) -> None:
    assert main([command, "--help"]) == 0
    assert f"relayish {command}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "required: COMMAND"),
        (["nothing"], "invalid choice: 'nothing'"),
        (["optimise", "x"], "; did you mean optimize?"),
        ([__file__], f"; the command stands before the file: relayish show {__file__}"),
        (["-q", "opt", "x", "-skip_after=1"], "is for relayish drive; write --skip-after=1"),
        (["opt", "x", "--passses", "InferType"], "--passses InferType; did you mean --passes?"),
        (["print", "x", "--as", "pyhton"], "choose from text, python; did you mean python?"),
        (["b2c", "a", "b"], "relayish b2c takes FILE; found 'b' as well"),
        (["--json", "check", "x"], "--json is an option of commands; write it behind the name"),
        (["drive", "--load"], "argument --load: expected one argument"),
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


@each(
    ("words", "usage"),
    [
        (["print"], "relayish print [OPTION...] FILE...; relayish print --help tells more"),
        (
            ["passes", "a", "b"],
            "relayish passes [OPTION...] [PASS]; relayish passes --help tells more",
        ),
        (["--nothing"], "relayish [OPTION...] COMMAND; relayish --help tells more"),
        (["check", "-X"], "relayish check [OPTION...] FILE...; relayish check --help tells more"),
        (["show", "-X"], "relayish show [OPTION...] [FILE...]; relayish show --help tells more"),
    ],
)
def test_usage_in_an_error_is_that_of_the_command(
    words: list[str], usage: str, capsys: Capture
) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"usage: {usage}"


def test_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: Capture) -> None:
    missing, binary = tmp_path / "missing.relay", tmp_path / "binary.relay"
    assert main(["print", str(missing)]) == 2
    assert capsys.readouterr().err == f"relayish: error: {missing}: No such file or directory\n"
    binary.write_bytes(b"ab\xff")
    assert main(["print", str(binary)]) == 2
    assert "is not Relay text: byte 0xff at offset 2 is not UTF-8" in capsys.readouterr().err


@each(
    ("pipeline", "told"),
    [
        ("FoldConstant,FoldConstan", "no pass 'FoldConstan' is registered; did you mean"),
        *[
            (pipeline, "")
            for pipeline in ("", "FoldConstant,", "FoldConstant{", "FoldConstant{x=1}")
        ],
    ],
)
def test_faulty_pipeline_points_at_the_place(pipeline: str, told: str, capsys: Capture) -> None:
    assert main(["opt", "nowhere", "-p", pipeline]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"relayish: error: {told}")
    assert shown.rstrip().endswith("^")
    assert "Traceback" not in shown


def test_traceback_is_shown_when_asked(capsys: Capture) -> None:
    assert main(["passes", "NoSuchPass", "--traceback"]) == 2
    shown = capsys.readouterr().err
    assert "Traceback (most recent call last)" in shown
    assert shown.splitlines()[-1].startswith("relayish: error: no pass 'NoSuchPass'")
    assert main(["--traceback", "passes", "NoSuchPass"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_version_is_that_of_the_package(capsys: Capture) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"relayish {relayish.__version__} ({MODE})\n"
    assert relayish.compiled == (MODE == "compiled core")
