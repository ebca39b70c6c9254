"""``relayish opt`` with something that watches the passes."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.ir.relay.expr import Function, Let, Var
from relayish.transform import create_function_pass, register_pass

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("declarations")


def register_breaking() -> None:
    """Register a pass whose functions use a variable that nothing binds."""
    x, y = Var("x"), Var("y")
    wrong = Function((x,), Let(x, y, x))
    register_pass()(create_function_pass(lambda _f, _m, _c: wrong, 0, "Break"))


def test_verifying_names_the_pass_that_breaks_the_program(program: Path, capsys: Capture) -> None:
    register_breaking()
    argv = ["opt", str(program), "-p", "InferType,Break,FoldConstant", "--verify-each"]
    assert main(argv) == 2
    shown = capsys.readouterr()
    assert "pass Break broke the check well_formed" in shown.err
    assert shown.out == ""


def test_a_sound_pipeline_passes_verifying(program: Path, capsys: Capture) -> None:
    assert main(["opt", str(program), "-p", "FoldConstant,InferType", "--verify-each"]) == 0
    assert capsys.readouterr().err == ""


def test_a_check_nobody_registered_is_an_error(program: Path, capsys: Capture) -> None:
    assert main(["opt", str(program), "-p", "FoldConstant", "--verify", "well_fromed"]) == 2
    assert "did you mean well_formed" in capsys.readouterr().err


def test_programs_are_dumped_one_a_pass(program: Path, tmp_path: Path) -> None:
    directory = tmp_path / "dump"
    argv = ["opt", str(program), "-p", "FoldConstant,InferType", "--dump-ir", str(directory)]
    assert main(argv) == 0
    assert sorted(path.name for path in directory.iterdir()) == [
        "0_init.relay",
        "1_FoldConstant.relay",
        "2_InferType.relay",
    ]
    assert "3f" in (directory / "1_FoldConstant.relay").read_text()


def test_dumping_into_a_directory_that_holds_something_is_refused(
    program: Path, capsys: Capture
) -> None:
    argv = ["opt", str(program), "-p", "FoldConstant", "--dump-ir", str(program.parent)]
    assert main(argv) == 2
    assert "program.relay" in capsys.readouterr().err


def test_differences_are_shown_for_passes_that_change_something(
    program: Path, capsys: Capture
) -> None:
    argv = ["opt", str(program), "-p", "DeadCodeElimination{inline_once=false},FoldConstant"]
    assert main([*argv, "--diff", "--disable-pass", "DeadCodeElimination"]) == 0
    shown = capsys.readouterr().err
    assert "+  add(%x, 3f" in shown
    assert "\x1b[" not in shown


def test_differences_are_in_colour_when_asked(program: Path, capsys: Capture) -> None:
    argv = ["opt", str(program), "-p", "FoldConstant", "--diff", "--color", "always"]
    assert main(argv) == 0
    assert "\x1b[32m+" in capsys.readouterr().err


def test_only_what_changed_is_printed(program: Path, capsys: Capture) -> None:
    argv = ["opt", str(program), "-p", "FoldConstant,FoldConstant", "--print-changed"]
    assert main(argv) == 0
    shown = capsys.readouterr().err
    assert shown.count("def @main") == 1
    assert "// after FoldConstant (unchanged)" in shown


def test_program_is_printed_before_the_pass_that_is_named(program: Path, capsys: Capture) -> None:
    argv = ["opt", str(program), "-p", "FoldConstant", "--print-ir-before", "FoldConstant"]
    assert main(argv) == 0
    assert "// before FoldConstant" in capsys.readouterr().err


def test_the_default_passes_run_where_none_is_named(program: Path, capsys: Capture) -> None:
    assert main(["opt", str(program), "-O3", "--timing"]) == 0
    shown = capsys.readouterr()
    assert "add(%x, 3f" in shown.out
    assert "SimplifyExpr" in shown.err


def test_a_level_there_is_no_pipeline_for_is_an_error(program: Path, capsys: Capture) -> None:
    assert main(["opt", str(program), "-O9"]) == 2
    assert "no default pipeline of level 9" in capsys.readouterr().err


@pytest.mark.usefixtures("losing_passes")
@pytest.mark.parametrize("before", ["", "InferType,"])
@pytest.mark.parametrize(("losing", "lost"), [("DropLets", "%half"), ("NewParams", "%x")])
def test_verifying_finds_variables_that_nothing_binds_any_more(
    program_of_lets: str, capsys: Capture, before: str, losing: str, lost: str
) -> None:
    argv = ["opt", program_of_lets, "-p", f"{before}{losing}", "--verify-each"]
    assert main(argv) == 2
    shown = capsys.readouterr()
    assert f"pass {losing} broke the check well_formed: @main uses {lost}, which" in shown.err
    assert shown.out == ""
