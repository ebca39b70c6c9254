from __future__ import annotations

from pathlib import Path

import pytest

from relayish.cli import check
from relayish.cli.any_file import GivenFile
from relayish.cli.forms import Form
from relayish.cli.main import main
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.expr import Constant, Function, Let, Var
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from tests.cli.conftest import PROGRAM

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


_ADVICE = "change the annotation, or cast the value"
_OTHER = "compare it with something, or reduce it to one truth value"
_SHOWN = f"""\
FILE:3:21: value of %y: expected float32, found int32; {_ADVICE} (in @main)
      let %y: float32 = 1;
                        ^
FILE:4:7: condition of if: expected bool, found int32; {_OTHER} (in @main)
      if (1) {{ %y }} else {{ %y }}
          ^
FILE: ill-typed, 2 errors
"""
_OPEN = '#[version = "0.0.5"]\nfree_var %y: int32;\ndef @main(%x: int32) { (%x, %y) }\n'


@pytest.mark.parametrize(
    ("text", "options", "code", "out", "err"),
    [
        (PROGRAM, [], 0, "FILE: well formed and well typed, 1 function\n", ""),
        (TWICE, [], 0, "FILE: well formed and well typed, 2 functions\n", ""),
        (ILL_TYPED, ["--no-types"], 0, "FILE: well formed, 1 function\n", ""),
        (
            ILL_TYPED,
            [],
            1,
            "",
            _SHOWN,
        ),
        (_OPEN, [], 1, "", "FILE: not well formed: @main uses %y, which nothing binds"),
        ("def", [], 2, "", "relayish: error: "),
    ],
)
def test_check_tells_what_is_wrong_with_a_program(
    text: str, options: list[str], code: int, out: str, err: str, tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "given.relay"
    path.write_text(text)
    assert main(["check", *options, str(path)]) == code
    shown = capsys.readouterr()
    assert shown.out == out.replace("FILE", str(path))
    assert shown.err.startswith(err.replace("FILE", str(path)))
    assert bool(shown.err) == bool(err)


def test_check_names_a_variable_bound_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    x, one = Var("x"), Constant(1)
    bad = IRModule({"main": Function((), Let(x, one, Let(x, one, x)))})
    given = GivenFile("bad.relay", bad, Form.RELAY)
    monkeypatch.setattr(check, "read_any", lambda _name, allow_unknown_ops: given)
    assert main(["check", "bad.relay"]) == 1
    shown = capsys.readouterr().err
    assert shown.startswith("bad.relay: not well formed: variable %x is bound twice")
    assert "in the definition of @main" in shown
