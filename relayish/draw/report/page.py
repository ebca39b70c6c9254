"""The page of a report: one file of HTML, which needs no other and no network."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from typing import Final

from relayish._support import printable
from relayish.draw.highlight import colours_of_words, style_of_words
from relayish.draw.page.page import POLICY, embed_json, join_modules, viewer_script, viewer_style
from relayish.draw.report.document import make_document
from relayish.draw.report.steps import Record

SCRIPTS: Final = ("parts.js", "lines.js", "views.js", "report.js")
"""In their order: each uses what those before it define."""


def make_page(report: Record, *, has_pictures: bool = True) -> str:
    """Return the page of a report.

    Args:
        report: What happened.
        has_pictures: Whether programs are shown as pictures as well.

    Complexity:
        Linear in the lines of the programs that differ, and in the boxes of their pictures.
    """
    document = make_document(report, has_pictures=has_pictures)
    title = escape(printable.escape(report.title))
    here = files(__package__)
    style = here.joinpath("report.css").read_text(encoding="utf-8")
    sources = [here.joinpath(name).read_text(encoding="utf-8") for name in SCRIPTS]
    script = f'(() => {{\n"use strict";\n{join_modules(sources)}}})();\n'
    if has_pictures:
        style, script = viewer_style() + style, viewer_script() + script
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{title}: passes</title>\n'
        f"<style>\n{style}{_words()}</style></head><body>\n"
        f'<div class="top"><h1>{title}</h1><p id="summary"></p><ul id="notes"></ul></div>\n'
        f'<div class="side"><ul id="steps" role="listbox" aria-label="passes"></ul></div>\n'
        f'<main id="step"></main>\n'
        f'<script type="application/json" id="report">{embed_json(document)}</script>\n'
        f"<script>\n{script}</script>\n</body></html>\n"
    )


def _words() -> str:
    light, dark = colours_of_words(is_dark=False), colours_of_words(is_dark=True)
    scheme = "@media (prefers-color-scheme: dark)"
    return f":root {{ {light} }}\n{scheme} {{ :root {{ {dark} }} }}\n{style_of_words()}"
