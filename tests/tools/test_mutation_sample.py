"""Mutation sampling, tried on a package of one small module."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools.mutation_sample import (
    Mutant,
    Workshop,
    copy_repository,
    draw,
    main,
    nearest_tests,
    places,
)

MODULE = '''
def clamp(n: int) -> int:
    """Return n, 9 at the most."""
    while n > 9:
        n -= 1
    return n
'''
TESTS = """
from tiny.bounds import clamp

def test_large_numbers_are_clamped():
    assert clamp(12) == 9
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository of a package ``tiny`` with tests."""
    root = tmp_path / "repository"
    for path, text in {
        "tiny/__init__.py": "",
        "tiny/bounds.py": MODULE,
        "tests/test_bounds.py": TESTS,
        "tests/test_broken.py": "from tiny.bounds import clamp\n\ndef test_no(): assert clamp(0)",
        "tests/test_other.py": "def test_other(): pass",
        "tests/test_unread.py": "import nowhere",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def changes(source: str) -> list[tuple[str, str]]:
    return [
        (change.before, change.after)
        for place in places("m.py", source.encode())
        for change in place
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", [("<", "<="), ("<", ">=")]),
        ("a == (b) is  not c", [("==", "!="), ("is  not", "is")]),
        ("(a  # < é and\n < b)", [("<", "<="), ("<", ">=")]),
        ("(a  # or and\n and b)", [("and", "or")]),
        ("a not in b", [("not in", "in")]),
        ("a and b or c", [("or", "and"), ("and", "or")]),
        ("not (a)", [("not (a)", "(a)")]),
        ("x[1]", [("1", "2"), ("1", "0")]),
        ("x[100]", []),
        ("if a: pass", [("a", "not (a)")]),
        ("[a for a in b if a]", [("a", "not (a)")]),
        ("if not a: pass", [("not a", "a")]),
        ("f(True, g=False)", [("True", "False"), ("False", "True")]),
        ("def f(a=True): return False", [("True", "False"), ("False", "True")]),
        ("é = 'é', 1", [("1", "2"), ("1", "0")]),
    ],
)
def test_place_offers_the_changes(source: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(changes(source)) == sorted(expected)


@pytest.mark.parametrize(
    "source",
    [
        '"""1 < 2 and not 3"""',
        "x: Literal[1]",
        "def f(a: Literal[1]) -> Literal[2]: pass",
        "@node(effect=1)\nclass A: pass",
        "assert a < b, f'{1}'",
        "raise ValueError(f'{a or 1}')",
        "__slots__ = ('a', 1)",
        "zip(a, b, strict=True)",
        "if __name__ == '__main__': main(1)",
    ],
)
def test_what_only_describes_offers_none(source: str) -> None:
    assert changes(source) == []


def test_draw_is_the_same_for_one_seed(root: Path) -> None:
    drawn = draw(root, [Path("tiny")], 2, seed=3)
    assert len(drawn) == 2
    assert draw(root, [Path("tiny")], 2, seed=3) == drawn


def test_spread_draws_as_many_of_every_folder_and_one_more_of_the_largest(root: Path) -> None:
    (root / "tiny/sub").mkdir()
    (root / "tiny/sub/one.py").write_text("x = 1 < 2\n")

    def folders(count: int) -> list[str]:
        drawn = draw(root, [Path("tiny")], count, seed=3, spread=True)
        return [str(Path(mutant.path).parent) for mutant in drawn]

    assert folders(2) == ["tiny", "tiny/sub"]
    assert folders(3) == ["tiny", "tiny", "tiny/sub"]
    assert folders(1) == ["tiny"]


def test_tests_named_after_the_module_come_first_and_others_that_mention_it_last(
    root: Path,
) -> None:
    (root / "tests/sub").mkdir()
    (root / "tests/test_bounds.py").rename(root / "tests/sub/test_bounds.py")
    (root / "tiny/sub").mkdir()
    (root / "tiny/bounds.py").rename(root / "tiny/sub/bounds.py")
    assert nearest_tests(root, "tiny/sub/bounds.py") == [
        ["tests/sub/test_bounds.py"],
        ["tests/test_broken.py"],
    ]


def change(root: Path, before: str, after: str) -> Mutant:
    start = (root / "tiny/bounds.py").read_text().rindex(before)
    return Mutant("tiny/bounds.py", 0, start, start + len(before), before, after)


def test_mutant_is_killed_by_the_test_that_notices_it(root: Path) -> None:
    verdict = Workshop(root).judge(change(root, "9", "8"))
    assert verdict.killed_by == "tests/test_bounds.py::test_large_numbers_are_clamped"
    assert (root / "tiny/bounds.py").read_text() == MODULE


@pytest.mark.slow("a process that runs until it is ended")
def test_mutant_that_runs_for_ever_is_killed(root: Path) -> None:
    workshop = Workshop(root, patience=0, grace=1.5)
    assert workshop.judge(change(root, "1", "0")).killed_by == "no end within 2 s"


@pytest.mark.slow("several runs of pytest, each a process")
def test_tests_that_fail_without_a_change_kill_nothing(root: Path) -> None:
    verdict = Workshop(root).judge(change(root, ">", "!="))
    assert (verdict.killed_by, verdict.files) == (None, 2)


@pytest.mark.slow("several runs of pytest, each a process")
def test_slow_tests_are_left_out(root: Path) -> None:
    assert Workshop(root, quick=-1).judge(change(root, "9", "8")).killed_by is None


def test_copy_leaves_hidden_folders_behind(root: Path, tmp_path: Path) -> None:
    (root / ".git").mkdir()
    copy_repository(root, tmp_path / "copy")
    assert (tmp_path / "copy/tiny/bounds.py").exists()
    assert not (tmp_path / "copy/.git").exists()


def test_sample_goes_on_where_it_ended(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.jsonl"
    command = ["--root", str(root), "--package", "tiny", "--out", str(out), "--count"]
    main([*command, "1"])
    first = out.read_text()
    main([*command, "1"])
    assert out.read_text() == first
    assert set(json.loads(first)) == {"mutant", "killed_by", "files", "seconds"}
    capsys.readouterr()
    main(["--out", str(out), "--table"])
    assert "together" in capsys.readouterr().out
