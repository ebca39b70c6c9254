"""Tests that concern what changed are named, the nearest to each module first."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests import test_docs
from tools.changed_tests import (
    ALWAYS,
    CORE,
    DOCS,
    EXAMPLES,
    LINKS,
    MOST,
    NEAREST,
    PAGES,
    changed_files,
    concerned_tests,
    main,
)
from tools.links import ROOT


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in {
        "relayish/fold/bind.py": "def bind_all(): ...",
        "tests/fold/test_bind.py": "from relayish.fold.bind import bind_all",
        "tests/fold/test_other.py": "",
        "tests/support/drawn.py": "",
        "tests/text/test_round_trip.py": "from tests.support.drawn import x",
        "tools/generate.py": "",
        "tests/tools/test_generate.py": "",
        "tests/cases/fold/nested.relay": "",
        "tests/fold/test_cases.py": 'Path("tests") / "cases" / "fold"',
        "tests/fold/test_nested.py": "read('nested.relay')",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def found(root: Path, *changed: str) -> list[str]:
    return [test for test in concerned_tests(root, changed) if test not in ALWAYS]


def test_checks_of_the_repository_are_always_named(root: Path) -> None:
    assert concerned_tests(root, []) == list(ALWAYS)


def test_module_has_the_tests_named_after_it_and_those_of_its_folder(root: Path) -> None:
    tests = found(root, "relayish/fold/bind.py")
    assert tests[0] == "tests/fold/test_bind.py"
    assert "tests/fold/test_other.py" in tests


def test_compiled_core_has_the_tests_of_what_it_stands_for(root: Path) -> None:
    assert found(root, "relayish/_kernel/loops.c") == [*CORE]
    assert found(root, "relayish/_kernel/__init__.py") == [*CORE]
    assert [path for path in CORE if not (ROOT / path).exists()] == []


def test_test_has_itself_and_what_tests_share_has_its_users(root: Path) -> None:
    assert found(root, "tests/fold/test_other.py") == ["tests/fold/test_other.py"]
    assert found(root, "tests/support/drawn.py") == ["tests/text/test_round_trip.py"]


def test_tool_has_its_test_and_data_those_who_read_it(root: Path) -> None:
    assert found(root, "tools/generate.py") == ["tests/tools/test_generate.py"]
    assert found(root, "tools/none.py", "Makefile") == []
    readers = ["tests/fold/test_nested.py", "tests/fold/test_cases.py"]
    assert found(root, "tests/cases/fold/nested.relay") == readers


def test_page_has_its_examples_and_links(root: Path) -> None:
    for page in ("docs/how-to/come_from_tvm.md", "README.md"):
        examples, links = found(root, page)
        assert examples == f"{DOCS}::{EXAMPLES}[{page}]"
        assert links == f"{DOCS}::{LINKS}"
    assert found(root, "CHANGELOG.md", "SECURITY.md") == []  # pages without examples
    assert {EXAMPLES, LINKS} <= vars(test_docs).keys()
    known = {*map(test_docs.page_name, test_docs.PAGES)}
    assert {name for name in known if "/" not in name} == {*PAGES}
    assert "docs/how-to/come_from_tvm.md" in known


def test_nearest_of_each_module_comes_before_the_second_nearest_of_any(root: Path) -> None:
    tests = found(root, "relayish/fold/bind.py", "tools/generate.py")
    assert tests[:2] == ["tests/fold/test_bind.py", "tests/tools/test_generate.py"]


def test_no_more_are_named_than_are_quick(root: Path) -> None:
    for number in range(2 * MOST):
        (root / f"tests/fold/test_bind_{number}.py").write_text("")
    changed = [f"tests/fold/test_bind_{number}.py" for number in range(2 * MOST)]
    assert len(concerned_tests(root, changed)) == MOST
    assert len(found(root, "relayish/fold/bind.py")) == NEAREST


def test_what_git_does_not_know_yet_has_changed_as_well(root: Path) -> None:
    def git(*arguments: str) -> None:
        names = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", *names, *arguments], cwd=root, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    assert changed_files(root, "HEAD") == []
    (root / "relayish/fold/bind.py").write_text("")
    (root / "tests/fold/test_new.py").write_text("")
    (root / "tools/generate.py").unlink()
    assert changed_files(root, "HEAD") == ["relayish/fold/bind.py", "tests/fold/test_new.py"]


def test_commit_that_is_not_there_is_told(root: Path) -> None:
    with pytest.raises(SystemExit, match=r"git diff .* none"):
        main(["--root", str(root), "--since", "none"])
