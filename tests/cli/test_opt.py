from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.errors import PassError
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.relay.module import IRModule
from relayish.ir.structural_equal import structural_equal
from relayish.text import parse
from relayish.transform import PassContext, create_function_pass, create_module_pass, register_pass

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("declarations")


def register(name: str, level: int = 0) -> None:
    """Register a pass that makes every function return 7."""
    seven = Function((), Constant(7))
    register_pass()(create_function_pass(lambda _f, _m, _c: seven, level, name))


def register_failing(error: BaseException) -> None:
    def fail(_mod: IRModule, _ctx: PassContext) -> IRModule:
        raise error

    register_pass()(create_module_pass(fail, 0, "Fail"))


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_result_is_printed(program: Path, capsys: Capture) -> None:
    register("Seven")
    assert main(["opt", str(program), "-p", "Seven"]) == 0
    shown = capsys.readouterr()
    assert structural_equal(parse(shown.out)["main"], Function((), Constant(7)))
    assert shown.err == ""


def test_constants_are_folded(program: Path, capsys: Capture) -> None:
    assert main(["opt", str(program), "-p", "FoldConstant,DeadCodeElimination"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("add(") == 1
    assert "3f" in shown


def test_result_is_written(program: Path, capsys: Capture) -> None:
    register("Seven")
    out = program.with_name("out.relay")
    assert main(["opt", str(program), "-p", "Seven", "-o", str(out)]) == 0
    assert structural_equal(parse(out.read_text())["main"], Function((), Constant(7)))
    assert out.read_text().endswith("\n")
    assert capsys.readouterr().out == ""
    assert names(program.parent) == ["out.relay", "program.relay"]


def test_result_may_replace_the_program(program: Path) -> None:
    register("Seven")
    program.chmod(0o640)
    assert main(["opt", str(program), "-p", "Seven", "-o", str(program)]) == 0
    assert structural_equal(parse(program.read_text())["main"], Function((), Constant(7)))
    assert program.stat().st_mode & 0o777 == 0o640


def test_standard_input_and_output_are_dashes(
    program: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    register("Seven")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(program.read_bytes())))
    assert main(["opt", "-", "-p", "Seven", "-o", "-"]) == 0
    assert "7" in capsys.readouterr().out


def test_failing_pass_leaves_the_output_as_it_was(program: Path, capsys: Capture) -> None:
    register("Seven")
    register_failing(PassError("found nothing"))
    out = program.with_name("out.relay")
    out.write_text("old")
    assert main(["opt", str(program), "-p", "Seven,Fail", "-o", str(out)]) == 2
    shown = capsys.readouterr()
    assert shown.err == "relayish: error: found nothing\n  in pass Fail\n"
    assert shown.out == ""
    assert out.read_text() == "old"
    assert names(program.parent) == ["out.relay", "program.relay"]


def test_unforeseen_error_exits_with_three_and_no_traceback(program: Path, capsys: Capture) -> None:
    register_failing(ZeroDivisionError("mine"))
    assert main(["opt", str(program), "-p", "Fail"]) == 3
    shown = capsys.readouterr().err
    assert shown.startswith("relayish: error: ZeroDivisionError: mine\n  in pass Fail\n")
    assert "--traceback shows where" in shown
    assert "Traceback" not in shown


def test_unforeseen_error_shows_its_traceback_when_asked(program: Path, capsys: Capture) -> None:
    register_failing(ZeroDivisionError("mine"))
    assert main(["opt", str(program), "-p", "Fail", "--traceback"]) == 3
    assert "raise error\nZeroDivisionError: mine" in capsys.readouterr().err


def test_interrupt_exits_with_130(program: Path, capsys: Capture) -> None:
    register_failing(KeyboardInterrupt())
    out = program.with_name("out.relay")
    assert main(["opt", str(program), "-p", "Fail", "-o", str(out)]) == 130
    assert capsys.readouterr().err == "relayish: interrupted\n"
    assert names(program.parent) == ["program.relay"]


def test_output_that_cannot_be_written_is_named(program: Path, capsys: Capture) -> None:
    register("Seven")
    out = program.parent / "nowhere" / "out.relay"
    assert main(["opt", str(program), "-p", "Seven", "-o", str(out)]) == 2
    assert capsys.readouterr().err == f"relayish: error: {out}: No such file or directory\n"


def test_passes_that_are_named_run_whatever_their_level(program: Path, capsys: Capture) -> None:
    register("High", level=9)
    assert main(["opt", str(program), "-p", "High"]) == 0
    assert "add" not in capsys.readouterr().out


def test_level_that_is_given_counts_and_skipping_is_told(program: Path, capsys: Capture) -> None:
    register("High", level=9)
    assert main(["opt", str(program), "-p", "High", "-O8"]) == 0
    shown = capsys.readouterr()
    assert "add" in shown.out
    assert shown.err == "relayish: note: High is not run: its level is 9, above 8\n"


def test_required_pass_runs_above_the_level(program: Path, capsys: Capture) -> None:
    register("High", level=9)
    argv = ["opt", str(program), "-p", "High", "-O", "0", "--required-pass", "High"]
    assert main(argv) == 0
    assert "add" not in capsys.readouterr().out


def test_disabled_pass_does_not_run_and_that_is_told(program: Path, capsys: Capture) -> None:
    register("Seven")
    assert main(["opt", str(program), "-p", "Seven", "--disable-pass", "Seven"]) == 0
    shown = capsys.readouterr()
    assert "add" in shown.out
    assert shown.err == "relayish: note: Seven is not run: it is disabled\n"


@pytest.mark.parametrize("option", ["--disable-pass", "--required-pass", "--print-ir-after"])
def test_unknown_pass_in_an_option_is_an_error(program: Path, capsys: Capture, option: str) -> None:
    register("Seven")
    assert main(["opt", str(program), "-p", "Seven", option, "Sevn"]) == 2
    shown = capsys.readouterr()
    assert "no pass 'Sevn' is registered; did you mean Seven?" in shown.err
    assert not shown.out


def test_program_is_printed_after_all_passes(program: Path, capsys: Capture) -> None:
    register("Seven")
    register("Again")
    assert main(["opt", str(program), "-p", "Seven,Again", "--print-ir-after-all"]) == 0
    shown = capsys.readouterr().err
    headings = [line for line in shown.splitlines() if line.startswith("// ")]
    assert headings == ["// after Seven", "// after Again"]


def test_program_is_printed_after_the_passes_named(program: Path, capsys: Capture) -> None:
    register("Seven")
    register("Again")
    argv = ["opt", str(program), "-p", "Seven,Again", "--print-ir-after", "Again"]
    assert main(argv) == 0
    shown = capsys.readouterr().err
    assert "// after Again\n" in shown
    assert "Seven" not in shown


def test_times_are_printed(program: Path, capsys: Capture) -> None:
    register("Seven")
    assert main(["opt", str(program), "-p", "Seven", "--timing"]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("Seven: ")
    assert "us [" in shown.err
    assert "Seven" not in shown.out


def test_config_reaches_the_passes(program: Path) -> None:
    seen = []

    def look(mod: IRModule, ctx: PassContext) -> IRModule:
        seen.append(ctx.get_config("relayish.disable_gc"))
        return mod

    register_pass()(create_module_pass(look, 0, "Look"))
    for value in ("true", "false"):
        argv = ["opt", str(program), "-p", "Look", "--config", f"relayish.disable_gc={value}"]
        assert main(argv) == 0
    assert seen == [True, False]


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("nothing=1", "no config option 'nothing' is registered"),
        ("relayish.disable_gc=3", "config option 'relayish.disable_gc': expected bool"),
        ("relayish.disable_gc", "expected NAME=VALUE after --config"),
    ],
)
def test_faulty_config_is_an_error(
    setting: str, message: str, program: Path, capsys: Capture
) -> None:
    assert main(["opt", str(program), "-p", "FoldConstant", "--config", setting]) == 2
    assert message in capsys.readouterr().err


def test_faulty_program_shows_the_place_and_the_line(tmp_path: Path, capsys: Capture) -> None:
    faulty = tmp_path / "faulty.relay"
    faulty.write_text('#[version = "0.0.5"]\ndef @main() {\n  add(1f, \n}\n')
    assert main(["opt", str(faulty), "-p", "FoldConstant"]) == 2
    shown = capsys.readouterr().err
    assert shown.startswith(f"relayish: error: {faulty}:4:1: ")
    assert "^" in shown
    assert "Traceback" not in shown


def test_unknown_operators_are_read_when_asked(tmp_path: Path, capsys: Capture) -> None:
    odd = tmp_path / "odd.relay"
    odd.write_text('#[version = "0.0.5"]\ndef @main() {\n  nobody.knows(1f)\n}\n')
    assert main(["opt", str(odd), "-p", "FoldConstant"]) == 2
    assert "nobody.knows" in capsys.readouterr().err
    assert main(["opt", str(odd), "-p", "FoldConstant", "--allow-unknown-ops"]) == 0
    assert "nobody.knows(1f)" in capsys.readouterr().out
