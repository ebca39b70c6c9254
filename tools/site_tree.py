"""The navigation of the site: which page stands where."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from tools import reference_pages
from tools.links import ROOT
from tools.notebooks import page_of_source
from tools.reference_faces import faces, public_names

DOCS: Final = ROOT / "docs"
REFERENCE: Final = "reference.md"
OPERATORS: Final = "operators.md"

_HEADING_OR_LINK: Final = re.compile(
    r"^\*\*(?P<heading>.+?)\*\*$|\]\((?P<page>[^)#:\s]+\.(?:md|py))\)", re.MULTILINE
)


def navigation() -> list[Any]:  # Any: as mkdocs has it, paths and sections of them by title
    """Return what ``docs/index.md`` lists: a section for each heading, pages in their order.

    Pages that a page of the list has beside it, in a folder of its name, come below it, and those
    that are made for the site.
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
        pages = [page_of_source(page) for page in below if not page.startswith("../")]
        yield found[start]["heading"], pages


def _entries(page: str) -> Iterator[Any]:  # Any: as above
    """Yield a page, with those that it lists in the folder of its name."""
    folder = page.removesuffix(".md")
    below: list[Any] = [*_made_below(page)]  # Any: as above
    if (DOCS / folder).is_dir():
        text = (DOCS / page).read_text(encoding="utf-8")
        listed = re.findall(rf"\]\(({re.escape(folder)}/[^)#]+\.(?:md|py))[)#]", text)
        below = [*map(page_of_source, dict.fromkeys(listed)), *below]
    if not below:
        yield page
        return
    title = (DOCS / page).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    yield {title: [{"Overview": page}, *below]}


def _made_below(page: str) -> Sequence[Any]:  # Any: as above
    """Return which pages that are made for the site stand below a page of docs."""
    if page == OPERATORS:
        return [reference_pages.address(face) for face in reference_pages.FAMILIES]
    return _reference() if page == REFERENCE else ()


def _reference() -> list[Any]:  # Any: as above
    """Return the pages of faces, those within another below it."""
    groups: dict[str, list[str]] = {}
    for face, module in faces().items():
        if face not in reference_pages.FAMILIES and public_names(module):
            outer = ".".join(face.split(".")[:2])
            groups.setdefault(outer, []).append(reference_pages.address(face))
    return [
        below[0] if len(below) == 1 else {outer: below} for outer, below in sorted(groups.items())
    ]
