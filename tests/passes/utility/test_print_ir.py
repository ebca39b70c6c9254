from __future__ import annotations

import pytest

from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.build import const, var
from relayish.ir.relay.expr import Function
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import Sequential, get_pass, parse_pipeline


def program() -> IRModule:
    x = var("x", shape=(3,))
    return IRModule({"main": Function((x,), x + const([1.0, 2.0, 3.0]))})


def test_program_is_printed_to_standard_error_and_returned(
    capsys: pytest.CaptureFixture[str],
) -> None:
    mod = program()
    assert get_pass("PrintIR", header="here", show_meta_data=True)(mod) is mod
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith('// here\n#[version = "0.0.5"]\n')
    assert structural_equal(parse(shown.err), mod)


def test_constants_are_left_out_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    get_pass("PrintIR")(program())
    assert "METADATA" not in capsys.readouterr().err


def test_header_of_several_lines_stays_a_comment(capsys: pytest.CaptureFixture[str]) -> None:
    get_pass("PrintIR", header="one\ntwo", show_meta_data=True)(program())
    shown = capsys.readouterr().err
    assert shown.startswith("// one\n// two\n#[version")
    assert structural_equal(parse(shown), program())


def test_what_is_printed_is_the_program_at_that_place(capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = parse_pipeline('PrintIR{header="a"},InferType,PrintIR{header="b"}')
    pipeline(program())
    first, _, second = capsys.readouterr().err.partition("// b\n")
    assert "ty=" not in first
    assert "ty=Tensor[(3), float32]" in second


def test_standard_error_is_that_of_the_time_of_printing(capsys: pytest.CaptureFixture[str]) -> None:
    pass_ = Sequential(["PrintIR"])
    pass_(program())
    pass_(program())
    assert capsys.readouterr().err.count("def @main") == 2
