"""Errors of checkers are told by page and line; what shows an exception is wrong on purpose."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tools import check_docs
from tools.check_docs import Complaint, check, main, split
from tools.doc_examples import Joined, join_examples, joined_pages

PAGE = """\
Words.

```python
>>> def double(x):
...     return 2 * x
>>> double(1)
2
```

```sh
ls
```

```python
>>> double("a", 1)
Traceback (most recent call last):
TypeError: one too many
```
"""


def test_code_of_a_page_stands_where_it_stands_in_the_page() -> None:
    lines = join_examples(PAGE).source.splitlines()
    code = {number: line for number, line in enumerate(lines, 1) if line}
    assert code == {
        4: "def double(x):",
        5: "    return 2 * x",
        6: "double(1)",
        15: 'double("a", 1)',
    }


def test_examples_that_show_an_exception_are_wrong_on_purpose() -> None:
    assert join_examples(PAGE).refused == {15}


def test_pages_that_show_code_and_notebooks_are_checked() -> None:
    pages = joined_pages()
    assert {"README.md", "docs/start.md", "docs/tutorial/1_first_pass.py"} <= pages.keys()
    assert "docs/glossary.md" not in pages
    assert all(compile(joined.source, page, "exec") for page, joined in pages.items())


WRITTEN: list[tuple[str, str]] = []
"""The packages of which stubs were written: names, and what was run."""


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let mypy complain of line 4 and 15 of a page, and pyright of line 6; nothing runs."""

    def run(checker: str, options: list[str], at_most: int, **variables: str) -> str:
        if checker == "relayish":
            packages = Path(variables["PYTHONPATH"].split(os.pathsep)[0])
            WRITTEN[:] = [
                (path.stem, path.read_text(encoding="utf-8")) for path in packages.iterdir()
            ]
            assert options[0] == "stubs"
            assert options[1:-2] == [name for name, _ in WRITTEN]
            return ""
        if checker == "mypy":
            file = options[-1]
            errors = [f"{file}:{line}: error: no  [misc]\n" for line in (4, 15)]
            return "".join([*errors, f"{file}:9: note: by the way\n"])
        folder = Path(options[1])
        (file,) = map(str, folder.glob("*.py"))
        kinds = (("error", 5), ("warning", 7))
        found = [
            {
                "file": file,
                "severity": severity,
                "range": {"start": {"line": line}},
                "message": "no\nfor reasons",
                "rule": "reportNo",
            }
            for severity, line in kinds
        ]
        return json.dumps({"generalDiagnostics": found})

    WRITTEN.clear()
    monkeypatch.setattr(check_docs, "_run", run)
    monkeypatch.setattr(check_docs, "joined_pages", lambda: {"docs/a-b.md": join_examples(PAGE)})
    monkeypatch.setattr(check_docs, "find_spec", lambda _: True)


@pytest.mark.usefixtures("said")
def test_errors_bear_page_and_line() -> None:
    found = check({"docs/a-b.md": join_examples(PAGE)})
    assert found["mypy"] == [
        Complaint("mypy", "docs/a-b.md", 4, "misc", "no"),
        Complaint("mypy", "docs/a-b.md", 15, "misc", "no"),
    ]
    assert found["pyright"] == [Complaint("pyright", "docs/a-b.md", 6, "reportNo", "no")]


def test_errors_where_an_exception_is_shown_count_apart() -> None:
    found = [Complaint("mypy", "page", line, "misc", "no") for line in (1, 2)]
    errors, on_purpose = split(found, {"page": Joined("", frozenset({2}))})
    assert ([each.line for each in errors], [each.line for each in on_purpose]) == ([1], [2])


@pytest.mark.usefixtures("said")
def test_stubs_are_written_of_pages_that_tell_of_them_without_what_raises() -> None:
    check({"docs/a-b.md": join_examples(PAGE)})
    assert WRITTEN == []
    check({"docs/a-b.md": join_examples(f"{PAGE}\n`relayish stubs my_package` writes them.\n")})
    ((name, source),) = WRITTEN
    assert name == "page_docs_a_b_md"
    assert "double(1)" in source
    assert 'double("a", 1)' not in source


@pytest.mark.usefixtures("said")
def test_errors_are_printed_and_summed_and_fail(capsys: pytest.CaptureFixture[str]) -> None:
    assert main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "docs/a-b.md:4: mypy: no [misc]",
        "mypy: 1 errors in 1 of 1 pages: 1 misc; 1 more where an exception is shown",
        "docs/a-b.md:6: pyright: no [reportNo]",
        "pyright: 1 errors in 1 of 1 pages: 1 reportNo; 0 more where an exception is shown",
    ]


@pytest.mark.usefixtures("said")
def test_a_checker_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check_docs, "find_spec", lambda name: None if name == "pyright" else True)
    assert main() == 2
    assert "pyright not installed" in capsys.readouterr().err
