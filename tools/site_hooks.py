"""What mkdocs asks while it builds the site: where links lead, and what the navigation is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tools.links import ROOT, replace_links, repository_url

DOCS: Final = ROOT / "docs"
BRANCH: Final = "main"

_HEADING_OR_LINK: Final = re.compile(
    r"^\*\*(?P<heading>.+?)\*\*$|\]\((?P<page>[^)#:\s]+\.md)\)", re.MULTILINE
)
_EXAMPLE: Final = re.compile(r"^```python\n(?=>>> )", re.MULTILINE)


def on_config(config: Any) -> Any:  # Any: a MkDocsConfig, as is what is returned
    """Let the navigation be what ``docs/index.md`` lists."""
    config["nav"] = navigation()
    return config


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # Any: a Page
    """Let links that leave the documentation lead to the repository; mark examples as such."""
    folder = (DOCS / page.file.src_uri).parent
    return site_markdown(markdown, folder)


def site_markdown(markdown: str, folder: Path) -> str:
    """Return what the site shows of a page in ``folder``."""

    def leading(target: str) -> str:
        path = (folder / target).resolve()
        return target if path.is_relative_to(DOCS) else repository_url(path, BRANCH)

    return _EXAMPLE.sub("```pycon\n", replace_links(markdown, leading))


def navigation() -> list[Any]:  # Any: as mkdocs has it, paths and sections of them by title
    """Return what ``docs/index.md`` lists: a section for each heading, pages in their order.

    Pages that a page of the list has beside it, in a folder of its name, come below it.
    """
    nav: list[Any] = [{"Home": "index.md"}]  # Any: as above
    for heading, pages in _listed():
        nav.append({heading: [entry for page in pages for entry in _entries(page)]})
    return nav


def _listed() -> Iterator[tuple[str, list[str]]]:
    """Yield the headings of ``docs/index.md``, and which pages stand below each."""
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    found = list(_HEADING_OR_LINK.finditer(index))
    headings = [place for place, match in enumerate(found) if match["heading"]]
    for start, end in zip(headings, [*headings[1:], len(found)], strict=True):
        below = dict.fromkeys(match["page"] for match in found[start + 1 : end])
        yield found[start]["heading"], [page for page in below if not page.startswith("../")]


def _entries(page: str) -> Iterator[Any]:  # Any: as above
    """Yield a page, with those that it lists in the folder of its name."""
    folder = page.removesuffix(".md")
    if not (DOCS / folder).is_dir():
        yield page
        return
    text = (DOCS / page).read_text(encoding="utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    below = dict.fromkeys(re.findall(rf"\]\(({re.escape(folder)}/[^)#]+\.md)[)#]", text))
    yield {title: [{"Overview": page}, *below]}
