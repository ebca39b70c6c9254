"""What the site shows of a page of docs: links that leave the documentation, examples."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tools.links import BRANCH, ROOT, replace_links, repository_url
from tools.notebooks import page_of_source

DOCS: Final = ROOT / "docs"
_EXAMPLE: Final = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def site_markdown(markdown: str, folder: Path) -> str:
    """Return what the site shows of a page in ``folder``.

    Links that leave the documentation lead to the repository, those to notebooks to the page with
    their output; examples are marked as such.
    """

    def leading(target: str) -> str:
        path = (folder / target).resolve()
        if not path.is_relative_to(DOCS) or path.is_dir():
            return repository_url(path, BRANCH)
        return page_of_source(target)

    return _EXAMPLE.sub("```pycon\n", replace_links(markdown, leading))
