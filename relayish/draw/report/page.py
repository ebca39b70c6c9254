"""The page of a report: one file of HTML, which needs no other and no network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from importlib.resources import files
from typing import Any

from relayish._support import printable
from relayish.draw.highlight import colours_of_words, style_of_words
from relayish.draw.report.document import make_document
from relayish.draw.report.steps import Record


def make_page(report: Record) -> str:
    """Return the page of a report.

    Complexity:
        Linear in the lines of the programs that differ, and in the boxes of their pictures.
    """
    document = make_document(report)
    title = escape(printable.escape(report.title))
    here = files(__package__)
    style = here.joinpath("report.css").read_text(encoding="utf-8")
    script = here.joinpath("report.js").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}: passes</title>\n'
        f"<style>\n{style}{_words()}</style></head><body>\n"
        f'<div class="top"><h1>{title}</h1><p id="summary"></p></div>\n'
        f'<div class="side"><ul id="steps" role="listbox" aria-label="passes"></ul></div>\n'
        f'<main id="step"></main>\n'
        f'<script type="application/json" id="report">{embed_json(document)}</script>\n'
        f"<script>\n{script}</script>\n</body></html>\n"
    )


def _words() -> str:
    light, dark = colours_of_words(is_dark=False), colours_of_words(is_dark=True)
    scheme = "@media (prefers-color-scheme: dark)"
    return f":root {{ {light} }}\n{scheme} {{ :root {{ {dark} }} }}\n{style_of_words()}"


def embed_json(document: Mapping[str, Any]) -> str:  # Any: whatever JSON can hold
    """Return JSON that may stand in an element of HTML."""
    text = json.dumps(document, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
