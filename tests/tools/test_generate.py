"""Generated files are what is generated."""

from __future__ import annotations

import pytest

from tools.generate import FILES, main
from tools.generated import Generated
from tools.lists import GENERATED as LISTS


def case(generated):
    """Return a file to compare, marked where torch or onnx is needed to make it."""
    runs_onnx = "onnx" in generated.name  # its examples are run
    needs = (*generated.needs, *(["onnx"] if runs_onnx else []))
    marks = [pytest.mark.references] if {"torch", "onnx"} & {*needs} else []
    if generated is LISTS:
        marks.append(pytest.mark.slow("a process that imports every pass"))
    return pytest.param(generated, needs, id=generated.name, marks=marks)


@pytest.mark.parametrize(("generated", "needs"), [case(each) for each in FILES])
def test_generated_file_is_up_to_date(generated, needs):
    for name in needs:
        pytest.importorskip(name)
    assert generated.difference(generated.text()) == "", "run `make generate`"


@pytest.fixture
def stale(tmp_path, monkeypatch):
    """A generated file of one line, of which another line is there."""
    monkeypatch.setattr("tools.generated.ROOT", tmp_path)
    path = tmp_path / "page.md"
    path.write_text("old\n", encoding="utf-8")
    return Generated(path, lambda: "new\n")


def test_check_shows_the_difference_and_fails_when_a_file_is_stale(stale, capsys):
    assert main(["--check"], [stale]) == 1
    out, err = capsys.readouterr()
    assert "-old\n+new\n" in out
    assert "page.md" in err
    assert "make generate" in err


def test_check_leaves_a_stale_file_as_it_is(stale):
    main(["--check"], [stale])
    assert stale.path.read_text(encoding="utf-8") == "old\n"


def test_generate_writes_a_stale_file_after_which_the_check_holds(stale, capsys):
    assert main([], [stale]) == 0
    assert stale.path.read_text(encoding="utf-8") == "new\n"
    assert capsys.readouterr().out == "page.md: written\n"
    assert main(["--check"], [stale]) == 0


def test_generate_writes_a_file_that_is_missing(stale):
    stale.path.unlink()
    assert main([], [stale]) == 0
    assert stale.path.exists()


def test_generate_leaves_a_file_and_says_why_when_a_package_is_missing(stale, capsys):
    assert main([], [stale._replace(needs=("no_such_package",))]) == 0
    assert stale.path.read_text(encoding="utf-8") == "old\n"
    assert "needs no_such_package" in capsys.readouterr().err
