"""``relayish opt``: what it prints, writes and refuses, and what watches its passes."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.errors import PassError
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import PassContext, create_function_pass, create_module_pass, register_pass

Capture = pytest.CaptureFixture[str]
SEVEN = Function((), Constant(7))
ODD = '#[version = "0.0.5"]\ndef @main() {\n  nobody.knows(1f)\n}\n'
FAULTY = '#[version = "0.0.5"]\ndef @main() {\n  add(1f, \n}\n'
FOLDED = "add(%x, 3f"
GIVEN = "add(1f, 2f)"


@pytest.fixture(autouse=True)
def _passes(declarations: None) -> None:
    """Register passes that make functions return 7, or use a variable that nothing binds."""
    x, y = Var("x"), Var("y")
    wrong = Function((x,), Let(x, y, x))
    for name, level, made in (("Seven", 0, SEVEN), ("High", 9, SEVEN), ("Break", 0, wrong)):
        register_pass()(create_function_pass(lambda _f, _m, _c, made=made: made, level, name))


def register_failing(error: BaseException) -> None:
    def fail(_mod: IRModule, _ctx: PassContext) -> IRModule:
        raise error

    register_pass()(create_module_pass(fail, 0, "Fail"))


def run(words: str, program: Path) -> int:
    return main(["opt", *words.replace("FILE", str(program)).split(" ")])


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


@pytest.mark.parametrize(
    ("words", "out", "err"),
    [
        ("FILE -p Seven", "  7\n", ""),
        ("- -p Seven -o -", "  7\n", ""),
        ("FILE -p FoldConstant,DeadCodeElimination", FOLDED, ""),
        ("FILE -O3 --timing", FOLDED, "SimplifyExpr: "),
        # which passes run
        ("FILE -p High", "  7\n", ""),
        ("FILE -p High -O8", GIVEN, "relayish: note: High is not run: its level is 9, above 8\n"),
        ("FILE -p High -O 0 --required-pass High", "  7\n", ""),
        (
            "FILE -p Seven --disable-pass Seven",
            GIVEN,
            "relayish: note: Seven is not run: it is disabled\n",
        ),
        # what watches them
        ("FILE -p Seven --timing", "  7\n", "Seven: "),
        ("FILE -p FoldConstant --print-ir-before FoldConstant", FOLDED, "// before FoldConstant"),
        ("FILE -p FoldConstant --diff --color always", FOLDED, "\x1b[32m+"),
        ("FILE -p FoldConstant,InferType --verify-each", FOLDED, ""),
    ],
)
def test_result_is_printed_and_what_is_told_beside(
    words: str, out: str, err: str, program: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(program.read_bytes())))
    assert run(words, program) == 0
    shown = capsys.readouterr()
    assert out in shown.out
    assert isinstance(parse(shown.out), IRModule)
    assert err in shown.err
    assert bool(err) == bool(shown.err)


@pytest.mark.parametrize(
    ("words", "code", "err"),
    [
        (
            "FILE -p InferType,Break,FoldConstant --verify-each",
            2,
            "pass Break broke the check well_",
        ),
        ("FILE -p FoldConstant --verify well_fromed", 2, "did you mean well_formed"),
        ("FILE -p FoldConstant --dump-ir DIR", 2, "which this instrument did not write"),
        ("FILE -O9", 2, "no default pipeline of level 9"),
        *[
            (f"FILE -p Seven {option} Sevn", 2, "no pass 'Sevn' is registered; did you mean Seven?")
            for option in ("--disable-pass", "--required-pass", "--print-ir-after")
        ],
        ("FILE --why-not double", 2, "name these, as in -p SimplifyExpr"),
        (
            "FILE -p SimplifyExpr --why-not double --json",
            2,
            "in words; leave out --json",
        ),
        ("FILE -p SimplifyExpr --why-not doble", 2, "has no rule 'doble'; did you mean double?"),
        ("FILE -p Seven -o DIR/nowhere/out", 2, "DIR/nowhere/out: No such file or directory\n"),
        ("FILE -p Seven --config nothing=1", 2, "no config option 'nothing' is registered"),
        ("FILE -p Seven --config relayish.disable_gc=3", 2, "'relayish.disable_gc': expected bool"),
        ("FILE -p Seven --config relayish.disable_gc", 2, "expected NAME=VALUE after --config"),
        ("DIR/faulty.relay -p Seven", 2, "relayish: error: DIR/faulty.relay:4:1: "),
        ("DIR/odd.relay -p FoldConstant", 2, "nobody.knows"),
    ],
)
def test_what_cannot_be_done_is_told_with_exit_code_2(
    words: str, code: int, err: str, program: Path, capsys: Capture
) -> None:
    folder = program.parent
    (folder / "odd.relay").write_text(ODD)
    (folder / "faulty.relay").write_text(FAULTY)
    assert run(words.replace("DIR", str(folder)), program) == code
    shown = capsys.readouterr()
    assert err.replace("DIR", str(folder)) in shown.err
    assert shown.out == ""
    assert "Traceback" not in shown.err
    assert names(folder) == ["faulty.relay", "odd.relay", "program.relay"]


def test_why_passes_do_not_apply_rules_is_told_instead_of_a_result(
    program: Path, capsys: Capture
) -> None:
    rules = "--why-not drop_idle_dropout --why-not double"
    assert run(f"FILE -p SimplifyExpr {rules} -o {program}", program) == 0
    told = capsys.readouterr().out
    assert told.startswith("drop_idle_dropout has nothing to replace: nn.dropout(*)")
    assert "\ndouble has nothing to replace: %0 = *; add(%0, %0) does not match\n" in told
    assert GIVEN in program.read_text()


@pytest.mark.parametrize("replaced", [False, True])
def test_result_is_written_and_may_replace_the_program(
    program: Path, capsys: Capture, *, replaced: bool
) -> None:
    out = program if replaced else program.with_name("out.relay")
    program.chmod(0o640)
    assert run(f"FILE -p Seven -o {out}", program) == 0
    assert structural_equal(parse(out.read_text())["main"], SEVEN)
    assert out.read_text().endswith("\n")
    assert capsys.readouterr().out == ""
    assert set(names(program.parent)) == {out.name, "program.relay"}
    assert program.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("error", "more", "code", "told"),
    [
        (PassError("found nothing"), "", 2, "relayish: error: found nothing\n  in pass Fail\n"),
        (ZeroDivisionError("mine"), "", 3, "relayish: error: ZeroDivisionError: mine\n  in pass"),
        (ZeroDivisionError("mine"), "", 3, "--traceback shows where"),
        (ZeroDivisionError("mine"), " --traceback", 3, "raise error\nZeroDivisionError: mine"),
        (KeyboardInterrupt(), "", 130, "relayish: interrupted\n"),
    ],
)
def test_failing_pass_leaves_the_output_as_it_was(
    error: BaseException, more: str, code: int, told: str, program: Path, capsys: Capture
) -> None:
    register_failing(error)
    out = program.with_name("out.relay")
    out.write_text("old")
    assert run(f"FILE -p Seven,Fail -o {out}{more}", program) == code
    shown = capsys.readouterr()
    assert told in shown.err
    assert ("Traceback" in shown.err) == bool(more)
    assert (shown.out, out.read_text()) == ("", "old")
    assert names(program.parent) == ["out.relay", "program.relay"]


@pytest.mark.parametrize(
    ("words", "headings"),
    [
        ("-p Seven,InferType --print-ir-after-all", ["// after Seven", "// after InferType"]),
        ("-p Seven,InferType --print-ir-after InferType", ["// after InferType"]),
        (
            "-p FoldConstant,FoldConstant --print-changed",
            ["// after FoldConstant", "// after FoldConstant (unchanged)"],
        ),
    ],
)
def test_program_is_printed_after_passes(
    words: str, headings: list[str], program: Path, capsys: Capture
) -> None:
    assert run(f"FILE {words}", program) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("// ")] == headings
    printed = [each for each in headings if "unchanged" not in each]
    assert sum(line.startswith("def @main") for line in lines) == len(printed)


def test_config_reaches_the_passes(program: Path) -> None:
    seen = []
    look = create_module_pass(
        lambda mod, ctx: seen.append(ctx.get_config("relayish.disable_gc")) or mod, 0, "Look"
    )
    register_pass()(look)
    for value in ("true", "false"):
        assert run(f"FILE -p Look --config relayish.disable_gc={value}", program) == 0
    assert seen == [True, False]


def test_unknown_operators_are_read_when_asked(program: Path, capsys: Capture) -> None:
    program.write_text(ODD)
    assert run("FILE -p FoldConstant --allow-unknown-ops", program) == 0
    assert "nobody.knows(1f)" in capsys.readouterr().out


def test_programs_are_dumped_one_a_pass(program: Path, tmp_path: Path) -> None:
    dumped = tmp_path / "dump"
    assert run(f"FILE -p FoldConstant,InferType --dump-ir {dumped}", program) == 0
    assert names(dumped) == ["0_init.relay", "1_FoldConstant.relay", "2_InferType.relay"]
    assert "3f" in (dumped / "1_FoldConstant.relay").read_text()


def test_differences_are_shown_for_passes_that_change_something(
    program: Path, capsys: Capture
) -> None:
    pipeline = "DeadCodeElimination{inline_once=false},FoldConstant"
    words = f"FILE -p {pipeline} --diff --disable-pass DeadCodeElimination"
    assert run(words, program) == 0
    shown = capsys.readouterr().err
    assert "+  add(%x, 3f)" in shown
    assert "\x1b[" not in shown
    assert run("FILE -p FoldConstant,InferType --diff-types", program) == 0
    assert "+  add(%x, 3f /* ty=float32 */)" in capsys.readouterr().err


@pytest.mark.usefixtures("losing_passes")
@pytest.mark.parametrize("before", ["", "InferType,"])
@pytest.mark.parametrize(("losing", "lost"), [("DropLets", "%half"), ("NewParams", "%x")])
def test_verifying_finds_variables_that_nothing_binds_any_more(
    program_of_lets: str, capsys: Capture, before: str, losing: str, lost: str
) -> None:
    assert main(["opt", program_of_lets, "-p", f"{before}{losing}", "--verify-each"]) == 2
    shown = capsys.readouterr()
    assert f"pass {losing} broke the check well_formed: @main uses {lost}, which" in shown.err
    assert shown.out == ""
