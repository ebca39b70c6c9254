"""Options of drivers and of single passes on the command line of ``relayish opt``."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish.binary import read_phase
from relayish.cli.driver_options import split_words
from relayish.cli.main import main
from relayish.domain.driver.config import GLOBAL_NAMES
from relayish.ir.relay.expr import Constant, Function
from relayish.ir.structural_equal import structural_equal
from relayish.text import parse
from relayish.transform import register_pass

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("declarations")


@pytest.fixture
def vec() -> None:
    """Register ``VEC``, whose functions return its level."""

    @register_pass("VEC", opt_level=0)
    def vec(func: Function, *, level: int = 1) -> Function:
        return Function((), Constant(level))


def run(*words: object) -> int:
    return main(["opt", *map(str, words)])


def body(text: str) -> int:
    return int(parse(text)["main"].body.data)


# -- which words are for drivers --------------------------------------------------------------


@pytest.mark.parametrize("name", GLOBAL_NAMES)
def test_every_option_of_drivers_is_one_of_theirs_behind_one_dash(name):
    assert split_words([f"-{name}=1"]) == ([], [f"-{name}=1"])
    assert split_words([f"-{name.replace('_', '-')}"]) == ([], [f"-{name.replace('_', '-')}"])


@pytest.mark.parametrize(
    "words",
    [
        ["-O2"], ["-O", "2"], ["-p", "VEC"], ["-pVEC"], ["-oout.relay"], ["--timing"], ["-"],
        ["--verify", "well_formed"], ["--config", "a=b"], ["-h"], ["--print-ir-after", "VEC"],
        ["a.relay"], ["--color=always"], ["-O0"],
    ],
)  # fmt: skip
def test_words_of_the_command_stay_with_it(words):
    assert split_words(words) == (words, [])


def test_help_of_the_command_tells_of_options_with_one_dash(capsys: Capture):
    assert run("--help") == 0
    assert "-FoldConstant:fold_qnn:trace_ir_after" in capsys.readouterr().out


def test_help_with_one_dash_lists_options_of_drivers(capsys: Capture):
    assert run("-help") == 0
    shown = capsys.readouterr().out
    for name in GLOBAL_NAMES:
        assert f"  -{name}" in shown
    assert "  -opt_level, -O VALUE            run passes of this level and below" in shown


# -- options ----------------------------------------------------------------------------------


def test_a_pass_is_given_its_option(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC", "-VEC:level=3") == 0
    assert body(capsys.readouterr().out) == 3


def test_a_level_stands_beside_options_of_passes(program: Path, vec, capsys: Capture):
    assert run(program, "-O2", "-p", "VEC", "-VEC:level=3:trace_ir_after") == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("// after VEC\n")
    assert body(shown.out) == body(shown.err) == 3


def test_options_of_passes_stand_in_the_pipeline_too(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC{level=3, trace_ir_after=true}") == 0
    assert capsys.readouterr().err.startswith("// after VEC\n")


def test_passes_are_skipped_by_number(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC{level=1},VEC{level=2},VEC{level=3}", "-skip_after=2") == 0
    shown = capsys.readouterr()
    assert body(shown.out) == 2
    assert shown.err == "// VEC is not run\n"


def test_a_pass_is_switched_off(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC", "-VEC:enable=false") == 0
    assert "add(" in capsys.readouterr().out


def test_all_passes_are_traced_into_a_file(program: Path, vec, tmp_path, capsys: Capture):
    traced = tmp_path / "run.t"
    assert run(program, "-p", "VEC,VEC", "-trace", "--trace-file", traced) == 0
    assert traced.read_text().count("// after VEC\n") == 2
    assert capsys.readouterr().err == ""


def test_passes_are_shown_as_they_run(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC", "-show") == 0
    assert capsys.readouterr().err == "relayish: VEC\n"


def test_a_program_is_kept_after_every_pass_beside_the_input(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC,VEC{level=2}", "-keep") == 0
    kept = sorted(path for path in program.parent.iterdir() if path != program)
    assert [path.name for path in kept] == ["program.relay.vec.rly", "program.relay.vec_2.rly"]
    assert [read_phase(path) for path in kept] == ["VEC", "VEC#2"]


def test_a_program_is_dumped_after_the_pass_that_is_named(
    program: Path, vec, tmp_path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    assert run(program, "-p", "InferType,VEC", "--dump=VEC") == 0
    assert [p.name for p in tmp_path.iterdir() if p != program] == ["program.relay.dump.vec.rly"]


def test_a_run_goes_on_where_the_file_was_kept(program: Path, vec, capsys: Capture):
    pipeline = "VEC{level=5},InferType,EraseType"
    assert run(program, "-p", pipeline, "-keep") == 0
    whole = capsys.readouterr().out
    assert run(f"{program}.vec.rly", "-p", pipeline, "--resume") == 0
    shown = capsys.readouterr()
    assert structural_equal(parse(shown.out), parse(whole))
    assert shown.err == "// VEC is not run\n"


def test_a_program_of_loops_is_resumed_as_one(tmp_path, capsys: Capture):
    loops = tmp_path / "loops.tir"
    loops.write_text(
        "function f (_A)\n{\n  serial for (i, 0, 4)\n  {\n    A[i] = (1 + 2)\n  }\n}\n"
    )
    assert run(loops, "-p", "Simplify,RemoveNestedBlock", "-keep") == 0
    whole = capsys.readouterr().out
    assert run(f"{loops}.simplify.rly", "-p", "Simplify,RemoveNestedBlock", "--resume") == 0
    assert capsys.readouterr().out == whole


def test_a_file_in_text_is_resumed_too(program: Path, vec, tmp_path, capsys: Capture):
    kept = tmp_path / "kept.relay"
    assert run(program, "-p", "VEC{level=4},InferType", f"-VEC:write_ir={kept}") == 0
    whole = capsys.readouterr().out
    assert run(kept, "-p", "VEC,InferType", "--resume") == 0
    assert capsys.readouterr().out == whole


def test_a_file_that_tells_no_phase_is_not_resumed(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC", "--resume") == 2
    assert "does not tell of which pass it is the result" in capsys.readouterr().err


def test_a_phase_that_the_pipeline_has_not_is_refused(program: Path, vec, capsys: Capture):
    run(program, "-p", "VEC", "-keep")
    capsys.readouterr()
    assert run(f"{program}.vec.rly", "-p", "InferType", "--resume") == 2
    assert "has no phase 'VEC'; it has InferType" in capsys.readouterr().err


def test_the_result_goes_where_drivers_say(program: Path, vec, tmp_path):
    assert run(program, "-p", "VEC", f"-output={tmp_path / 'out.relay'}") == 0
    assert body((tmp_path / "out.relay").read_text()) == 1


def test_options_for_a_pass_that_does_not_run_are_told_of(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC", "-FuseOps:show") == 0
    assert capsys.readouterr().err == (
        "relayish: note: options are given for FuseOps, which do not run in driver sequential; "
        "there run VEC\n"
    )


def test_a_pipeline_inside_is_switched_off_as_a_whole(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC,O0", "-O0:enable=false") == 0
    shown = capsys.readouterr()
    assert (body(shown.out), shown.err) == (1, "// O0 is not run\n")


def test_a_pass_goes_by_its_global_name(program: Path, vec, capsys: Capture):
    assert run(program, "-p", "VEC", "-relayish.pass_.VEC:level=3") == 0
    assert body(capsys.readouterr().out) == 3


# -- what is listed ---------------------------------------------------------------------------


def test_options_of_a_pass_are_listed_without_a_file(vec, capsys: Capture):
    assert run("-VEC:help") == 0
    shown = capsys.readouterr().out
    assert "    level: int = 1\n" in shown
    assert "    trace_ir_after: bool = False: trace the program after\n" in shown


def test_passes_that_run_are_listed_with_what_is_asked_of_them(vec, capsys: Capture):
    assert run("-print-pass", "-p", "InferType,VEC,VEC{tia=true}", "-VEC:level=3") == 0
    assert capsys.readouterr().out == (
        "1 InferType fresh=False\n2 VEC level=3\n3 VEC#2 trace_ir_after=True level=3\n"
    )


def test_the_usual_passes_are_listed(capsys: Capture):
    assert run("-print-pass", "-O0") == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith(" InferType#3 fresh=False")


def test_domains_and_operators_are_listed_as_by_their_command(capsys: Capture):
    assert run("-print-meta") == 0
    shown = capsys.readouterr().out
    assert main(["domains"]) == 0
    assert shown == capsys.readouterr().out
    assert "conv2d" in shown


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-p", "VEC"], "no input files"),
        (["x", "-p", "VEC", "-VEK:level=3"], "no pass or group 'VEK'"),
        (["x", "-p", "VEC", "-VEC:levl=3"], "VEC has no option 'levl'; did you mean level?"),
        (["x", "-p", "VEC", "-VEC:level=x3"], "option 'level': expected int; found 'x3'"),
        (["x", "-p", "VEC", "-VEC:level=9" + "9" * 20], "expected int of 64 bits"),
        (["x", "-p", "VEC", "-skip_before=x20"], "expected int; found 'x20'"),
        (["x", "-p", "VEC", "-keep=perhaps"], "expected bool (true or false)"),
        (["x", "-p", "VEC", "-opt_level=7"], "opt_level is a number from 0 to 4; found 7"),
    ],
)
def test_what_drivers_do_not_take_exits_with_two(words, message, vec, capsys: Capture):
    assert run(*words) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err
