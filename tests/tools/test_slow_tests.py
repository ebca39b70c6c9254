"""Times of tests are read from a report, by folder, and tests that take too long are told."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tools import slow_tests
from tools.slow_tests import BUDGET, SLACK, Taken, main, read_report, table, unexcused

REPORT = """<testsuites><testsuite>
<testcase classname="tests.ir.test_node" name="test_a" time="9.0">
  <properties><property name="cpu" value="0.5"/></properties></testcase>
<testcase classname="tests.passes.relay.fold.test_bind.TestBind" name="test_b[x]" time="0.1">
  <properties><property name="slow" value="it is long"/>
  <property name="cpu" value="7"/></properties></testcase>
<testcase classname="tests.test_project" name="test_c" time="0.25"/>
</testsuite></testsuites>"""


@pytest.fixture
def report(tmp_path: Path) -> Path:
    path = tmp_path / "report.xml"
    path.write_text(REPORT)
    return path


def test_report_tells_cpu_folder_and_reason_of_each_test(report: Path) -> None:
    assert read_report(report) == [
        Taken("tests.ir.test_node::test_a", "tests/ir", 0.5, None),
        Taken(
            "tests.passes.relay.fold.test_bind.TestBind::test_b[x]",
            "tests/passes/relay/fold",
            7,
            "it is long",
        ),
        Taken("tests.test_project::test_c", "tests", 0.25, None),
    ]


def test_table_adds_folders_up_and_shows_the_slowest_with_their_reasons(report: Path) -> None:
    lines = [line.split() for line in table(read_report(report)).splitlines()]
    assert lines[:4] == [
        ["tests", "1", "tests", "0.2", "s"],
        ["tests/ir", "1", "tests", "0.5", "s"],
        ["tests/passes/relay/fold", "1", "tests", "7.0", "s"],
        ["together", "3", "tests", "7.8", "s"],
    ]
    assert lines[5][-3:] == ["it", "is", "long"]


def test_only_tests_over_their_time_that_give_no_reason_are_told(report: Path) -> None:
    limit = BUDGET * SLACK
    tests = [Taken("a", "", limit, None), Taken("b", "", limit + 1, None), Taken("c", "", 9, "why")]
    assert [test.name for test in unexcused([*tests, Taken("d", "", limit + 2, None)])] == [
        "d",
        "b",
    ]
    assert main([str(report)]) == 0


def test_a_second_lasts_longer_on_a_slow_machine() -> None:
    tests = [Taken("a", "", BUDGET * SLACK * 1.5, None)]
    assert [len(unexcused(tests, second)) for second in (1.0, 1.4, 1.5)] == [1, 1, 0]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project whose only test claims what stands in a file."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_busy.py").write_text(
        "class TestClass:\n"
        "    def test_a(self, record_property):\n"
        "        record_property('cpu', open('seconds').read())\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    monkeypatch.setattr(slow_tests, "USUAL", math.inf)  # a machine like the one it was set on
    return tmp_path


def say(project: Path, first: str, again: str) -> int:
    """Return how the command ends if a test takes so long at first, and so long alone."""
    name = 'classname="tests.test_busy.TestClass" name="test_a"'
    found = f'<properties><property name="cpu" value="{first}"/></properties>'
    (project / "report.xml").write_text(f"<a><testcase {name} time='0'>{found}</testcase></a>")
    (project / "seconds").write_text(again)
    return main([str(project / "report.xml")])


def test_command_fails_and_says_what_to_do(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert say(project, "2.75", "2.5") == 1
    assert (
        "TestClass::test_a takes 2.5 s, and a test has 1; make it shorter, or say why"
        in capsys.readouterr().out
    )


@pytest.mark.parametrize(("first", "again"), [("9", "0.5"), ("0.5", "9")])
def test_who_is_fast_alone_is_not_told(project: Path, first: str, again: str) -> None:
    assert say(project, first, again) == 0


def test_who_cannot_be_tried_again_is_told(project: Path) -> None:
    (project / "tests/test_busy.py").write_text("")
    assert say(project, "2.75", "0.5") == 1
