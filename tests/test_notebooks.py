"""The notebooks of the tutorial: each runs through, and says what its text says of it."""

from __future__ import annotations

import sys
import types

import pytest

from relayish.ir.nodes.node import declared_temporarily
from tools.notebooks import SOLUTION, TEXT, cells, sources


def run_all(path, monkeypatch):
    """Run the cells of a notebook one after another, as a kernel does; return what they named."""
    module = types.ModuleType(f"notebook_{path.stem}")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with declared_temporarily():
        for cell in cells(path.read_text(encoding="utf-8")):
            if cell.mark != TEXT:
                exec(compile(cell.source, path.name, "exec"), vars(module))
    return vars(module)


def notebooks():
    for path in sources():
        marks = [pytest.mark.references] if "onnx" in path.read_text(encoding="utf-8") else []
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", list(notebooks()))
def test_notebook_runs_through(path, monkeypatch, capsys):
    if "onnx" in path.read_text(encoding="utf-8"):
        pytest.importorskip("onnx")
    assert run_all(path, monkeypatch)
    capsys.readouterr()


def test_there_are_six_with_three_exercises_each():
    found = [list(cells(path.read_text(encoding="utf-8"))) for path in sources()]
    assert len(found) == 6
    for notebook in found:
        assert sum(cell.mark == SOLUTION for cell in notebook) == 3
        assert notebook[0].source.startswith("# ")


def test_first_pass_computes_the_same(monkeypatch, capsys):
    named = run_all(sources()[0], monkeypatch)
    assert (named["before"] == named["after"]).all()
    assert "nn.dense(%x, %w" in capsys.readouterr().out
