"""The bar: on terminals alone."""

from __future__ import annotations

import importlib.util
import io
import sys
from pathlib import Path

import pytest

from relayish.cli.main import main
from relayish.cli.progress import WIDTH, Bar
from relayish.cli.report import Verbosity, telling
from relayish.pass_infra.instruments.progress import Progress
from tests.support.terminal import Terminal, set_usual_environment

Capture = pytest.CaptureFixture[str]
CLEAR = "\r\x1b[K"


@pytest.fixture(autouse=True)
def _usual_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    set_usual_environment(monkeypatch)


@pytest.fixture
def _without_rich(monkeypatch: pytest.MonkeyPatch) -> None:
    find_spec = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "rich" else find_spec(name)
    )


def shown_of(stream: io.StringIO, steps: int = 2) -> str:
    bar = Bar(steps, 0, stream=stream)
    bar.step("reading")
    bar.step("writing")
    bar.end()
    return stream.getvalue()


@pytest.mark.usefixtures("_without_rich")
def test_a_bar_grows_and_is_taken_away() -> None:
    half = WIDTH // 2
    empty, filled = f">{' ' * (WIDTH - 1)}", f"{'=' * half}>{' ' * (half - 1)}"
    expected = f"{CLEAR}[{empty}] reading{CLEAR}[{filled}] writing{CLEAR}"
    assert shown_of(Terminal()) == expected


@pytest.mark.usefixtures("_without_rich")
def test_passes_take_their_part_of_the_bar() -> None:
    stream = Terminal()
    bar = Bar(2, 0, stream=stream)  # how many passes run is known when the first begins
    bar.step("reading")
    bar.begin_passes()
    for number in (1, 2):
        bar.show_pass(Progress(number, 2, "Pass"))
    bar.step("writing")
    bar.tell("checking")
    filled = [each.count("=") for each in stream.getvalue().split(CLEAR)[1:]]
    assert filled == [0, WIDTH // 4, WIDTH // 2, 3 * WIDTH // 4, WIDTH]


def test_rich_draws_the_bar_and_takes_it_away() -> None:
    pytest.importorskip("rich")
    shown = shown_of(Terminal())
    assert shown.count("━") >= 2 * WIDTH
    assert "reading" in shown
    assert "writing" in shown
    assert shown.endswith("\x1b[2K")  # the line is erased


def test_rich_takes_no_markup_from_what_is_done() -> None:
    pytest.importorskip("rich")
    stream, streams = Terminal(), (sys.stdout, sys.stderr)
    bar = Bar(1, 0, stream=stream)
    bar.step("[red]reading")
    assert (sys.stdout, sys.stderr) == streams  # who writes there is not wrapped at its width
    bar.end()
    assert "[red]reading" in stream.getvalue()


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown_of(io.StringIO()) == ""
    assert shown_of(Terminal(), steps=0) == ""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert shown_of(io.StringIO()) == ""
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert shown_of(Terminal()) == ""


def test_bar_is_as_loud_as_wanted(capsys: Capture) -> None:
    with telling(Verbosity.QUIET):
        assert shown_of(Terminal()) == ""
    assert capsys.readouterr().err == ""
    with telling(Verbosity.VERBOSE):
        assert shown_of(Terminal()) == ""
    assert capsys.readouterr().err == "relayish: reading\nrelayish: writing\n"


@pytest.mark.usefixtures("_without_rich")
def test_opt_shows_every_pass_on_a_terminal_and_clears_the_line(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["opt", str(program), "-p", "FoldConstant,DeadCodeElimination"]
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(words) == 0
    shown = [each.partition("] ")[2] for each in terminal.getvalue().split(CLEAR)]
    assert shown[1:] == ["[1/3] FoldConstant", "[2/3] InferType", "[3/3] DeadCodeElimination", ""]
    filled = [each.count("=") for each in terminal.getvalue().split(CLEAR)]
    assert filled == [0, 0, WIDTH // 3, 2 * WIDTH // 3, 0]
    terminal.truncate(0)
    assert main([*words, "--diff", "--color", "never"]) == 0
    assert CLEAR not in terminal.getvalue()


@pytest.mark.references
@pytest.mark.usefixtures("_without_rich")
def test_optimize_shows_every_pass_on_a_terminal(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("onnx")
    model = Path(__file__).parents[2] / "examples" / "small_network.onnx"
    argv = ["optimize", str(model), "-p", "DeadCodeElimination"]
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(argv) == 0
    shown = [each.partition("] ")[2] for each in terminal.getvalue().split(CLEAR)]
    assert shown[1:5] == ["reading", "[1/2] InferType", "[2/2] DeadCodeElimination", "writing"]
    assert shown[5] == "verifying"
    assert shown[-1] == ""  # the bar is gone
    assert "DeadCodeElimination" in capsys.readouterr().out
    terminal.truncate(0)
    assert main([*argv, "--quiet"]) == 0
    assert terminal.getvalue().strip("\0") == ""
