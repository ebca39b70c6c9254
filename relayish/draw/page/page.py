"""The page: one file of HTML with everything in it, which needs no network and no server."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable
from html import escape
from importlib import resources
from typing import Final

from relayish._support import printable
from relayish.draw.diagram import Diagram
from relayish.draw.page.document import make_document

SCRIPTS: Final = (
    "dom.js",
    "model.js",
    "place.js",
    "scene.js",
    "paint.js",
    "camera.js",
    "find.js",
    "panel.js",
    "keys.js",
    "parts.js",
    "view.js",
)
"""In their order: each uses what those before it define."""
POLICY: Final = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
"""What a page may do: nothing is fetched from anywhere."""
_MODULE: Final = re.compile(r"^import .*\n|^export ", re.MULTILINE)
"""What of a module is gone when all stand in one scope; so no two may define one name."""
_START: Final = """\
relayish.view(document.getElementById("view"),
  JSON.parse(document.getElementById("document").textContent), { fragment: true });
"""


def make_page(diagram: Diagram) -> str:
    """Return a page on which a diagram can be looked at: moved, searched, folded and unfolded.

    Complexity:
        That of laying the diagram out.
    """
    title = escape(printable.escape(diagram.title[:300]))
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>html, body, #view {{ height: 100%; margin: 0 }}\n{viewer_style()}</style></head>\n"
        '<body><div id="view"></div>\n'
        f'<script type="application/json" id="document">{embed_json(make_document(diagram))}'
        f"</script>\n<script>\n{viewer_script()}{_START}</script></body></html>\n"
    )


@functools.cache
def viewer_script() -> str:
    """Return the script that defines ``relayish.view(element, document, options)``.

    A page may have several views. Options: ``panel`` and ``map``, whether there are any; ``theme``,
    "light" or "dark"; ``fragment``, whether the address of the page follows what is selected;
    ``onselect``, which is called with the key of the box that is selected, and the view. A view has
    ``select(key)``, ``setTheme(theme)``, ``foldAll(isFolded)``, ``geometry()``.
    """
    joined = join_modules(map(_read, SCRIPTS))
    return f'const relayish = (() => {{\n"use strict";\n{joined}return {{ view, views }};\n}})();\n'


def join_modules(sources: Iterable[str]) -> str:
    """Return modules, each behind those that it uses, as one script for a scope of its own."""
    return "".join([_MODULE.sub("", source) for source in sources])


@functools.cache
def viewer_style() -> str:
    """Return the style sheet of the script; the element of a view needs a height."""
    return _read("viewer.css")


def embed_json(document: object) -> str:
    r"""Return a document as JSON that may stand between tags of a script.

    Example:
        >>> embed_json({"title": "</script>"})
        '{"title":"\\u003c/script>"}'
    """
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    text = text.replace("<", "\\u003c")
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _read(name: str) -> str:
    return (resources.files("relayish.draw.page") / name).read_text(encoding="utf-8")
