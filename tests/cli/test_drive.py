"""Command lines of AIR's drivers, and the ordinary options that do the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayish.binary import read_phase
from relayish.cli.main import main
from relayish.cli.pipeline_options import advise
from relayish.domain.driver.config import GLOBAL_NAMES
from relayish.ir.relay.expr import Constant, Function
from relayish.text import parse
from relayish.transform import register_pass
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
pytestmark = pytest.mark.usefixtures("declarations")


@pytest.fixture
def vec() -> None:
    """Register ``VEC``, whose functions return its level, and ``Both``, which requires it."""

    @register_pass("VEC", opt_level=0)
    def vec(func: Function, *, level: int = 1) -> Function:
        return Function((), Constant(level))

    @register_pass("Both", opt_level=0, required=("VEC",))
    def both(func: Function) -> Function:
        return func


def body(text: str) -> int:
    return int(parse(text)["main"].body.data)


@each(
    ("driven", "ordinary", "told"),
    [
        ("-passes=VEC -VEC:level=3", "-p VEC{level=3}", "3"),
        ("--passes VEC -VEC:level=0x3", "-p VEC --pass-options VEC{level=3}", "3"),
        ("-passes Both -VEC:level=4", "-p Both --pass-options VEC{level=4}", "4"),
        ("-passes VEC -relayish.pass_.VEC:level=3", "-p VEC{level=3}", "3"),
        ("-passes VEC -VEC:level=2:tia", "-p VEC{level=2,trace_ir_after=true}", "// after VEC\n"),
        ("-passes VEC,VEC -trace", "-p VEC,VEC --trace", "// symbols before VEC"),
        ("-passes VEC -show", "-p VEC --show", "relayish: VEC\n"),
        ("-passes VEC -vir", "-p VEC{vir=true}", "1"),
        ("-passes VEC -FuseOps:s", "-p VEC --pass-options FuseOps{show=true}", "there run VEC\n"),
        ("-passes VEC,VEC{level=2} -skip_after=1", "-p VEC,VEC{level=2} --skip-after 1", "not run"),
        ("-passes VEC,VEC{level=2} -skip_before=2", "-p VEC,VEC{level=2} --skip-before=2", "2"),
        ("-passes VEC,VEC{level=2} -skip-equal=1", "-p VEC,VEC{level=2} --skip-equal=1", "2"),
        ("-passes VEC,O0 -O0:enable=false", "-p VEC,O0{enable=false}", "// O0 is not run\n"),
        ("-passes VEC -O0 -traceback", "-p VEC -O0 --traceback", "1"),
        ("-passes VEC,VEC -keep", "-p VEC,VEC --keep", "program.relay.vec_2.rly"),
        ("-passes VEC,Both --dump=VEC", "-p VEC,Both --dump-after VEC", "relay.dump.vec.rly"),
        ("-passes VEC -t -trace_file t", "-p VEC --trace --trace-file t", "t"),
        ("-passes VEC -output=out", "-p VEC -o out", "out"),
        ("-print-pass -passes Both,VEC{tia=true} -VEC:level=3",
         "--print-pass -p Both,VEC{tia=true} --pass-options VEC{level=3}",
         "1 VEC level=3\n2 Both\n3 VEC#2 trace_ir_after=True level=3\n"),
        ("-print-pass -O0", "--print-pass -O0", " InferType#3 fresh=False\n"),
    ],
)  # fmt: skip
def test_a_driver_does_what_options_of_opt_ask_for(
    driven: str,
    ordinary: str,
    told: str,
    vec: None,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capture,
) -> None:
    seen = []
    for command in (f"drive program.relay {driven}", f"opt program.relay {ordinary}"):
        monkeypatch.chdir(tmp_path_factory.mktemp("run"))
        Path("program.relay").write_text('#[version = "0.0.5"]\ndef @main() { add(1, 2) }\n')
        assert main(command.split(" ")) == 0
        files = sorted(path.name for path in Path().iterdir())
        seen.append((*capsys.readouterr(), files))
    assert seen[0] == seen[1]
    assert told in "".join([*seen[0][:2], *seen[0][2]])


@pytest.mark.parametrize(
    "words", ["drive FILE -passes VEC -perf -tm", "opt FILE -p VEC --perf --trace-mp"]
)
def test_time_and_memory_are_traced(words: str, program: Path, vec: None, capsys: Capture) -> None:
    assert main(words.replace("FILE", str(program)).split(" ")) == 0
    shown = capsys.readouterr().err
    assert "// statistics of VEC: " in shown
    assert "// memory of VEC: " in shown


@pytest.mark.parametrize(
    ("keep", "resume"),
    [
        ("opt FILE --keep -p", "opt FILE.vec.rly --resume -p"),
        ("drive FILE -keep -passes", "drive FILE.vec.rly -resume -passes"),
        ("opt FILE --pass-options VEC{write_ir=FILE.text} -p", "opt FILE.text --resume -p"),
    ],
)
def test_a_run_goes_on_where_the_file_was_kept(
    keep: str, resume: str, program: Path, vec: None, capsys: Capture
) -> None:
    pipeline = "VEC{level=5},InferType,EraseType"
    assert main([*keep.replace("FILE", str(program)).split(" "), pipeline]) == 0
    whole = capsys.readouterr().out
    assert main([*resume.replace("FILE", str(program)).split(" "), pipeline]) == 0
    shown = capsys.readouterr()
    assert body(shown.out) == body(whole) == 5
    assert shown.err == "// VEC is not run\n"


def test_kept_files_tell_their_phase(program: Path, vec: None) -> None:
    assert main(["opt", str(program), "-p", "VEC,VEC{level=2}", "--keep"]) == 0
    assert [read_phase(f"{program}.{name}.rly") for name in ("vec", "vec_2")] == ["VEC", "VEC#2"]


def test_a_program_of_loops_is_resumed_as_one(tmp_path: Path, capsys: Capture) -> None:
    loops = tmp_path / "loops.tir"
    loops.write_text(
        "function f (_A)\n{\n  serial for (i, 0, 4)\n  {\n    A[i] = (1 + 2)\n  }\n}\n"
    )
    assert main(["opt", str(loops), "-p", "Simplify,RemoveNestedBlock", "--keep"]) == 0
    whole = capsys.readouterr().out
    kept = f"{loops}.simplify.rly"
    assert main(["opt", kept, "-p", "Simplify,RemoveNestedBlock", "--resume"]) == 0
    assert capsys.readouterr().out == whole


# -- what is listed ---------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["-help", "--help", "-h"])
def test_help_lists_all_that_drivers_take(word: str, capsys: Capture) -> None:
    assert main(["drive", word]) == 0
    shown = capsys.readouterr().out
    for name in (*GLOBAL_NAMES, "passes", "resume", "trace_file", "allow_unknown_ops"):
        assert f"  -{name}" in shown
    assert "  -opt_level, -O VALUE            run passes of this level and below" in shown


@pytest.mark.parametrize(
    ("driven", "ordinary"),
    [("drive -VEC:help", "passes VEC"), ("drive -print-meta", "domains")],
)
def test_what_there_is_is_listed_without_a_file(
    driven: str, ordinary: str, vec: None, capsys: Capture
) -> None:
    assert main(driven.split(" ")) == 0
    shown = capsys.readouterr().out
    assert main(ordinary.split(" ")) == 0
    assert shown == capsys.readouterr().out
    assert "conv2d" in shown or "    level: int = 1\n" in shown


# -- what is refused --------------------------------------------------------------------------


@each(
    ("words", "message"),
    [
        ("drive", "no input files"),
        ("drive -passes VEC", "no input files"),
        ("drive x y -passes VEC", "one input file is taken; found x, y"),
        ("drive x -VEK:level=3", "no pass or group 'VEK'"),
        ("drive x -VEC:levl=3", "VEC has no option 'levl'; did you mean level?"),
        ("drive x -VEC:level=x3", "option 'level': expected int; found 'x3'"),
        ("drive x -skip_before=x20", "expected int; found 'x20'"),
        ("drive x -keep=perhaps", "expected bool (true or false)"),
        ("drive x -opt_level=7", "opt_level is a number from 0 to 4; found 7"),
        ("drive missing -passes VEC -traceback", "Traceback"),
        ("opt x --pass-options VEK{level=3}", "no pass 'VEK' is registered; did you mean VEC?"),
        ("opt x --pass-options VEC{levl=3}", "has no option 'levl'; did you mean level?"),
        ("opt x --dump-after VEK", "no pass 'VEK' is registered"),
        ("opt x --skip-after=x", "expected a whole number from 0; found 'x'"),
        ("opt x --skip-after=99999999999999999999", "skip_after is a number from -1 (off) to"),
        ("opt FILE -p VEC --resume", "does not tell of which pass it is the result"),
        ("bisect x -trace", "-trace is for relayish drive; write --trace"),
        ("optimize x -VEC:help", "write relayish passes VEC"),
        ("opt x -VEC:level=3:s", "write --pass-options 'VEC{level=3, s=true}', or so in the"),
        ("opt x -print-meta", "write relayish domains"),
        ("opt x -output=a=b", "write --output=a=b"),
        ("opt x -dump=VEC", "write --dump-after=VEC"),
    ],
)  # fmt: skip
def test_what_commands_do_not_take_exits_with_two(
    words: str, message: str, program: Path, vec: None, capsys: Capture
) -> None:
    assert main(words.replace("FILE", str(program)).split(" ")) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert message in shown.err


def test_a_phase_that_the_pipeline_has_not_is_refused(
    program: Path, vec: None, capsys: Capture
) -> None:
    main(["opt", str(program), "-p", "VEC", "--keep"])
    assert main(["opt", f"{program}.vec.rly", "-p", "InferType", "--resume"]) == 2
    assert "has no phase 'VEC'; it has InferType" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["opt", "optimize", "bisect"])
def test_every_option_of_drivers_has_another_way(command: str, capsys: Capture) -> None:
    assert main([command, "--help"]) == 0
    known = capsys.readouterr().out
    for name in GLOBAL_NAMES:
        told = advise(f"-{name}")
        assert told == advise(f"-{name.replace('_', '-')}").replace(name.replace("_", "-"), name, 1)
        assert told.rpartition(" ")[2] in (*known.split(), "domains")


@each(
    "word",
    ["-O2", "-O", "-p", "-pVEC", "-oout.relay", "--timing", "-", "-h", "a.relay", "--color=always"],
)  # fmt: skip
def test_words_of_other_commands_are_none_of_drivers(word: str) -> None:
    assert advise(word) == ""
