from __future__ import annotations

import io

import pytest

from relayish.ir.relay.module import IRModule
from relayish.ir.structural_equal import structural_equal
from relayish.text import parse
from relayish.transform import (
    PassContext,
    PassInstrument,
    PassPrintingInstrument,
    PrintAfterAll,
    PrintBeforeAll,
    Sequential,
    create_module_pass,
)

A = create_module_pass(lambda m, _c: m, 0, "A")
B = create_module_pass(lambda m, _c: m, 0, "B")


def headings(mod: IRModule, instrument: PassInstrument, out: io.StringIO) -> list[str]:
    with PassContext(instruments=[instrument]):
        Sequential([A, B], name="S")(mod)
    return [line for line in out.getvalue().splitlines() if line.startswith("// ")]


def test_named_passes_are_printed_before_and_after(one_function: IRModule) -> None:
    out = io.StringIO()
    printing = PassPrintingInstrument(["A"], ["relayish.pass_.B"], file=out)
    assert headings(one_function, printing, out) == ["// before A", "// after B"]


def test_all_passes_are_printed_before(one_function: IRModule) -> None:
    out = io.StringIO()
    expected = ["// before S", "// before A", "// before B"]
    assert headings(one_function, PrintBeforeAll(file=out), out) == expected


def test_all_passes_are_printed_after(one_function: IRModule) -> None:
    out = io.StringIO()
    expected = ["// after A", "// after B", "// after S"]
    assert headings(one_function, PrintAfterAll(file=out), out) == expected


def test_what_is_printed_parses(one_function: IRModule) -> None:
    out = io.StringIO()
    with PassContext(instruments=[PrintAfterAll(file=out)]):
        A(one_function)
    assert structural_equal(parse(out.getvalue()), one_function)


def test_printing_goes_to_standard_output(
    one_function: IRModule, capsys: pytest.CaptureFixture[str]
) -> None:
    with PassContext(instruments=[PrintBeforeAll()]):
        A(one_function)
    assert "// before A\n" in capsys.readouterr().out
