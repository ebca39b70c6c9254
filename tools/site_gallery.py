"""The gallery: blocks of code of docs/gallery.md that draw something, and what they draw."""

from __future__ import annotations

import doctest
import itertools
import re
from functools import cache
from typing import Any, Final

from relayish.draw.drawing import Drawing
from tools.links import ROOT

GALLERY: Final = ROOT / "docs" / "gallery.md"
NAME: Final = "picture"
"""The name that a block gives to what it draws."""

_BLOCK: Final = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@cache
def gallery_pictures() -> dict[str, str]:
    """Return what the blocks of the gallery draw, one run after another, as files by address."""
    scope: dict[str, Any] = {}  # Any: whatever blocks name
    found: dict[str, str] = {}
    for number, block in enumerate(_BLOCK.findall(GALLERY.read_text(encoding="utf-8"))):
        scope.pop(NAME, None)
        for example in doctest.DocTestParser().get_examples(block):
            exec(compile(example.source, GALLERY.name, "exec"), scope)  # noqa: S102 - our own page
        if isinstance(scope.get(NAME), Drawing):
            found[picture_address(number)] = str(scope[NAME])
            found[page_address(number)] = scope[NAME].to_html()
    return found


def picture_address(number: int) -> str:
    """Return where the picture of a block is, within the documentation."""
    return f"gallery/{number}.svg"


def page_address(number: int) -> str:
    """Return where the same is as a page to work in."""
    return f"gallery/{number}.html"


def gallery_markdown(page: str, markdown: str) -> str:
    """Return the gallery with a picture behind each block that draws one; no other page differs."""
    if page != GALLERY.name:
        return markdown
    numbers = itertools.count()

    def shown(found: re.Match[str]) -> str:
        number = next(numbers)
        address = picture_address(number)
        if address not in gallery_pictures():
            return found[0]
        picture = f"[![drawn]({address}){{ loading=lazy }}]({address}){{ .drawing }}"
        return f"{found[0]}\n\n{picture}\n\n[As a page to work in]({page_address(number)})"

    return _BLOCK.sub(shown, markdown)
