"""Notebooks on the site: a page for each, with its outputs, and the notebook to take along."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import PurePosixPath
from typing import Any, Final

from tools.notebook_runner import executed
from tools.notebooks import TUTORIAL, sources

_ESCAPES: Final = re.compile(r"\x1b\[[0-9;]*m")


@cache
def notebooks() -> dict[str, Any]:  # Any: a NotebookNode
    """Return all notebooks, executed, by the name of their pages without an ending."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        names = [f"{TUTORIAL.name}/{path.stem}" for path in sources()]
        return dict(zip(names, pool.map(executed, sources()), strict=True))


def notebook_pages() -> dict[str, str]:
    """Return the page of each notebook by its address."""
    return {f"{name}.md": notebook_page(name, made) for name, made in notebooks().items()}


def notebook_page(name: str, notebook: Any) -> str:  # Any: a NotebookNode
    """Return a notebook as a page: its text, its code, what it printed and showed."""
    stem = PurePosixPath(name).name
    take = (
        "This page is a notebook; take it along "
        f'<a href="../{stem}.ipynb" download>with its output</a>, or '
        f'<a href="../{stem}.py" download>as Python</a>.'
    )
    shown: list[str] = []
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            shown.append(cell.source)
            continue
        code = [f"```python\n{cell.source}\n```", *map(_output, cell.outputs)]
        shown += _hidden(code) if "solution" in cell.metadata.get("tags", ()) else code
    title, *rest = shown
    heading, _, text = title.partition("\n")
    return "\n\n".join((heading, take, text.strip(), *rest)) + "\n"


def _hidden(parts: list[str]) -> list[str]:
    """Return the solution of an exercise, folded."""
    return ['<details markdown="1"><summary>Solution</summary>', *parts, "</details>"]


def _output(output: Any) -> str:  # Any: a NotebookNode
    """Return an output as Markdown: the richest form of it that a page can show."""
    if output.output_type == "stream":
        return _plain(output.text)
    if output.output_type == "error":
        return _plain(f"{output.ename}: {output.evalue}")
    data = output.data
    if "text/html" in data:
        return _framed(data["text/html"])
    if "image/svg+xml" in data:
        return _framed(data["image/svg+xml"])
    if "image/png" in data:
        image = base64.b64encode(base64.b64decode(data["image/png"])).decode()
        return _framed(f'<img alt="output" src="data:image/png;base64,{image}">')
    return _plain(data["text/plain"])


def _plain(text: str) -> str:
    return f"```text {{ .output }}\n{_ESCAPES.sub('', text).rstrip()}\n```"


def _framed(html: str) -> str:
    """Return HTML as a block: without blank lines, which would end it for Markdown."""
    lines = "\n".join(_lines(html))
    return f'<div class="output">\n{lines}\n</div>'


def _lines(html: str) -> Iterator[str]:
    return (line for line in html.splitlines() if line.strip())
