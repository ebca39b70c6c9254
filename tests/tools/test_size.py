"""The budget of lines of code."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.size import (
    BUDGET,
    Budget,
    count_c,
    count_code,
    count_packages,
    find_excess,
    main,
    read_budget,
    render,
    update_budget,
    write_budget,
)

MODULE = '''"""A module.

It has a docstring."""

# A comment.
import os  # with one


def f(x):
    """Return something."""
    text = """of

    three lines"""
    "no docstring"
    return (
        x,

        os,
        text,
    )


class C:
    "A class."
'''


def test_docstrings_comments_and_blank_lines_are_no_code() -> None:
    assert count_code(MODULE) == 12
    assert count_code("") == 0
    assert count_code('class C: "doc"\ndef f(): "doc"; return 1\n') == 2


def test_comments_and_blank_lines_of_c_are_no_code() -> None:
    text = "/* A file,\n   with comments. */\n\n#define A 1 /* one */\n/* a */ int a;\n"
    assert count_c(text) == 2
    assert count_c("") == 0


def test_code_is_counted_by_package(tmp_path: Path) -> None:
    for name, text in {
        "relayish/a.py": "x = 1\n",
        "relayish/b/c.py": "x = 1\ny = 2\n",
        "relayish/b/d/e.py": "x = 1\n",
        "relayish/b/d/f.c": "int x;\n",
        "tests/test_a.py": "x = 1\n",
        "other/f.py": "x = 1\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = count_packages(tmp_path)
    assert found == {"relayish": 1, "relayish.b": 4, "tests": 1}
    table = render(found, {"relayish": 5, "relayish.b": 4}).splitlines()
    assert [line.split() for line in table[1:]] == [
        ["relayish", "1", "5"],
        ["relayish.b", "4", "4"],
        ["relayish,", "all", "5", "9"],
        ["tests", "1", "0"],
        ["tests,", "all", "1", "0"],
    ]


def test_a_package_may_have_more_where_somebody_says_why(tmp_path: Path) -> None:
    budget = Budget({"relayish.a": 10, "relayish.b": 10}, [])
    found = {"relayish.a": 9, "relayish.b": 11, "relayish.c": 1}
    said = find_excess(found, budget.lines)
    assert [each.partition(" lines")[0] for each in said] == [
        "relayish.b has 11",
        "relayish.c has 1",
    ]
    with pytest.raises(ValueError, match=r"relayish\.b has 11 lines .*; 10 are allowed"):
        update_budget(budget, found, None)
    updated = update_budget(budget, found, 'a "feature"')
    path = tmp_path / "size.toml"
    write_budget(updated, path)
    assert read_budget(path) == updated
    assert updated.lines == found
    assert [(each.package, each.before, each.after, each.why) for each in updated.rises] == [
        ("relayish.b", 10, 11, 'a "feature"'),
        ("relayish.c", 0, 1, 'a "feature"'),
    ]
    fewer = update_budget(updated, {**found, "relayish.b": 5}, None)
    assert (fewer.lines["relayish.b"], fewer.rises) == (5, updated.rises)


def test_nothing_is_allowed_where_there_is_no_budget(tmp_path: Path) -> None:
    assert read_budget(tmp_path / "none.toml") == Budget({}, [])


def test_what_is_no_package_is_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.size.count_packages", lambda: {"relayish": 1})
    before = BUDGET.read_text(encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["--update", "relayish,", "--why", "a slip"])
    assert "'relayish,' is no package that is counted" in capsys.readouterr().err
    assert BUDGET.read_text(encoding="utf-8") == before
