from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relayish import tir
from relayish.binary import inspect_binary, read_binary, to_binary, write_binary
from relayish.cli.main import main
from relayish.ir.equality.structural_equal import assert_structural_equal
from relayish.ir.relay.expr import Constant, Tuple
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from tests.support.each import each
from tests.support.tir_programs import random_func

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def stored(program: Path) -> Path:
    path = program.with_name("stored.rly")
    write_binary(parse(program.read_text()), path)
    return path


def test_print_prints_a_file_in_binary_form(program: Path, stored: Path, capsys: Capture) -> None:
    assert main(["print", str(stored)]) == 0
    printed = capsys.readouterr().out
    assert main(["print", str(program)]) == 0
    assert printed == capsys.readouterr().out


def test_print_tells_the_form_by_what_a_file_begins_with(stored: Path, capsys: Capture) -> None:
    other = stored.rename(stored.with_name("model.relay"))
    assert main(["print", str(other)]) == 0
    assert capsys.readouterr().out.startswith("#[version")


def test_print_writes_binary_form_where_the_name_ends_so(program: Path, capsys: Capture) -> None:
    out = program.with_name("out.rly")
    assert main(["print", str(program), "-o", str(out)]) == 0
    assert capsys.readouterr().out == ""
    assert_structural_equal(read_binary(out), parse(program.read_text()))


def test_opt_goes_from_either_form_to_either(program: Path, stored: Path) -> None:
    made = []
    for source in (program, stored):
        for suffix in ("relay", "rly"):
            out = program.with_name(f"out.{suffix}")
            assert main(["opt", str(source), "-p", "FoldConstant", "-o", str(out)]) == 0
            made.append(read_binary(out) if suffix == "rly" else parse(out.read_text()))
    for mod in made:
        assert_structural_equal(mod, made[0])
        assert isinstance(mod["main"].body.args[1], Constant)


def test_opt_replaces_the_file_that_it_reads(tmp_path: Path) -> None:
    path = tmp_path / "model.rly"
    write_binary(IRModule.from_expr(Tuple((Constant(np.arange(1000)),))), path)
    assert main(["opt", str(path), "-p", "InferType", "-o", str(path)]) == 0
    assert read_binary(path)["main"].body.fields[0].data[999] == 999


def test_binary_form_is_read_from_standard_input(
    stored: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stored.read_bytes())))
    assert main(["print", "-"]) == 0
    assert "def @main" in capsys.readouterr().out


def test_check_tells_of_a_file_in_binary_form(stored: Path, capsys: Capture) -> None:
    assert main(["check", str(stored)]) == 0
    assert "well formed and well typed" in capsys.readouterr().out
    bad = parse('#[version = "0.0.5"]\ndef @main() { let %y: float32 = 1; %y }')
    write_binary(bad, stored)
    assert main(["check", str(stored)]) == 1
    assert "ill-typed" in capsys.readouterr().err


@each(
    "make", [lambda func: func, lambda func: tir.to_ir_module(tir.Module("m", functions=(func,)))]
)
def test_loops_are_printed_as_loops(tmp_path: Path, capsys: Capture, make: Any) -> None:
    path = tmp_path / "loops.rly"
    func = random_func(3)
    write_binary(make(func), path)
    assert main(["print", str(path)]) == 0
    assert capsys.readouterr().out.startswith("function ")


def test_a_module_of_loops_is_printed_as_one(tmp_path: Path, capsys: Capture) -> None:
    write_binary(tir.Module("whole", functions=(random_func(3),)), tmp_path / "loops.rly")
    assert main(["print", str(tmp_path / "loops.rly")]) == 0
    assert capsys.readouterr().out.startswith("Module ")


def test_an_expression_is_printed_as_main(tmp_path: Path, capsys: Capture) -> None:
    write_binary(Constant(1), tmp_path / "one.rly")
    assert main(["print", str(tmp_path / "one.rly")]) == 0
    assert "def @main() {\n  1\n}" in capsys.readouterr().out


def test_what_is_no_program_is_refused(tmp_path: Path, capsys: Capture) -> None:
    write_binary((1, 2), tmp_path / "values.rly")
    assert main(["print", str(tmp_path / "values.rly")]) == 2
    assert "holds a tuple, which is no program; read it with" in capsys.readouterr().err


def test_damage_is_told_with_the_file_and_the_place(stored: Path, capsys: Capture) -> None:
    stored.write_bytes(stored.read_bytes()[:-3])
    assert main(["print", str(stored)]) == 2
    told = capsys.readouterr().err
    assert f"{stored}: byte " in told
    assert "it was cut short" in told


def test_operators_that_are_not_declared_are_read_where_that_is_asked_for(
    tmp_path: Path, capsys: Capture
) -> None:
    path = tmp_path / "unknown.rly"
    mod = parse(
        '#[version = "0.0.5"]\ndef @main(%x) { nobody.declares(%x) }', allow_unknown_ops=True
    )
    write_binary(mod, path)
    assert main(["print", str(path)]) == 2
    assert "operator 'nobody.declares' of domain 'relay'" in capsys.readouterr().err
    assert main(["print", str(path), "--allow-unknown-ops"]) == 0
    assert "nobody.declares(%x)" in capsys.readouterr().out


def test_results_keep_spans(program: Path) -> None:
    out = program.with_name("out.rly")
    assert main(["print", str(program), "-o", str(out)]) == 0
    assert inspect_binary(out).objects["named Span"] > 3
    assert len(out.read_bytes()) == len(to_binary(read_binary(out)))
