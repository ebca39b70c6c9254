from __future__ import annotations

from pathlib import Path

import pytest

from relayish.errors import OptionError, UnknownNameError
from relayish.ir.relay.module import IRModule
from relayish.text import parse
from relayish.transform import PassContext, Sequential, parse_instruments
from tests.support.each import each

Capture = pytest.CaptureFixture[str]
FOLDED = '#[version = "0.0.5"]\n'
FOLDED += "def @main(%x: Tensor[(2), float32]) {\n  add(%x, add(1f, 2f))\n}"


def watched(text: str, capsys: Capture) -> str:
    """Return what instruments tell of folding constants, and then doing nothing."""
    with PassContext(instruments=parse_instruments(text)):
        mod: IRModule = parse(FOLDED)
        Sequential(["FoldConstant", "FoldConstant"])(mod)
    shown = capsys.readouterr()
    assert shown.out == ""
    return shown.err


def test_times_are_told_at_the_end(capsys: Capture) -> None:
    shown = watched("Timing", capsys)
    assert [line.split(":")[0].strip() for line in shown.splitlines()][-2:] == ["FoldConstant"] * 2


def test_counts_are_told_at_the_end(capsys: Capture) -> None:
    assert "FoldConstant: run 2 times, changed 1, failed 0\n" in watched("Count", capsys)


def test_differences_are_told_of_the_passes_named(capsys: Capture) -> None:
    assert "+  add(%x, 3f)" in watched("Diff", capsys)
    assert "\n   " not in watched("Diff{passes=[FoldConstant], context=0}", capsys)
    assert watched("Diff{passes=[InferType]}", capsys) == ""
    assert "\x1b[" not in watched("Diff", capsys)
    assert "\x1b[" in watched("Diff{colour=true}", capsys)


def test_programs_are_printed_before_and_after_passes(capsys: Capture) -> None:
    assert watched("PrintBefore{passes=[FoldConstant]}", capsys).count("// before Fold") == 2
    assert watched("PrintAfter{passes=[FoldConstant]}", capsys).count("// after Fold") == 2
    changed = watched("PrintAfter{passes=[FoldConstant], only_changed=true}", capsys)
    assert changed.count("(unchanged)") == 1
    assert "// before sequential" in watched("PrintBefore", capsys)
    assert "(unchanged)" in watched("PrintAfter{only_changed=true}", capsys)


def test_programs_are_written_to_a_folder(tmp_path: Path, capsys: Capture) -> None:
    watched(f'Dump{{folder="{tmp_path / "passes"}"}}', capsys)
    assert len(list((tmp_path / "passes").iterdir())) == 3


@each(
    ("text", "error"),
    [
        ("Diff{passes=[FoldConstan]}", UnknownNameError),
        ("PrintBefore{passes=[FoldConstan]}", UnknownNameError),
        ("PrintAfter{passes=[FoldConstan]}", UnknownNameError),
        ("Verify{checks=[well_formd]}", UnknownNameError),
        ('Dump{folder=""}', OptionError),
        ("Dump", OptionError),
    ],
)
def test_misspelt_names_are_refused_before_anything_runs(text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_instruments(text)


@each("name", ["Verify", "Immutable", "PreservedAnalyses"])
def test_checking_instruments_say_nothing_of_what_is_right(name: str, capsys: Capture) -> None:
    assert watched(name, capsys) == ""
