from __future__ import annotations

from pathlib import Path

import pytest

from relayish.cli import check
from relayish.cli.main import main
from relayish.ir.relay.expr import Constant, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.ir.structural_equal import structural_equal
from relayish.text import parse

Capture = pytest.CaptureFixture[str]

TWICE = """#[version = "0.0.5"]
def @main() {
  let %x = 1;
  let %y = (%x, %x);
  %y
}
def @other() {
  1
}
"""
ILL_TYPED = """#[version = "0.0.5"]
def @main() {
  let %y: float32 = 1;
  if (1) { %y } else { %y }
}
"""


def test_print_prints_what_it_read(program: Path, capsys: Capture) -> None:
    assert main(["print", str(program)]) == 0
    printed = capsys.readouterr().out
    assert structural_equal(parse(printed), parse(program.read_text()))


def test_print_writes_where_told(program: Path, capsys: Capture) -> None:
    out = program.with_name("out.relay")
    assert main(["print", str(program), "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert structural_equal(parse(out.read_text()), parse(program.read_text()))


def test_print_prints_a_program_as_python(program: Path, capsys: Capture) -> None:
    program.write_text(TWICE)
    assert main(["print", str(program), "--as", "python"]) == 0
    assert capsys.readouterr().out.endswith(
        "def main():\n    x = np.int32(1)\n    y = (x, x)\n    return y\n"
    )


def test_file_may_begin_with_a_byte_order_mark(program: Path, capsys: Capture) -> None:
    marked = program.with_name("marked.relay")
    marked.write_bytes(b"\xef\xbb\xbf" + program.read_bytes())
    assert main(["print", str(marked)]) == 0
    of_marked = capsys.readouterr().out
    main(["print", str(program)])
    assert of_marked == capsys.readouterr().out


def test_check_says_that_a_program_is_well_formed(program: Path, capsys: Capture) -> None:
    assert main(["check", str(program)]) == 0
    assert capsys.readouterr().out == f"{program}: well formed and well typed, 1 function\n"


def test_check_leaves_types_alone_when_told(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "ill.relay"
    path.write_text(ILL_TYPED)
    assert main(["check", "--no-types", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: well formed, 1 function\n"


def test_check_shows_each_line_that_is_ill_typed(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "ill.relay"
    path.write_text(ILL_TYPED)
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().err.splitlines()
    advice = "change the annotation, or cast the value"
    other = "compare it with something, or reduce it to one truth value"
    assert shown == [
        f"{path}:3:21: value of %y: expected float32, found int32; {advice} (in @main)",
        "      let %y: float32 = 1;",
        "                        ^",
        f"{path}:4:7: condition of if: expected bool, found int32; {other} (in @main)",
        "      if (1) { %y } else { %y }",
        "          ^",
        f"{path}: ill-typed, 2 errors",
    ]


def test_check_counts_functions(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "two.relay"
    path.write_text(TWICE)
    assert main(["check", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: well formed and well typed, 2 functions\n"


def test_check_names_a_variable_bound_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    x, one = Var("x"), Constant(1)
    bad = IRModule({"main": Function((), Let(x, one, Let(x, one, x)))})
    monkeypatch.setattr(check, "read_with_source", lambda _name, allow_unknown_ops: (bad, None, ""))
    assert main(["check", "bad.relay"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("bad.relay: not well formed: variable %x is bound twice")
    assert "in the definition of @main" in shown


def test_check_of_what_does_not_parse_exits_with_two(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "bad.relay"
    path.write_text("def")
    assert main(["check", str(path)]) == 2
    assert capsys.readouterr().err.startswith("relayish: error: ")


def test_check_names_a_variable_that_nothing_binds(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "open.relay"
    path.write_text(
        '#[version = "0.0.5"]\nfree_var %y: int32;\ndef @main(%x: int32) { (%x, %y) }\n'
    )
    assert main(["check", str(path)]) == 1
    shown = capsys.readouterr().err
    assert f"{path}: not well formed: @main uses %y, which nothing binds" in shown
