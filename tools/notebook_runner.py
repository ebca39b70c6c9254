"""Notebooks of docs/tutorial, executed: what is in them, with what it printed and showed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

from nbclient import NotebookClient
from nbformat import v4
from traitlets.config import Config

from tools.links import ROOT
from tools.notebooks import SOLUTION, TEXT, Cell, cells

SECONDS: Final = 60
"""So long a cell may take."""


def as_notebook(path: Path) -> Any:  # Any: a NotebookNode
    """Return a file as a notebook, without outputs."""
    made = [_made(cell) for cell in cells(path.read_text(encoding="utf-8"))]
    for number, cell in enumerate(made):
        cell["id"] = f"cell-{number}"  # the same whenever it is made
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return v4.new_notebook(cells=made, metadata={"kernelspec": kernel})


def _made(cell: Cell) -> Any:  # Any: as below
    if cell.mark == TEXT:
        return v4.new_markdown_cell(cell.source)
    hidden = {"tags": ["solution"], "jupyter": {"source_hidden": True}}
    return v4.new_code_cell(cell.source, metadata=hidden if cell.mark == SOLUTION else {})


def executed(path: Path) -> Any:  # Any: a NotebookNode
    """Return a file as a notebook with its outputs; no network is used.

    Raises:
        nbclient.exceptions.CellExecutionError: If a cell raises what it does not show that it does.
    """
    notebook = as_notebook(path)
    with tempfile.TemporaryDirectory() as folder:
        sockets = {"transport": "ipc", "ip": f"{folder}/kernel"}
        client = NotebookClient(
            notebook,
            timeout=SECONDS,
            coalesce_streams=True,
            resources={"metadata": {"path": str(ROOT)}},
            config=Config({"KernelManager": sockets}),
        )
        client.execute()
    return notebook
