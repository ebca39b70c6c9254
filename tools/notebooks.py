"""Notebooks of docs/tutorial: plain Python with cells.

A line ``# %%`` begins a cell of code, ``# %% [markdown]`` one of text, whose lines are comments,
and ``# %% tags=["solution"]`` code that is hidden until somebody asks for it. Editors show such
files as notebooks, and diffs of them can be read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final, NamedTuple

from tools.links import ROOT

TUTORIAL: Final = ROOT / "docs" / "tutorial"

TEXT: Final = " [markdown]"
SOLUTION: Final = ' tags=["solution"]'
_MARK: Final = re.compile(r'^# %%( \[markdown\]| tags=\["solution"\]|)[ ]*\n', re.MULTILINE)


class Cell(NamedTuple):
    """A cell: text in Markdown, or code, or code that solves an exercise."""

    mark: str
    source: str


def sources() -> list[Path]:
    """Return the files of all notebooks, in order."""
    return sorted(TUTORIAL.glob("*.py"))


def cells(text: str) -> Iterator[Cell]:
    r"""Yield the cells of a file.

    Example:
        >>> list(cells("# %% [markdown]\n# A *sum*.\n\n# %%\n1 + 2\n"))
        [Cell(mark=' [markdown]', source='A *sum*.'), Cell(mark='', source='1 + 2')]
    """
    parts = _MARK.split(text)
    for mark, source in zip(parts[1::2], parts[2::2], strict=True):
        lines = source.splitlines()
        if mark == TEXT:
            lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
        yield Cell(mark, "\n".join(lines).strip())


def page_of_source(target: str) -> str:
    """Return the page that shows a file of docs: of a notebook, the one with its output."""
    is_notebook = target.endswith(".py") and (TUTORIAL / PurePosixPath(target).name).exists()
    return f"{target.removesuffix('.py')}.md" if is_notebook else target
