from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

import pytest

from relayish import transform
from relayish.ir.equality.structural_equal import structural_equal
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from tests.support.each import each

A = transform.create_module_pass(lambda m, _c: m, 0, "A")
B = transform.create_module_pass(lambda m, _c: m, 0, "B")


@each(
    ("make", "expected"),
    [
        (transform.PrintBeforeAll, ["// before S", "// before A", "// before B"]),
        (transform.PrintAfterAll, ["// after A", "// after B", "// after S"]),
        (
            partial(transform.PassPrintingInstrument, ["A"], ["relayish.pass_.B"]),
            ["// before A", "// after B"],
        ),
    ],
)
def test_passes_are_printed_before_or_after(
    make: Callable[..., transform.PassInstrument], expected: list[str], one_function: IRModule
) -> None:
    out = io.StringIO()
    with transform.PassContext(instruments=[make(file=out)]):
        transform.Sequential([A, B], name="S")(one_function)
    assert [line for line in out.getvalue().splitlines() if line.startswith("// ")] == expected


def test_what_is_printed_parses(one_function: IRModule) -> None:
    out = io.StringIO()
    with transform.PassContext(instruments=[transform.PrintAfterAll(file=out)]):
        A(one_function)
    assert structural_equal(parse(out.getvalue()), one_function)


def test_printing_goes_to_standard_output(
    one_function: IRModule, capsys: pytest.CaptureFixture[str]
) -> None:
    with transform.PassContext(instruments=[transform.PrintBeforeAll()]):
        A(one_function)
    assert "// before A\n" in capsys.readouterr().out
