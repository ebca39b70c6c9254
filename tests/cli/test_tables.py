from __future__ import annotations

import importlib.util
import io
import sys

import pytest

from relayish.cli.tables import (
    Table,
    is_coloured,
    is_terminal,
    rich_console,
    tell_parts,
    tell_table,
)
from tests.support.each import each
from tests.support.terminal import Terminal, set_usual_environment

TABLE = Table(("NAME", "SIZE", "TEXT"), [("a\x1b[1m", "10", "x\ny"), ("b", "9", "")], right=[1])
PLAIN = "NAME      SIZE  TEXT\na\\x1b[1m    10  x\n    y\nb            9\n"


@pytest.fixture(autouse=True)
def _usual_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    set_usual_environment(monkeypatch)


def shown_on(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, table: Table = TABLE) -> str:
    monkeypatch.setattr(sys, "stdout", stream)
    tell_table(table)
    return stream.getvalue()


def test_title_stands_above_the_table() -> None:
    assert str(Table(("A",), [("b",)], title="all")) == "all\nA\nb\n"


def test_last_cell_alone_has_several_lines() -> None:
    assert str(Table(("A", "B"), [("b\nc", "d\ne")])) == "A     B\nb\\nc  d\n    e\n"


def test_parts_are_told_with_an_empty_line_between(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(("A",), [("b",)])
    tell_parts([table, "c\n", table])
    tell_parts([table], on_error=True)
    told = capsys.readouterr()
    assert told.out == "A\nb\n\nc\n\nA\nb\n"
    assert told.err == "A\nb\n"


def test_pipe_is_given_plain_text_and_loads_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib, "import_module", pytest.fail)
    assert shown_on(io.StringIO(), monkeypatch) == PLAIN


def test_terminal_without_rich_is_given_plain_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    assert shown_on(Terminal(), monkeypatch) == PLAIN


def test_terminal_is_given_colours_and_no_escapes_of_names(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    shown = shown_on(Terminal(), monkeypatch)
    assert shown.splitlines()[1].startswith("\x1b[36ma\\x1b[1m")
    assert [line.rstrip()[-1] for line in shown.splitlines()[1:3]] == ["x", "y"]


def test_no_color_leaves_colours_out(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[36m" not in shown_on(Terminal(), monkeypatch)


def test_narrow_terminal_breaks_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", "30")
    table = Table(("NAME", "TEXT"), [("[bold]", "many words " * 9)], title="[red]all")
    shown = shown_on(Terminal(), monkeypatch, table)
    assert len(shown.splitlines()) > 3
    assert "[red]all" in shown
    assert "[bold]" in shown


@each(
    ("stream", "environment", "expected"),
    [
        (io.StringIO(), {}, (False, False)),
        (io.StringIO(), {"FORCE_COLOR": "1"}, (True, True)),
        (io.StringIO(), {"FORCE_COLOR": ""}, (False, False)),
        (Terminal(), {}, (True, True)),
        (Terminal(), {"NO_COLOR": "1"}, (True, False)),
        (Terminal(), {"NO_COLOR": ""}, (True, True)),
        (Terminal(), {"TERM": "dumb"}, (False, False)),
    ],
)
def test_environment_is_heeded(
    stream: io.StringIO, environment: dict[str, str], expected: tuple[bool, bool]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        assert (is_terminal(stream), is_coloured(stream)) == expected
        assert (is_coloured(stream, "always"), is_coloured(stream, "never")) == (True, False)
        if not expected[0]:
            assert rich_console(stream) is None
