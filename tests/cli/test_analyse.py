from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.dataflow import Powerset, list_analyses, register_analysis
from relayish.dataflow.functor import ForwardDataFlow
from relayish.ir.equality.structural_equal import structural_equal
from relayish.text import parse
from relayish.tir import parse as parse_loops
from tests.support.each import each

Capture = pytest.CaptureFixture[str]

PROGRAM = """#[version = "0.0.5"]
def @main(%x: int32) {
  let %a = %x + 1;
  @twice(%a)
}
def @twice(%y: int32) {
  %y + %y
}
"""
LOOPS = """function f (_A)
{
  serial for (i, 0, 4)
  {
    A[i] = 1
  }
}

#[details]
tensor A: int32[4]
"""


@pytest.fixture
def relay_file(tmp_path: Path) -> str:
    path = tmp_path / "program.relay"
    path.write_text(PROGRAM)
    return str(path)


@pytest.fixture
def loop_file(tmp_path: Path) -> str:
    path = tmp_path / "program.tir"
    path.write_text(LOOPS)
    return str(path)


def test_a_program_is_printed_with_states_and_parses_back(relay_file, capsys: Capture) -> None:
    assert main(["analyse", relay_file, "-a", "liveness"]) == 0
    shown = capsys.readouterr().out
    assert structural_equal(parse(shown), parse(PROGRAM))
    assert "  // before: {%x}\n  let %a = add(%x, 1);\n  // after: {%a}\n" in shown
    assert "  // before: {%y}\n  add(%y, %y)\n" in shown


def test_loops_are_printed_in_their_own_form(loop_file, capsys: Capture) -> None:
    assert main(["analyse", loop_file, "-a", "liveness"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("function f (_A)\n{\n  // before: {_A}\n  serial for (i, 0, 4)\n")
    assert structural_equal(parse_loops(shown), parse_loops(LOOPS))


@each(
    ("words", "shown"),
    [
        ("RELAY -a liveness{widen_after=5},definite_initialisation",
         "// before: Liveness {%x}; DefiniteInitialisation {%x}"),
        ("RELAY -a liveness --function twice",
         "fn (%y: int32) {\n  // before: {%y}\n  add(%y, %y)\n  // after: {}\n}\n"),
        ("LOOPS -a liveness --function f", "function f (_A)\n{\n  // before: {_A}\n"),
    ],
)  # fmt: skip
def test_what_is_asked_for_is_printed(
    words: str, shown: str, relay_file, loop_file, capsys: Capture
) -> None:
    given = words.replace("RELAY", relay_file).replace("LOOPS", loop_file).split(" ")
    assert main(["analyse", *given]) == 0
    assert shown in capsys.readouterr().out


def test_a_module_of_loops_is_printed_as_one(tmp_path, capsys: Capture) -> None:
    path = tmp_path / "module.tir"
    path.write_text(
        "Module m {\n\nfunction f (_A)\n{\n  A[0] = 1\n}\n\n\n}\n\n#[details]\n"
        "function f:\ntensor A: int32[4]\n"
    )  # fmt: skip
    assert main(["analyse", str(path), "-a", "liveness"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Module m {")
    assert "// before: {_A}" in shown
    assert structural_equal(parse_loops(shown), parse_loops(path.read_text()))


def test_standard_input_is_read(capsys: Capture, monkeypatch) -> None:
    class Given:
        buffer = io.BytesIO(PROGRAM.encode())

    monkeypatch.setattr("sys.stdin", Given)
    assert main(["analyse", "-", "-a", "liveness"]) == 0
    assert "// before: {%x}" in capsys.readouterr().out


def test_the_result_is_written_to_a_file(relay_file, tmp_path, capsys: Capture) -> None:
    out = tmp_path / "out.relay"
    assert main(["analyse", relay_file, "-a", "liveness", "-o", str(out)]) == 0
    assert "// before: {%x}" in out.read_text()
    assert capsys.readouterr().out == ""


def test_analysis_that_is_asked_for_twice_is_there_twice_in_json(
    relay_file, capsys: Capture
) -> None:
    asked = "liveness,liveness{widen_after=5}"
    assert main(["analyse", relay_file, "-a", asked, "--json"]) == 0
    first = json.loads(capsys.readouterr().out)[0]
    assert list(first["before"]) == ["Liveness", "Liveness (2)"]


def test_program_points_are_printed_as_json(relay_file, capsys: Capture) -> None:
    assert main(["analyse", relay_file, "-a", "liveness", "--function", "twice", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [
        {
            "point": 0,
            "what": "entry fn (%y) {...}",
            "before": {"Liveness": "{}"},
            "after": {"Liveness": "{%y}"},
        },
        {
            "point": 1,
            "what": "evaluate add(%y, %y)",
            "before": {"Liveness": "{%y}"},
            "after": {"Liveness": "{}"},
        },
        {
            "point": 2,
            "what": "exit fn (%y) {...}",
            "before": {"Liveness": "{}"},
            "after": {"Liveness": "{}"},
        },
    ]


def test_analyses_are_listed_with_directions_descriptions_and_options(
    declarations: None, capsys: Capture
) -> None:
    @register_analysis()
    class AaNothing(ForwardDataFlow):
        """Nothing at all."""

        lattice = Powerset()

        def __init__(self, *, most: int = 3) -> None:
            super().__init__()
            self.most = most

    assert main(["analyse", "--list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["NAME", "DIRECTION", "DESCRIPTION"]
    assert lines[1].split(maxsplit=2) == ["AaNothing", "forward", "Nothing at all."]
    assert lines[2] == "    most: int = 3"
    assert lines[-1] == "all of them take widen_after: int = 3, narrowing: int = 2"
    listed = {line.split()[0] for line in lines[1:-2] if not line.startswith(" ")}
    assert listed == set(list_analyses())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["FILE", "-a", "livenes"], "did you mean Liveness?"),
        (["FILE", "-a", "liveness{most=1}"], "analysis Liveness has no option 'most'"),
        (["FILE", "-a", "liveness{widen_after=x}"], "expected int; found 'x'"),
        (["FILE", "-a", "liveness,"], "expected the name of an analysis; found nothing"),
        (["FILE", "-a", "liveness", "--function", "twic"], "did you mean twice?"),
        (["FILE"], "no analysis is named; write -a liveness"),
        (["-a", "liveness"], "no file is given"),
        (["/no/such/file", "-a", "liveness"], "/no/such/file: No such file or directory"),
        (["/no/such/file", "-a", "livenes"], "did you mean Liveness?"),
        (["WRONG", "-a", "liveness"], "wrong.relay:2:12: "),
    ],
)
def test_what_is_wrong_is_told_with_exit_code_2(
    relay_file, arguments: list[str], message: str, capsys: Capture
) -> None:
    wrong = Path(relay_file).with_name("wrong.relay")
    wrong.write_text('#[version = "0.0.5"]\ndef @main( {')
    files = {"FILE": relay_file, "WRONG": str(wrong)}
    given = [files.get(argument, argument) for argument in arguments]
    assert main(["analyse", *given]) == 2
    shown = capsys.readouterr()
    assert shown.err.startswith("relayish: error: ")
    assert message in shown.err
    assert shown.out == ""
