"""Pages of passes on the site: what the reference says of each, and pictures of its examples."""

from __future__ import annotations

import inspect
import re
from functools import partial
from typing import Final

from relayish.transform import pass_entry
from tools.reference_faces import entries
from tools.reference_pages import details, find_link
from tools.site_pictures import side_by_side

_SECTION: Final = re.compile(r"^## (?P<name>\w+)\n", re.MULTILINE)
_INTRODUCTION: Final = re.compile(r"^Examples are shown.*?^```$\n", re.MULTILINE | re.DOTALL)
"""Of ``show``, which pages have for whoever runs their examples."""
_SECTIONS_OF_DOCSTRINGS: Final = re.compile(r"\n(?=(?:Args|Returns|Raises|Complexity|Source):\n)")


def pass_page_markdown(page: str, markdown: str) -> str:
    """Return a page below docs/passes with the reference's entry in the section of each pass."""
    if not page.startswith("passes/"):
        return markdown
    parts = _SECTION.split(side_by_side(page, markdown))
    shown = [_INTRODUCTION.sub("Examples are shown without inferred types.\n", parts[0])]
    for name, text in zip(parts[1::2], parts[2::2], strict=True):
        shown.append(f"## {name} {{ #{name.lower()} }}\n{_enriched(name, text, page)}")
    return "".join(shown)


def _enriched(name: str, text: str, page: str) -> str:
    """Return the section of a pass with signature, parameters, complexity and source behind it."""
    entry = entries()[f"relayish.transform.{name}"]
    link = partial(find_link, page_address=page, face="relayish.transform")
    told = details(entry, link, told=_told_in_sections(name))
    return f'<a id="{entry.path}"></a>\n{text.rstrip()}\n\n**Reference**\n\n{told}\n\n'


def _told_in_sections(name: str) -> str:
    """Return the docstring of a pass from its first section on, but for the example."""
    docstring = inspect.getdoc(pass_entry(name).factory) or ""
    parts = _SECTIONS_OF_DOCSTRINGS.split(docstring)[1:]
    return "\n".join(re.split(r"\nExamples?:\n", part)[0] for part in parts)
