"""``relayish bisect``."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.ir.relay.expr import Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import create_function_pass, register_pass

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("declarations")


def register_breaking() -> None:
    """Register a pass whose functions use a variable that nothing binds."""
    x, y = Var("x"), Var("y")
    wrong = Function((x,), Let(x, y, x))
    register_pass()(create_function_pass(lambda _f, _m, _c: wrong, 0, "Break"))


def test_bisect_names_the_pass_and_prints_the_least_program(program: Path, capsys: Capture) -> None:
    register_breaking()
    assert main(["bisect", str(program), "-p", "InferType,Break"]) == 1
    shown = capsys.readouterr()
    assert "Break is at fault, after 1 other pass: variable %x is bound twice" in shown.err
    assert isinstance(parse(shown.out), IRModule)


def test_bisect_finds_what_changes_the_value(program: Path, capsys: Capture) -> None:
    cut = create_function_pass(lambda f, _m, _c: f.with_fields(body=f.params[0]), 0, "Cut")
    register_pass()(cut)
    assert main(["bisect", str(program), "-p", "FoldConstant,Cut", "--value"]) == 1
    assert "Cut is at fault" in capsys.readouterr().err


def test_bisect_asks_a_command(program: Path, capsys: Capture) -> None:
    argv = ["bisect", str(program), "-p", "InferType,FoldConstant", "--command", "grep -q 2f {}"]
    assert main(argv) == 1
    assert "FoldConstant is at fault, after 1 other pass: grep left with 1" in (
        capsys.readouterr().err
    )


def test_bisect_says_when_nothing_is_wrong(program: Path, capsys: Capture) -> None:
    assert main(["bisect", str(program), "-p", "FoldConstant"]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "nothing is wrong" in shown.err


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--check", "well_fromed"], "no check 'well_fromed' is registered; did you mean well"),
        (["--value", "--entry", "mian"], "mian"),
        (["--command", "'"], 'cannot read the command "\'": No closing quotation'),
        (["--command", ""], "found an empty command"),
        (["--command", "no-such-program-anywhere"], "no-such-program-anywhere"),
    ],
)
def test_bisect_cannot_ask_what_makes_no_sense(
    asked: list[str], told: str, program: Path, capsys: Capture
) -> None:
    assert main(["bisect", str(program), "-p", "FoldConstant", *asked]) == 2
    shown = capsys.readouterr()
    assert told in shown.err
    assert "at fault" not in shown.err


def test_bisect_cannot_compare_values_where_no_arguments_can_be_drawn(
    program: Path, capsys: Capture
) -> None:
    program.write_text('#[version = "0.0.5"]\ndef @main(%f: fn () -> int32) { %f() }')
    assert main(["bisect", str(program), "-p", "FoldConstant", "--value"]) == 2
    assert "no value can be drawn for parameter 'f'" in capsys.readouterr().err


def test_bisect_does_not_tell_which_default_passes_are_of_higher_levels(
    program: Path, capsys: Capture
) -> None:
    assert main(["bisect", str(program), "-O1"]) == 0
    assert "note" not in capsys.readouterr().err


@pytest.mark.usefixtures("losing_passes")
@pytest.mark.parametrize("before", [(), ("InferType", "FoldConstant")])
@pytest.mark.parametrize(("losing", "lost"), [("DropLets", "%half"), ("NewParams", "%x")])
def test_bisect_finds_the_pass_after_which_nothing_binds_a_variable(
    program_of_lets: str, capsys: Capture, before: tuple[str, ...], losing: str, lost: str
) -> None:
    pipeline = ",".join([*before, losing, "FoldConstant"])
    assert main(["bisect", program_of_lets, "-p", pipeline]) == 1
    others = f"after {len(before)} other passes: @main uses {lost}, which nothing binds"
    assert f"{losing} is at fault, {others}" in capsys.readouterr().err


def test_the_number_and_the_function_are_told_by_which_to_leave_the_fault_out(
    program: Path, capsys: Capture, losing_passes: None
) -> None:
    assert main(["bisect", str(program), "-p", "InferType,NewParams"]) == 1
    told = capsys.readouterr().err.splitlines()
    assert told[-1] == (
        "relayish: note: opt --skip-after=1 leaves it out; the function at fault is @main"
    )
    words = ["opt", str(program), "-p", "InferType,NewParams", "--skip-after=1", "--verify-each"]
    assert main(words) == 0


def test_options_of_drivers_count_when_a_pass_at_fault_is_sought(
    program: Path, capsys: Capture, losing_passes: None
) -> None:
    words = ["bisect", str(program), "-p", "InferType,NewParams"]
    assert main([*words, "--skip-equal=2"]) == 0


def test_quiet_says_nothing_of_what_is_right(program: Path, capsys: Capture) -> None:
    assert main(["-q", "bisect", str(program), "-p", "FoldConstant"]) == 0
    told = capsys.readouterr()
    assert told.out + told.err == ""
