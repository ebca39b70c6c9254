"""Examples of the documentation: blocks of Python in pages, and cells of notebooks."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Final, NamedTuple

from tools import notebooks
from tools.links import ROOT

PAGES: Final = (
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
)
FENCE: Final = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page_name(page: Path) -> str:
    """Return where a page is, from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def python_of(text: str) -> str:
    """Return the Python blocks of a page, everything else blanked, so that lines keep numbers."""
    kept = [""] * (text.count("\n") + 1)
    for fence in FENCE.finditer(text):
        if fence[1] == "python":
            first = text.count("\n", 0, fence.start(2))
            for offset, line in enumerate(fence[2].splitlines()):
                kept[first + offset] = line
    return "\n".join(kept)


class Joined(NamedTuple):
    """The code of a page as one module, each line where it stands in the page.

    Attributes:
        refused: The lines of examples that show an exception, from 1: they are wrong on purpose.
        tells_of_stubs: Whether the page tells of stubs for what it declares.
    """

    source: str
    refused: frozenset[int]
    tells_of_stubs: bool = False


def join_examples(text: str) -> Joined:
    r"""Return the examples of a page without prompts and without what they print.

    Example:
        >>> join_examples("A sum:\n\n```python\n>>> 1 + 2\n3\n>>> x\nTraceback (most recent call last):\nNameError: x\n```\n")
        Joined(source='\n\n\n1 + 2\n\nx\n\n\n\n', refused=frozenset({6}), tells_of_stubs=False)
    """  # noqa: E501 - a page in one line
    source = python_of(text)
    kept = [""] * (source.count("\n") + 1)
    refused: set[int] = set()
    for example in doctest.DocTestParser().get_examples(source):
        lines = example.source.splitlines()
        kept[example.lineno : example.lineno + len(lines)] = lines
        if example.exc_msg is not None:
            refused.update(range(example.lineno + 1, example.lineno + 1 + len(lines)))
    return Joined("\n".join(kept), frozenset(refused), "`relayish stubs" in text)


def joined_pages() -> dict[str, Joined]:
    """Return the code of every page and notebook that has some, by name."""
    found = {page_name(page): join_examples(page.read_text(encoding="utf-8")) for page in PAGES}
    for notebook in notebooks.sources():
        found[page_name(notebook)] = Joined(notebook.read_text(encoding="utf-8"), frozenset())
    return {page: joined for page, joined in found.items() if joined.source.strip()}
