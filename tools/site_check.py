"""Check a built site: links lead somewhere, nothing is loaded from elsewhere, names are told.

python -m tools.site_check site
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tools.links import documentation
from tools.reference_faces import entries

_LOADED: Final = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
"""By tag: the attribute that names what a browser loads."""
_NOT_LOADED: Final = frozenset(("canonical", "prev", "next"))


class Page(HTMLParser):
    """What a page has: its anchors, its links, what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.anchors.update(filter(None, (told.get("id"), told.get("name"))))
        if tag == "a" and told.get("href"):
            self.links.append(str(told["href"]))
        loads = told.get(_LOADED.get(tag, ""))
        if loads and told.get("rel") not in _NOT_LOADED:
            self.loaded.append(loads)


@cache
def read(path: Path) -> Page:
    """Return what a page has; it is read once."""
    return Page(path.read_text(encoding="utf-8"))


def broken_links(site: Path) -> Iterator[str]:
    """Yield a sentence for each link within the site that leads nowhere."""
    pages = {path: read(path) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        if name == "404.html":
            continue  # its links are those of the published site
        for link in page.links:
            is_own = link.startswith(documentation())
            parts = urlsplit(link.removeprefix(documentation()))
            if parts.scheme or parts.netloc:
                continue
            above = site if is_own else path.parent
            is_same = not parts.path and not is_own
            there = path if is_same else (above / unquote(parts.path)).resolve()
            there = there / "index.html" if there.is_dir() else there
            anchors = pages[there].anchors if there in pages else set()
            if not there.exists():
                yield f"{name}: {link} leads to no file"
            elif there in pages and unquote(parts.fragment or "") not in {*anchors, ""}:
                yield f"{name}: {link} leads to no anchor"


def loaded_from_elsewhere(site: Path) -> Iterator[str]:
    """Yield a sentence for each script, style or image that a page loads from another host."""
    for path in sorted(site.rglob("*.html")):
        for address in read(path).loaded:
            if urlsplit(address).netloc:
                yield f"{path.relative_to(site).as_posix()}: loads {address}"


def untold_names(site: Path, names: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each name that has no anchor of its own on any page."""
    anchors: set[str] = set()
    for path in site.rglob("*.html"):
        anchors |= read(path).anchors
    for name in names:
        if name not in anchors:
            yield f"{name} has no entry"


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the site in a folder; return how the process should exit."""
    (folder,) = sys.argv[1:] if arguments is None else arguments
    site = Path(folder).resolve()
    names = sorted(entries())
    wrong = [*broken_links(site), *loaded_from_elsewhere(site), *untold_names(site, names)]
    print(*wrong[:100], sep="\n", end="\n" if wrong else "")
    pages = sum(1 for _ in site.rglob("*.html"))
    print(f"{pages} pages, {len(names)} public names, {len(wrong)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
